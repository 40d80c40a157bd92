#!/usr/bin/env python3
"""Recounts what the summary of `run` and `resolve` says of hosts by the views of queries/:
summary.py BINARY OUT [OPTION...].

OUT is the folder of a run that was resolved with these options. Its tables are not made anew: the command counts the hosts of those that are there. Each figure must be
that of the view `hosts`, crawl by crawl.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import duckdb

QUERIES = pathlib.Path(__file__).resolve().parents[2] / "queries"
LABELS = ("search", "train_ai", "train_genai", "ai_input", "tdm")
COUNTS = """
    SELECT crawl, count(*), count(*) FILTER (answers),
        count(*) FILTER (answers AND len(list_intersect(agents_closed, agents_named)) > 0),
        count(*) FILTER (answers AND len(list_filter(agents_closed, lambda agent: NOT list_contains(agents_named, agent))) > 0),
        epoch(min(robots_fetch_time))::BIGINT, epoch(max(robots_fetch_time))::BIGINT
    FROM hosts GROUP BY crawl
"""
WAYS = {"by_name": "closed_by_name", "by_star": "closed_through_wildcard", "partly_by_name": "closed_in_part", "partly_by_star": "closed_in_part"}


def counted(out):
    """What the views say of each crawl, in the form of the report."""
    with duckdb.connect() as database:
        database.execute(f"SET file_search_path = '{out}'")
        for text in ("duckdb.sql", "views.sql"):
            database.execute((QUERIES / text).read_text(encoding="utf-8"))
        rows = lambda query: database.sql(query).fetchall()
        names = ("hosts", "answering", "closing_by_name", "closing_to_others")
        found = {crawl: dict(zip(names, counts)) | {"robots_fetched": times} for crawl, *counts, first, last in rows(COUNTS) for times in [(first, last)]}
        for crawl in found.values():
            crawl |= {name: {} for name in ("states", "systems", "labels", *WAYS.values())}
        for crawl, state, count in rows("SELECT crawl, robots_state, count(*) FROM hosts GROUP BY ALL"):
            found[crawl]["states"][state] = count
        for crawl, way, agent, count in rows("SELECT crawl, way, agent, count(*) FROM host_agents WHERE way <> 'by_error' GROUP BY ALL"):
            counts = found[crawl][WAYS[way]]
            counts[agent] = counts.get(agent, 0) + count
        systems = "SELECT crawl, unnest(systems) AS system FROM hosts WHERE answers"
        for crawl, system, count in rows(f"SELECT crawl, system, count(*) FROM ({systems}) GROUP BY ALL"):
            found[crawl]["systems"][system] = count
        for label in LABELS:
            for crawl, value, count in rows(f"SELECT crawl, {label}, count(*) FROM hosts WHERE {label} <> 'unknown' GROUP BY ALL"):
                found[crawl]["labels"].setdefault(label, {})[value] = count
    return found


def main():
    binary, out = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    options = sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([binary, "resolve", "-q", out, "--report", report, *options], check=True)
        printed = json.loads(report.read_text())["resolve"]["crawls"]
    expected = counted(out)
    assert expected and set(printed) == set(expected), (set(printed), set(expected))
    for crawl, wanted in expected.items():
        hosts = printed[crawl]["hosts"]
        first, median, last = hosts["robots_fetched"]
        assert first // 3600 <= median // 3600 <= last // 3600, hosts["robots_fetched"]
        hosts["robots_fetched"] = (first, last)
        for name, value in wanted.items():
            assert hosts[name] == value, f"{crawl}, {name}: the summary has {hosts[name]}, the views {value}"
    print(f"{sum(it['hosts'] for it in expected.values()):,} hosts of {len(expected)} crawls: the summary is that of the views")


main()
