#!/usr/bin/env python3
"""Judges by a site index and by evidence: 200,000 URLs at random times have the same verdicts; and `sites` has the same rows.

  site_index.py PROGRAM OUT FOLDER   (OUT: what run wrote; FOLDER: an empty one)

The hosts are those of the evidence, some with other ports and schemes, and some that nobody knows. Needs DuckDB.
"""
import json
import random
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import duckdb

COUNT = 200_000


def main(program: str, out: Path, folder: Path) -> None:
    def call(*arguments: object) -> str:
        return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    index = folder / "index"
    call("index", "-q", out, "-o", index)
    rows = f"SELECT DISTINCT url_protocol, url_host_name, url_port FROM '{index}/fetches/*.parquet' ORDER BY ALL"
    origins = duckdb.sql(rows).fetchall()
    times = duckdb.sql(f"SELECT min(it), max(it) FROM (SELECT unnest(fetch_unix_s) AS it FROM '{index}/fetches/*.parquet')").fetchall()[0]
    draw = random.Random(19)
    with (folder / "docs.jsonl").open("w") as documents:
        for number in range(COUNT):
            scheme, host, port = draw.choice(origins) if number % 50 else ("https", f"nobody-{number}.example", None)
            scheme = draw.choice(["http", "https"]) if number % 10 == 0 else scheme
            path = draw.choice(["", "search?q=1", "private/a.html", "img/x.png", "a/b/c/", "wp-admin/"])
            date = text(draw.randint(times[0] - 86_400, times[1] + 86_400))
            url = f"{scheme}://{host}{'' if port is None else f':{port}'}/{path}"
            documents.write(json.dumps({"url": url, "date": date}) + "\n")
    by = {"evidence": ["--tables", out], "index": ["--sites", index], "both": ["--tables", out, "--sites", index]}
    verdicts = {}
    for name, flags in by.items():
        call("judge", "-q", folder / "docs.jsonl", *flags, "-o", folder / f"by-{name}")
        verdicts[name] = (folder / f"by-{name}" / "docs.jsonl").read_bytes()
    assert verdicts["evidence"] == verdicts["index"] == verdicts["both"]
    assert verdicts["index"].count(b"\n") == COUNT
    states = {json.loads(line)["prefs_robots_state"] for line in verdicts["index"].splitlines()[::10]}
    call("sites", "-q", index, "--at", "each-crawl", "-o", folder / "crawls")
    call("resolve", "-q", out, "--tables", "sites", "-o", folder / "sites")
    compare_sites(folder)
    print(f"{COUNT} documents of {len(origins)} origins, 0 differences; states: {', '.join(sorted(states))}")


def compare_sites(folder: Path) -> None:
    """The table `sites` of each crawl, from the index alone, has the rows that evidence gives; but for what pages come to."""
    of_pages = "EXCLUDE (pages, pages_closed, content_bytes, page_systems, warc_segment, segment_whole)"
    parts = "read_parquet('{}/{}/sites/*/*.parquet', hive_partitioning = true)"
    found, expected = (f"SELECT * {of_pages} FROM {parts.format(folder, name)}" for name in ("crawls", "sites"))
    # Origins without a captured site file are not in an index.
    known = f"({expected}) AS it WHERE EXISTS (FROM ({found}) AS other WHERE (other.crawl, other.origin) = (it.crawl, it.origin))"
    count = len(duckdb.sql(found))
    differences = [duckdb.sql(query).fetchall() for query in (f"({found}) EXCEPT ALL ({expected})", f"(FROM {known}) EXCEPT ALL ({found})")]
    assert count and differences == [[], []], differences
    print(f"sites as of each crawl: {count} rows, 0 differences")


def text(unix_s: int) -> str:
    """Returns a time as a data set has it."""
    return datetime.fromtimestamp(unix_s, timezone.utc).isoformat().replace("+00:00", "Z")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
