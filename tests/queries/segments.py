#!/usr/bin/env python3
"""What the views make of several segments and crawls of one call: segments.py BINARY FOLDER.

As all inputs count for the pages of every segment (KNOW-2), segments have the same robots.txt, and crawls may have files of others.
"""
import pathlib
import subprocess
import sys

import duckdb

QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"


def record(url, time, body, media_type, more=""):
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n{body}".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {time}\r\nWARC-Target-URI: {url}\r\n{more}"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def text(url, time, body, more=""):
    return record(url, time, body, "text/plain", more)


def answers(binary, folder, archives):
    """Runs the archives, each with its crawl, segment and subset; returns a function that queries the tables."""
    for (crawl, segment, subset), records in archives.items():
        path = folder / f"crawl-data/{crawl}/segments/{segment}/{subset}/{crawl}-{subset}-00000.warc"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"".join(records))
    out = folder / "out"
    subprocess.run([binary, "run", "-q", folder / "crawl-data", "-o", out], check=True)
    database = duckdb.connect()
    database.execute(f"SET file_search_path = '{out}'")
    for name in ("duckdb.sql", "views.sql"):
        database.execute((QUERIES / name).read_text(encoding="utf-8"))
    return lambda query: database.sql(query).fetchall()


def equal(found, expected):
    assert found == expected, f"{found} is not {expected}"


def a_newer_no_counts_beside_a_tie(binary, folder):
    """One segment has a trust.txt that is newer than the page in the other; both have the robots.txt."""
    site = "https://a.example"
    first = [
        text(f"{site}/robots.txt", "2026-03-01T10:00:00Z", "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n"),
        text(f"{site}/trust.txt", "2026-03-01T14:00:00Z", "datatrainingallowed=no\n"),
        record(f"{site}/a", "2026-03-01T15:00:00Z", "<p>x", "text/html"),
    ]
    page = [record(f"{site}/", "2026-03-01T12:00:00Z", "<p>x", "text/html")]
    crawl = "CC-MAIN-2026-10"
    query = answers(binary, folder, {(crawl, "1.1", "warc"): first, (crawl, "1.2", "warc"): page})
    equal(query("SELECT train_ai FROM sites ORDER BY warc_segment"), [("disallow",), ("allow",)])
    for view in ("origins", "hosts"):
        equal(query(f"SELECT train_ai, search FROM {view}"), [("disallow", "unknown")])


def a_body_is_counted_once(binary, folder):
    """Equal bytes are whole in one segment and cut in another, where the last line is not read."""
    body = "User-agent: GPTBot\nDisallow: private\nDisallow: /\nDisallow: other"
    crawl, time = "CC-MAIN-2026-10", "2026-03-01T10:00:00Z"
    cut = "WARC-Truncated: length\r\n"
    query = answers(binary, folder, {
        (crawl, "1.1", "robotstxt"): [text("https://a.example/robots.txt", time, body)],
        (crawl, "1.2", "robotstxt"): [text("https://b.example/robots.txt", time, body, cut)],
    })
    equal(query("SELECT count(*) FROM robots_agents WHERE agent = 'GPTBot'"), [(2,)])
    equal(query("SELECT disallow_count FROM robots_agents_distinct WHERE agent = 'GPTBot'"), [(3,)])
    equal(query("SELECT lint, line_count FROM robots_lints_distinct"), [("path_without_slash", 2)])


def no_share_is_above_all_hosts(binary, folder):
    """The tdmrep.json files of an earlier crawl count for a later one, which asked for one of them again."""
    file = '[{"location": "/", "tdm-reservation": 1}]'
    sites = [f"https://{name}.example" for name in "abc"]

    def files(names, day):
        robots = [text(f"{site}/robots.txt", f"2026-{day}T10:00:00Z", "User-agent: *\nAllow: /\n") for site in sites]
        return robots + [record(f"{site}/.well-known/tdmrep.json", f"2026-{day}T10:00:01Z", file, "application/json") for site in names]

    pages = [record(f"{site}/", "2026-04-01T12:00:00Z", "<p>x", "text/html") for site in sites]
    query = answers(binary, folder, {
        ("CC-MAIN-2026-10", "1.1", "warc"): files(sites, "03-01"),
        ("CC-MAIN-2026-14", "2.1", "warc"): files(sites[:1], "04-01") + pages,
    })
    found = query((QUERIES / "adoption/tdmrep.sql").read_text(encoding="utf-8"))
    equal([(crawl, hosts, percent, asked) for crawl, _, _, hosts, _, percent, asked in found],
          [("CC-MAIN-2026-10", 3, 100.0, 3), ("CC-MAIN-2026-14", 3, 100.0, 3)])


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for check in (a_newer_no_counts_beside_a_tie, a_body_is_counted_once, no_share_is_above_all_hosts):
        (folder / check.__name__).mkdir()
        check(binary, folder / check.__name__)
    print("segments and crawls of one call: 3 worlds")


main()
