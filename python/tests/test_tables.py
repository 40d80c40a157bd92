"""The tables of a run, for pyarrow and DuckDB."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    # Each figure is that of the query, of one crawl.
    crawlprefs.run(sample, tmp_path / "out", tables=["sites"])
    rows = crawlprefs.open(tmp_path / "out").query("agents/closed").fetchall()
    wanted = [(agent, by_name, by_star) for crawl, agent, by_name, _, by_star, *_ in rows if crawl == "CC-MAIN-2026-34"][:15]
    assert ran.stdout == " ".join(map(str, reversed(wanted))) + "\n"
    assert ("GPTBot", 3, 1) in wanted


def test_a_query_takes_agents_a_unit_and_intervals(by_command: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    tables = crawlprefs.open(by_command)

    def shares(**asked: Any) -> dict[str, tuple[int, int]]:
        return {crawl: (units, by_name) for crawl, _, _, units, _, by_name, *_ in tables.query("agents/closed-interval", **asked).fetchall()}

    assert shares()["CC-MAIN-2026-34"] == (37, 3) and shares(agent="ClaudeBot")["CC-MAIN-2026-34"] == (37, 1)
    assert shares(unit="domain")["CC-MAIN-2026-34"][0] < 37
    found = tables.query("agents/closed-any", agents=["GPTBot", "CCBot"], interval=True)
    row = dict(zip(found.columns, found.fetchall()[0]))
    assert (row["which"], row["by_name"], row["units"]) == ("any agent of AI", 4, 37)
    assert 0 < row["by_name_low"] < row["by_name_percent"] == 10.81 < row["by_name_high"] < 30
    columns = tables.query("agents/closed", interval=True).columns
    assert columns[columns.index("by_name_percent") + 1 :][:2] == ["by_name_low", "by_name_high"]
    # A share of 0 has an upper bound, the same as in the query of one agent.
    closed = tables.query("agents/closed", interval=True)
    none, *_ = [found for row in closed.fetchall() if (found := dict(zip(closed.columns, row)))["by_name"] == 0 and found["hosts_answering"] == 37]
    found = tables.query("agents/closed-interval", agent=none["agent"])
    alone = dict(zip(found.columns, found.fetchall()[0]))
    assert (none["by_name_low"], none["by_name_high"]) == (alone["low_percent"], alone["high_percent"]) and 5 < none["by_name_high"] < 20, none
    by_tld = tables.query("agents/closed", key="tld", interval=True)
    tlds = {row[by_tld.columns.index("which")] for row in by_tld.fetchall()}
    assert tlds and "all" not in tlds
    with pytest.raises(duckdb.Error, match="ranks.csv is not in this folder"):
        tables.query("agents/closed", key="rank").fetchall()
    # An agent that is misspelt has no share, not even of 0.
    for query, asked in (("agents/closed-any", dict(agents=["GPTBot", "gptbot"])), ("agents/closed-interval", dict(agent="gptbot"))):
        with pytest.raises(duckdb.Error, match="in the view agents.*ClaudeBot.*GPTBot"):
            tables.query(query, **asked).fetchall()
    # Nor is there an answer for a group or a unit that does not exist, with intervals or without.
    for query, asked, why in (
        ("agents/closed", dict(key="tlds"), "no such key: tlds; it is all, tld, rank or host-rank"),
        ("agents/closed-any", dict(unit="hosts"), "no such unit: hosts; it is host, website or domain"),
    ):
        for interval in (False, True):
            with pytest.raises(duckdb.Error, match=why):
                tables.query(query, interval=interval, **asked).fetchall()
    with pytest.raises(crawlprefs.Error, match="at least one agent"):
        tables.query("agents/closed-any", agents=[])
    one, of_list = (tables.query("agents/closed-any", agents=agents).fetchall() for agents in ("GPTBot", ["GPTBot"]))
    assert one == of_list
    for wrong, why in ((dict(agent="GPTBot"), "no variable agent"), (dict(unit="host"), "no variable unit")):
        with pytest.raises(crawlprefs.Error, match=why):
            tables.query("agents/closed", **wrong)
    with pytest.raises(crawlprefs.Error, match="none of its columns"):
        tables.query("quality/read", interval=True)


def test_an_answer_is_a_table_for_a_paper(by_command: Path, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    # As docs/research.md does it.
    code = (REPOSITORY / "docs/research.md").read_text().partition("```python\n")[2].partition("```")[0]
    (tmp_path / "out").symlink_to(by_command)
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0 and re.search(r"any agent of AI & [\d.]+ & [\d.]+ & [\d.]+ & \d+ ", ran.stdout), (ran.stdout, ran.stderr)
    assert (tmp_path / "closed-any.csv").read_text().startswith("crawl,unit,kind,which,by_name,")
    text = crawlprefs.latex(crawlprefs.open(by_command).query("agents/closed-interval"))
    assert text.startswith("\\begin{tabular}{lllrrrrrrr}\n\\toprule\ncrawl & agent & unit & units & ") and text.endswith("\\bottomrule\n\\end{tabular}\n")
    odd = crawlprefs.latex(duckdb.sql("SELECT 'a_b & 5 % of {x} \\ ~' AS what, NULL AS none"))
    assert r"a\_b \& 5 \% of \{x\} \textbackslash{} \textasciitilde{} & -- \\" in odd, odd


def test_a_table_for_a_paper_names_the_crawl_and_has_one_number_of_decimals_per_column() -> None:
    duckdb = pytest.importorskip("duckdb")
    of_two = duckdb.sql(
        """SELECT * FROM (VALUES ('june', 'any', 7.5e0, 3, 0.00001e0), ('july', 'any', 10e0, 12, NULL), ('july', 'some', 8.25e0, 4, 2e0))
        AS rows (crawl, which, percent, units, low)"""
    )
    rows = crawlprefs.latex(of_two, ["which", "percent", "units"]).split("\\midrule\n")[1].splitlines()[:-2]
    assert rows == [r"june & any & 7.50 & 3 \\", r"july & any & 10.00 & 12 \\", r"july & some & 8.25 & 4 \\"]
    assert crawlprefs.latex(of_two, ["which", "percent"]).startswith("\\begin{tabular}{llr}\n\\toprule\ncrawl & which & percent ")
    assert [line.split(" & ")[-1] for line in crawlprefs.latex(of_two).splitlines()[4:7]] == [r"0.00001 \\", r"-- \\", r"2.00000 \\"]
    of_one = of_two.filter("crawl = 'july'")
    assert "crawl" not in crawlprefs.latex(of_one, ["which", "percent"]) and "july & any & 10.00 " in crawlprefs.latex(of_one)
    assert crawlprefs.latex(of_two.filter("false"), ["which"]).splitlines()[3:] == ["\\midrule", "\\bottomrule", "\\end{tabular}"]
    with pytest.raises(crawlprefs.Error, match="no column by_name; the answer has crawl, which"):
        crawlprefs.latex(of_two, ["by_name"])


def test_what_is_not_there_is_an_error(sample: Path, tmp_path: Path) -> None:
    with pytest.raises(crawlprefs.Error, match="no tables there; expected a folder"):
        crawlprefs.open(tmp_path)
    crawlprefs.run(sample / "local/site.warc", tmp_path / "out", tables="pages")
    tables = crawlprefs.open(tmp_path / "out")
    assert "robots" not in tables.names
    with pytest.raises(crawlprefs.Error, match="no table robots there"):
        tables.robots
