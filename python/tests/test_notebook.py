"""The notebook of examples/ runs from its first cell to its last, and draws its figure."""

from __future__ import annotations

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
    # Each figure of its table is that of the query, of one crawl.
    (table,) = [text for text in texts if "by_name_percent" in text]
    rows = [row for row in crawlprefs.open(by_command).query("agents/closed").fetchall() if row[0] == "CC-MAIN-2026-34"]
    lines = [" ".join(line.split()) for line in table.splitlines()]
    for _, agent, by_name, percent, *_ in rows[:10]:
        assert any(f" {agent} {by_name} {percent:.6g}" in line for line in lines), (agent, by_name, percent, table)
    (figure,) = of_kind(notebook.cells, "image/png")
    assert len(figure) > 10_000
