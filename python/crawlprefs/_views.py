"""The views of `queries/views.sql` over the tables of one or more runs, in DuckDB."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from . import _native
from ._errors import UsageError

QUERIES = _native.queries()
"""The texts of the queries, by their paths below `queries/`."""


@contextmanager
def database(folders: Sequence[str], ranks: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a connection with the views of `queries/views.sql` over the tables of these folders."""
    with tempfile.TemporaryDirectory(prefix="crawlprefs-report-") as run:
        _link(Path(run), folders)
        if ranks is not None:
            if not os.path.isfile(ranks):
                raise UsageError(f"--ranks {ranks}: no such file", "input_missing")
            os.symlink(os.path.abspath(ranks), os.path.join(run, "ranks.csv"))
        with duckdb.connect() as connection:
            connection.execute(f"SET file_search_path = '{run}'; SET temp_directory = '{run}/duckdb'")
            for text in ("duckdb.sql", "views.sql"):
                connection.execute(QUERIES[text])
            _check_viewpoints(connection)
            yield connection


def _check_viewpoints(connection: duckdb.DuckDBPyConnection) -> None:
    """Refuses runs that differ in their product token, vocabulary, agents table or rules: what one of them does not know
    would look like a change."""
    try:
        found = connection.execute("SELECT DISTINCT crawl, viewpoint FROM sites ORDER BY crawl, viewpoint").fetchall()
    except duckdb.Error:  # The folder has no table `sites`: nothing that it would be compared in.
        return
    if len({viewpoint for _, viewpoint in found}) > 1:
        named = "; ".join(f"{crawl}: {viewpoint}" for crawl, viewpoint in found)
        raise UsageError(
            "these runs differ in what they were resolved for, so that they cannot be compared; resolve them again with the "
            f"same version and options, which reads no archive: {named}",
            "other_viewpoint",
        )


def _link(run: Path, folders: Sequence[str]) -> None:
    """Makes a folder that looks like the folder of one run: a link to each crawl of each table."""
    for folder in folders:
        tables = [table for pattern in ("*/crawl=*", "evidence/*/crawl=*") for table in Path(folder).glob(pattern)]
        if not tables:
            raise UsageError(f"{folder}: no tables there; expected a folder that crawlprefs run or resolve wrote", "no_tables")
        for crawl in tables:
            link = run / crawl.relative_to(folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            if link.is_symlink():
                raise UsageError(f"{folder}: has {crawl.name}, as {folders[0]} does; expected another crawl to compare with")
            link.symlink_to(crawl.absolute())
