"""Registers tables in a SQL catalog of Apache Iceberg on a disk by what `schema --sql iceberg` prints, and reads them there.

    check.py BINARY

Each table has the rows of its files, also after a crawl came and after one was forgotten; a query for one crawl plans its files alone;
timestamps and lists have types of Iceberg. It needs pyiceberg with SQLite and PyArrow.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import pyarrow.parquet
from pyiceberg.catalog.sql import SqlCatalog

BINARY = pathlib.Path(sys.argv[1]).resolve()
SAMPLE = pathlib.Path("sample-data").resolve()
FOLDERS = {"captures": "evidence/captures", "pages": "pages", "sites": "sites", "statements": "statements"}


def catalog() -> SqlCatalog:
    """Returns the catalog that the script is given by its environment."""
    names = {"uri": "PYICEBERG_CATALOG__DEFAULT__URI", "warehouse": "PYICEBERG_CATALOG__DEFAULT__WAREHOUSE"}
    return SqlCatalog("default", **{name: os.environ[variable] for name, variable in names.items()})


def call(*command: object) -> str:
    """Returns what a command prints."""
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def rows_of_files(out: pathlib.Path, table: str) -> dict[str, int]:
    """Counts the rows of each crawl in the files of a table."""
    counts: dict[str, int] = {}
    for file in out.glob(f"{FOLDERS[table]}/crawl=*/*.parquet"):
        crawl = file.parent.name.removeprefix("crawl=")
        counts[crawl] = counts.get(crawl, 0) + pyarrow.parquet.read_metadata(file).num_rows
    return {crawl: count for crawl, count in counts.items() if count}


def rows_of_catalog(table: str) -> dict[str, int]:
    """Counts the rows of each crawl as Iceberg reads them."""
    rows = catalog().load_table(f"crawlprefs.{table}").scan().to_arrow()
    rows = rows.group_by("crawl").aggregate([([], "count_all")])
    return dict(zip(rows["crawl"].to_pylist(), rows["count_all"].to_pylist()))


def register(out: pathlib.Path, script: pathlib.Path, crawls: int) -> None:
    """Registers an output, and holds that tables of so many crawls are read as they are."""
    script.write_text(call(BINARY, "schema", "--sql", "iceberg", "-o", out))
    call(sys.executable, script)
    for table in FOLDERS:
        expected = rows_of_files(out, table)
        assert rows_of_catalog(table) == expected and len(expected) == crawls, (table, expected)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        out, script = work / 'an "out"', work / "register.py"
        os.environ["PYICEBERG_CATALOG__DEFAULT__URI"] = f"sqlite:///{work}/catalog.db"
        os.environ["PYICEBERG_CATALOG__DEFAULT__WAREHOUSE"] = f"file://{work}/warehouse"
        call(BINARY, "run", "-q", SAMPLE / "crawl-data", "-o", out)
        register(out, script, 1)
        call(BINARY, "run", "-q", SAMPLE / "local", "-o", out)
        before = {file: file.read_bytes() for file in out.rglob("*.parquet")}
        register(out, script, 2)
        pages = catalog().load_table("crawlprefs.pages")
        one = pages.scan(row_filter="crawl = 'local'")
        assert all("/crawl=local/" in task.file.file_path for task in one.plan_files())
        assert one.to_arrow().num_rows == rows_of_files(out, "pages")["local"]
        assert len(pages.scan(row_filter="url_host_name = 'nobody.example'").to_arrow()) == 0
        types = {field.name: str(field.field_type) for field in pages.schema().fields}
        found = [types[name] for name in ("fetch_time", "fetch_status", "disallowed_agents", "crawl")]
        assert found == ["timestamptz", "int", "list<string>", "string"], found
        assert {file: file.read_bytes() for file in out.rglob("*.parquet")} == before
        call(BINARY, "forget", out, "--crawl", "local")
        register(out, script, 1)
        print("tables of two crawls are read by Iceberg as they are, before and after one was forgotten")


main()
