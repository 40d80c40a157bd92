"""The plots of the report. Each draws the records of one query; the parameter `crawl` chooses among several crawls.

Colours are those of Okabe and Ito, which most people can distinguish; no plot needs colour alone, as its table and the
tooltips have every number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from ._events import day_of, events_between

Records = Sequence[Mapping[str, Any]]

BLUE, ORANGE, GREEN, RED, GREY, SKY, PURPLE = "#3d8fd1", "#e69f00", "#009e73", "#d55e00", "#8a9099", "#56b4e9", "#cc79a7"
YELLOW, SLATE = "#c9b800", "#4d5a6b"
PANELS = ("balanced", "all hosts", "newcomers")
"""The panels of change/panel, the one that is shown first before the others."""
LINES = [BLUE, RED, GREEN, ORANGE, PURPLE, SKY]
MARK = ("when:N", "event:N", "changes:N", "source:N")
SHOWN = 25
"""Bars in a plot; its table has all rows."""

STATES = {
    "parsed": GREEN,
    "unavailable": SKY,
    "unreachable": RED,
    "redirect_unresolved": ORANGE,
    "other_status": PURPLE,
    "unreadable": BLUE,
    "body_missing": YELLOW,
    "undated": SLATE,
    "not_archived": GREY,
}
WAYS = {
    "by_name": ("everything, by name", RED),
    "by_star": ("everything, through *", ORANGE),
    "partly_by_name": ("a part, by name", BLUE),
}
"""How a host shuts out an agent. A part through * is in the table alone: most hosts close that, and to every agent. So are
5xx answers, which are no decision."""

REASONS = {
    "(kept)": GREEN,
    "access_disallow": RED,
    "train_ai_disallow": ORANGE,
    "train_genai_disallow": "#f0e442",
    "access_unknown": GREY,
    "unread": PURPLE,
    "train_ai_unknown": SKY,
    "train_genai_unknown": BLUE,
}
"""Why a policy drops a page, in the order of views.sql."""


def robots_status(records: Records) -> alt.Chart:
    rows = [{**row, "answer": _answer(row)} for row in records]
    bars = _bars(rows, "answer", "hosts_percent", "% of hosts with a capture of robots.txt")
    chart: alt.Chart = bars.encode(color=_color("robots_state", _scale(STATES, [row["robots_state"] for row in rows])))
    return chart


def _answer(row: Mapping[str, Any]) -> str:
    status = "no status" if row["fetch_status"] is None else str(row["fetch_status"])
    return f"{status}, {row['robots_state']}"


def refusals(records: Records) -> alt.Chart:
    # The query numbers its rows to order them.
    rows = [{**row, "answer": row["refusal"].lstrip("0123456789 ")} for row in records]
    return _bars(rows, "answer", "hosts_percent", "% of all hosts", sort=alt.EncodingSortField("refusal", "min"))


def pages_by_state(records: Records) -> alt.Chart:
    scale = alt.Scale(domain=["allow", "disallow", "unknown"], range=[GREEN, RED, GREY])
    return _stacked(records, "robots_state", "pages", "pages", "access", scale)


def agents_closed(records: Records) -> alt.Chart:
    closing = [row for row in records if row["by_name"] or row["by_star"]] or records
    return _ways(_top(closing, "by_name"), "agent", "hosts_known", "% of hosts whose robots.txt is known", "by_name", "descending")


def agents_closed_by_rank(records: Records) -> alt.Chart:
    """The agents that most of the top domains shut out by name, each with its shares among the top k."""
    widest = max((row["top"] for row in records), default=0)
    order: dict[tuple[str, str], int] = {}
    for row in _top([row for row in records if row["top"] == widest], "by_name", 8):
        order[row["crawl"], row["agent"]] = len(order)
    rows = [
        {**row, "among": f"{row['agent']}, {_top_k(row)}", "place": (place, row["top"])}
        for row in records
        if (place := order.get((row["crawl"], row["agent"]))) is not None
    ]
    for place, row in enumerate(sorted(rows, key=lambda row: row["place"])):
        row["place"] = place
    return _ways(rows, "among", "domains_known", "% of domains whose robots.txt is known", "place", "ascending")


def _ways(records: Records, name: str, known: str, axis: str, by: str, order: Any) -> alt.Chart:
    """Bars of the ways in which something is closed to an agent."""
    rows = [
        {**row, "way": words, "percent": 100 * row[way] / row[known]} for row in records for way, (words, _) in WAYS.items()
    ]
    chart = _stacked(rows, name, "percent", axis, "way", _scale(dict(WAYS.values()), [words for words, _ in WAYS.values()]))
    ordered: alt.Chart = chart.encode(y=_names(name, alt.EncodingSortField(by, "max", order)))
    return ordered


def share_closed(records: Records) -> alt.Chart:
    rows = [{**row, "among": f"{row['denominator']}{' (use this)' if row['recommended'] else ''}"} for row in records]
    chart = _whole_ways(rows, "among", "hosts", "% that close everything to GPTBot")
    ordered: alt.Chart = chart.encode(y=_names("among", alt.EncodingSortField("hosts", "max", "descending")))
    return ordered


def _whole_ways(records: Records, name: str, known: str, axis: str, **others: tuple[str, str]) -> alt.Chart:
    """Bars of the ways in which everything is closed, by name and through `*`, and of others."""
    ways = {way: (words, color) for way, (words, color) in WAYS.items() if way != "partly_by_name"} | others
    rows = [
        {**row, "way": words, "percent": 100 * row[way] / row[known]} for row in records for way, (words, _) in ways.items()
    ]
    return _stacked(rows, name, "percent", axis, "way", _scale(dict(ways.values()), [words for words, _ in ways.values()]))


def closed_by_rank(records: Records) -> alt.Chart:
    rows = [{**row, "among": f"top {row['top']:,}"} for row in records]
    axis = "% of domains whose robots.txt is known"
    chart = _whole_ways(rows, "among", "domains_known", axis, refused=("answers of 401 or 403", SKY))
    ordered: alt.Chart = chart.encode(y=_names("among", alt.EncodingSortField("top", "min")))
    return ordered


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
            x=_amount("percent", "% of hosts whose robots.txt is known (site files), or that have pages (pages)"),
            yOffset=alt.YOffset("place:N", sort=list(places.values())),
            color=_color("place", alt.Scale(domain=list(places.values()), range=[BLUE, ORANGE])),
            tooltip=_tooltip(rows),
        )
    )
    return chart


def systems_by_domain(records: Records) -> alt.Chart:
    records = [row for row in records if row["domains_percent"] is not None]
    return _bars(records, "system", "domains_percent", "% of registered domains with a host whose robots.txt is known")


def systems_by_tld(records: Records) -> alt.TopLevelMixin:
    records = [row for row in records if row["hosts_percent"] is not None]
    records = [row for row in records if row["hosts_known"] >= 10] or records
    hosts: dict[tuple[str, str], int] = {}
    for row in records:
        key = row["crawl"], row["url_host_tld"]
        hosts[key] = max(hosts.get(key, 0), row["hosts_known"])
    largest = {
        key
        for crawl in {crawl for crawl, _ in hosts}
        for key in sorted((it for it in hosts if it[0] == crawl), key=lambda it: -hosts[it])[:15]
    }
    rows = [
        {**row, "tld": f"{row['url_host_tld']}, of {row['hosts_known']:,}"}
        for row in records
        if (row["crawl"], row["url_host_tld"]) in largest
    ]
    y = alt.Y("tld:N", title=None, sort=alt.EncodingSortField("hosts_known", "max", "descending"))
    return _matrix(rows, y, alt.X("system:N", title=None), "hosts_percent")


def systems_by_rank(records: Records) -> alt.Chart:
    rows = [{**row, "among": _top_k(row)} for row in records if row["domains_percent"] is not None]
    chart: alt.Chart = (
        _chart(rows)
        .mark_line(point=True)
        .encode(
            x=alt.X("among:N", title=None, sort=alt.EncodingSortField("top"), axis=alt.Axis(labelAngle=0)),
            y=alt.Y("domains_percent:Q", title="% of domains whose robots.txt is known"),
            color=alt.Color("system:N", legend=alt.Legend(orient="top", columns=2, title=None)),
            shape=alt.Shape("system:N", legend=None),
            tooltip=_tooltip(rows),
        )
    )
    return chart


def _top_k(row: Mapping[str, Any]) -> str:
    """Returns top 1k, top 10k, top 100k, or top 1M, which fit the screen of a telephone."""
    return f"top {row['top']:,}".replace(",000,000", "M").replace(",000", "k")


def labels(records: Records) -> alt.Chart:
    totals: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in records:
        key = row["crawl"], row["label"], row["value"]
        total = totals.setdefault(key, {"crawl": key[0], "label": key[1], "value": key[2], "pages": 0, "percent": 0.0})
        total["pages"] += row["pages"]
        total["percent"] = round(100 * total["pages"] / row["pages_all"], 2)
    scale = alt.Scale(domain=["allow", "unknown", "disallow"], range=[GREEN, GREY, RED])
    return _stacked(list(totals.values()), "label", "percent", "% of pages", "value", scale)


def deciding_systems(records: Records) -> alt.TopLevelMixin:
    words = {"disallow": "no", "allow": "yes"}
    rows = [{**row, "answer": f"{words[row['value']]} by {row['source']}"} for row in records]
    return _matrix(rows, alt.Y("answer:N", title=None), alt.X("label:N", title=None), "pages_percent")


def conflicts(records: Records) -> alt.TopLevelMixin:
    """Signals that contradict each other; where two documents read one field, the site does not contradict itself."""
    pairs: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in (row for row in records if row["kind"] == "two signals"):
        key = row["crawl"], row["says_no"], row["says_yes"]
        pair = pairs.setdefault(key, {"crawl": key[0], "says_no": key[1], "says_yes": key[2], "label_pages": 0, "labels": ""})
        pair["label_pages"] += row["pages"]
        pair["labels"] = ", ".join(filter(None, [pair["labels"], f"{row['label']} {row['pages']:,}"]))
    y = alt.Y("says_no:N", title="says no")
    return _matrix(list(pairs.values()), y, alt.X("says_yes:N", title="says yes"), "label_pages")


def managed(records: Records) -> alt.Chart:
    colors = {"(own)": BLUE} | dict(zip(sorted({row["author"] for row in records} - {"(own)"}), (ORANGE, GREEN, RED, PURPLE)))
    scale = _scale(colors, [row["author"] for row in records])
    return _stacked(records, "system", "hosts", "hosts that state it in robots.txt", "author", scale)


def lints(records: Records) -> alt.Chart:
    return _bars(_top(records, "files"), "lint", "files_percent", "% of distinct robots.txt files")


def change(records: Records) -> alt.TopLevelMixin:
    """By name, before and after: a row for each agent, of each two crawls that follow each other."""
    records = [row for row in records if row["survivors"]] or records
    transitions = {(row["crawl"], row["next_crawl"]) for row in records}
    rows = [
        {**row, "which": row["agent"] if len(transitions) == 1 else f"{row['agent']}, {row['crawl']} to {row['next_crawl']}"}
        for row in records
    ]
    sort = alt.EncodingSortField("by_name_after_percent", "max", "descending") if len(transitions) == 1 else "ascending"
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(y=_names("which", sort))
    axis = _amount("by_name_before_percent", "% closed by name: before (ring), after (dot)")
    tooltip = _tooltip(rows)
    line = base.mark_rule(strokeWidth=2, color=GREY).encode(x=axis, x2="by_name_after_percent:Q", tooltip=tooltip)
    before = base.mark_point(size=70, color=BLUE).encode(x=axis, tooltip=tooltip)
    after = base.mark_circle(size=90, color=RED, opacity=1).encode(x="by_name_after_percent:Q", tooltip=tooltip)
    return alt.layer(line, before, after)


def panel(records: Records) -> alt.TopLevelMixin:
    """Lines of the agents that most hosts of the panel close by name; a drop-down chooses the panel."""
    known = [row for row in records if row["by_name_percent"] is not None]
    first = next((name for name in PANELS if any(row["panel"] == name for row in known)), PANELS[0])
    most: dict[str, float] = {}
    for row in (row for row in known if row["panel"] == first):
        most[row["agent"]] = max(most.get(row["agent"], 0), row["by_name_percent"])
    agents = sorted(most, key=lambda agent: (-most[agent], agent))[: len(LINES)]
    rows = [
        {**row, "day": day_of(row["crawl"], row["month"]).isoformat(), "way": words, "percent": row[f"{way}_percent"]}
        for row in known
        if row["agent"] in agents
        for way, words in {"by_name": "by name", "through_star": "through *"}.items()
    ]
    chosen = alt.param(name="panel", value=first, bind=alt.binding_select(options=list(PANELS), name="Panel "))
    title = "closed by name (lines) and through * (dashes)"
    x = alt.X("day:T", title=title, axis=alt.Axis(format="%b %Y", labelOverlap="greedy", tickCount=5))
    colors = alt.Scale(domain=agents, range=LINES[: len(agents)])
    lines = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=45))
        .encode(
            x=x,
            y=alt.Y("percent:Q", title="% of the hosts of the panel", axis=alt.Axis(tickCount=6)),
            color=alt.Color("agent:N", scale=colors, sort=agents, legend=alt.Legend(orient="top", title=None, columns=2)),
            strokeDash=alt.StrokeDash(
                "way:N", scale=alt.Scale(domain=["by name", "through *"], range=[[1, 0], [5, 4]]), legend=None
            ),
            tooltip=_tooltip(rows),
        )
        .add_params(chosen)
        .transform_filter("datum.panel === panel")
    )
    marked = [{**event._asdict(), "day": event.day.isoformat()} for event in events_between(records)]
    marks = alt.Chart(alt.InlineData(values=marked)).encode(x=alt.X("day:T"), tooltip=[*map(alt.Tooltip, MARK)])
    rule = marks.mark_rule(color=GREY, strokeDash=[2, 3], strokeWidth=1.5)
    # Numbers of marks that are near each other are at two heights.
    numbers = [
        marks.transform_filter(f"datum.number % 2 === {odd}")
        .mark_text(baseline="bottom", dy=-2 - 11 * odd)
        .encode(y=alt.value(0), text="number:N")
        for odd in (0, 1)
    ]
    return alt.layer(lines, rule, *numbers)


def policy_cost(records: Records) -> alt.Chart:
    scale = _scale(REASONS, [row["reason"] for row in records])
    return _stacked(records, "policy", "pages_percent", "% of pages", "reason", scale)


def _top(records: Records, column: str, shown: int = SHOWN) -> Records:
    """Returns the rows with the largest values in each crawl."""
    kept: dict[str, int] = {}
    rows = []
    for row in sorted(records, key=lambda row: -row[column]):
        kept[row["crawl"]] = kept.get(row["crawl"], 0) + 1
        if kept[row["crawl"]] <= shown:
            rows.append(row)
    return rows


def crawls(names: Iterable[str]) -> list[str]:
    """Returns the names of crawls, each once: Common Crawl's before others, the newest first."""
    newest_first = sorted(set(names), reverse=True)
    return sorted(newest_first, key=lambda name: not name.startswith("CC-MAIN-"))


