#!/usr/bin/env python3
"""Judges documents that are like FineWeb's with crawlprefs, and again with Google's parser, and compares.

judge.py SEGMENT OUT CRAWLPREFS FOLDER: SEGMENT has the archives, OUT is the folder of `crawlprefs run SEGMENT`,
CRAWLPREFS the command, FOLDER an empty folder for what is written. 20,000 documents, as Parquet and as JSON lines:

- the pages of the segment, with record ids: their verdicts must be the rows of OUT/pages;
- other URLs of its hosts, some without an id and some with an id that no page has, at times before, between and after
  the captures of robots.txt: access must be that of Google's parser (PyPI jwm.robotstxt) with the robots.txt that
  sites.py finds for the time, for all agents below; no label may be allow;
- URLs of hosts that nobody knows, and rows that have no URL or none of the web: unknown.

Every row must come out once, in its order, with its own columns as they were, and the same verdict in both forms.
Prints counts and the first differences, and ends with status 1 where there are any.
"""
import collections
import datetime
import json
import pathlib
import random
import re
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from jwm.robotstxt.googlebot import RobotsMatcher

from near_miss import is_lost, path_of, without_marks
from sites import LABELS, Segment, split

AGENTS = ("CCBot", "GPTBot", "ClaudeBot", "Google-Extended", "Googlebot")
SIZE = 20_000
UNKNOWN_HOSTS = 2_500
BAD = [None, "", "not a URL", "mailto:a@example.org", "//a.example/", "https://", "ftp://a.example/b", "https://[::1/"]
OTHER_RULE = re.compile(rb"\s*(dis)?allowaitraining", re.IGNORECASE)
REMARK = re.compile(rb"(\s*disallow\s*:\s*)(/\*?[ \t].*)", re.IGNORECASE | re.DOTALL)
VERDICT = ["access", "disallowed_agents", "robots_state", *LABELS, "unread", "doubt", "not_seen"]


def utc(time):
    return time.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def document(number, url, date, kind, record=None, file=None):
    return {"text": f"the text of document {number}, {'x' * (number % 300)}", "id": record, "dump": "CC-MAIN-2026-34",
            "url": url, "date": date, "file_path": file and f"s3://commoncrawl/{file}", "language_score": number / 7,
            "token_count": number % 1000, "nested": {"n": [number, None], "s": {"t": kind}}}


def paths(segment, rng):
    """Returns paths of each origin: such as its rules name, and others."""
    found = collections.defaultdict(lambda: ["/", "/index.html", "/robots.txt", "/a/b?c=d", "/search?q=1"])
    for url, captures in segment.by_url.items():
        if not url.endswith("/robots.txt"):
            continue
        for capture in captures:
            for line in (capture.body or b"").splitlines():
                key, _, value = line.partition(b":")
                value = value.strip().decode("latin-1")
                plain = value.replace("*", "x").rstrip("$")
                if key.strip().lower() in (b"allow", b"disallow") and plain.startswith("/") and plain.isascii() \
                        and plain.isprintable() and not set(plain) & set(" #\"<>\\^`{|}%"):
                    found[url.removesuffix("/robots.txt")] += [plain, plain + rng.choice(["", "y", "/z.html", "?q"])]
    return found


