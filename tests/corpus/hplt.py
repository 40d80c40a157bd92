#!/usr/bin/env python3
"""Holds HPLT's own robots.txt mask beside ours, over real robots.txt files and the pages of a segment.

    hplt.py BINARY CORPUS EVIDENCE_AND_TABLES OUT [--files N]

HPLT's rule is written here again from its description: the rules of `ia_archiver`, `ccbot` and `*` are put together, the last
line that matches wins, scheme and `www.` are cut off, and no status, redirect or time counts. Each document on which
the masks differ gets a cause: with that part of HPLT's rule replaced by RFC 9309's, its answer is ours. Exit status 1 if
a difference has no cause, or if an example of docs/hplt.md is not as it says. Needs DuckDB, FastWARC, jwm.robotstxt, pyarrow.
"""

import argparse
import base64
import collections
import functools
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys
import urllib.parse

import agreement
import duckdb
import pyarrow
from fastwarc.warc import ArchiveIterator, WarcRecordType
from jwm.robotstxt import googlebot
from near_miss import near_misses, without_marks

OURS = ("groups", "order", "form", "escapes")
"""The parts of HPLT's rule that can be replaced by RFC 9309's."""

CAUSES = {
    "groups": "the groups of ia_archiver, CCBot and * count together; to RFC 9309 2.2.1 the group of the crawler alone",
    "order": "the last line that matches wins; to RFC 9309 2.2.2 the longest",
    "form": "blank lines end groups, other lines end runs of user-agent lines, and lines need a plain form",
    "escapes": "nothing is percent-decoded",
    "several": "several of these",
    "lines": "typos, names with a version, marks at the start of a file: read by Google's parser, too",
    "remarks": "a path goes on behind a blank; to ACCT-9 that may be a remark",
    "near_miss": "a line that was meant as a rule and cannot be read (ACCT-4): unknown, which a filter does not keep",
    "site": "the robots.txt of another scheme, port or www counts",
    "time": "all captures of the crawl count, before and after the page",
    "state": "no status counts: a file that answered 5xx closes nothing, and a site without a file is allowed",
}

PLAIN = re.compile(rb"(user-agent|allow|disallow): ?(.*)", re.I)
LOOSE = re.compile(rb"[ \t]*(user-agent|allow|disallow)[ \t]*:[ \t]*(.*?)[ \t]*", re.I)
NAMES = {b"ia_archiver", b"ccbot", b"*"}


@functools.lru_cache(256)
def groups(body: bytes, ours: bool) -> list[tuple[set[bytes], list[tuple[bool, bytes]]]]:
    """Returns the groups of a file: their names in lower case, and their rules in order."""
    found: list = []
    is_run = False
    for line in re.split(rb"\r\n|\r|\n", without_marks(body) if ours else body):
        if line.lstrip().startswith(b"#"):
            continue
        line = line.split(b"#")[0] if ours else line
        match = (LOOSE if ours else PLAIN).fullmatch(line)
        if not line.strip() and not ours:
            found.append((set(), []))
            is_run = False
        elif match and match[1].lower() == b"user-agent":
            if not is_run:
                found.append((set(), []))
            found[-1][0].add(match[2].lower())
            is_run = True
        elif match:
            is_run = False
            path = match[2]
            if found and (path.startswith(b"/") or (ours and path[:1] in (b"*", b"$"))):
                found[-1][1].append((match[1].lower() == b"allow", path))
        elif not ours and line.strip():
            is_run = False
    return found


@functools.lru_cache(65536)
def pattern(path: bytes, ours: bool) -> re.Pattern:
    path = agreement.normal_path(path.removesuffix(b"$")) + b"$" * path.endswith(b"$") if ours else path.replace(b"^", b"")
    is_exact = path.endswith(b"$")
    path = path.rstrip(b"$") if is_exact else path
    parts = (re.escape(part) for part in path.split(b"*"))
    return re.compile(b".*".join(parts) + (b"$" if is_exact else b""), re.S)


