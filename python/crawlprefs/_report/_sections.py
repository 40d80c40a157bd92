"""What the report shows, in which order: sections, and in each of them queries with a plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from . import _plots

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Plot:
    """A query and how its answer is drawn."""

    query: str
    draw: Callable[[Records], alt.TopLevelMixin] | None = None
    """Makes the plot; None where the table says it all."""
    lead: str = ""
    """What a reader should look for."""
    is_open: bool = field(default=False)
    """Whether the table is shown without being asked for."""
    has_events: bool = field(default=False)
    """Whether dated events are marked, which are listed below the plot."""


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    key: str
    title: str
    plots: tuple[Plot, ...]


SECTIONS = (
    Section(
        "read",
        "What was read, and what was lost",
        (
            Plot("quality/read", is_open=True),
            Plot("quality/trust", is_open=True),
        ),
    ),
    Section(
        "robots",
        "How robots.txt was answered",
        (
            Plot("outcomes/robots-status", _plots.robots_status),
            Plot("outcomes/refused-or-closed", _plots.refusals),
            Plot("outcomes/pages-by-state", _plots.pages_by_state),
        ),
    ),
    Section(
        "agents",
        "Which agents may fetch nothing, or only a part",
        (
            Plot("agents/closed", _plots.agents_closed, "The 25 agents to which most hosts close everything by name. The table also counts hosts that close a part through *, and 5xx answers, which are no decision."),
            Plot(
                "agents/closed-each-by-rank",
                _plots.agents_closed_by_rank,
                "The 8 agents to which most of the top domains close everything by name. top 1k: the first 1,000 domains of the list.",
            ),
            Plot("agents/share-closed", _plots.share_closed, "When you cite a share, say which denominator it has, and that it is by name. 5xx answers, which are no decision, are in the table."),
            Plot("agents/closed-by-rank", _plots.closed_by_rank),
        ),
    ),
    Section(
        "adoption",
        "Who uses which system of preferences",
        (
            Plot("adoption/systems", _plots.systems),
            Plot("adoption/systems-by-domain", _plots.systems_by_domain),
            Plot(
                "adoption/systems-by-tld",
                _plots.systems_by_tld,
                "In % of the hosts whose number follows the name: the 15 top-level domains with most hosts, at least 10.",
            ),
            Plot("adoption/systems-by-rank", _plots.systems_by_rank),
        ),
    ),
    Section(
        "labels",
        "What may be done with pages, and who decided",
        (
            Plot("filtering/labels", _plots.labels),
            Plot("filtering/deciding-systems", _plots.deciding_systems, "In % of the pages whose label is no, or yes."),
        ),
    ),
    Section(
        "conflicts",
        "What contradicts itself",
        (
            Plot("conflicts/hosts", is_open=True),
            Plot(
                "conflicts/pairs",
                _plots.conflicts,
                "Rows say no, columns say yes, and the label is no. A cell counts pages, once for each label. Two documents that read one field differently are in the table alone.",
            ),
        ),
    ),
    Section(
        "managed",
        "Vendors' text and the sites' own",
        (Plot("adoption/managed-or-own", _plots.managed),),
    ),
    Section("lints", "What is odd in robots.txt", (Plot("quality/lints", _plots.lints),)),
    Section(
        "change",
        "What changed between crawls",
        (
            Plot("change/summary", _plots.change, "Of the hosts that are in both crawls (survivors), by name alone: through * is in the table."),
            Plot(
                "change/panel",
                _plots.panel,
                "The 6 agents that most hosts of the panel close by name, of those of which it is known since when they exist. A balanced panel has the same hosts at every time: what it shows is change. All hosts and newcomers can be chosen. Figures also change at the marks.",
                has_events=True,
            ),
            Plot("change/bans-dropped", is_open=True),
        ),
    ),
    Section(
        "cost",
        "What each policy keeps, and what it costs",
        (Plot("filtering/policy-cost", _plots.policy_cost),),
    ),
)

EVENTFUL = tuple(plot.query for section in SECTIONS for plot in section.plots if plot.has_events)
"""The queries on whose plots dated events are marked."""