def documents(segment, out):
    """Returns the documents, those of the pages first; then they are mixed."""
    rng, rows = random.Random(17), []
    date = "strftime(fetch_time, '%Y-%m-%dT%H:%M:%SZ')"
    pages = duckdb.sql(f"SELECT warc_record_id, url, {date}, warc_filename FROM '{out}/pages/*/*.parquet' ORDER BY 1")
    for record, url, time, file in pages.fetchall():
        spelled = rng.choice([record, record.strip("<>"), record.strip("<>").removeprefix("urn:uuid:").upper()])
        rows.append(document(len(rows), url, time, "page", spelled, file))
    origins, known = sorted(segment.newest), paths(segment, rng)
    first = min(segment.newest.values()) - datetime.timedelta(hours=4)
    for number in range(SIZE - len(rows) - UNKNOWN_HOSTS - 60 * len(BAD)):
        origin = rng.choice(origins)
        time = first + datetime.timedelta(seconds=rng.randrange(8 * 3600))
        record = rng.choice([None, f"<urn:uuid:00000000-0000-0000-0000-{number:012}>"])
        rows.append(document(len(rows), origin + rng.choice(known[origin]), utc(time), "other", record))
    for number in range(UNKNOWN_HOSTS):
        rows.append(document(len(rows), f"https://unknown-{number}.example/a", utc(first), "unknown"))
    for url in BAD * 60:
        rows.append(document(len(rows), url, rng.choice([None, utc(first)]), "bad"))
    rng.shuffle(rows)
    return rows


def read_as_rules(body):
    """Returns a robots.txt without what Google's parser alone takes for rules, such as DisallowAITraining."""
    lines = without_marks(body).splitlines()
    # ACCT-9: what is behind a blank may be a remark.
    return b"\n".join(REMARK.sub(lambda rule: rule[1] + path_of(rule[2].partition(b"#")[0].decode("latin-1")).encode("latin-1"), line) for line in lines if not OTHER_RULE.match(line)).decode("latin-1")


class Reference:
    """What Google's parser says of the robots.txt of the time."""

    def __init__(self, segment):
        self.segment, self.matcher = segment, RobotsMatcher()

    def access(self, url, date):
        """Returns the state of robots.txt, whether CCBot may fetch the URL, and for each agent what the list says."""
        origin, _, _ = split(url)
        state, _, body = self.segment.robots(origin, datetime.datetime.fromisoformat(date.replace("Z", "+00:00")))
        if body is not None:
            text = read_as_rules(body)
            # RFC 9309 2.2.2: /robots.txt may always be fetched.
            itself = url == origin + "/robots.txt"
            ask = self.matcher.OneAgentAllowedByRobots
            # ACCT-4: what the file allows is unknown, and so is the list of agents as a whole.
            is_unknown = is_lost(body)
            open_word = "unknown" if is_unknown and not itself else "allow"
            access = {agent: open_word if itself or ask(text, agent, url) else "disallow" for agent in AGENTS}
            return state, access["CCBot"], dict.fromkeys(AGENTS, "unknown") if is_unknown else access
        if state == "not_archived" and self.is_closed_by_twin(origin, url, date):
            return state, "disallow", dict.fromkeys(AGENTS, "unknown")
        word = {"unavailable": "allow", "unreachable": "disallow"}.get(state, "unknown")
        return state, word, dict.fromkeys(AGENTS, word)


    def is_closed_by_twin(self, origin, url, date):
        """KNOW-8: where the site has no robots.txt until then, what its twins close counts."""
        scheme, host = origin.split("://")
        bare = host.removeprefix("www.")
        twins = {f"{other}://{www}{bare}" for other in ("http", "https") for www in ("", "www.")} - {origin}
        states = ((twin, self.segment.robots(twin, datetime.datetime.fromisoformat(date.replace("Z", "+00:00")))) for twin in twins)
        bodies = {twin: body for twin, (_, _, body) in states if body is not None}
        return any(not self.matcher.OneAgentAllowedByRobots(read_as_rules(body), "CCBot", twin + url.removeprefix(origin)) for twin, body in bodies.items())


def expected(row, reference, pages):
    """Returns the columns that a row must have."""
    kind, nothing = row["nested"]["s"]["t"], {label: "unknown" for label in LABELS}
    if kind == "page":
        return pages[row["id"].upper().removeprefix("<URN:UUID:").removeprefix("URN:UUID:").rstrip(">")]
    if kind == "bad":
        return {"access": "unknown", "source": "none", "disallowed_agents": None, **nothing}
    if kind == "unknown":
        return {"access": "unknown", "source": "none", "robots_state": "not_archived", **nothing}
    state, access, agents = reference.access(row["url"], row["date"])
    return {"robots_state": state, "access": access, "agents": agents}


