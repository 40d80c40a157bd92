"""The notebook of examples/ runs from its first cell to its last, and draws its figure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import crawlprefs
from conftest import REPOSITORY

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")


def of_kind(cells: list[Any], kind: str) -> list[str]:
    """Returns the outputs of one media type, in the order of the cells."""
    return [output.data[kind] for cell in cells for output in cell.get("outputs", []) if kind in output.get("data", {})]


def asked(out: Path, query: str, **options: Any) -> list[dict[str, Any]]:
    """Returns the rows of a query by the names of their columns."""
    found = crawlprefs.open(out).query(query, **options)
    return [dict(zip(found.columns, row)) for row in found.fetchall()]


def test_the_notebook_goes_from_archives_to_a_figure(by_command: Path) -> None:
    examples: Path = REPOSITORY / "examples"
    notebook = nbformat.read(examples / "adoption.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs do not belong into the repository"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(examples)}}).execute()
    first, *_, last = texts = of_kind(notebook.cells, "text/plain")
    assert first == "{'allow': 70, 'disallow': 19, 'unknown': 4}"
    assert any("parsed" in text for text in texts) and any("GPTBot" in text for text in texts), texts
    assert "'disallow', " in last and "None" not in last, last
    # Each figure of its tables is that of the queries, of one crawl.
    tables = [re.findall("<td>([^<]*)</td>", text) for text in of_kind(notebook.cells, "text/html")]
    states, closed = tables
    by_state: dict[str, int] = {}
    for row in asked(by_command, "outcomes/pages-by-state"):
        by_state[row["robots_state"]] = by_state.get(row["robots_state"], 0) + row["pages"]
    assert states == [cell for state, pages in sorted(by_state.items()) for cell in (state, str(pages))]
    columns = ("by_name", "by_name_percent", "by_name_low", "by_name_high", "by_star", "hosts_answering")
    rows = [row for row in asked(by_command, "agents/closed", interval=True) if row["crawl"] == "CC-MAIN-2026-34"][:10]
    assert len(rows) == 10 and closed[::7] == [row["agent"] for row in rows]
    assert [float(cell) for at, cell in enumerate(closed) if at % 7] == [row[column] for row in rows for column in columns]
    (figure,) = of_kind(notebook.cells, "image/png")
    assert len(figure) > 10_000
