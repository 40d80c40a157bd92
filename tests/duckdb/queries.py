#!/usr/bin/env python3
"""Runs every query of queries/ in DuckDB over the output of a run over sample-data, and compares the results.

queries.py OUT EXPECTED_DIR    status 1, with a diff, where a result is another than EXPECTED_DIR/<query>.tsv
queries.py OUT --write         writes the results to tests/duckdb/expected/ instead
"""
import difflib
import os
import pathlib
import sys

import duckdb

QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"
EXPECTED = pathlib.Path(__file__).resolve().parent / "expected"
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def cell(value):
    return "NULL" if value is None else str(value).translate(ESCAPES)


def result(database, query):
    """The result as lines of tab-separated cells, names of columns first."""
    relation = database.sql(query)
    rows = [relation.columns, *relation.fetchall()]
    return ["\t".join(cell(value) for value in row) for row in rows]


def check_text(file, text):
    question = text.partition("\n--\n")[0]
    assert question.startswith("-- ") and question.endswith("?"), f"{file.name}: the first comment is no question"
    assert "ORDER BY" in text.rpartition("\n)")[2], f"{file.name}: the result has no order"


def views(database):
    """Makes the views over the output, and holds the drop list and the unknown list against the pages."""
    database.execute((QUERIES / "views.sql").read_text())
    for (name,) in database.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL").fetchall():
        database.execute(f"CREATE TEMP TABLE whole AS FROM {name}; DROP TABLE whole")
    lists = """
        SELECT
            access,
            count(*) FILTER (id IN (SELECT id FROM drop_list) AND id IN (SELECT id FROM unknown_list)) AS in_both,
            count(*) FILTER (id IN (SELECT id FROM drop_list)) AS dropped,
            count(*) FILTER (id IN (SELECT id FROM unknown_list)) AS unknown,
            count(*) AS pages
        FROM (SELECT *, warc_record_id AS id FROM pages)
        GROUP BY access
    """
    for access, in_both, dropped, unknown, pages in database.sql(lists).fetchall():
        assert in_both == 0, (access, in_both)
        assert unknown == (pages if access == "unknown" else 0), (access, unknown, pages)
        assert access != "disallow" or dropped == pages, (access, dropped, pages)


def main():
    out, expected = sys.argv[1:]
    write = expected == "--write"
    expected = EXPECTED if write else pathlib.Path(expected).resolve()
    os.chdir(out)
    database = duckdb.connect()
    views(database)
    files = sorted(QUERIES.glob("[0-9]*.sql"))
    differences = []
    for file in files:
        text = file.read_text()
        check_text(file, text)
        found = result(database, text)
        assert len(found) > 1, f"{file.name} gives no row"
        target = expected / f"{file.stem}.tsv"
        if write:
            target.parent.mkdir(exist_ok=True)
            target.write_text("\n".join(found) + "\n", encoding="utf-8")
            continue
        known = target.read_text(encoding="utf-8").removesuffix("\n").split("\n") if target.exists() else []
        differences += difflib.unified_diff(known, found, str(target), f"found by {file.name}", n=0, lineterm="")
    print("\n".join(differences) or f"{len(files)} queries: {'written' if write else 'as expected'}")
    sys.exit(1 if differences else 0)


main()
