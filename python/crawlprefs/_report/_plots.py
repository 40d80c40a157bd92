"""The plots of the report. Each draws the records of one query; the parameter `crawl` chooses among several crawls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from . import _names
from ._marks import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    SLATE,
    YELLOW,
    Records,
    amount,
    bars_of,
    chart_of,
    colored,
    ends,
    grouped,
    largest,
    matrix,
    names_axis,
    of_crawl,
    ruled,
    scale_of,
    stacked,
    tooltip_of,
)

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
NAMED_STATES = {_names.state(name): color for name, color in STATES.items()}
WAYS = {
    "by_name": ("all, by name", RED),
    "by_star": ("all, through *", ORANGE),
    "partly_by_name": ("a part, by name", BLUE),
}
"""How a host shuts out an agent. A part through * is in the table alone: most hosts close that, and to every agent. So are
5xx answers, which are not decisions."""

CLOSED = {"by_name": RED, "by_star": "#f4b5a0", "by_error": SLATE}
"""By what pages are closed."""

REASONS = (
    {_names.REASONS["(kept)"]: GREEN}
    | {f"{_names.REASONS['access_disallow']}, {_names.WAYS[way]}": color for way, color in CLOSED.items()}
    | {
        _names.REASONS[reason]: color
        for reason, color in {
            "train_ai_disallow": ORANGE,
            "train_genai_disallow": "#f0e442",
            "access_unknown": GREY,
            "unread": PURPLE,
            "doubt": PURPLE,
            "not_seen": PURPLE,
            "train_ai_unknown": SKY,
            "train_genai_unknown": BLUE,
        }.items()
    }
)
"""Why a policy drops a page, in the order of views.sql."""


def robots_status(records: Records) -> alt.TopLevelMixin:
    rows = [{**row, "answer": _answer(row), "state": _names.state(row["robots_state"])} for row in records]
    rows = ends(rows, "answer", "hosts_low", "hosts_high", "hosts_percent")
    bars = bars_of(rows, "answer", "hosts_percent", "% of hosts with a capture of robots.txt")
    chart: alt.Chart = bars.encode(color=colored("state", scale_of(NAMED_STATES, [row["state"] for row in rows])))
    return ruled(chart, "answer", alt.EncodingSortField("hosts_percent", "max", "descending"))


def _answer(row: Mapping[str, Any]) -> str:
    status = "no status" if row["fetch_status"] is None else str(row["fetch_status"])
    return f"{status}, {_names.state(row['robots_state'])}"


def refusals(records: Records) -> alt.TopLevelMixin:
    # The query numbers its rows to order them.
    rows = [{**row, "answer": row["refusal"].lstrip("0123456789 ")} for row in records]
    chart = bars_of(ends(rows, "answer", "hosts_low", "hosts_high", "hosts_percent"), "answer", "hosts_percent", "% of all hosts")
    return ruled(chart, "answer", alt.EncodingSortField("refusal", "min"))


def pages_by_state(records: Records) -> alt.TopLevelMixin:
    sums: dict[tuple[str, str], int] = {}
    for row in records:
        key = row["crawl"], row["robots_state"]
        sums[key] = sums.get(key, 0) + row["pages"]
    answers = {"allow": "may fetch", "disallow": "may not", "unknown": "not known"}
    rows = [
        {
            **row,
            "state": _names.state(row["robots_state"]),
            "answer": answers[row["access"]] if way is None else f"may not, {_names.WAYS[way]}",
            "percent": 100 * pages / row["pages_all"],
            "of_state": sums[row["crawl"], row["robots_state"]],
            "state_percent": 100 * sums[row["crawl"], row["robots_state"]] / row["pages_all"],
        }
        for row in records
        for way, pages in _ways_of(row, row["access"] == "disallow")
    ]
    colors = {"may fetch": GREEN, **{f"may not, {_names.WAYS[way]}": color for way, color in CLOSED.items()}, "not known": GREY}
    scale = scale_of(colors, [row["answer"] for row in rows])
    rows = ends(rows, "state", "state_low", "state_high", "state_percent")
    chart = stacked(rows, "state", "percent", "% of pages", "answer", scale)
    return ruled(chart, "state", alt.EncodingSortField("of_state", "max", "descending"))


def _ways_of(row: Mapping[str, Any], is_closed: bool) -> list[tuple[str | None, int]]:
    """Returns the pages of a row by what closes them; `None` where nothing does."""
    return [(way, row[way]) for way in CLOSED if row[way]] if is_closed else [(None, row["pages"])]


ANY_WAYS = {"by_name": WAYS["by_name"], "only_by_star": WAYS["by_star"]}
"""How a host shuts out any agent of a group: it counts once."""

OPERATORS = 12
"""Of them in a plot; its table has all."""


def closed_any(records: Records) -> alt.TopLevelMixin:
    """Any agent of AI, those of each purpose, and those of the operators that most hosts shut out by name."""
    places = {"any": 0, "purpose": 1, "operator": 2}
    operators = [id(row) for row in largest([row for row in records if row["kind"] == "operator"], "by_name", OPERATORS)]
    shown = [row for row in records if row["kind"] != "operator" or id(row) in operators]
    shown.sort(key=lambda row: (places[row["kind"]], -row["by_name"], row["which"]))
    rows = [
        {**row, "group": _group(row), "place": place, "way": words, "percent": 100 * row[way] / row["units"]}
        for place, row in enumerate(shown)
        for way, (words, _) in ANY_WAYS.items()
    ]
    ways = scale_of(dict(ANY_WAYS.values()), [words for words, _ in ANY_WAYS.values()])
    rows = ends(rows, "group", "by_name_low", "by_name_high", "by_name_percent")
    chart = stacked(rows, "group", "percent", "% of hosts that answer", "way", ways)
    return ruled(chart, "group", alt.EncodingSortField("place", "min", "ascending"))


def _group(row: Mapping[str, Any]) -> str:
    purposes = {"training": "for training", "search": "for search", "user": "on behalf of a person", "undeclared": "purpose not declared"}
    which: str = row["which"]
    return {"any": which, "purpose": purposes.get(which, which)}.get(row["kind"], f"of {which}")


def agents_closed(records: Records) -> alt.TopLevelMixin:
    # Where nobody closes any agent by name, those that are closed through *.
    closing = [row for row in records if row["by_name"]] or [row for row in records if row["by_star"]] or records
    return _ways(largest(closing, "by_name"), "agent", "hosts_answering", "% of hosts that answer", "by_name", "descending")


def agents_closed_by_rank(records: Records) -> alt.TopLevelMixin:
    """The agents that most of the top domains shut out by name, each with its shares among the top k."""
    records = _distinct_tops(records)
    widest = max((_top(row) for row in records), default=0)
    order: dict[tuple[str, str], int] = {}
    for row in largest([row for row in records if _top(row) == widest], "by_name", 8):
        order[row["crawl"], row["agent"]] = len(order)
    rows = [
        {**row, "among": f"{row['agent']}: {_top_k(row)}", "place": (place, _top(row))}
        for row in records
        if (place := order.get((row["crawl"], row["agent"]))) is not None
    ]
    for place, row in enumerate(sorted(rows, key=lambda row: row["place"])):
        row["place"] = place
    return _ways(rows, "among", "hosts_answering", "% of domains that answer", "place", "ascending")


def _ways(records: Records, name: str, known: str, axis: str, by: str, order: Any) -> alt.TopLevelMixin:
    """Bars of the ways in which something is closed to an agent, with the interval of what is closed by name."""
    rows = [
        {**row, "way": words, "percent": 100 * row[way] / row[known]} for row in records for way, (words, _) in WAYS.items()
    ]
    rows = ends(rows, name, "by_name_low", "by_name_high", "by_name_percent")
    chart = stacked(rows, name, "percent", axis, "way", scale_of(dict(WAYS.values()), [words for words, _ in WAYS.values()]))
    return ruled(chart, name, alt.EncodingSortField(by, "max", order))


def share_closed(records: Records) -> alt.TopLevelMixin:
    kept: dict[Any, Mapping[str, Any]] = {}
    # Denominators that count the same hosts are one bar, under the name that is recommended.
    for row in sorted(records, key=lambda row: not row["recommended"]):
        kept.setdefault((row["crawl"], row["hosts"], row["by_name"], row["by_star"]), row)
    rows = [
        {**row, "among": f"{row['denominator']}{' (use this)' if row['recommended'] else ''}, n\u00a0{row['hosts']:,}"}
        for row in kept.values()
    ]
    chart = _whole_ways(rows, "among", "hosts", "% that close everything to GPTBot")
    return ruled(chart, "among", alt.EncodingSortField("hosts", "max", "descending"))


def closed_interval(records: Records) -> alt.TopLevelMixin:
    """A dot and its interval for each crawl."""
    rows = [{**row, "which": f"{_names.crawl(row['crawl'])}, n\u00a0{row['units']:,}"} for row in records]
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=names_axis("which", "ascending"), tooltip=tooltip_of(rows))
    title = "% of hosts that answer; line: 95 % interval"
    x = alt.X("low_percent:Q", title=title, scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=6))
    line = base.mark_rule(strokeWidth=3, color=GREY).encode(x=x, x2="high_percent:Q")
    dot = base.mark_circle(size=110, color=RED, opacity=1).encode(x="by_name_percent:Q")
    return alt.layer(line, dot)


def _whole_ways(records: Records, name: str, known: str, axis: str) -> alt.Chart:
    """Bars of the ways in which everything is closed, by name and through `*`."""
    ways = {way: (words, color) for way, (words, color) in WAYS.items() if way != "partly_by_name"}
    rows = [
        {**row, "way": words, "percent": 100 * row[way] / row[known]} for row in records for way, (words, _) in ways.items()
    ]
    rows = ends(rows, name, "by_name_low", "by_name_high", "by_name_percent")
    return stacked(rows, name, "percent", axis, "way", scale_of(dict(ways.values()), [words for words, _ in ways.values()]))


def systems(records: Records) -> alt.TopLevelMixin:
    places = {"site_files": "hosts, in site files", "domains": "domains, in site files", "pages": "hosts, on pages"}
    rows = [
        {
            **row,
            "name": _names.system(row["system"]),
            "place": words,
            "percent": row[f"{key}_percent"],
            "low": row.get(f"{key}_low"),
            "high": row.get(f"{key}_high"),
            "at": row[f"{key}_percent"],
        }
        for row in records
        for key, words in places.items()
        if row[f"{key}_percent"]
    ]
    x = amount("percent", "% of hosts or domains that answer (site files), or of hosts that have pages")
    chart = grouped(rows, "name", x, "place", alt.Scale(domain=list(places.values()), range=[BLUE, GREEN, ORANGE]))
    return ruled(chart, "name", alt.EncodingSortField("percent", "max", "descending"))


def systems_by_tld(records: Records) -> alt.TopLevelMixin:
    records = [row for row in records if row["site_files_percent"] is not None and row["in_site_files"]]
    hosts: dict[tuple[str, str], int] = {}
    for row in records:
        key = row["crawl"], row["which"]
        hosts[key] = max(hosts.get(key, 0), row["hosts_answering"])
    shown = {
        key
        for crawl in {crawl for crawl, _ in hosts}
        for key in sorted((it for it in hosts if it[0] == crawl), key=lambda it: -hosts[it])[:15]
    }
    most = {it["system"] for it in largest(_sums(records), "in_site_files", 5)}
    rows = [
        {**row, "tld": row["which"], "name": _names.system(row["system"]), "n": row["hosts_answering"], **_cell_ends(row, "site_files")}
        for row in records
        if (row["crawl"], row["which"]) in shown and row["system"] in most
    ]
    y = alt.Y("tld:N", title=None, sort=alt.EncodingSortField("hosts_answering", "max", "descending"))
    return matrix(rows, y, "name", "site_files_percent")


def _cell_ends(row: Mapping[str, Any], share: str) -> dict[str, Any]:
    return {"low": row.get(f"{share}_low"), "high": row.get(f"{share}_high")}


def _sums(records: Records) -> Records:
    """Returns the hosts of each system over all top-level domains."""
    sums: dict[tuple[str, str], int] = {}
    for row in records:
        sums[row["crawl"], row["system"]] = sums.get((row["crawl"], row["system"]), 0) + row["in_site_files"]
    return [{"crawl": crawl, "system": system, "in_site_files": hosts} for (crawl, system), hosts in sums.items()]


def systems_by_rank(records: Records) -> alt.TopLevelMixin:
    records = [row for row in _distinct_tops(records) if row["site_files_percent"] is not None and row["in_site_files"]]
    rows = [{**row, "among": _top_k(row), "top": _top(row), "name": _names.system(row["system"])} for row in records]
    title = "% of domains that answer"
    base = alt.Chart().encode(
        x=alt.X("among:N", title=None, sort=alt.EncodingSortField("top", "min"), axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, ', ')")),
        color=alt.Color("name:N", legend=alt.Legend(orient="top", columns=2, title=None)),
        tooltip=tooltip_of(rows),
    )
    lines = base.mark_line(point=True).encode(y=alt.Y("site_files_percent:Q", title=title), shape=alt.Shape("name:N", legend=None))
    between = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(y=alt.Y("site_files_low:Q", title=title), y2="site_files_high:Q")
    has_interval = any(row.get("site_files_low") is not None for row in rows)
    chart: alt.TopLevelMixin = of_crawl(alt.layer(lines, between) if has_interval else alt.layer(lines), rows)
    return chart


def _top(row: Mapping[str, Any]) -> int:
    """Returns k of the top k domains."""
    return int(row["which"].removeprefix("top "))


def _top_k(row: Mapping[str, Any]) -> str:
    """Returns top 1k, top 10k, top 100k, or top 1M, which fit the screen of a telephone, with the domains that are known."""
    return f"top {_top(row):,}".replace(",000,000", "M").replace(",000", "k") + f", n\u00a0{row['hosts_answering']:,}"


def _distinct_tops(records: Records) -> Records:
    """Leaves out lists with the domains of a shorter one: their bars would be the same."""
    shortest: dict[tuple[str, int], int] = {}
    for row in records:
        key = row["crawl"], row["hosts_answering"]
        shortest[key] = min(shortest.get(key, _top(row)), _top(row))
    return [row for row in records if shortest[row["crawl"], row["hosts_answering"]] == _top(row)]


def labels(records: Records) -> alt.TopLevelMixin:
    totals: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in records:
        key = row["crawl"], row["label"], row["value"]
        total = totals.setdefault(key, {"crawl": key[0], "label": key[1], "value": key[2], "pages": 0, "percent": 0.0})
        total["pages"] += row["pages"]
        total["percent"] = round(100 * total["pages"] / row["pages_all"], 2)
        total |= {"answer_low": row.get("answer_low"), "answer_high": row.get("answer_high")}
    scale = alt.Scale(domain=[_names.VALUES[it] for it in ("allow", "unknown", "disallow")], range=[GREEN, GREY, RED])
    rows = [
        {**row, "use": _names.label(row["label"]), "answer": _names.VALUES[row["value"]], **_from_its_side(row)}
        for row in totals.values()
    ]
    chart = stacked(rows, "use", "percent", "% of pages", "answer", scale)
    return ruled(chart, "use", alt.EncodingSortField("label", "min"))


def _from_its_side(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the ends of an interval as they are drawn: yes begins at the left, no at the right."""
    low, high = row["answer_low"], row["answer_high"]
    if low is None or row["value"] == "unknown":
        return {"low": None, "high": None, "at": None}
    if row["value"] == "allow":
        return {"low": low, "high": high, "at": row["percent"]}
    return {"low": 100 - high, "high": 100 - low, "at": 100 - row["percent"]}


