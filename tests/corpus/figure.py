#!/usr/bin/env python3
"""Checks a figure as a reviewer does: the records behind it, a run of these alone, and the query again.

figure.py BINARY SEGMENT OUT TEMP: OUT is the folder of `crawlprefs run SEGMENT`. The figure: how many hosts contradict
themselves, per label (conflicts/hosts), and which signals (conflicts/pairs). Its rows are the pages of these hosts. Ends with
status 1 where the records do not give the figure again.
"""
import os
import pathlib
import subprocess
import sys

import duckdb

QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"
ROWS = """
COPY (
    SELECT warc_filename, warc_record_offset, warc_record_length
    FROM pages
    WHERE url_host_name IN (SELECT url_host_name FROM pages WHERE array_size(conflict) > 0 OR array_size(conflict_of_readings) > 0)
) TO '{}'
"""


def asked(folder):
    """What the two queries answer over a run, without its crawl."""
    os.chdir(folder)
    database = duckdb.connect()
    for file in ("duckdb.sql", "views.sql"):
        database.execute((QUERIES / file).read_text())
    hosts = database.sql((QUERIES / "conflicts/hosts.sql").read_text())
    pairs = database.sql((QUERIES / "conflicts/pairs.sql").read_text())
    return {
        "hosts": hosts.project("label, contradicting, documents_differ").fetchall(),
        "pairs": pairs.project("label, says_no, says_yes, kind, pages, hosts").fetchall(),
    }, database


def main():
    binary, segment, out, temp = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    wanted, database = asked(out)
    rows, few, again = temp / "rows.csv", temp / "few.warc.gz", temp / "again"
    database.execute(ROWS.format(rows))
    subprocess.run([binary, "extract", "--tables", out, "--from", rows, "--base", segment, "-o", few], check=True)
    subprocess.run([binary, "run", "-q", few, "-o", again], check=True)
    found, _ = asked(again)
    for name in wanted:
        if not wanted[name] or sorted(found[name]) != sorted(wanted[name]):
            print(f"conflicts/{name}: {found[name]}, and in the whole run {wanted[name]}")
            return 1
    hosts = ", ".join(f"{label} {count}" for label, count, _ in wanted["hosts"])
    print(f"hosts that contradict themselves, counted again from {len(duckdb.read_csv(str(rows)))} records and the files of their sites: {hosts}")
    return 0


sys.exit(main())
