"""What the plots are made of: bars, cells, axes, colours and tooltips.

Colours are those of Okabe and Ito, which most people can distinguish; no plot needs colour alone, as its table and the
tooltips have every number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from . import _names

Records = Sequence[Mapping[str, Any]]

BLUE, ORANGE, GREEN, RED, GREY, SKY, PURPLE = "#3d8fd1", "#e69f00", "#009e73", "#d55e00", "#8a9099", "#56b4e9", "#cc79a7"
YELLOW, SLATE = "#c9b800", "#4d5a6b"
FEW = 100
"""A share of fewer is drawn pale, and a list of fewer not at all."""

SHOWN = 25
"""Bars in a plot; its table has all rows."""


def largest(records: Records, column: str, shown: int = SHOWN) -> Records:
    """Returns the rows with the largest values in each crawl."""
    kept: dict[str, int] = {}
    rows = []
    for row in sorted(records, key=lambda row: -row[column]):
        kept[row["crawl"]] = kept.get(row["crawl"], 0) + 1
        if kept[row["crawl"]] <= shown:
            rows.append(row)
    return rows


PLACES: dict[str, int] = {}
"""The places of the crawls of the report in time, by the view crawl_times."""


def crawls(names: Iterable[str]) -> list[str]:
    """Returns the names of crawls, each once: Common Crawl's before others, the newest first, by their places in time."""
    newest_first = sorted(set(names), key=lambda name: (PLACES.get(name, 0), name), reverse=True)
    return sorted(newest_first, key=lambda name: not name.startswith("CC-MAIN-"))


def chart_of(records: Records) -> alt.Chart:
    """A chart of the records of one crawl, at first the newest."""
    chart: alt.Chart = of_crawl(alt.Chart(), records)
    return chart


def of_crawl(chart: Any, records: Records) -> Any:
    """Gives a chart, or layers, the records of one crawl, at first the newest."""
    chosen = alt.param(name="crawl", value=next(iter(crawls(row["crawl"] for row in records)), None))
    chart.data = alt.InlineData(values=[dict(row) for row in records])
    return chart.add_params(chosen).transform_filter("datum.crawl === crawl")


BROKEN = "split(replace(datum.label, '-', '- '), ' ')"
"""A label in lines of a word each."""


def matrix(records: Records, y: alt.Y, column: str, value: str) -> alt.TopLevelMixin:
    """Cells with their percentages and n, stronger where they are larger, pale where n is below 100. page.js makes them narrow."""
    rows = [{**row, "size": f"{_between(row)}n {row['n']:,}", "is_pale": row["n"] < FEW} for row in records]
    x = alt.X(f"{column}:N", title=None, axis=alt.Axis(labelAngle=0, labelExpr=BROKEN, labelOverlap=False))
    base = alt.Chart().encode(y=y, x=x, tooltip=tooltip_of(records))
    scale = alt.Scale(domainMin=0, range=[0.1, 0.6])
    strength = alt.condition("datum.is_pale", alt.value(0.05), alt.Opacity(f"{value}:Q", scale=scale, legend=None))
    cells = base.mark_rect(color=BLUE).encode(opacity=strength)
    numbers = base.mark_text(dy=-5).encode(text=alt.Text(f"{value}:Q", format=".1f"))
    sizes = base.mark_text(dy=2, fontSize=9, lineBreak="\n", lineHeight=11, baseline="top").encode(text="size:N")
    chart: alt.TopLevelMixin = of_crawl(alt.layer(cells, numbers, sizes, usermeta={"rowHeight": 32, "cellWidth": 104}), rows)
    return chart


def _between(row: Mapping[str, Any]) -> str:
    """Returns the interval of a cell, where it has one."""
    return "" if row.get("low") is None else f"{row['low']:.1f} to {row['high']:.1f}, "


def names_axis(column: str, sort: Any) -> alt.Y:
    return alt.Y(f"{column}:N", title=None, sort=sort)


def amount(column: str, title: str, scale: Any = alt.Undefined) -> alt.X:
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6))


