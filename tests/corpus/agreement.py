#!/usr/bin/env python3
"""Compares who may fetch what with Google's parser (jwm.robotstxt) and with protego, over real robots.txt files.

    agreement.py BINARY ROBOTS.warc.gz [--files N] [--urls N]

Each file becomes the robots.txt of a host of its own, with pages whose URLs are made of the file's own rules: stars
filled, ends kept and passed, escapes and cases changed. The command writes its tables; the column `disallowed_agents`
answers for five agents. Every difference is explained by one cause, or is unexplained; exit status 1 where one is. A
cause is shown, not only named: with that cause taken out of the file, the other parser gives our answer, and the
command, asked again, answers as before for every URL of the file. Files with lines that were meant as rules and cannot be read
(ACCT-4) are left out. Needs DuckDB, FastWARC, jwm.robotstxt and protego.
"""

import argparse
import collections
import functools
import multiprocessing
import pathlib
import random
import re
import subprocess
import tempfile
import typing
import zlib

import duckdb
from fastwarc.warc import ArchiveIterator, WarcRecordType
from jwm.robotstxt import googlebot
from near_miss import TWICE_ENCODED, near_misses
from protego import Protego

AGENTS = ("CCBot", "GPTBot", "ClaudeBot", "Bytespider", "Google-Extended")
RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*(\S[^\r\n#]*)", re.I | re.M)
ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
UNRESERVED = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
RESERVED = b":/?[]@!$&'()+,;="
LIMIT = 500 << 10


def escaped(path: bytes) -> bytes:
    """Returns a path as a URL has it: what is not printable ASCII as %XX."""
    return b"".join(b"%%%02X" % byte if byte < 0x21 or byte > 0x7E or byte in b'#"<>' else bytes([byte]) for byte in path)


def normal(text: bytes) -> bytes:
    """RFC 9309 2.2.2: unreserved octets plain, every other escape in upper case."""

    def one(match):
        byte = int(match[1], 16)
        return bytes([byte]) if byte in UNRESERVED else b"%%%02X" % byte

    return ESCAPED.sub(one, text)


def urls(body: bytes, rng: random.Random, count: int) -> list[bytes]:
    """Returns paths made of a file's rules."""
    rules = list(dict.fromkeys(match[1].strip() for match in RULE.finditer(body[:LIMIT])))
    paths = [b"/", b"/index.html"]
    for rule in rng.sample(rules, min(len(rules), count)):
        rule = rule[:400] if rule[:1] in b"/*" else b"/" + rule[:400]
        path = rule.replace(b"*", rng.choice([b"", b"x", b"a/b", b"1.html"]))
        path = path[:-1] + rng.choice([b"", b"", b"x"]) if path.endswith(b"$") else path + rng.choice([b"", b"x", b"/y?z=1"])
        change = rng.randrange(8)
        if change == 0:
            path = path[:-1]
        elif change == 1:
            path = path.swapcase() if b"%" not in path else path.lower()
        elif change in (2, 3):
            kind = UNRESERVED if change == 2 else RESERVED
            places = [at for at in range(1, len(path)) if path[at] in kind and b"%" not in path[max(0, at - 2) : at]]
            if places:
                at = rng.choice(places)
                path = path[:at] + b"%%%02x" % path[at] + path[at + 1 :]
        path = escaped(path)
        paths.append(path if path.startswith(b"/") else b"/" + path)
    # A path that a URL parser would change is no question for a parser of robots.txt; nor is the file itself, whose
    # capture would be a second robots.txt.
    changed = re.compile(rb"(?i)/\.{1,2}(?:[/?]|$)|%2e|\\|^//|^/robots")
    plain = (path for path in paths if not changed.search(path))
    return list(dict.fromkeys(plain))[:count]


def bodies(archive: str, step: int):
    """Gives every `step`-th robots.txt."""
    with open(archive, "rb") as file:
        for number, record in enumerate(ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True)):
            if number % step == 0:
                yield number, record.reader.read()


def write(archive: pathlib.Path, files: dict[int, bytes], asked: dict[int, list[bytes]]) -> None:
    """Writes the files and the pages."""
    with archive.open("wb") as out:

        def record(url: bytes, minute: int, block: bytes) -> None:
            head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-08-10T00:%02d:00Z\r\n" % minute
            head += b"WARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n" % (url, len(block))
            pack = zlib.compressobj(1, zlib.DEFLATED, 31)
            out.write(pack.compress(head + block + b"\r\n\r\n") + pack.flush())

        for number, body in files.items():
            host = b"https://h%d.example" % number
            record(host + b"/robots.txt", 1, b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body)
            for path in asked[number]:
                record(host + path, 2, b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")


def answers(binary: str, files: dict[int, bytes], asked: dict[int, list[bytes]]) -> dict[int, dict[bytes, set | None]]:
    """Returns for each path of each file the agents that our command shuts out; None where it has no answer."""
    with tempfile.TemporaryDirectory() as folder:
        archive, out = pathlib.Path(folder) / "a.warc.gz", f"{folder}/out"
        write(archive, files, asked)
        subprocess.run([binary, "run", "-q", "--tables", "pages", archive, "-o", out], check=True)
        rows = duckdb.execute(f"SELECT url, disallowed_agents FROM '{out}/pages/*/*.parquet'").fetchall()
    closed = {url: None if agents is None else {agent for agent in AGENTS if agent in agents} for url, agents in rows}
    return {
        number: {path: closed.get(f"https://h{number}.example{path.decode()}") for path in paths}
        for number, paths in asked.items()
    }


def google(body: bytes, agent: str, path: bytes) -> bool:
    return googlebot.RobotsMatcher().OneAgentAllowedByRobots(body, agent, b"https://a.example" + path)


@functools.lru_cache(16)
def parsed(body: bytes) -> Protego:
    return Protego.parse(body.decode("utf-8", "replace"))


def protego(body: bytes, agent: str, path: bytes) -> bool:
    return parsed(body).can_fetch("https://a.example" + path.decode(), agent)


def with_paths(body: bytes, change) -> bytes:
    """Changes the paths of the rules of a file."""
    return RULE.sub(lambda match: match[0][: match.start(1) - match.start()] + change(match[1].rstrip()), body)


def normal_path(path: bytes) -> bytes:
    """Writes the path of a URL in normal form, in which `$` is escaped (RFC 9309 2.2.3)."""
    return escaped(normal(path.replace(b"$", b"%24")))


def normal_rules(body: bytes) -> bytes:
    """Writes the rules of a file in normal form, in which only a last `$` is no literal."""
    return with_paths(body, lambda path: normal_path(path.removesuffix(b"$")) + b"$" * path.endswith(b"$"))


def with_names(body: bytes, change) -> bytes:
    """Changes the names of user-agent lines."""
    line = re.compile(rb"(?im)^([ \t]*user-?[ ]?agent[ \t]*:?[ \t]*)([^\r\n#]*)")
    return line.sub(lambda match: match[1] + change(match[2].strip()), body)


def first_word(name: bytes) -> bytes:
    """Returns what precedes a slash or blank."""
    return re.split(rb"[/ \t]", name)[0]


def product_token(name: bytes) -> bytes:
    """Returns what precedes a slash or blank where that is a product token, and otherwise a name that nobody has."""
    name = first_word(name)
    return name if re.fullmatch(rb"\*|[A-Za-z_-]+", name) else b"nobody"


def own_name(name: bytes) -> bytes:
    """Returns a name that begins with one of the five agents' as it is, and otherwise one that nobody has."""
    names = "|".join(map(re.escape, AGENTS)).encode()
    return name if name == b"*" or re.match(rb"(?i)(?:%s)(?:[/ \t]|$)" % names, name) else b"nobody"


def other_index(text: bytes) -> bytes:
    """Renames what other parsers have a rule of their own for."""
    return re.sub(rb"(?i)/index\.htm", b"/index_htm", text)


def plain_lines(body: bytes) -> bytes:
    """Keeps the lines that are written as RFC 9309 2.2 has them."""
    kept = re.compile(rb"[ \t]*(?:user-agent|allow|disallow)[ \t]*:", re.I)
    return b"\n".join(line for line in re.split(rb"\r\n|\r|\n", body) if kept.match(line) or not line.strip())


def without_other_records(body: bytes) -> bytes:
    """Drops the lines that are neither user-agent lines nor rules."""
    other = re.compile(rb"[ \t]*(?!user|allow|dis|dias)[A-Za-z-]+[ \t]*[:\t ]", re.I)
    return b"\n".join(line for line in re.split(rb"\r\n|\r|\n", body) if not other.match(line))


def whole_lines(body: bytes) -> bytes:
    """Keeps the lines within the limit."""
    return body if len(body) <= LIMIT else body[: max(body.rfind(end, 0, LIMIT) for end in (b"\r", b"\n")) + 1]


def without_mark(body: bytes) -> bytes:
    return body.removeprefix(b"\xef\xbb\xbf")


def without_second_mark(body: bytes) -> bytes:
    """READ-23: a mark that was encoded twice is skipped."""
    return body.removeprefix(TWICE_ENCODED)


def first_path(path: bytes) -> bytes:
    """ACCT-9: what is behind a blank may be a remark, and a mark may be a slip."""
    return re.split(rb"[ \t]", path)[0].rstrip(b";,\"'\\")


def without_schemes(body: bytes) -> bytes:
    """Makes a path that begins with a scheme one that begins with another word."""
    return with_paths(body, lambda path: re.sub(rb"^https?://", b"word://", path))


def in_letters(path: bytes) -> bytes:
    """Writes reserved characters as letters: one octet each to every parser."""
    return path.translate(bytes.maketrans(b"?:;,+!'()@[]&", b"QCSMPXTLRAOEN"))


def no_escapes(path: bytes) -> bytes:
    """Writes the percent sign of an escaped reserved character as a letter."""
    return ESCAPED.sub(lambda match: b"X%s" % match[1].upper() if int(match[1], 16) in RESERVED else match[0], path)


def same(text: bytes) -> bytes:
    return text


def all_of(*changes):
    """Returns the changes as one."""
    return lambda text: functools.reduce(lambda text, change: change(text), changes, text)


#: Where we read what no other parser reads.
OURS_ALONE = {
    "marks: one that was encoded twice is to others a part of the first line (READ-23)": (without_second_mark, same),
    "remarks: what is behind a blank, and a mark, is to others a part of the path (ACCT-9)": (
        lambda body: with_paths(body, first_path),
        same,
    ),
}
#: The other parsers, and by the name of a cause what a file is without it, and how the path is asked then.
PEERS = {
    "Google's parser": (
        google,
        {
            **OURS_ALONE,
            "long: what is behind 500 KiB is not read": (whole_lines, same),
            "escapes: RFC 9309 2.2.2 compares in normal form": (normal_rules, normal_path),
            "index.html: Google's own rule for `Allow: /x/index.htm`": (other_index, other_index),
            "names: one that is not a product token": (lambda body: with_names(body, product_token), same),
            "lines: typos and lines without a colon": (plain_lines, same),
        },
    ),
    "protego": (
        protego,
        {
            **OURS_ALONE,
            "byte order mark: protego reads it as part of the first line; RFC 9309 is silent": (without_mark, same),
            "other records: in protego they end a run of user-agent lines, against RFC 9309 2.2.4": (
                without_other_records,
                same,
            ),
            "names: protego takes a group of `Google` for Google-Extended; RFC 9309 2.2.1, figure 2, has exact names": (
                lambda body: with_names(body, own_name),
                same,
            ),
            "words: to protego `Bot/1.0` and `* x` are names as a whole; RFC 9309 2.2.1 has neither slash nor blank": (
                lambda body: with_names(body, first_word),
                same,
            ),
            "schemes: protego's own rule, `Disallow: https://a/` is `/https://a/`; RFC 9309 2.2 has no such path": (
                without_schemes,
                same,
            ),
            "index.html: protego's own rule for `Allow: /x/index.html`": (other_index, other_index),
            "escapes: `%2C` is `,` to protego; RFC 9309 2.2.2 may be read so, RFC 3986 2.2 keeps them apart": (
                lambda body: with_paths(body, no_escapes),
                no_escapes,
            ),
            "octets: `?` counts as the three of `%3F` in protego; RFC 9309 2.2.2 may be read so, figure 4 leaves `?`": (
                lambda body: with_paths(body, in_letters),
                in_letters,
            ),
        },
    ),
}
for _, known in PEERS.values():
    known["several of these"] = tuple(all_of(*changes) for changes in zip(*known.values()))
FAULTS = ("unexplained", "no answer")


class Difference(typing.NamedTuple):
    """An answer of ours that another parser does not give."""

    peer: str
    number: int
    agent: str
    path: bytes
    ours: bool | None
    #: Whether the third parser gives our answer.
    third: bool
    #: The causes without which the other parser gives our answer.
    causes: list[str]


def of_file(given) -> list[Difference]:
    """Returns the differences of one file."""
    number, body, paths = given
    found = []
    # ACCT-4, ACCT-14: of such a file what its unreadable lines may close is unknown, which is no parser's answer.
    if near_misses(body):
        return found
    for path, closed in paths.items():
        for agent in AGENTS:
            ours = None if closed is None else agent not in closed
            theirs = {peer: ask(body, agent, path) for peer, (ask, _) in PEERS.items()}
            for peer in (peer for peer, answer in theirs.items() if answer != ours):
                third = any(answer == ours for answer in theirs.values())
                found.append(Difference(peer, number, agent, path, ours, third, causes(peer, body, agent, path, ours)))
    return found


def causes(peer: str, body: bytes, agent: str, path: bytes, ours: bool | None) -> list[str]:
    """Returns the causes without which a parser gives our answer."""
    ask, known = PEERS[peer]
    return [name for name, (_, other) in known.items() if ask(without(peer, name, body), agent, other(path)) == ours]


@functools.lru_cache(64)
def without(peer: str, name: str, body: bytes) -> bytes:
    """Returns a file without a cause."""
    return PEERS[peer][1][name][0](body)


def explained(binary: str, files, ours, differences: list[Difference]) -> list[str]:
    """Returns for each difference the first of its causes without which our answers about the file are the same."""
    tried = sorted({(one.peer, name, one.number) for one in differences for name in one.causes})
    changed = {at: without(peer, name, files[number]) for at, (peer, name, number) in enumerate(tried)}
    others = [PEERS[peer][1][name][1] for peer, name, _ in tried]
    asked = {at: {path: others[at](path) for path in ours[number]} for at, (_, _, number) in enumerate(tried)}
    again = answers(binary, changed, {at: list(dict.fromkeys(paths.values())) for at, paths in asked.items()})
    same_as_before = {
        what: all(again[at][other] == ours[what[2]][path] for path, other in asked[at].items())
        for at, what in enumerate(tried)
    }

    def first(one: Difference) -> str:
        shown = (name for name in one.causes if same_as_before[one.peer, name, one.number])
        return "no answer" if one.ours is None else next(shown, "unexplained")

    return [first(one) for one in differences]


def show(peer: str, found: list[tuple[str, Difference]]) -> int:
    """Prints the differences to one parser, and returns how many are unexplained."""
    print(f"{len(found)} differ from {peer}:")
    for name, count in collections.Counter(name for name, _ in found).most_common():
        of_name = [one for cause, one in found if cause == name]
        count_files, third = len({one.number for one in of_name}), sum(one.third for one in of_name)
        print(f"{count:>8}  {name}; in {count_files} files; the third parser agrees with us in {third}")
        for one in of_name[: 20 if name in FAULTS else 1]:
            print(f"{'':>10}file {one.number}, {one.agent}, {one.path.decode()}: {one.ours}")
    return sum(name in FAULTS for name, _ in found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("archive")
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--urls", type=int, default=10)
    arguments = parser.parse_args()
    everything = dict(bodies(arguments.archive, 1))
    step = max(1, len(everything) // arguments.files) if arguments.files else 1
    files = {number: body for number, body in everything.items() if number % step == 0}
    rng = random.Random(5)
    asked = {number: urls(body, rng, arguments.urls) for number, body in files.items()}
    ours = answers(arguments.binary, files, asked)
    given = ((number, files[number], paths) for number, paths in ours.items())
    with multiprocessing.Pool() as pool:
        differences = [one for found in pool.imap(of_file, given, 50) for one in found]
    print(f"{len(AGENTS) * sum(map(len, asked.values()))} decisions, {len(files)} files")
    found = list(zip(explained(arguments.binary, files, ours, differences), differences))
    return int(any([show(peer, [pair for pair in found if pair[1].peer == peer]) for peer in PEERS]))


if __name__ == "__main__":
    raise SystemExit(main())
