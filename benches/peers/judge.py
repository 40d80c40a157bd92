#!/usr/bin/env python3
"""Asks protego about URLs whose robots.txt are in evidence, for the speed of `crawlprefs judge` beside it.

judge.py EVIDENCE DOCUMENTS.parquet [HOSTS]: of the first HOSTS hosts (20,000) with URLs in DOCUMENTS, each robots.txt is
parsed once, and each of its URLs is asked about for one agent. Prints CPU seconds, URLs and URLs a second, with and
without the time to parse. Needs PyPI protego and duckdb; lists and bodies are read before the clock runs.
"""
import sys
import time

import duckdb
from protego import Protego


def main(evidence, documents, hosts=20_000):
    rows = duckdb.sql(f"""
        WITH files AS (
            SELECT url_host_name AS host, any_value(body_digest) AS body_digest
            FROM '{evidence}/evidence/captures/*/*.parquet'
            WHERE kind = 'robots' AND fetch_status = 200 AND body_digest IS NOT NULL
            GROUP BY url_host_name ORDER BY hash(url_host_name) LIMIT {int(hosts)}
        ), urls AS (
            SELECT regexp_extract(url, '^https?://([^/]*)', 1) AS host, list(url) AS urls FROM '{documents}' GROUP BY ALL
        )
        SELECT body, urls FROM files JOIN urls USING (host)
        JOIN (SELECT body_digest, any_value(body) AS body FROM '{evidence}/evidence/site_files/*/*.parquet' GROUP BY ALL)
        USING (body_digest)
    """).fetchall()
    texts = [(body.decode("utf-8", "replace"), urls) for body, urls in rows]
    begun = time.process_time()
    parsed = [(Protego.parse(text), urls) for text, urls in texts]
    asked = time.process_time()
    allowed = sum(robots.can_fetch(url, "CCBot") for robots, urls in parsed for url in urls)
    ended = time.process_time()
    count = sum(len(urls) for _, urls in texts)
    print(f"{len(texts)} files, {count} URLs, {allowed} of them allowed")
    print(f"parse {asked - begun:.2f} s, ask {ended - asked:.2f} s")
    print(f"{count / (ended - begun):,.0f} URLs a second with parsing, {count / (ended - asked):,.0f} without")


main(*sys.argv[1:])