def deciding_systems(records: Records) -> alt.TopLevelMixin:
    rows = [
        {
            **row,
            "answer": f"{_names.VALUES[row['value']]}: {_names.source(row['source'])}",
            "use": _names.label(row["label"]),
            "n": row["pages_of_value"],
            **_cell_ends(row, "pages"),
        }
        for row in records
    ]
    return matrix(rows, alt.Y("answer:N", title=None), "use", "percent_of_value")


def conflicts(records: Records) -> alt.TopLevelMixin:
    """Signals that contradict each other; where two documents read one field, the site does not contradict itself."""
    pairs: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in (row for row in records if row["kind"] == "two signals"):
        key = row["crawl"], row["says_no"], row["says_yes"]
        pair = pairs.setdefault(key, {"crawl": key[0], "says_no": key[1], "says_yes": key[2], "label_pages": 0, "labels": ""})
        pair["label_pages"] += row["pages"]
        pair["labels"] = ", ".join(filter(None, [pair["labels"], f"{_names.label(row['label'])} {row['pages']:,}"]))
    rows = [
        {**pair, "pair": f"no: {_names.source(pair['says_no'])}; yes: {_names.source(pair['says_yes'])}"} for pair in pairs.values()
    ]
    return bars_of(largest(rows, "label_pages", 15), "pair", "label_pages", "pages on which they contradict each other, once for each label")