def allowed(bodies: list[bytes], path: bytes, ours: set[str]) -> bool:
    """Returns whether a page may be kept by the files of its site; `ours` are the parts replaced by RFC 9309's."""
    rules = []
    for body in bodies:
        if b"disallow:" not in body.lower() and "form" not in ours:
            continue
        of_file = groups(body, "form" in ours)
        wanted = NAMES
        if "groups" in ours:
            wanted = {b"ccbot"} if any(b"ccbot" in names for names, _ in of_file) else {b"*"}
        for names, own in of_file:
            if names & wanted:
                rules += own
    asked = agreement.normal_path(path) if "escapes" in ours else path
    matching = [(len(rule), is_allow) for is_allow, rule in rules if pattern(rule, "escapes" in ours).match(asked)]
    if not matching:
        return True
    return max(matching)[1] if "order" in ours else matching[-1][1]


def cause(body: bytes, path: bytes, is_allowed: bool) -> str | None:
    """Returns the part of the rule by which one file's answer differs from ours."""
    if not is_allowed and near_misses(body):
        return "near_miss"
    single = [name for name in OURS if allowed([body], path, {name}) == is_allowed]
    if single:
        return single[0]
    if allowed([body], path, set(OURS)) == is_allowed:
        return "several"
    url = b"https://a.example" + path
    if allowed([agreement.with_paths(body, agreement.first_path)], path, set(OURS)) == is_allowed:
        return "remarks"
    is_google = googlebot.RobotsMatcher().OneAgentAllowedByRobots(body, b"CCBot".decode(), url) == is_allowed
    return "lines" if is_google or agreement.protego(body, "CCBot", path) == is_allowed else None


def masked(binary: str, tables: str, rows: list[dict], out: pathlib.Path) -> list[bool]:
    """Returns our mask of documents in HPLT's form."""
    metadata, mask = out / "metadata.zst", out / "allowed.zst"
    text = "".join(json.dumps(row) + "\n" for row in rows)
    with pyarrow.output_stream(metadata, compression="zstd") as file:
        file.write(text.encode())
    subprocess.run(
        [binary, "judge", metadata, "--tables", tables, "--policy", "robots", "--mask", mask, "-q"], check=True
    )
    with pyarrow.input_stream(mask, compression="zstd") as file:
        lines = file.read().decode().splitlines()
    found = [json.loads(line)["allowed"] for line in lines]
    assert len(found) == len(rows), (len(found), len(rows))
    return found


def row(url: str, date: str) -> dict:
    return {"f": "x/IA.warc.gz", "o": 1, "s": 1, "rs": 1, "u": url, "c": "text/html", "ts": date, "de": "utf-8"}