def scale_of(colors: Mapping[str, str], found: Iterable[str]) -> alt.Scale:
    """The colours of those names that are found, in the order of `colors`."""
    names = [name for name in colors if name in set(found)]
    return alt.Scale(domain=names, range=[colors[name] for name in names])


def colored(column: str, scale: alt.Scale) -> alt.Color:
    legend = alt.Legend(orient="top", title=None)
    return alt.Color(f"{column}:N", legend=legend, scale=scale)


def ends(records: Records, name: str, low: str, high: str, share: str) -> list[dict[str, Any]]:
    """Returns the records with an interval as `low` and `high` and its share as `at`, in the first record of each bar alone."""
    bars: set[tuple[Any, Any]] = set()
    rows = []
    for row in records:
        is_first = (row["crawl"], row[name]) not in bars
        bars.add((row["crawl"], row[name]))
        found = (row.get(low), row.get(high), row[share]) if is_first and row.get(low) is not None else (None, None, None)
        rows.append({**row, **dict(zip(("low", "high", "at"), found))})
    return rows


def ruled(bars: alt.Chart, name: str, sort: Any) -> alt.TopLevelMixin:
    """Bars with a line for each interval, from `low` to `high` of their records, and a tick at the share that it is of."""
    records = bars.data.values
    plain = bars.copy(deep=False).encode(y=names_axis(name, sort))
    plain.data, plain.params, plain.transform = alt.Undefined, alt.Undefined, alt.Undefined
    layers = [plain]
    if any(row["low"] is not None for row in records):
        # All layers have the same records: else the order of the names would be lost.
        title, scale = plain.encoding.x["title"], plain.encoding.x["scale"]
        beside = {"y": names_axis(name, sort), "yOffset": plain.encoding.yOffset, "tooltip": plain.encoding.tooltip}
        layers.append(alt.Chart().mark_rule(strokeWidth=2).encode(x=amount("low", title, scale), x2="high:Q", **beside))
        layers.append(alt.Chart().mark_tick(thickness=3, size=11, opacity=1).encode(x=amount("at", title, scale), **beside))
    chart: alt.TopLevelMixin = of_crawl(alt.layer(*layers), records)
    return chart


def bars_of(records: Records, name: str, value: str, axis: str, sort: Any = "-x") -> alt.Chart:
    chart = chart_of(records).mark_bar(color=BLUE)
    encoded: alt.Chart = chart.encode(y=names_axis(name, sort), x=amount(value, axis), tooltip=tooltip_of(records))
    return encoded


def stacked(records: Records, name: str, value: str, axis: str, part: str, scale: alt.Scale) -> alt.Chart:
    is_whole = axis == "% of pages"
    parts = list(scale.domain)
    rows = [{**row, "part_order": parts.index(row[part]) if row[part] in parts else len(parts)} for row in records]
    chart: alt.Chart = (
        chart_of(rows)
        .mark_bar()
        .encode(
            y=names_axis(name, "-x"),
            x=amount(f"sum({value})", axis, alt.Scale(domainMax=100) if is_whole else alt.Undefined),
            color=colored(part, scale),
            tooltip=tooltip_of(records),
            order=alt.Order("part_order:Q"),
        )
    )
    return chart


def grouped(records: Records, name: str, x: alt.X, part: str, scale: alt.Scale) -> alt.Chart:
    """A bar beside the others for each part: what counts in two parts is in both, so that their sum says nothing."""
    chart: alt.Chart = (
        chart_of(records)
        .mark_bar()
        .encode(
            y=names_axis(name, "-x"),
            x=x,
            yOffset=alt.YOffset(f"{part}:N", sort=list(scale.domain)),
            color=colored(part, scale),
            tooltip=tooltip_of(records),
        )
    )
    return chart


def tooltip_of(records: Records) -> list[alt.Tooltip]:
    """All columns of the records but the places of ticks, numbers with separators."""
    columns = [it for it in records[0] if it != "at"] if records else []
    numbers = {column for column in columns if isinstance(records[0][column], (int, float)) and not isinstance(records[0][column], bool)}
    return [
        alt.Tooltip(f"{it}:Q", format=",", title=_names.words(it)) if it in numbers else alt.Tooltip(f"{it}:N", title=_names.words(it))
        for it in columns
    ]