def _chart(records: Records) -> alt.Chart:
    """A chart of the records of one crawl, at first the newest."""
    chart: alt.Chart = _of_crawl(alt.Chart(), records)
    return chart


def _of_crawl(chart: Any, records: Records) -> Any:
    chosen = alt.param(name="crawl", value=next(iter(crawls(row["crawl"] for row in records)), None))
    chart.data = alt.InlineData(values=[dict(row) for row in records])
    return chart.add_params(chosen).transform_filter("datum.crawl === crawl")


def _matrix(records: Records, y: alt.Y, x: alt.X, value: str) -> alt.TopLevelMixin:
    """Cells with their numbers, stronger where they are larger; a cell without a row is empty."""
    base = alt.Chart().encode(y=y, x=x.axis(labelAngle=-40), tooltip=_tooltip(records))
    scale = alt.Scale(domainMin=0, range=[0.06, 0.6])
    cells = base.mark_rect(color=BLUE).encode(opacity=alt.Opacity(f"{value}:Q", scale=scale, legend=None))
    numbers = base.mark_text().encode(text=alt.Text(f"{value}:Q", format=",~r" if value.endswith("pages") else ".3~r"))
    chart: alt.TopLevelMixin = _of_crawl(alt.layer(cells, numbers), records)
    return chart


