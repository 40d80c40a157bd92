"""The HTML page: what `page.html` shows, and nothing that has to be fetched."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from importlib.resources import files
from typing import Any, NamedTuple

import jinja2
import markupsafe

from .. import __version__
from ._results import HEAD, Result
from ._facts import Facts
from ._figures import Drawn, specification, units
from ._marks import crawls
from ._events import events_between
from ._overview import overview
from ._sections import EVENTFUL, SECTIONS
from ._uncertain import NOTE
from ._vega import javascript

ROWS = 5_000
"""Rows of a table on the page; its SQL gives all."""

SIZE = "\0"
"""Where the page says its size, which is known at the end."""

SCREEN_FONT = "system-ui, sans-serif"


class Cell(NamedTuple):
    """A value of a table as it is shown, and as it is sorted."""

    text: str
    order: str
    is_number: bool


def write_page(path: str, folders: Sequence[str], answers: Mapping[str, Result], charts: Sequence[Drawn], known: Facts) -> None:
    """Writes the page whole, or not at all."""
    plots = {
        plot.name: specification(chart, answers[plot.name], "currentColor", SCREEN_FONT) | {"width": "container"}
        for plot, chart in charts
    }
    named = _crawls(answers)
    small, findings = overview(answers, next(iter(named), None))
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(template), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.globals |= {"cell": _cell, "numbers": _numbers, "units": units, "of_intervals": NOTE, "heads": HEAD, "size": SIZE}
    environment.filters["columns"] = _columns
    html = environment.get_template("page.html").render(
        version=__version__,
        folders=[os.path.basename(os.path.abspath(folder)) for folder in folders],
        crawls=named,
        small=small,
        findings=findings,
        facts=known,
        sections=SECTIONS,
        answers=answers,
        plots=plots,
        data=_json(plots),
        events={plot: events_between(answers[plot].records()) for plot in EVENTFUL},
        row_limit=ROWS,
        vega=javascript(),
    )
    replace(path, html.replace(SIZE, f"{len(html) / 1e6:.1f} MB"))


def template(name: str) -> str:
    """Returns a file of this folder."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """Returns JSON that stays inside of a script, whatever is in it."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _crawls(answers: Mapping[str, Result]) -> list[str]:
    """Returns the crawls of all answers."""
    return crawls(row["crawl"] for answer in answers.values() for row in answer.records())


def _numbers(answer: Result) -> list[bool]:
    """Returns which columns have numbers."""
    columns = zip(*answer.rows, strict=True) if answer.rows else [() for _ in answer.columns]
    return [any(_is_number(value) for value in column) for column in columns]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: Any) -> Cell:
    """Returns how a value is shown. Controls of terminals and of the direction of text are made visible."""
    if value is None:
        return Cell("", "", False)
    if _is_number(value):
        return Cell(f"{value:,}", repr(value), True)
    if isinstance(value, (list, tuple)):
        value = ", ".join(str(it) for it in value)
    if isinstance(value, (date, datetime)):
        value = value.isoformat()
    text = shown(str(value))
    return Cell(text, text, False)


def _columns(text: str) -> markupsafe.Markup:
    """Returns a text in which names of columns are as in the heads of tables."""
    parts = re.split(r"\b([a-z0-9]+(?:_[a-z0-9]+)+)\b(?![.]sql)", text)
    named = (markupsafe.Markup("<i>{}</i>").format(it.replace("_", " ")) if at % 2 else markupsafe.escape(it) for at, it in enumerate(parts))
    return markupsafe.Markup("").join(named)


def shown(text: str) -> str:
    """Returns a text in which controls of terminals and of the direction of text are visible."""
    return "".join(it if it.isprintable() else f"\\u{{{ord(it):x}}}" for it in text)


def replace(path: str, text: str) -> None:
    """Writes a file whole, or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".report-", delete=False, encoding="utf-8") as file:
        try:
            file.write(text)
            file.close()
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
