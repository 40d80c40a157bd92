"""What a run was made from and for: what a reader of the page has to know before a figure is cited."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import NamedTuple

import duckdb

NAMED = 3
"""Inputs that are named; the others are counted."""


DESIGNS = """
    SELECT
        crawl,
        concat(design, ', ', archives_read, ' of ', list_archives, ' archives', ', sample ' || sample || ', seed ' || seed),
        are_unlike
    FROM unlike_designs CROSS JOIN designs JOIN crawl_times USING (crawl) ORDER BY place
"""
UNLIKE = (
    "The archives of these crawls were not chosen in the same way, so that a difference of two shares may come from that alone."
    " Compare the same hosts (change/summary), or read the same parts of each crawl (docs/sampling.md)."
)
"""Said where designs differ."""


class Facts(NamedTuple):
    """The viewpoint, the inputs and the times of the runs of a page."""

    viewpoint: str
    inputs: tuple[str, ...]
    archives: int
    fetched: str
    designs: str
    """What the archives of each crawl are of what the run was given."""
    warning: str
    """Why shares of the crawls cannot be compared, where their hosts are not the same; or empty."""
    made: str


def facts(connection: duckdb.DuckDBPyConnection) -> Facts:
    """Returns the facts about the tables of a connection; what has no table is empty."""
    viewpoints = _column(connection, "SELECT DISTINCT viewpoint FROM sites ORDER BY 1")
    times = _column(
        connection, "SELECT unnest([min(robots_fetch_time), max(robots_fetch_time)])::DATE::VARCHAR FROM sites ORDER BY 1"
    )
    names = _column(connection, "SELECT DISTINCT warc_filename FROM archives ORDER BY 1")
    designs = _rows(connection, DESIGNS)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(epoch), timezone.utc) if epoch else datetime.now(timezone.utc)
    days = list(dict.fromkeys(it for it in times if it))
    return Facts(
        viewpoint="; ".join(viewpoints).replace("_", " "),
        inputs=tuple(names[:NAMED]),
        archives=len(names),
        fetched=" to ".join(days),
        designs="; ".join(f"{crawl}: {words}" for crawl, words, _ in designs),
        warning=UNLIKE if any(is_unlike for *_, is_unlike in designs) else "",
        made=now.date().isoformat(),
    )


def _column(connection: duckdb.DuckDBPyConnection, sql: str) -> Sequence[str]:
    return [value for (value,) in _rows(connection, sql)]


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> Sequence[tuple[str, ...]]:
    try:
        return connection.sql(sql).fetchall()
    except duckdb.Error:  # The folder has no such table.
        return []