def compare(row, found, wanted, by_site):
    """Returns what differs. What the files of the site alone refuse is refused, whatever the page's own header says (KNOW-6)."""
    for name, value in wanted.items():
        if name in LABELS and by_site and by_site[f"prefs_{name}"] == "disallow":
            value = "disallow"
        if name == "agents":
            shut_out = found["prefs_disallowed_agents"]
            shut_out = None if shut_out is None else shut_out.split(";")
            own = {agent: "unknown" if shut_out is None else "disallow" if agent in shut_out else "allow" for agent in AGENTS}
        else:
            own = found[f"prefs_{name}"]
        if own != value:
            yield f"{row['url']} of {row['date']}: {name} is {own}, expected {value}"
    if wanted.get("source") != "record":
        if found["prefs_not_seen"] != "header;meta":
            yield f"{row['url']}: the page was not seen, and not_seen is {found['prefs_not_seen']}"
        yield from (f"{row['url']}: {label} is allow" for label in LABELS if found[f"prefs_{label}"] == "allow")


def main(segment, out, command, folder):
    rows, folder = documents(Segment(segment), out), pathlib.Path(folder)
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, folder / "docs.parquet", row_group_size=3_000, compression="snappy")
    lines = [json.dumps(row).encode() for row in rows]
    (folder / "docs.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    inputs = [str(folder / name) for name in ("docs.parquet", "docs.jsonl")]
    of_pages = [{**row, "id": None} if row["nested"]["s"]["t"] == "page" else {} for row in rows]
    (folder / "by_site.jsonl").write_text("".join(json.dumps({**row, "file_path": None}) + "\n" for row in of_pages))
    arguments = ["--tables", out, "--columns", ",".join([*VERDICT, "source", "reason"]), "-o", str(folder / "judged")]
    subprocess.run([command, "judge", *arguments, *inputs, str(folder / "by_site.jsonl")], check=True)
    by_site = [json.loads(line) for line in (folder / "judged/by_site.jsonl").open()]

    differences = []
    judged = pq.read_table(folder / "judged/docs.parquet")
    if not judged.select(table.column_names).equals(table):
        differences.append("docs.parquet: the documents' own columns differ")
    judged = judged.select([name for name in judged.column_names if name.startswith("prefs_")]).to_pylist()
    written = (folder / "judged/docs.jsonl").read_bytes().split(b"\n")[:-1]
    if len(written) != len(lines) or len(judged) != len(rows):
        differences.append(f"{len(written)} lines and {len(judged)} rows, expected {len(lines)}")
    columns = ", ".join(["warc_record_id", *VERDICT, "access_reason"])
    names = [*VERDICT, "reason"]
    pages = duckdb.sql(f"SELECT {columns} FROM '{out}/pages/*/*.parquet'").fetchall()
    # A list is one text.
    text = lambda value: ";".join(value) if isinstance(value, list) else value
    pages = {record.upper().strip("<>").removeprefix("URN:UUID:"): {**dict(zip(names, map(text, values))), "source": "record"}
             for record, *values in pages}
    reference, sources = Reference(Segment(segment)), collections.Counter()
    for row, line, found, text, site in zip(rows, lines, judged, written, by_site, strict=True):
        own, members = text[:len(line) - 1], json.loads(text)
        if own != line[:-1]:
            differences.append(f"{row['url']}: the line is changed: {text[:200]}")
        if {name: members[name] for name in found} != found:
            differences.append(f"{row['url']}: {members} in JSON, {found} in Parquet")
        differences += compare(row, found, expected(row, reference, pages), site if "id" in site else None)
        sources[row["nested"]["s"]["t"], found["prefs_source"], found["prefs_access"]] += 1
    print(*(f"{' '.join(key)}: {count}" for key, count in sorted(sources.items())), sep="\n")
    print(f"{len(rows)} documents, {len(differences)} differences", *differences[:20], sep="\n")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
