#!/usr/bin/env python3
"""Reads the evidence of a scan of sample-data with DuckDB, through the views that `crawlprefs schema` writes.

read.py OUT BINARY; ends with status 1 where DuckDB finds other counts than sample-data/expected.json says.
"""
import collections
import json
import pathlib
import subprocess
import sys

import duckdb

TABLES = ["captures", "site_files", "failures", "archives"]


def views(out, binary):
    command = [binary, "schema", "--sql", "duckdb", "--out", out, *TABLES]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    database = duckdb.connect()
    database.execute(views(*sys.argv[1:]))
    expected = json.loads(pathlib.Path("sample-data/expected.json").read_text())["files"]
    kinds = collections.Counter()
    for file in expected.values():
        kinds.update(file["captures"])
    found = dict(database.sql("SELECT kind, count(*) FROM captures GROUP BY kind").fetchall())
    assert found == dict(kinds), (found, kinds)
    lost = database.sql("SELECT count(*) FROM failures WHERE record_lost").fetchall()[0][0]
    assert lost == sum(file["records_lost"] for file in expected.values()), lost
    wrong = database.sql(
        "SELECT warc_filename FROM archives WHERE records <> captures + no_interest + records_lost"
    ).fetchall()
    assert not wrong, wrong
    dangling = database.sql(
        "SELECT count(*) FROM captures ANTI JOIN site_files USING (body_digest) WHERE body_digest IS NOT NULL"
    ).fetchall()[0][0]
    assert dangling == 0, dangling
    noindex = database.sql(
        "SELECT count(*) FROM (SELECT unnest(signals) AS signal FROM captures) WHERE signal.name = 'x-robots-tag'"
    ).fetchall()[0][0]
    assert noindex > 0
    types = database.sql("SELECT column_type FROM (DESCRIBE captures) WHERE column_name = 'fetch_time'").fetchall()[0]
    assert types == ("TIMESTAMP WITH TIME ZONE",), types
    print(f"DuckDB agrees: {sum(found.values())} captures, {noindex} X-Robots-Tag fields, {lost} record lost")


main()
