"""The HTML page: what `page.html` shows, and nothing that has to be fetched."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from importlib.resources import files
from typing import Any, NamedTuple

import jinja2
import vl_convert

from .. import __version__
from ._results import Result
from ._figures import drawn, specification
from ._plots import crawls
from ._events import events_between
from ._sections import EVENTFUL, SECTIONS

ROWS = 5_000
"""Rows of a table on the page; its SQL gives all."""

SCREEN_FONT = "system-ui, sans-serif"


class Cell(NamedTuple):
    """A value of a table as it is shown, and as it is sorted."""

    text: str
    order: str
    is_number: bool


class Tile(NamedTuple):
    """A figure at the top of the page, with its unit and denominator."""

    figure: str
    words: str
    section: str


def write_page(path: str, folders: Sequence[str], answers: Mapping[str, Result]) -> None:
    """Writes the page whole, or not at all."""
    plots = {
        plot.query: specification(chart, answers[plot.query], "currentColor", SCREEN_FONT) | {"width": "container"}
        for plot, chart in drawn(answers)
    }
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(template), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.globals |= {"cell": _cell, "numbers": _numbers}
    html = environment.get_template("page.html").render(
        version=__version__,
        folders=[os.path.basename(os.path.abspath(folder)) for folder in folders],
        crawls=_crawls(answers),
        tiles=_tiles(answers),
        sections=SECTIONS,
        answers=answers,
        plots=plots,
        data=_json(plots),
        events={plot: events_between(answers[plot].records()) for plot in EVENTFUL},
        row_limit=ROWS,
        # Closing a script early is the only way out of it.
        vega=vl_convert.javascript_bundle().replace("</script", "<\\/script"),  # type: ignore[call-arg]
    )
    replace(path, html)


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


def _tiles(answers: Mapping[str, Result]) -> list[Tile]:
    """Returns what a reader asks first, of the newest crawl."""
    crawl = next(iter(_crawls(answers)), None)

    def rows(query: str) -> list[dict[str, Any]]:
        return [row for row in answers[query].records() if row["crawl"] == crawl]

    tiles = []
    for row in rows("quality/read"):
        read = f"captures in {_count(row['archives'], 'archive')}, {row['captures_of_pages']:,} of them of pages"
        lost = f"{row['records_lost']:,} of {_count(row['records'], 'record')} lost"
        tiles.append(Tile(f"{row['captures']:,}", f"{read}; {lost}", "read"))
    for row in rows("agents/share-closed"):
        if row["recommended"]:
            others = f"{row['by_star']:,} more through *; {row['by_error']:,} answered 5xx, which is no decision"
            words = f"of {row['hosts']:,} hosts whose robots.txt is known close everything to GPTBot by name; {others}"
            tiles.append(Tile(f"{row['by_name_percent']:.1f} %", words, "agents"))
    training = [row for row in rows("filtering/labels") if row["label"] == "train_ai"]
    if training:
        everything = training[0]["pages_all"]
        for value, words in (("disallow", "say no to training AI"), ("allow", "say yes to training AI")):
            share = 100 * sum(row["pages"] for row in training if row["value"] == value) / everything
            tiles.append(Tile(f"{share:.1f} %", f"of pages ({everything:,}) {words}", "labels"))
    return tiles


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


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
