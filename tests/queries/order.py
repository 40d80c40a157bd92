#!/usr/bin/env python3
"""Crawls are compared in the order of time, and not of their names: order.py BINARY FOLDER.

`march` was fetched before `april`, though its name comes later; `a_may` is after them, which has pages and no robots.txt of its own; `both`
overlaps with them, and stops what compares crawls. A rise must be a rise, and its interval that of the same hosts.
"""
import pathlib
import subprocess
import sys

import duckdb

QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"
CLOSED = "User-agent: GPTBot\nDisallow: /\n"
CHANGES = ("summary", "hosts", "panel", "authors", "first-closed", "bans-dropped")


def archive(path, days, closed, file="robots.txt"):
    """Writes robots.txt files of 200 hosts of 100 domains, of which the first close GPTBot, or another file of each."""
    records = []
    for number in range(200):
        block = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{CLOSED if number < closed else ''}".encode()
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {days[number % len(days)]}T06:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012x}>\r\n"
            f"WARC-Target-URI: https://h{number % 2}.d{number // 2}.com/{file}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
        )
        records.append(head.encode() + block + b"\r\n\r\n")
    path.write_bytes(b"".join(records))


def main():
    binary, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    out = folder / "out"
    for crawl, days, closed in (("march", ["2026-03-10"], 40), ("april", ["2026-04-10"], 60), ("both", ["2026-03-20", "2026-04-20"], 60)):
        archive(folder / f"{crawl}.warc", days, closed)

    def asked(query):
        with duckdb.connect() as database:
            database.execute(f"SET file_search_path = '{out}'")
            for text in ("duckdb.sql", "views.sql"):
                database.execute((QUERIES / text).read_text(encoding="utf-8"))
            found = database.sql((QUERIES / f"change/{query}.sql").read_text(encoding="utf-8"))
            return [dict(zip(found.columns, row)) for row in found.fetchall()]

    def run(crawl):
        subprocess.run([binary, "scan", "-q", folder / f"{crawl}.warc", "--crawl", crawl, "-o", out], check=True)
        subprocess.run([binary, "resolve", "-q", out], check=True)

    run("march")
    run("april")
    row, = [row for row in asked("summary") if row["agent"] == "GPTBot"]
    assert (row["crawl"], row["next_crawl"], row["closed"], row["opened"]) == ("march", "april", 20, 0), row
    assert row["difference"] == 10.0 and 3 < row["difference_low"] < 10 < row["difference_high"] < 20, row
    none, = [row for row in asked("summary") if row["agent"] == "CCBot"]
    assert none["difference"] == 0 and none["difference_low"] < 0 < none["difference_high"], none
    panel = [row["crawl"] for row in asked("panel") if (row["panel"], row["agent"]) == ("balanced", "GPTBot")]
    assert panel == ["march", "april"], panel
    assert {row["first_by_name"] for row in asked("first-closed") if row["url_host_name"] == "h0.d25.com"} == set(), "CCBot is asked"
    archive(folder / "a_may.warc", ["2026-05-10"], 0, "page.txt")
    run("a_may")
    rows = [row for row in asked("summary") if row["agent"] == "GPTBot"]
    order = [(row["crawl"], row["next_crawl"], str(row["next_first_fetch"])) for row in rows]
    assert order == [("march", "april", "2026-04-10"), ("april", "a_may", "2026-05-10")], order
    assert (rows[1]["survivors"], rows[1]["closed"], rows[1]["opened"]) == (200, 0, 0), rows
    run("both")
    for query in CHANGES:
        try:
            asked(query)
        except duckdb.Error as error:
            assert "overlap in time" in str(error) and "march 2026-03-10" in str(error), error
        else:
            raise AssertionError(f"change/{query} compares crawls that overlap in time")
    print("march is before april, and what overlaps is not compared")


main()
