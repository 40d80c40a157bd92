"""The plots of the report as files, for papers and slides."""

from __future__ import annotations

import csv
import io
import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from ._events import events_between
from ._marks import crawls
from ._results import Result
from ._sections import SECTIONS, Plot
from ._uncertain import NOTE

WIDTH = 640
"""Of the plotting area, in pixels; 170 mm at 96 dpi."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


class Drawn(NamedTuple):
    """A plot and its chart."""

    plot: Plot
    chart: alt.TopLevelMixin


def drawn(answers: Mapping[str, Result]) -> list[Drawn]:
    """Returns each plot that can be drawn: whose query has rows."""
    plots = [plot for section in SECTIONS for plot in section.plots]
    charts = []
    # A test validates the plots; to do it each time takes half of the time that they need.
    with debug_mode(False):
        for plot in plots:
            records = plot.drawn(answers[plot.name].records())
            if plot.draw is not None and records:
                charts.append(Drawn(plot, plot.draw(records)))
    return charts


def specification(chart: alt.TopLevelMixin, answer: Result, ink: str, font: str) -> dict[str, Any]:
    """Returns the plot as Vega-Lite, with its question, unit and denominator as its title and description."""
    made: dict[str, Any] = chart.to_dict(validate=False)
    made["description"] = " ".join([answer.question, *answer.notes, "The table below has every number."])
    axis = {"labelColor": ink, "titleColor": ink, "domainColor": ink, "tickColor": ink, "gridColor": ink, "gridOpacity": 0.15}
    made["autosize"] = {"type": "fit-x", "contains": "padding"}
    made["height"] = _height(made)
    made["config"] = {
        "background": "transparent",
        "font": font,
        "view": {"stroke": None},
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": ink},
        "tick": {"color": ink},
        "axis": {**axis, "titleLimit": 0, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 420},
        "legend": {"labelColor": ink, "titleColor": ink, "columns": 3, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "layout": {"top": {"anchor": "start", "bounds": "full"}}},
        "title": {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 14, "subtitleFontSize": 11},
    }
    return made


def _height(made: Mapping[str, Any]) -> int:
    """Returns the height of the plotting area: a line for each name, a bar for each of its parts."""
    encoding = made["encoding"] if "encoding" in made else made["layer"][0]["encoding"]
    y = encoding["y"]
    if y["type"] == "quantitative":
        return 260
    data = made["data"]
    rows = made["datasets"][data["name"]] if "name" in data else data["values"]
    # One crawl is drawn, whatever others the records have.
    shown = next((it["value"] for it in made.get("params", ()) if it["name"] == "crawl"), None)
    rows = [row for row in rows if shown is None or row.get("crawl", shown) == shown] or rows
    parts = {row[encoding["yOffset"]["field"]] for row in rows} if "yOffset" in encoding else {None}
    row_height: int = made.get("usermeta", {}).get("rowHeight", 8 + 12 * len(parts))
    return max(3, len({row[y["field"]] for row in rows})) * row_height


def write_figures(folder: str, answers: Mapping[str, Result], charts: Sequence[Drawn]) -> None:
    """Writes each plot as SVG, PNG (at 300 dpi) and PDF, and its data as CSV, named after its query."""
    os.makedirs(folder, exist_ok=True)
    for plot, chart in charts:
        answer = answers[plot.name]
        made = specification(chart, answer, "#222222", FONT)
        panel = next((it["value"] for it in made.get("params", ()) if it["name"] == "panel"), None)
        newest = crawls(row["crawl"] for row in answer.records())[0]
        shown = panel or newest
        of_shown = next((it for it in units(plot, answer).split("; ") if it.startswith(f"{shown}: ")), shown)
        subtitle = [f"panel {of_shown}" if panel else of_shown]
        subtitle += _lines(NOTE.format(plot.interval)) if answer.has_intervals else []
        for event in events_between(answer.records()) if plot.has_events else ():
            subtitle += _lines(f"{event.number}: {event.when}, {event.event} ({event.source})")
        made |= {"width": WIDTH, "background": "white", "title": {"text": _lines(answer.question), "subtitle": subtitle}}
        name = os.path.join(folder, plot.name.replace("/", "-"))
        _write(f"{name}.csv", _csv(answer).encode())
        _write(f"{name}.svg", vl_convert.vegalite_to_svg(made).encode())
        _write(f"{name}.png", vl_convert.vegalite_to_png(made, scale=300 / 96))
        _write(f"{name}.pdf", vl_convert.vegalite_to_pdf(made))


def _csv(answer: Result) -> str:
    """Returns all rows of an answer, with the ends of the intervals."""
    records = answer.records()
    text = io.StringIO()
    written = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    written.writeheader()
    written.writerows(records)
    return text.getvalue()


def units(plot: Plot, answer: Result) -> str:
    """Returns how many units the shares of a plot are of, crawl by crawl: `n = 1,513 hosts that answer`."""
    wholes: dict[str, dict[str, set[int]]] = {}
    for row in plot.drawn(answer.records()):
        for column, noun in plot.n:
            if row.get(column) is not None:
                wholes.setdefault(row[plot.n_of], {}).setdefault(noun, set()).add(row[column])
    names = crawls(wholes) if plot.n_of == "crawl" else list(wholes)
    return "; ".join(f"{name}: {' and '.join(_n(noun, sizes) for noun, sizes in wholes[name].items())}" for name in names)


def _n(noun: str, sizes: set[int]) -> str:
    least, most = min(sizes), max(sizes)
    return f"n = {least:,}{'' if least == most else f' to {most:,}'} {noun}"


def _lines(title: str) -> list[str]:
    """Returns a title in lines that the figure has space for."""
    return textwrap.wrap(title, 84)


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
