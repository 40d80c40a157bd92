"""The plots of the report. Each draws the records of one query; the parameter `crawl` chooses among several crawls.

Colours are those of Okabe and Ito, which most people can tell apart; no plot needs colour alone, as its table and the
tooltips have every number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

Records = Sequence[Mapping[str, Any]]

BLUE, ORANGE, GREEN, RED, GREY, SKY, PURPLE = "#3d8fd1", "#e69f00", "#009e73", "#d55e00", "#8a9099", "#56b4e9", "#cc79a7"
SHOWN = 25
"""Bars in a plot; its table has all rows."""


def robots_status(records: Records) -> alt.Chart:
    rows = [{**row, "answer": _answer(row)} for row in records]
    return _bars(rows, "answer", "hosts_percent", "% of hosts with a capture of robots.txt", color="robots_state")


def _answer(row: Mapping[str, Any]) -> str:
    status = "no status" if row["fetch_status"] is None else str(row["fetch_status"])
    return f"{status}, {row['robots_state']}"


def refusals(records: Records) -> alt.Chart:
    return _bars(records, "refusal", "hosts_percent", "% of all hosts", sort=None)


def pages_by_state(records: Records) -> alt.Chart:
    scale = alt.Scale(domain=["allow", "disallow", "unknown"], range=[GREEN, RED, GREY])
    return _stacked(records, "robots_state", "pages", "pages", "access", scale)


def agents_closed(records: Records) -> alt.Chart:
    ways = {"by_name": "all, by name", "by_star": "all, through *", "by_error": "all, as 5xx answers"}
    rows = [
        {**row, "way": words, "percent": 100 * row[way] / row["hosts_known"]}
        for row in _top([row for row in records if row["hosts"]] or records, "hosts")
        for way, words in ways.items()
    ]
    scale = alt.Scale(domain=list(ways.values()), range=[RED, ORANGE, GREY])
    return _stacked(rows, "agent", "percent", "% of hosts whose robots.txt is known", "way", scale)


def share_closed(records: Records) -> alt.Chart:
    rows = [{**row, "kind": "recommended" if row["recommended"] else "others in use"} for row in records]
    scale = alt.Scale(domain=["recommended", "others in use"], range=[ORANGE, BLUE])
    bars = _bars(rows, "denominator", "closed_percent", "% that close everything to GPTBot")
    chart: alt.Chart = bars.encode(color=_color("kind", scale))
    return chart


def closed_by_rank(records: Records) -> alt.Chart:
    rows = [{**row, "among": f"top {row['top']:,}"} for row in records]
    axis = "% of domains whose robots.txt is known, closed to CCBot"
    return _bars(rows, "among", "closed_percent", axis, sort=alt.EncodingSortField("top"))


def systems(records: Records) -> alt.Chart:
    places = {"site_files_percent": "in site files", "pages_percent": "on pages"}
    rows = [
        {**row, "place": words, "percent": row[key]} for row in records for key, words in places.items() if row[key]
    ]
    chart: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            y=_names("system", "-x"),
            x=alt.X("percent:Q", title="% of hosts whose robots.txt is known, or that have pages"),
            yOffset=alt.YOffset("place:N", sort=list(places.values())),
            color=_color("place", alt.Scale(domain=list(places.values()), range=[BLUE, ORANGE])),
            tooltip=_tooltip(rows),
        )
    )
    return chart


def systems_by_tld(records: Records) -> alt.Chart:
    hosts: dict[tuple[str, str], int] = {}
    for row in records:
        key = row["crawl"], row["url_host_tld"]
        hosts[key] = max(hosts.get(key, 0), row["hosts_known"])
    largest = {
        key
        for crawl in {crawl for crawl, _ in hosts}
        for key in sorted((it for it in hosts if it[0] == crawl), key=lambda it: -hosts[it])[:15]
    }
    rows = [row for row in records if (row["crawl"], row["url_host_tld"]) in largest]
    chart: alt.Chart = (
        _chart(rows)
        .mark_rect()
        .encode(
            y=alt.Y("url_host_tld:N", title=None, sort=alt.EncodingSortField("hosts_known", "max", "descending")),
            x=alt.X("system:N", title=None, axis=alt.Axis(labelAngle=-40)),
            color=alt.Color(
                "hosts_percent:Q", title="% of its hosts", scale=alt.Scale(scheme="viridis"), legend=alt.Legend(orient="top")
            ),
            tooltip=_tooltip(rows),
        )
    )
    return chart


def systems_by_rank(records: Records) -> alt.Chart:
    rows = [{**row, "among": f"top {row['top']:,}"} for row in records]
    chart: alt.Chart = (
        _chart(rows)
        .mark_line(point=True)
        .encode(
            x=alt.X("among:N", title=None, sort=alt.EncodingSortField("top")),
            y=alt.Y("domains_percent:Q", title="% of domains whose robots.txt is known"),
            color=alt.Color("system:N", legend=alt.Legend(orient="top", columns=3, title=None)),
            shape=alt.Shape("system:N", legend=None),
            tooltip=_tooltip(rows),
        )
    )
    return chart


def labels(records: Records) -> alt.Chart:
    totals: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in records:
        key = row["crawl"], row["label"], row["value"]
        total = totals.setdefault(key, {"crawl": key[0], "label": key[1], "value": key[2], "pages": 0, "percent": 0.0})
        total["pages"] += row["pages"]
        total["percent"] = round(100 * total["pages"] / row["pages_all"], 2)
    scale = alt.Scale(domain=["allow", "unknown", "disallow"], range=[GREEN, GREY, RED])
    return _stacked(list(totals.values()), "label", "percent", "% of pages", "value", scale)


def conflicts(records: Records) -> alt.Chart:
    pairs: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in records:
        key = row["crawl"], row["says_no"], row["says_yes"]
        pair = pairs.setdefault(key, {"crawl": key[0], "says_no": key[1], "says_yes": key[2], "label_pages": 0, "labels": ""})
        pair["label_pages"] += row["pages"]
        pair["labels"] = ", ".join(filter(None, [pair["labels"], f"{row['label']} {row['pages']:,}"]))
    rows = list(pairs.values())
    base = _chart(rows).encode(
        y=alt.Y("says_no:N", title="says no"),
        x=alt.X("says_yes:N", title="says yes", axis=alt.Axis(labelAngle=-40)),
        tooltip=_tooltip(rows),
    )
    scale = alt.Scale(scheme="oranges", type="log", nice=False)
    color = alt.Color("label_pages:Q", title="pages, once per label", scale=scale, legend=alt.Legend(orient="top"))
    chart: alt.Chart = base.mark_rect().encode(color=color)
    return chart


def managed(records: Records) -> alt.Chart:
    return _stacked(records, "system", "hosts", "hosts that state it in robots.txt", "author")


def lints(records: Records) -> alt.Chart:
    return _bars(_top(records, "files"), "lint", "files_percent", "% of distinct robots.txt files")


def change(records: Records) -> alt.TopLevelMixin:
    rows = [{**row, "crawls": f"{row['crawl']} to {row['next_crawl']}"} for row in records]
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        y=alt.Y("agent:N", title=None, sort=alt.EncodingSortField("closed_after_percent", "max", "descending"))
    )
    axis = alt.X("closed_before_percent:Q", title="% of hosts that are in both crawls: before (ring), after (dot)")
    tooltip = _tooltip(rows)
    line = base.mark_rule(strokeWidth=2, color=GREY).encode(x=axis, x2="closed_after_percent:Q", tooltip=tooltip)
    before = base.mark_point(size=70, color=BLUE).encode(x=axis, tooltip=tooltip)
    after = base.mark_circle(size=90, color=RED, opacity=1).encode(x="closed_after_percent:Q", tooltip=tooltip)
    return alt.layer(line, before, after)


def policy_cost(records: Records) -> alt.Chart:
    reasons = list(dict.fromkeys(["(kept)", *(row["reason"] for row in records)]))
    colors = [GREEN, RED, GREY, ORANGE, PURPLE, SKY, BLUE, "#f0e442", "#444b55"]
    return _stacked(records, "policy", "pages_percent", "% of pages", "reason", alt.Scale(domain=reasons, range=colors))


def _top(records: Records, column: str) -> Records:
    """Returns the rows with the largest values in each crawl."""
    kept: dict[str, int] = {}
    rows = []
    for row in sorted(records, key=lambda row: -row[column]):
        kept[row["crawl"]] = kept.get(row["crawl"], 0) + 1
        if kept[row["crawl"]] <= SHOWN:
            rows.append(row)
    return rows


def crawls(names: Iterable[str]) -> list[str]:
    """Returns the names of crawls, each once: Common Crawl's before others, the newest first."""
    newest_first = sorted(set(names), reverse=True)
    return sorted(newest_first, key=lambda name: not name.startswith("CC-MAIN-"))


