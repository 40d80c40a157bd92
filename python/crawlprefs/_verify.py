"""Checks a package (`_package.py`) of somebody whom nobody has to trust: nothing in it is executed, and nothing in it is believed.

What is asked is a query that this version ships, compared by its text; the views are this version's. Options and variables are on closed
lists. The records are checked by `extract --verify`, and SQL runs in a DuckDB that reads the tables which were just made of them, and
nothing else.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _native
from ._errors import Error
from ._jobs import run

_ABOUT_BYTES = 64 << 20

_NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+")
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}")

_OPTIONS = {
    "agent": _TOKEN,
    "vocab": re.compile(r"[0-9]{2}"),
    "robots_slack": re.compile(r"[0-9]{1,9}s?"),
    "robots_max_age": re.compile(r"[0-9]{1,9}s?|none"),
    "scope": re.compile("all|segment"),
    "tables": re.compile(r"[a-z_]+(,[a-z_]+)*"),
}
"""The options of `run` that a package may have. None of them names a file: a vocabulary is one of AIPREF's, by its number."""

_VARIABLES = {
    "agent": _TOKEN,
    "agents": re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._,-]{0,9999}"),
    "unit": re.compile("host|website|domain"),
    "key": re.compile("all|tld|rank|host-rank"),
}
"""The variables of queries that a package may have."""


class _Differs(Error):
    def __init__(self, message: str) -> None:
        super().__init__(message, "not_verified")


def verify_package(folder: str | os.PathLike[str], *, archives: str | os.PathLike[str] | None = None, allow_query: bool = False) -> str:
    """Checks a package that `extract --package` wrote; returns what was found.

    `archives` is where the archives are, a folder or a URL: each record is compared with its original. A query that this version does not
    ship is refused; with `allow_query` it is asked, in a database that can read nothing but the tables of the records.

    Raises `Error` that says what differs.
    """
    place = Path(folder)
    known = _about(place)
    options = _closed(known, "options", _OPTIONS)
    variables = _closed(known, "variables", _VARIABLES)
    flags = [] if archives is None else ["--base", os.fspath(archives)]
    if _native.command(["crawlprefs", "extract", "--verify", os.fspath(place), *flags]) != 0:
        raise _Differs(f"{place}: the records are not what the package says")
    name, text = _question(place, known, allow_query)
    with tempfile.TemporaryDirectory() as work:
        out = Path(work, "out")
        run(place / "records", out, **options)
        found = _answer(out, text, variables)
    expected = (place / "expected.csv").read_text(encoding="utf-8")
    if found != expected:
        rows = [expected.splitlines(), found.splitlines()]
        lines = [f"{'expected' if row in rows[0] else 'found'}: {row}" for row in sorted(set(rows[0]) ^ set(rows[1]))]
        raise _Differs("\n".join(["another answer:", *lines[:100]]))
    # Other options or variables give another answer: who reads this one sees them.
    asked = "; ".join(f"{name} = {value}" for name, value in sorted({**options, **variables}.items()))
    return f"the same answer: {name}, {len(expected.splitlines()) - 1} rows, with {asked or 'the options of run'}"


def _about(place: Path) -> dict[str, Any]:
    file = place / "package.json"
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _ABOUT_BYTES:
            raise _Differs(f"{file}: expected a file of at most {_ABOUT_BYTES} bytes")
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as failed:
        raise _Differs(f"{file}: cannot be read: {failed}") from failed
    if not isinstance(known, dict) or not isinstance(known.get("query"), str):
        raise _Differs(f"{file}: not a package")
    return known


def _closed(known: Mapping[str, Any], member: str, allowed: Mapping[str, re.Pattern[str]]) -> dict[str, Any]:
    """Returns options or variables; one that is not on the list, or has another form, is refused."""
    given = known.get(member)
    if not isinstance(given, dict):
        raise _Differs(f"package.json: {member} is no object")
    for name, value in given.items():
        if name not in allowed or not isinstance(value, str) or not allowed[name].fullmatch(value):
            raise _Differs(f"package.json: {member}: {name[:100]!r} = {str(value)[:100]!r} is refused; allowed are {', '.join(allowed)}")
    return dict(given)


def _question(place: Path, known: Mapping[str, Any], allow_query: bool) -> tuple[str, str]:
    """Returns the name and the text of the query: one that this version ships, or that of the package where that is allowed."""
    name = str(known["query"])[:200]
    text = (place / "query.sql").read_text(encoding="utf-8")
    shipped = _native.queries().get(f"{name}.sql") if _NAME.fullmatch(name) else None
    if text == shipped:
        return name, text
    if not allow_query:
        version = str(known.get("crawlprefs"))[:50]
        raise _Differs(
            f"query.sql: it is not the query {name!r} of crawlprefs {_native.__version__} (the package is of {version!r}); read it, and give"
            " --allow-query where it is meant"
        )
    print(f"query.sql, which is no query of crawlprefs {_native.__version__}:\n{text!r}", file=sys.stderr)
    return "query.sql", text


def _answer(out: Path, text: str, variables: Mapping[str, str]) -> str:
    """Asks a query of tables, in a database that reads nothing else."""
    import duckdb

    database = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    texts, before = _native.queries(), os.getcwd()
    # The views name files by paths below the working folder.
    os.chdir(out)
    try:
        database.execute("SET allowed_directories = ['{}']".format(os.getcwd().replace("'", "''")))
        for setting in ("enable_external_access = false", "lock_configuration = true"):
            if setting.startswith("lock"):
                for file in ("duckdb.sql", "views.sql"):
                    database.execute(texts[file])
            database.execute(f"SET {setting}")
        for name, value in variables.items():
            database.execute(f"SET VARIABLE {name} = ?", [value])
        found = database.sql(text)
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(found.columns)
        writer.writerows(found.fetchall())
    except (duckdb.Error, AttributeError) as failed:
        raise _Differs(f"the query cannot be asked: {failed}") from failed
    finally:
        os.chdir(before)
    return written.getvalue()


def main(folder: Path, arguments: Sequence[str]) -> int:
    """Runs `verify.py` of a package; returns the exit status."""
    parser = argparse.ArgumentParser(prog="verify.py", description="Checks a package by the installed crawlprefs.", allow_abbrev=False)
    parser.add_argument("--archives", metavar="DIR|URL", help="where the archives are: compare each record with its original")
    parser.add_argument("--allow-query", action="store_true", help="ask a query that this version of crawlprefs does not ship")
    given = parser.parse_args(arguments)
    try:
        print(verify_package(folder, archives=given.archives, allow_query=given.allow_query))
    except Error as error:
        print(f"verify.py: {error}", file=sys.stderr)
        return 1
    return 0
