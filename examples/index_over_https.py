#!/usr/bin/env python3
"""Asks a site index behind https with DuckDB, without a download of it: what was the robots.txt of these hosts, and when?

    python index_over_https.py https://example.com/index HOST...

Needs duckdb, fsspec and aiohttp. Servers have no listing of their files: `_index.json` names the parts of the index and the
hosts in each, so that only the parts with these hosts are opened, and of these only the footers and the row groups that match.
With DuckDB's own extension httpfs, the SQL is the same.
"""

import json
import sys
from datetime import datetime, timezone

import duckdb
from fsspec.implementations.http import HTTPFileSystem


class Web(HTTPFileSystem):  # type: ignore[misc]
    """Web servers as a file system, for the parts of an index: they exist, and never change, so that each is asked for its size once."""

    sizes: dict[str, dict[str, object]] = {}

    async def _exists(self, path: str, **_: object) -> bool:
        return True

    async def _info(self, path: str, **more: object) -> dict[str, object]:
        if path not in self.sizes:
            self.sizes[path] = await super()._info(path, **more)
        return self.sizes[path]

    def modified(self, path: str) -> datetime:
        return datetime.fromtimestamp(0, timezone.utc)


index, *hosts = sys.argv[1:]
index = index.rstrip("/")
web = Web(cache_type="none")  # DuckDB knows what it needs; nothing more is read
manifest = json.loads(web.cat_file(f"{index}/_index.json"))
if manifest["format"] != "1":
    sys.exit(f"{index}: found the format {manifest['format']}, expected 1")

# `example,rep` is rep.example: the rows are sorted by it. The index has hosts without their www.
names = [",".join(reversed(host.removeprefix("www.").split("."))) for host in hosts]
parts = [part for part in manifest["fetches"] if any(part["groups"][0]["first"][0] <= name <= part["last"][0] for name in names)]
if not parts:
    sys.exit(f"{index}: none of these hosts is there")

connection = duckdb.connect()
connection.register_filesystem(web)
found = connection.execute(
    """
    SELECT url_host_name, url_protocol, fetch_status, make_timestamp(fetch_unix_s[1] * 1000000)::DATE AS first_seen, len(fetch_unix_s) AS times, body
    FROM read_parquet($parts) WHERE list_contains($names, surt_host_name) AND kind = 'robots' ORDER BY ALL
    """,
    {"parts": [f"{index}/{part['file']}" for part in parts], "names": names},
).fetchall()

# The same for the bodies: those of a part are numbered from `first_body` on.
bodies = sorted({row[-1] for row in found if row[-1] is not None})
firsts = [part["first_body"] for part in manifest["bodies"]]
ends = [*firsts[1:], sys.maxsize]
of_these = [part for part, first, end in zip(manifest["bodies"], firsts, ends) if any(first <= body < end for body in bodies)]
texts = {}
if of_these:
    query = "SELECT body, content FROM read_parquet($parts) WHERE list_contains($bodies, body)"
    texts = dict(connection.execute(query, {"parts": [f"{index}/{part['file']}" for part in of_these], "bodies": bodies}).fetchall())

for host, protocol, status, first_seen, times, body in found:
    print(f"{protocol}://{host}/robots.txt: status {status}, {times} times since {first_seen}")
    if body is not None:
        print("    " + texts[body].decode("utf-8", "replace").rstrip().replace("\n", "\n    "))
