"""A package with which others check the answer of a query: the records behind it, the query, and what it answered."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import Error, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

    from ._tables import Tables

RECORDS = (
    ("the captures of site files", "kind <> 'page'"),
    ("all captures", "true"),
)
"""Which records are enough for an answer is tried, fewest first."""

OPTIONS = {"agent": "agent", "vocabulary": "vocab", "robots_slack_s": "robots_slack", "robots_max_age_s": "robots_max_age", "robots_scope": "scope"}
"""The options of `run` by the names that a run has noted them under."""


def package(tables: Tables, name: str, folder: str, *, base: str, variables: Mapping[str, str]) -> str:
    """Writes the package; returns which records are in it. See `Tables.package`."""
    out = Path(folder)
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out}: is not empty; a package gets a folder of its own", "output")
    try:
        return _written(tables, name, out, base, variables)
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)
        raise


def _written(tables: Tables, name: str, out: Path, base: str, variables: Mapping[str, str]) -> str:
    given: Any = dict(variables)
    if "agents" in given:
        given["agents"] = given["agents"].split(",")
    relation = tables.query(name, **given)
    (out / "records").mkdir(parents=True, exist_ok=True)
    texts = _native.queries()
    (out / "query.sql").write_text(texts[f"{name}.sql"], encoding="utf-8")
    _write_csv(relation, out / "expected.csv")
    known: dict[str, Any] = {
        "query": name,
        "variables": dict(variables),
        "crawlprefs": _native.__version__,
        "duckdb": _duckdb_version(),
        "options": _options(tables),
        "designs": _designs(tables),
    }
    (out / "verify.py").write_text(_native.verify_script(), encoding="utf-8")
    failed = ""
    for which, condition in RECORDS:
        known["records"] = which
        count = _copy(tables, condition, base, out)
        known["records_copied"] = count
        known["sha256"] = {str(file.relative_to(out)): _digest(file) for file in sorted(out.rglob("*")) if _is_listed(file)}
        (out / "package.json").write_text(json.dumps(known, indent=2, default=str) + "\n", encoding="utf-8")
        ran = subprocess.run([sys.executable, str(out / "verify.py")], capture_output=True, text=True, check=False)
        if ran.returncode == 0:
            return which
        failed = ran.stderr
    raise Error(
        f"{name}: a run of the records alone has another answer, as the query counts what no record has (such as the archives that were"
        f" read, or weights of hosts):\n{failed}",
        "not_verified",
    )


def _copy(tables: Tables, condition: str, base: str, out: Path) -> int:
    """Copies the records of these captures, each archive's into a file of its name, as `extract` does; archives in which a record
    has no length of its own are copied as they are."""
    rows = tables.duckdb().sql(f"""
        SELECT DISTINCT warc_filename, warc_record_offset, warc_record_length FROM captures WHERE {condition} ORDER BY ALL
    """)
    found = rows.fetchall()
    whole = sorted({name for name, _, length in found if length is None})
    for name in whole:
        if not _is_below(name):
            raise Error(f"{name!r}: no name of an archive below --base; tables of somebody else may name any file", "not_copied")
        (out / "records" / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(Path(base, name), out / "records" / name)
        except OSError as failed:
            raise Error(f"{name}: has records without a length of their own, and cannot be copied: {failed.strerror}", "no_length") from failed
    listed = out / "records.csv"
    rows.filter(" AND ".join(["true", *(f"warc_filename <> '{_quoted(name)}'" for name in whole)])).write_csv(str(listed))
    status = _native.command(["crawlprefs", "extract", "--from", str(listed), "--base", base, "-o", f"{out / 'records'}/"])
    if status != 0:
        raise Error("the records could not be copied", "not_copied")
    return len(found)


def _is_below(name: str) -> bool:
    """Returns whether the name of an archive stays in the folder that it is relative to; the command's stores ask the same."""
    return all(part not in ("", ".", "..") and "\\" not in part and "\0" not in part for part in name.split("/"))


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _options(tables: Tables) -> dict[str, str]:
    """Returns the options of `run` with which the records are resolved as the tables were."""
    try:
        noted = json.loads(Path(tables.out, "_resolved.json").read_text(encoding="utf-8"))["options"]
    except (OSError, ValueError, KeyError) as missing:
        raise Error(f"{tables.out}: no _resolved.json of a run there", "no_tables") from missing
    options = {option: noted[name] for name, option in OPTIONS.items() if name in noted}
    if noted.get("tables"):
        options["tables"] = noted["tables"]
    return options


def _designs(tables: Tables) -> list[dict[str, Any]]:
    """Returns what the archives of each crawl are of their lists: the view `designs`."""
    relation = tables._with_views().sql("SELECT * FROM designs ORDER BY crawl")
    return [dict(zip(relation.columns, row)) for row in relation.fetchall()]


def _write_csv(relation: DuckDBPyRelation, file: Path) -> None:
    import csv

    with open(file, "w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(relation.columns)
        writer.writerows(relation.fetchall())


def _duckdb_version() -> str:
    import duckdb

    return str(duckdb.__version__)


def _is_listed(file: Path) -> bool:
    return file.is_file() and file.name != "package.json"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
