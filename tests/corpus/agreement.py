#!/usr/bin/env python3
"""Compares who may fetch what with Google's parser (jwm.robotstxt) and with protego, over real robots.txt files.

    agreement.py BINARY ROBOTS.warc.gz [--files N] [--urls N]

Each file becomes the robots.txt of a host of its own, with pages whose URLs are made of the file's own rules: stars
filled, ends kept and passed, escapes and cases changed. The command writes its tables; the column `disallowed_agents`
answers for five agents. Every difference to Google's parser is explained by one cause, or is unexplained; exit
status 1 where one is. A cause is shown, not named: with that cause taken out of the file, Google's parser gives our
answer. protego is counted beside it. Needs DuckDB, FastWARC, jwm.robotstxt and protego.
"""

import argparse
import collections
import multiprocessing
import pathlib
import random
import re
import subprocess
import tempfile
import zlib

import duckdb
from fastwarc.warc import ArchiveIterator, WarcRecordType
from jwm.robotstxt import googlebot
from protego import Protego

AGENTS = ("CCBot", "GPTBot", "ClaudeBot", "Bytespider", "Google-Extended")
RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*(\S[^\r\n#]*)", re.I | re.M)
ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
UNRESERVED = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
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
        elif change == 2 and len(path) > 2:
            at = rng.randrange(1, len(path))
            if path[at] in UNRESERVED and b"%" not in path[max(0, at - 2) : at]:
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


def google(body: bytes, agent: str, path: bytes) -> bool:
    return googlebot.RobotsMatcher().OneAgentAllowedByRobots(body, agent, b"https://a.example" + path)


def normal_rules(body: bytes) -> bytes:
    """Writes the rules of a file in normal form, as a URL has them."""
    return RULE.sub(lambda match: match[0][: match.start(1) - match.start()] + escaped(normal(match[1].rstrip())), body)


def with_names(body: bytes) -> bytes:
    """Replaces every name of a user-agent line that is not one token by one that nobody has."""

    def one(match):
        name = match[2].strip()
        token = re.split(rb"[/ \t]", name)[0]
        return match[1] + (b"*" if name == b"*" else token if re.fullmatch(rb"[A-Za-z_-]+", token) else b"nobody")

    return re.sub(rb"(?im)^([ \t]*user-?[ ]?agent[ \t]*:?[ \t]*)([^\r\n#]*)", one, body)


def other_index(body: bytes) -> bytes:
    """Renames what Google's parser has a rule of its own for."""
    return re.sub(rb"(?i)/index\.htm", b"/index_htm", body)


def plain_lines(body: bytes) -> bytes:
    """Keeps the lines that are written as RFC 9309 2.2 has them."""
    kept = re.compile(rb"[ \t]*(?:user-agent|allow|disallow)[ \t]*:", re.I)
    return b"\n".join(line for line in re.split(rb"\r\n|\r|\n", body) if kept.match(line) or not line.strip())


#: What a file is without a cause, and how the path is asked then.
CAUSES = {
    "escapes: RFC 9309 2.2.2 compares in normal form": (normal_rules, normal),
    "index.html: Google's own rule for `Allow: /x/index.htm`": (other_index, lambda path: path),
    "names: one that is not a product token": (with_names, lambda path: path),
    "lines: typos and lines without a colon": (plain_lines, lambda path: path),
    "long: what is behind 500 KiB is not read": (lambda body: body[:LIMIT], lambda path: path),
    "several of these": (lambda body: with_names(plain_lines(other_index(normal_rules(body[:LIMIT])))), normal),
}


def cause(body: bytes, agent: str, path: bytes, ours: bool) -> str | None:
    """Returns the first cause without which Google's parser gives our answer."""
    for name, (change, ask) in CAUSES.items():
        if google(change(body), agent, ask(path)) == ours:
            return name
    return None


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
    with tempfile.TemporaryDirectory() as folder:
        archive, out = pathlib.Path(folder) / "a.warc.gz", f"{folder}/out"
        write(archive, files, asked)
        subprocess.run([arguments.binary, "run", "-q", "--tables", "pages", archive, "-o", out], check=True)
        rows = duckdb.execute(f"SELECT url, disallowed_agents FROM '{out}/pages/*/*.parquet'").fetchall()
    return compare(files, asked, {url: None if closed is None else set(closed) for url, closed in rows})


def compare(files, asked, ours) -> int:
    """Asks the parsers, several files at once, and prints what differs."""
    given = ((number, body, asked[number], ours) for number, body in files.items())
    differ, peers, examples = collections.Counter(), collections.Counter(), {}
    with multiprocessing.Pool(4) as pool:
        for found in pool.imap(of_file, ((n, body, paths, answers(n, paths, ours)) for n, body, paths, ours in given), 50):
            for name, example in found[0]:
                differ[name] += 1
                examples.setdefault(name, example)
                if name in FAULTS and differ[name] <= 20:
                    print(f"{name}: {example}")
            peers += found[1]
    decisions = len(AGENTS) * sum(map(len, asked.values()))
    print(f"{decisions} decisions, {len(files)} files; {sum(differ.values())} differ from Google's parser:")
    for name, count in differ.most_common():
        print(f"{count:>8}  {name}; such as {examples[name]}")
    for name, count in peers.most_common():
        print(f"{count:>8}  {name}")
    return int(any(differ[name] for name in FAULTS))


def answers(number, paths, ours):
    """Returns for each path the agents that are shut out, or None where there is no answer."""
    return [ours.get(f"https://h{number}.example{path.decode()}") for path in paths]


def of_file(given):
    """Returns the differences of one file, each with its cause, and how often the three answer what."""
    number, body, paths, ours = given
    differ, peers = [], collections.Counter()
    try:
        protego = Protego.parse(body.decode("utf-8", "replace"))
    except Exception:  # it is counted, whatever it is
        protego = None
        peers["protego cannot parse the file"] += 1
    for path, closed in zip(paths, ours):
        for agent in AGENTS:
            theirs = google(body, agent, path)
            allowed = None if closed is None else agent not in closed
            if allowed != theirs:
                name = "no answer" if allowed is None else cause(body, agent, path, allowed) or "unexplained"
                differ.append((name, (number, agent, path, allowed, theirs)))
            if protego is not None:
                also = protego.can_fetch("https://a.example" + path.decode(), agent)
                peers[f"ours {allowed}, protego {also}, Google's {theirs}"] += 1
    return differ, peers


FAULTS = ("unexplained", "no answer")

if __name__ == "__main__":
    raise SystemExit(main())