def _chart(records: Records) -> alt.Chart:
    """A chart of the records of one crawl, at first the newest."""
    chosen = alt.param(name="crawl", value=next(iter(crawls(row["crawl"] for row in records)), None))
    rows = [dict(row) for row in records]
    return alt.Chart(alt.InlineData(values=rows)).add_params(chosen).transform_filter("datum.crawl === crawl")


def _names(column: str, sort: Any) -> alt.Y:
    return alt.Y(f"{column}:N", title=None, sort=sort)


def _color(column: str, scale: alt.Scale | None = None) -> alt.Color:
    legend = alt.Legend(orient="top", title=None, labelLimit=0, columns=1)
    return alt.Color(f"{column}:N", legend=legend, scale=alt.Undefined if scale is None else scale)


def _bars(records: Records, name: str, value: str, axis: str, sort: Any = "-x", color: str | None = None) -> alt.Chart:
    chart = _chart(records).mark_bar(color=BLUE)
    encoded: alt.Chart = chart.encode(y=_names(name, sort), x=alt.X(f"{value}:Q", title=axis), tooltip=_tooltip(records))
    colored: alt.Chart = encoded if color is None else encoded.encode(color=_color(color))
    return colored


def _stacked(
    records: Records, name: str, value: str, axis: str, part: str, scale: alt.Scale | None = None
) -> alt.Chart:
    is_whole = axis == "% of pages"
    order = {} if scale is None else {"order": alt.Order("part_order:Q")}
    parts = [] if scale is None else list(scale.domain)
    rows = [{**row, "part_order": parts.index(row[part]) if row[part] in parts else len(parts)} for row in records]
    chart: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            y=_names(name, "-x"),
            x=alt.X(f"sum({value}):Q", title=axis, scale=alt.Scale(domainMax=100) if is_whole else alt.Undefined),
            color=_color(part, scale),
            tooltip=_tooltip(records),
            **order,
        )
    )
    return chart


def _tooltip(records: Records) -> list[alt.Tooltip]:
    """All columns of the records, numbers with separators."""
    columns = list(records[0]) if records else []
    numbers = {column for column in columns if isinstance(records[0][column], (int, float)) and not isinstance(records[0][column], bool)}
    return [alt.Tooltip(f"{it}:Q", format=",") if it in numbers else alt.Tooltip(f"{it}:N") for it in columns]
