"""The tables of a run, for pyarrow and DuckDB."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from . import _native
from ._errors import Error

if TYPE_CHECKING:
    import pyarrow.dataset as ds
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

    from ._options import Path


class Tables:
    """The tables in a folder that `run`, `scan` or `resolve` wrote.

    Each table is an attribute: a `pyarrow.dataset.Dataset`, which reads only the columns and rows that are asked for.
    docs/tables.md describes the columns; `crawl` is added from the folders' names. Nothing is read before it is asked
    for.

    >>> tables = crawlprefs.open("out")
    >>> tables.pages.to_table(columns=["url", "access"], filter=ds.field("access") == "disallow")
    >>> tables.duckdb().sql("SELECT access, count(*) FROM pages GROUP BY ALL")
    """

    captures: ds.Dataset
    site_files: ds.Dataset
    failures: ds.Dataset
    archives: ds.Dataset
    pages: ds.Dataset
    sites: ds.Dataset
    agent_sets: ds.Dataset
    robots: ds.Dataset
    robots_agents: ds.Dataset
    robots_lines: ds.Dataset
    robots_lints: ds.Dataset
    statements: ds.Dataset

    def __init__(self, out: Path) -> None:
        self.out = os.fspath(out)

    def __getattr__(self, name: str) -> ds.Dataset:
        if name not in _folders():
            raise AttributeError(f"{name}: no such table; the tables are {', '.join(_folders())}")
        return self.dataset(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_folders()]

    def __repr__(self) -> str:
        return f"crawlprefs.open({self.out!r})"

    @property
    def names(self) -> list[str]:
        """The names of the tables that are there."""
        return [name for name, folder in _folders().items() if os.path.isdir(os.path.join(self.out, folder))]

    def dataset(self, name: str) -> ds.Dataset:
        """Returns the table `name`; its files are found anew.

        Needs pyarrow (`pip install crawlprefs[arrow]`). Raises `Error` where the table was not written.
        """
        import pyarrow as pa
        import pyarrow.dataset as ds

        partitioning = ds.partitioning(pa.schema([("crawl", pa.string())]), flavor="hive")
        try:
            return ds.dataset(f"{self.out.rstrip('/')}/{_folders()[name]}", format="parquet", partitioning=partitioning)
        except FileNotFoundError as missing:
            raise Error(f"{self.out}: no table {name} there", "no_table") from missing

    def duckdb(self, connection: DuckDBPyConnection | None = None) -> DuckDBPyConnection:
        """Returns a connection on which each table that is there is a view; by default a new one in memory.

        Needs DuckDB (`pip install crawlprefs[duckdb]`). A view is a relation: `open("out").duckdb().table("pages")`.
        """
        import duckdb

        connection = connection or duckdb.connect()
        connection.execute(_native.sql(self.names, "duckdb", self.out))
        return connection

    def query(
        self,
        name: str,
        *,
        agent: str | None = None,
        agents: Iterable[str] | None = None,
        unit: Literal["host", "website", "domain"] | None = None,
        key: Literal["all", "tld", "rank", "host-rank"] | None = None,
        interval: bool = False,
    ) -> DuckDBPyRelation:
        """Returns what a query of the project answers, such as `agents/closed`, by the views of `queries/views.sql`.

        `agent`, `agents`, `unit` and `key` are the variables of the queries that say so in their heads: for which agents the shares are,
        of hosts, websites or registered domains, and for which groups of them (docs/research.md). With `interval` each share that is an estimate has a 95 % interval beside it
        (docs/sampling.md). `write_csv` of the relation writes it, and `crawlprefs.latex` makes a table for a paper.

        >>> crawlprefs.open("out").query("agents/closed-interval", agent="CCBot", unit="domain")

        Needs DuckDB (`pip install crawlprefs[duckdb]`). Raises `Error` where there is no such query, and where it has not the variable. A value of a
        variable that does not exist is an error of DuckDB that names those that do.
        """
        texts = _native.queries()
        if f"{name}.sql" not in texts or "/" not in name:
            raise Error(f"{name}: no such query; see queries/README.md", "no_query")
        text = texts[f"{name}.sql"]
        connection = self._with_views()
        for variable, value in _variables(agent, agents, unit, key).items():
            if f"getvariable('{variable}')" not in text:
                raise Error(f"{name}: has no variable {variable}; the head of a query names those that it has", "no_variable")
            connection.execute(f"SET VARIABLE {variable} = ?", [value])
        if not interval:
            return connection.sql(text)
        from ._report._uncertain import answer_with_intervals

        return answer_with_intervals(connection, name, text)

    def package(
        self,
        name: str,
        out: Path,
        *,
        base: Path = ".",
        agent: str | None = None,
        agents: Iterable[str] | None = None,
        unit: Literal["host", "website", "domain"] | None = None,
        key: Literal["all", "tld", "rank", "host-rank"] | None = None,
    ) -> str:
        """Writes a folder with which others check what a query answers, without the archives; returns which records are in it.

        It has the records behind the answer, in files of the names of their archives (`records`), the query and the views, the
        answer (`expected.csv`), `verify.py`, which runs the records and compares, and `package.json`: versions, options, variables, and
        what the archives of each crawl are of their lists. The captures of site files are enough for what hosts say; else all
        captures are copied. `base` is where the archives are, a folder or a URL.

        >>> crawlprefs.open("out").package("agents/closed-interval", "closed-gptbot", base="archives", agent="GPTBot")

        Raises `Error` where a run of the records has another answer: the query counts what no record has.
        """
        from ._package import package

        return package(self, name, os.fspath(out), base=os.fspath(base), variables=_variables(agent, agents, unit, key))

    def _with_views(self) -> DuckDBPyConnection:
        """Returns a connection with the views of `queries/views.sql`."""
        import duckdb

        connection = duckdb.connect()
        connection.execute("SET file_search_path = '{}'".format(os.path.abspath(self.out).replace("'", "''")))
        for file in ("duckdb.sql", "views.sql"):
            connection.execute(_native.queries()[file])
        return connection


def _variables(agent: str | None, agents: Iterable[str] | None, unit: str | None, key: str | None) -> dict[str, str]:
    """Returns the variables of a query that are given."""
    listed = None if agents is None else [agents] if isinstance(agents, str) else list(agents)
    if listed == []:
        raise Error("agents: expected at least one agent; None is all of them", "no_agent")
    given = {"agent": agent, "agents": None if listed is None else ",".join(listed), "unit": unit, "key": key}
    return {name: value for name, value in given.items() if value is not None}


def latex(answer: DuckDBPyRelation, columns: Sequence[str] | None = None) -> str:
    """Returns what a query answers as a LaTeX table, with the rules of the package booktabs; numbers are at the right, and those of
    a column have one number of decimals.

    `columns` are those of the table, in this order. If the answer is about several crawls, their column is the first one even where
    it is not among these, as rows of two crawls would look alike.

    >>> print(crawlprefs.latex(crawlprefs.open("out").query("agents/closed", interval=True), ["agent", "by_name_percent"]))

    Raises `Error` where the answer does not have a column.
    """
    chosen = list(answer.columns if columns is None else columns)
    if unknown := [name for name in chosen if name not in answer.columns]:
        raise Error(f"no column {', '.join(unknown)}; the answer has {', '.join(answer.columns)}", "no_column")
    rows = answer.fetchall()
    if "crawl" in answer.columns and "crawl" not in chosen and len({row[answer.columns.index("crawl")] for row in rows}) > 1:
        chosen.insert(0, "crawl")
    values = [[row[answer.columns.index(name)] for row in rows] for name in chosen]
    lines = [
        "\\begin{tabular}{" + "".join("r" if any(map(_is_number, column)) else "l" for column in values) + "}",
        "\\toprule",
        " & ".join(_tex(name.replace("_", " ")) for name in chosen) + r" \\",
        "\\midrule",
        *(" & ".join(row) + r" \\" for row in zip(*map(_cells, values))),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _cells(values: Sequence[object]) -> list[str]:
    """Returns the cells of a column: numbers have as many decimals as the one with the most."""
    numbers = [Decimal(str(value)) for value in values if _is_number(value)]
    places = [-int(number.as_tuple().exponent) for number in numbers if number.is_finite()]
    decimals = max([0, *places])
    shown = [f"{Decimal(str(value)):.{decimals}f}" if _is_number(value) else str(value) for value in values]
    return ["--" if value is None else _tex(text) for value, text in zip(values, shown)]


def _tex(text: str) -> str:
    """Returns a text in which nothing means something to LaTeX."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\n": " "}
    return "".join(special.get(it, f"\\{it}" if it in "&%$#_{}" else it) for it in text)


def open(out: Path) -> Tables:
    """Returns the tables in a folder that `run`, `scan` or `resolve` wrote.

    Raises `Error` if none of their files is there.
    """
    tables = Tables(out)
    if not tables.names:
        raise Error(f"{tables.out}: no tables there; expected a folder that crawlprefs run, scan or resolve wrote", "no_tables")
    return tables


def _folders() -> dict[str, str]:
    return {name: folder for name, folder, _ in _native.tables()}
