"""The numbers of the report: what the queries of the project answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb

from .. import _native
from .._errors import Error
from .._views import QUERIES
from ._marks import PLACES
from ._sections import SECTIONS, Plot
from ._uncertain import SHARES, Intervals, Share, intervals, with_intervals


HEAD = ("Unit", "Denominator", "By name", "Not for", "Needs")
"""The lines of a query's head, after its question (tests/queries/check.py holds them)."""


@dataclass(frozen=True)
class Result:
    """What a query answers, with its own words."""

    name: str
    """Its path below `queries/`, without `.sql`."""
    question: str
    notes: tuple[str, ...]
    """Unit, denominator, whether by name, what it is not for, and what else is to be known."""
    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    missing: tuple[str, ...] = ()
    """What is not there, where the query could not be run for that."""
    refused: str = ""
    """Why the query gives no answer, where it stops by itself."""
    intervals: Mapping[str, tuple[Share, Intervals]] = field(default_factory=dict)
    """Of each share that is an estimate, by its name: what it is of, and its intervals."""

    @property
    def head(self) -> tuple[str, ...]:
        """The notes that say what a figure of it is: unit, denominator, by name or not, what it is not for."""
        return tuple(note for note in self.notes if note.partition(": ")[0] in HEAD)

    @property
    def columns_said(self) -> tuple[str, ...]:
        """The other notes: what the columns are."""
        return tuple(note for note in self.notes if note not in self.head)

    @property
    def has_intervals(self) -> bool:
        """Whether any of its shares has an interval."""
        return any(ends for _, ends in self.intervals.values())

    def records(self) -> list[dict[str, Any]]:
        """Returns the rows by the names of their columns, with the ends of the intervals of their shares."""
        return with_intervals([dict(zip(self.columns, row, strict=True)) for row in self.rows], self.intervals)


MANY_READ = ("hosts", "websites", "hosts_answered")
"""The views that most queries read, in the order in which one reads another."""


OVERLAP = "these crawls overlap in time"
"""How the error of crawls begins that cannot be compared (queries/views.sql)."""


def results(connection: duckdb.DuckDBPyConnection, begins: Callable[[str], None]) -> dict[str, Result]:
    """Returns what each query of the report answers; `begins` is called with what begins."""
    for view in MANY_READ:
        _materialise(connection, view)
    _order_crawls(connection)
    plots = [plot for section in SECTIONS for plot in section.plots]
    answers = {}
    for number, plot in enumerate(plots, 1):
        begins(f"query {number} of {len(plots)}: {plot.query}")
        answers[plot.name] = _result(connection, plot)
    return answers


def _materialise(connection: duckdb.DuckDBPyConnection, view: str) -> None:
    """Makes a table of a view, so that it is computed once. A view that cannot be read stays: its queries say why."""
    try:
        connection.execute(f"CREATE TEMP TABLE materialised AS FROM {view}")
    except duckdb.Error:
        return
    connection.execute(f"DROP VIEW {view}; ALTER TABLE materialised RENAME TO {view}")


def _order_crawls(connection: duckdb.DuckDBPyConnection) -> None:
    """Remembers which crawl is before which, whatever they are called."""
    PLACES.clear()
    try:
        PLACES.update(connection.sql("SELECT crawl, place FROM crawl_times").fetchall())
    except duckdb.Error:  # The folder has no table `sites`: names are all that there is.
        return


KEYS = {"": "", "tld": " By top-level domain.", "rank": " By rank of the domain."}
"""What follows the question of a query with a key."""


def _result(connection: duckdb.DuckDBPyConnection, plot: Plot) -> Result:
    name, sql = plot.name, QUERIES[f"{plot.query}.sql"]
    question, notes = _words(sql)
    question += KEYS[plot.key]
    connection.execute("SET VARIABLE key = ?", [plot.key or "all"])
    sql = f"SET VARIABLE key = '{plot.key}';\n\n{sql}" if plot.key else sql
    try:
        found = connection.execute(QUERIES[f"{plot.query}.sql"])
        columns = tuple(column for column, *_ in found.description or ())
        rows = tuple(found.fetchall())
        shares = {share.name: (share, intervals(connection, share)) for share in SHARES.get(plot.query, ()) if rows}
        return Result(name, question, notes, sql, columns, rows, intervals=shares)
    except (duckdb.InvalidInputException, duckdb.BinderException) as refused:
        if OVERLAP in str(refused):
            return Result(name, question, notes, sql, (), (), refused=str(refused).partition("Error: ")[2])
        # A view over a table that is not there stops a query, or has only the columns that views.sql needs.
        missing = _missing(connection)
        if not missing:
            raise
        named = tuple(name for name in missing if re.search(rf"\b{name}( is not in this folder|\b)", f"{refused}\n{sql}"))
        return Result(name, question, notes, sql, (), (), named or missing)
    except duckdb.IOException as failed:
        raise Error(str(failed), "unreadable") from failed


def _missing(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Returns what queries can read and this run has not."""
    found = connection.sql("SELECT unnest(getvariable('crawlprefs_files'))").fetchall()
    given = {path.removeprefix("evidence/") for (path,) in found}
    return tuple(name for name in (*(table for table, *_ in _native.tables()), "ranks.csv") if name not in given)


def _words(sql: str) -> tuple[str, tuple[str, ...]]:
    """Returns the question and the notes of a query, which are its first comment: a note for each line of its head."""
    lines = [line[2:].strip() for line in sql.split("\n\n")[0].splitlines() if line.startswith("--")]
    marked = (f"\n{line}" if line.startswith(tuple(f"{mark}: " for mark in HEAD)) else line for line in lines)
    question, *notes = (" ".join(part.split()) for part in re.split(r"\n{2,}", "\n".join(marked)))
    return question, tuple(notes)
