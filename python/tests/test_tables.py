"""The tables of a run, for pyarrow and DuckDB."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

import crawlprefs


def test_every_table_is_an_attribute_with_a_type(by_command: Path) -> None:
    tables = crawlprefs.open(by_command)
    typed = [name for name, kind in crawlprefs.Tables.__annotations__.items() if kind == "ds.Dataset"]
    assert typed == tables.names
    assert {name: getattr(tables, name).count_rows() for name in typed} == {
        name: tables.duckdb().table(name).aggregate("count(*)").fetchall()[0][0] for name in typed
    }
    assert tables.pages.count_rows() == 93
    assert set(tables.pages.to_table(columns=["crawl"])["crawl"].to_pylist()) == {"CC-MAIN-2026-34", "local"}
    with pytest.raises(AttributeError, match="page: no such table; the tables are captures"):
        tables.page


def test_views_go_to_a_connection_that_is_given(by_command: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    assert crawlprefs.open(by_command).duckdb(connection) is connection
    closed = connection.sql("SELECT count(*) FROM pages WHERE access = 'disallow'").fetchall()
    assert closed == [(19,)]


def test_the_example_goes_from_archives_to_a_figure(sample: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    example = REPOSITORY / "python/examples/adoption.py"
    assert len(example.read_text().splitlines()) <= 25
    arguments = [sys.executable, example, sample, tmp_path / "figure.png"]
    ran = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "agg"})
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_not_there_is_an_error(sample: Path, tmp_path: Path) -> None:
    with pytest.raises(crawlprefs.Error, match="no tables there; expected a folder"):
        crawlprefs.open(tmp_path)
    crawlprefs.run(sample / "local/site.warc", tmp_path / "out", tables="pages")
    tables = crawlprefs.open(tmp_path / "out")
    assert "robots" not in tables.names
    with pytest.raises(crawlprefs.Error, match="no table robots there"):
        tables.robots