def managed(records: Records) -> alt.Chart:
    """A bar for each author: a host with text of two is in both, so that their sum says nothing."""
    colors = {"(own)": BLUE} | dict(zip(sorted({row["author"] for row in records} - {"(own)"}), (ORANGE, GREEN, RED, PURPLE)))
    scale = scale_of(colors, [row["author"] for row in records])
    rows = [{**row, "name": f"{_names.system(row['system'])}, n\u00a0{row['hosts_stating']:,}"} for row in records]
    x = amount("percent_of_stating", "% of the hosts that state it in robots.txt", alt.Scale(domainMax=100))
    return grouped(rows, "name", x, "author", scale)


def lints(records: Records) -> alt.Chart:
    rows = [{**row, "lint": _names.words(row["lint"])} for row in records]
    return bars_of(largest(rows, "files"), "lint", "files_percent", "% of distinct robots.txt files")


def policy_cost(records: Records) -> alt.TopLevelMixin:
    rows = [
        {**row, "low": None, "high": None, "at": None}
        | _kept_ends(row)
        | {"why": _why(row["reason"]) if way is None else f"{_why(row['reason'])}, {_names.WAYS[way]}", "percent": 100 * pages / row["pages_all"]}
        for row in records
        for way, pages in _ways_of(row, row["reason"] == "access_disallow")
    ]
    chart = stacked(rows, "policy", "percent", "% of pages", "why", scale_of(REASONS, [row["why"] for row in rows]))
    return ruled(chart, "policy", ["robots", "labels", "strict"])


def _why(reason: str) -> str:
    return _names.REASONS.get(reason, _names.words(reason))


def _kept_ends(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the ends of the interval of what is kept, with which the bar begins."""
    if row["reason"] != "(kept)" or row.get("pages_low") is None:
        return {}
    return {"low": row["pages_low"], "high": row["pages_high"], "at": 100 * row["pages"] / row["pages_all"]}
