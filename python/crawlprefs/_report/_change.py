"""The plots of what changed between crawls: of two that follow each other, and over all of them."""

from __future__ import annotations

from datetime import date

import altair as alt

from . import _names
from ._events import day_of, events_between
from ._marks import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, Records, amount, names_axis, tooltip_of

PANELS = ("balanced", "all hosts", "newcomers")
"""The panels of change/panel, the one that is shown first before the others."""
LINES = [BLUE, RED, GREEN, ORANGE, PURPLE, SKY]
MARK = ("when:N", "event:N", "changes:N", "source:N")


def change(records: Records) -> alt.TopLevelMixin:
    """By name, before and after: a row for each agent, of each two crawls that follow each other."""
    records = [row for row in records if row["survivors"]] or records
    transitions = {(row["crawl"], row["next_crawl"]) for row in records}
    rows = [
        {**row, "which": row["agent"] if len(transitions) == 1 else f"{row['agent']}, {_names.crawl(row['crawl'])} to {_names.crawl(row['next_crawl'])}"}
        for row in records
    ]
    sort = alt.EncodingSortField("by_name_after_percent", "max", "descending") if len(transitions) == 1 else "ascending"
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(y=names_axis("which", sort))
    axis = amount("by_name_before_percent", "% closed by name: before (ring), after (dot)")
    tooltip = tooltip_of(rows)
    above, below = -5, 5
    between = [
        base.mark_rule(strokeWidth=1.5, color=color, yOffset=offset).encode(
            x=alt.X(f"by_name_{when}_low:Q", title=axis["title"]), x2=f"by_name_{when}_high:Q", tooltip=tooltip
        )
        for when, color, offset in (("before", BLUE, above), ("after", RED, below))
        if any(row.get(f"by_name_{when}_low") is not None for row in rows)
    ]
    line = base.mark_rule(strokeWidth=2, color=GREY).encode(x=axis, x2="by_name_after_percent:Q", tooltip=tooltip)
    # Each point lies on its interval.
    before = base.mark_point(size=45, color=BLUE, yOffset=above).encode(x=axis, tooltip=tooltip)
    after = base.mark_circle(size=60, color=RED, opacity=1, yOffset=below).encode(x="by_name_after_percent:Q", tooltip=tooltip)
    return alt.layer(line, *between, before, after, usermeta={"rowHeight": 26})


def panel(records: Records) -> alt.TopLevelMixin:
    """Lines of the agents that most hosts of the panel close by name; a drop-down chooses the panel."""
    known = [row for row in records if row["by_name_percent"] is not None]
    first = next((name for name in PANELS if any(row["panel"] == name for row in known)), PANELS[0])
    most: dict[str, float] = {}
    for row in (row for row in known if row["panel"] == first):
        most[row["agent"]] = max(most.get(row["agent"], 0), row["by_name_percent"])
    agents = sorted(most, key=lambda agent: (-most[agent], agent))[: len(LINES)]
    rows = [
        {
            **row,
            "day": day_of(row["crawl"], row["month"]).isoformat(),
            "way": words,
            "percent": row[f"{way}_percent"],
            "low": row.get(f"{way}_low"),
            "high": row.get(f"{way}_high"),
        }
        for row in known
        if row["agent"] in agents
        for way, words in {"by_name": "by name", "through_star": "through *"}.items()
    ]
    panels = [name for name in PANELS if any(row["panel"] == name for row in rows)]
    chosen = alt.param(name="panel", value=first, bind=alt.binding_select(options=panels, name="Panel "))
    title = "closed by name (lines) and through * (dashes)"
    x = alt.X("day:T", title=title, axis=_times_axis([row["day"] for row in rows]))
    colors = alt.Scale(domain=agents, range=LINES[: len(agents)])
    lines = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=45))
        .encode(
            x=x,
            y=alt.Y("percent:Q", title="% of the hosts of the panel", axis=alt.Axis(tickCount=6)),
            color=alt.Color("agent:N", scale=colors, sort=agents, legend=alt.Legend(orient="top", title=None, columns=2, offset=26)),
            strokeDash=alt.StrokeDash(
                "way:N", scale=alt.Scale(domain=["by name", "through *"], range=[[1, 0], [5, 4]]), legend=None
            ),
            tooltip=tooltip_of(rows),
        )
        .add_params(chosen)
        .transform_filter("datum.panel === panel")
    )
    between = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rule(strokeWidth=1.5, opacity=0.7)
        .encode(
            x=x,
            y=alt.Y("low:Q", title="% of the hosts of the panel"),
            y2="high:Q",
            color=alt.Color("agent:N", scale=colors, sort=agents),
            tooltip=tooltip_of(rows),
        )
        .transform_filter("datum.panel === panel && isValid(datum.low)")
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
    return alt.layer(lines, rule, between, *numbers)


TIMES = 6
"""The most labels of a time axis."""


def _times_axis(days: list[str]) -> alt.Axis:
    """Returns an axis with labels at times that were counted, each of them once: months, or days where a month has several."""
    distinct = sorted(set(days))
    shown = distinct[:: -(-len(distinct) // TIMES)]
    is_of_months = len({day[:7] for day in shown}) == len(shown)
    values = [alt.DateTime(year=it.year, month=it.month, date=it.day) for it in map(date.fromisoformat, shown)]
    return alt.Axis(format="%b %Y" if is_of_months else "%-d %b %Y", labelOverlap="greedy", values=values)
