"""What a run was made from and for: what a reader of the page has to know before a figure is cited."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import NamedTuple

import duckdb

NAMED = 3
"""Inputs that are named; the others are counted."""


class Facts(NamedTuple):
    """The viewpoint, the inputs and the times of the runs of a page."""

    viewpoint: str
    inputs: tuple[str, ...]
    archives: int
    fetched: str
    made: str


def facts(connection: duckdb.DuckDBPyConnection) -> Facts:
    """Returns the facts about the tables of a connection; what has no table is empty."""
    viewpoints = _column(connection, "SELECT DISTINCT viewpoint FROM sites ORDER BY 1")
    times = _column(
        connection, "SELECT unnest([min(robots_fetch_time), max(robots_fetch_time)])::DATE::VARCHAR FROM sites ORDER BY 1"
    )
    names = _column(connection, "SELECT DISTINCT warc_filename FROM archives ORDER BY 1")
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(epoch), timezone.utc) if epoch else datetime.now(timezone.utc)
    days = list(dict.fromkeys(it for it in times if it))
    return Facts(
        viewpoint="; ".join(viewpoints).replace("_", " "),
        inputs=tuple(names[:NAMED]),
        archives=len(names),
        fetched=" to ".join(days),
        made=now.date().isoformat(),
    )


def _column(connection: duckdb.DuckDBPyConnection, sql: str) -> Sequence[str]:
    try:
        return [value for (value,) in connection.sql(sql).fetchall()]
    except duckdb.Error:  # The folder has no such table.
        return []