def of_files(binary: str, corpus: pathlib.Path, out: pathlib.Path, count: int) -> collections.Counter:
    """Compares over real files, each as the robots.txt of a host of its own."""
    archive = str(corpus / "robots.warc.gz")
    total = sum(1 for _ in agreement.bodies(archive, 1))
    files = dict(agreement.bodies(archive, max(1, total // count)))
    rng = random.Random(1)
    asked = {number: agreement.urls(body, rng, 12) for number, body in files.items()}
    agreement.write(out / "files.warc.gz", files, asked)
    tables = str(out / "files")
    subprocess.run([binary, "run", "-q", out / "files.warc.gz", "-o", tables], check=True)
    pairs = [(number, path) for number, paths in asked.items() for path in paths]
    rows = [row(f"https://h{number}.example{path.decode()}", "2026-08-10T00:02:00Z") for number, path in pairs]
    found = collections.Counter()
    for (number, path), is_allowed in zip(pairs, masked(binary, tables, rows, out)):
        body = files[number]
        found["documents"] += 1
        theirs = allowed([body], path, set())
        if theirs == is_allowed:
            continue
        name = cause(body, path, is_allowed)
        found[(name or "unexplained", "we drop" if theirs else "we keep")] += 1
        if name is None:
            print("unexplained", number, path, "ours", is_allowed)
    return found


def site_of(url: str) -> str:
    """Returns what HPLT takes for a site."""
    return re.sub(r"^www\.", "", (urllib.parse.urlsplit(url).hostname or ""))


def origin_of(url: str) -> tuple:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def of_segment(binary: str, corpus: pathlib.Path, tables: str, out: pathlib.Path) -> collections.Counter:
    """Compares over the pages of a segment."""
    captures = collections.defaultdict(list)
    for archive in sorted((corpus / "segment").rglob("robotstxt/*.warc.gz")):
        with archive.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
                url = record.headers["WARC-Target-URI"]
                if url.endswith("robots.txt"):
                    captures[site_of(url)].append((url, record.reader.read()))
    pages = duckdb.execute(
        f"""SELECT url, strftime(fetch_time, '%Y-%m-%dT%H:%M:%SZ'), robots_state, robots_body_digest
            FROM '{tables}/pages/*/*.parquet' WHERE url LIKE 'http%' AND fetch_time IS NOT NULL"""
    ).fetchall()
    ours = masked(binary, tables, [row(url, date) for url, date, _, _ in pages], out)
    found = collections.Counter()
    for (url, _, state, digest), is_allowed in zip(pages, ours):
        found["documents"] += 1
        path = re.sub(r"^https?://[^/?#]*", "", url).split("#")[0].encode()
        path = path if path.startswith(b"/") else b"/" + path
        of_site = captures[site_of(url)]
        theirs = allowed([body for _, body in of_site], path, set())
        if theirs == is_allowed:
            continue
        exact = [body for own, body in of_site if origin_of(own) == origin_of(url)]
        body = next((body for _, body in of_site if sha1(body) == digest), None)
        if state != "parsed":
            name = "state"
        elif allowed(exact, path, set()) == is_allowed:
            name = "site"
        elif body is not None and allowed([body], path, set()) == is_allowed:
            name = "time"
        else:
            name = cause(body, path, is_allowed) if body is not None else "site"
        found[(name or "unexplained", "we drop" if theirs else "we keep")] += 1
        if name is None:
            print("unexplained", url, "ours", is_allowed)
    return found


def sha1(body: bytes) -> str:
    return base64.b32encode(hashlib.sha1(body).digest()).decode()


def examples(text: str) -> int:
    """Tries the examples of the page; returns how many are not as it says."""
    faults = count = 0
    for name, robots, path, theirs, ours in re.findall(r"\| (\w+) \| `(.+)` \| `(\S+)` \| (keeps|drops) \| (keeps|drops) \|", text):
        count += 1
        body, is_allowed = "".join(f"{line}\n" for line in robots.split(" ⏎ ")).encode(), ours == "keeps"
        is_right = allowed([body], path.encode(), set()) == (theirs == "keeps")
        google = googlebot.RobotsMatcher().OneAgentAllowedByRobots(body, "CCBot", b"https://a.example" + path.encode())
        if not is_right or google != is_allowed or cause(body, path.encode(), is_allowed) != name:
            print("docs/hplt.md: not as it says:", name, path, cause(body, path.encode(), is_allowed))
            faults += 1
    assert count >= 12, count
    return faults


def show(title: str, found: collections.Counter) -> int:
    """Prints a comparison; returns how many differences are unexplained."""
    differences = sum(number for name, number in found.items() if name != "documents")
    print(f"{title}: {found['documents']:,} documents, {differences:,} differ")
    for name in [*CAUSES, "unexplained"]:
        drop, keep = found[(name, "we drop")], found[(name, "we keep")]
        if drop or keep:
            print(f"  {name}: we drop {drop:,}, we keep {keep:,}   {CAUSES.get(name, '')}")
    return found[("unexplained", "we drop")] + found[("unexplained", "we keep")]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("tables")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=700)
    args = parser.parse_args()
    page = pathlib.Path(__file__).parents[2] / "docs" / "hplt.md"
    faults = examples(page.read_text()) if page.exists() else 0
    faults += show("real files", of_files(args.binary, args.corpus, args.out, args.files))
    faults += show("a segment", of_segment(args.binary, args.corpus, args.tables, args.out))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
