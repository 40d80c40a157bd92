#!/usr/bin/env python3
"""The figures that docs/ has of the corpora are those that the queries answer: docs.py SEGMENT_OUT ROBOTS_OUT.

Both are folders of `crawlprefs run`, over the segment and over robots.warc.gz. Ends with status 1 where a text has another figure.
"""
import pathlib
import subprocess
import sys

from recount import Checker

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def of_research(check):
    """docs/research.md: GPTBot by each denominator, and by each definition of a domain."""
    rows = {row["denominator"]: row for row in check.ask("agents/share-closed")}
    every = lambda row: f"{100 * (row['by_name'] + row['by_star'] + row['by_error']) / row['hosts']:.1f}"
    answering, readable, known = (rows[name] for name in ("hosts that answer", "hosts with a readable robots.txt", "hosts whose robots.txt is known, 5xx too"))
    yield f"gives {every(answering)}, {every(readable)} or {every(known)} % of hosts that close GPTBot; by name alone {100 * answering['by_name'] / answering['hosts']:.1f} %"
    closing = lambda column: f"count({column}), count(CASE WHEN array_contains({column}, 'GPTBot') THEN 1 END)"
    columns = ", ".join(map(closing, ("any_host_closes", "all_hosts_close", "itself_closes")))
    (any_all, any_closing, _, all_closing, itself_all, itself_closing), = check.values(f"SELECT {columns} FROM domains")
    yield f"{any_closing} of {any_all:,} domains close GPTBot by any host, {all_closing} by all, and {itself_closing} of {itself_all:,} themselves"


def of_sampling(check, out):
    """docs/sampling.md: how much the domains matter, and how many files for which margin."""
    row, = check.ask("agents/closed-interval")
    share, hosts = row["by_name_percent"], row["units"]
    yield f"One file with {hosts:,} robots.txt of real hosts ({row['domains']:,} domains)"
    yield f"{share:.2f} % close GPTBot by name, with an interval from {row['low_percent']:.2f} to {row['high_percent']:.2f} % and a design effect of {row['design_effect']:.2f}"
    yield f"As if hosts were independent it would be {share:.2f} ± {1.96 * (share * (100 - share) / hosts) ** 0.5:.2f}"
    printed = subprocess.run([sys.executable, DOCS / "sampling_margin.py", out], check=True, capture_output=True, text=True).stdout
    yield " ".join(printed.split())


def main():
    segment, robots = (pathlib.Path(folder).resolve() for folder in sys.argv[1:])
    check = Checker("duckdb", segment)
    wanted = [("research.md", text) for text in of_research(check)]
    check.open(robots)
    wanted += [("sampling.md", text) for text in of_sampling(check, robots)]
    for name, text in wanted:
        said = " ".join((DOCS / name).read_text(encoding="utf-8").split())
        check.same(f"docs/{name}", text, text in said, True)
    check.end()


main()