def _names(column: str, sort: Any) -> alt.Y:
    return alt.Y(f"{column}:N", title=None, sort=sort)


def _amount(column: str, title: str, scale: Any = alt.Undefined) -> alt.X:
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6))


def _scale(colors: Mapping[str, str], found: Iterable[str]) -> alt.Scale:
    """The colours of those names that are found, in the order of `colors`."""
    names = [name for name in colors if name in set(found)]
    return alt.Scale(domain=names, range=[colors[name] for name in names])


def _color(column: str, scale: alt.Scale) -> alt.Color:
    legend = alt.Legend(orient="top", title=None, columns=1)
    return alt.Color(f"{column}:N", legend=legend, scale=scale)


def _bars(records: Records, name: str, value: str, axis: str, sort: Any = "-x") -> alt.Chart:
    chart = _chart(records).mark_bar(color=BLUE)
    encoded: alt.Chart = chart.encode(y=_names(name, sort), x=_amount(value, axis), tooltip=_tooltip(records))
    return encoded


def _stacked(records: Records, name: str, value: str, axis: str, part: str, scale: alt.Scale) -> alt.Chart:
    is_whole = axis == "% of pages"
    parts = list(scale.domain)
    rows = [{**row, "part_order": parts.index(row[part]) if row[part] in parts else len(parts)} for row in records]
    chart: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            y=_names(name, "-x"),
            x=_amount(f"sum({value})", axis, alt.Scale(domainMax=100) if is_whole else alt.Undefined),
            color=_color(part, scale),
            tooltip=_tooltip(records),
            order=alt.Order("part_order:Q"),
        )
    )
    return chart


def _tooltip(records: Records) -> list[alt.Tooltip]:
    """All columns of the records, numbers with separators."""
    columns = list(records[0]) if records else []
    numbers = {column for column in columns if isinstance(records[0][column], (int, float)) and not isinstance(records[0][column], bool)}
    return [alt.Tooltip(f"{it}:Q", format=",") if it in numbers else alt.Tooltip(f"{it}:N") for it in columns]
