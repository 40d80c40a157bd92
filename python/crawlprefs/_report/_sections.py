"""What the report shows, in which order: sections, and in each of them queries with a plot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import altair as alt

from . import _change, _plots
from ._marks import FEW, Records


@dataclass(frozen=True)
class Plot:
    """A query and how its answer is drawn."""

    query: str
    draw: Callable[[Records], alt.TopLevelMixin] | None = None
    """Makes the plot; None where the table says it all."""
    lead: str = ""
    """What a reader should look for."""
    n: tuple[tuple[str, str], ...] = ()
    """Each denominator: its column, and what it counts."""
    n_of: str = "crawl"
    """The column by whose values the denominators are listed."""
    least: tuple[str, int] = ("", 0)
    """A column, and how many it must have for a row to be drawn."""
    interval: str = "a line with a tick: of the whole bar"
    """How intervals are drawn, and of what they are."""
    undrawn: tuple[str, str] = ("", "")
    """A column and a text in it with which a row is in the table alone."""
    is_open: bool = field(default=False)
    """Whether the table is shown without being asked for."""
    has_events: bool = field(default=False)
    """Whether dated events are marked, which are listed below the plot."""
    key: str = ""
    """The variable `key` of the query; empty for all hosts."""

    @property
    def name(self) -> str:
        """Its name in the page, by which its answer is found: the query's, and its key."""
        return f"{self.query}-by-{self.key}" if self.key else self.query

    def drawn(self, records: Records) -> Records:
        """Returns the records that are not too small for the plot."""
        (column, least), (other, text) = self.least, self.undrawn
        return [row for row in records if (not column or (row[column] or 0) >= least) and (not other or text not in row[other])]


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    key: str
    title: str
    plots: tuple[Plot, ...]


KNOWN = (("hosts_answering", "hosts that answer"),)
TOP_DOMAINS = (("hosts_answering", "domains that answer"),)
TOP_LEAST = ("hosts_answering", FEW)
BY_NAME = "a line with a tick: of the share by name"
IN_CELLS = "small figures: of each cell"

SECTIONS = (
    Section(
        "agents",
        "Who is shut out",
        (
            Plot(
                "agents/closed-any",
                _plots.closed_any,
                "A host counts once in each bar: several agents that it shuts out are one. At most 12 operators; whether the text is the"
                " host's own or a vendor's is in the table.",
                (("units", "hosts that answer"),),
                interval=BY_NAME,
            ),
            Plot(
                "agents/closed",
                _plots.agents_closed,
                "At most 25 agents, to which most hosts close everything by name. The table also counts hosts that close a part"
                " through *, and 5xx answers, which are not decisions.",
                KNOWN,
                interval=BY_NAME,
            ),
            Plot(
                "agents/share-closed",
                _plots.share_closed,
                "When you cite a share, say which denominator it has, and that it is by name. 5xx answers, which are no"
                " decision, are in the table, and so is the share of the hosts that name GPTBot. Denominators that have the"
                " same hosts are one bar.",
                (("hosts", "hosts, by denominator"),),
                interval=BY_NAME,
                # The share of those who name the agent is of another kind: the others would be hard to see beside it.
                undrawn=("denominator", "names GPTBot"),
            ),
            Plot(
                "agents/closed-interval",
                _plots.closed_interval,
                "The dot is the share, the line its 95 % interval: an interval that another one overlaps widely shows no"
                " difference. Not drawn for fewer than 30 domains.",
                (("units", "hosts that answer"),),
                least=("domains", 30),
            ),
            Plot(
                "agents/closed",
                _plots.agents_closed_by_rank,
                "The 8 agents to which most of the top domains close everything by name. top 1k: the first 1,000 domains of the"
                " list. A list with fewer than 100 known domains is in the table alone.",
                TOP_DOMAINS,
                least=TOP_LEAST,
                interval=BY_NAME,
                key="rank",
            ),
        ),
    ),
    Section(
        "labels",
        "What may be done with pages, and who decided",
        (
            Plot(
                "filtering/labels",
                _plots.labels,
                "Most pages say nothing about most uses, and that is not a yes.",
                (("pages_all", "pages"),),
                interval="lines with ticks: of yes, from the left, and of no, from the right",
            ),
            Plot(
                "filtering/deciding-systems",
                _plots.deciding_systems,
                "In % of the pages whose label is no, or yes; n is how many they are. Cells with n below 100 are pale.",
                (("pages_of_value", "pages whose label is no, or yes"),),
                interval=IN_CELLS,
            ),
        ),
    ),
    Section(
        "adoption",
        "Who uses which system of preferences",
        (
            Plot(
                "adoption/systems",
                _plots.systems,
                "A system is used where a statement of it is found; the table also has the valid ones. A domain with many hosts counts"
                " once, so that a large operator does not decide its share.",
                (*KNOWN, ("domains_answering", "registered domains of these"), ("hosts_with_pages", "hosts that have pages")),
            ),
            Plot(
                "adoption/systems",
                _plots.systems_by_tld,
                "In % of the hosts of the top-level domain, whose number is n: the 15 with most hosts, at least 10, and the 5"
                " systems of most hosts. Cells with n below 100 are pale.",
                KNOWN,
                least=("hosts_answering", 10),
                interval=IN_CELLS,
                key="tld",
            ),
            Plot(
                "adoption/systems",
                _plots.systems_by_rank,
                "A list with fewer than 100 known domains is in the table alone.",
                TOP_DOMAINS,
                least=TOP_LEAST,
                interval="a line: of each point",
                key="rank",
            ),
            Plot("adoption/unrecognised", n=(("statements_all", "statements"),)),
        ),
    ),
    Section(
        "managed",
        "Vendors' text and the sites' own",
        (
            Plot(
                "adoption/managed-or-own",
                _plots.managed,
                "What a vendor manages may be on by default: it is not a decision of each site. A host with text of a vendor and of its"
                " own is in both bars. Not drawn for fewer than 30 hosts.",
                (("hosts_stating", "hosts that state the system"),),
                least=("hosts_stating", 30),
            ),
        ),
    ),
    Section(
        "conflicts",
        "What contradicts itself",
        (
            Plot("conflicts/hosts", n=(("hosts_stating", "hosts that state the label"),), is_open=True),
            Plot(
                "conflicts/pairs",
                _plots.conflicts,
                "The label is no. The 15 pairs of most pages. Two documents that read one field differently are in the table alone.",
                (("pages_contradicted", "pages with a contradicted label"),),
            ),
        ),
    ),
    Section(
        "robots",
        "How robots.txt was answered",
        (
            Plot("outcomes/robots-status", _plots.robots_status, "The status of the host's own answer, and what came of it.", (("hosts_asked", "hosts with a capture of robots.txt"),)),
            Plot("outcomes/refused-or-closed", _plots.refusals, "A refusal by an answer is not a decision about an agent.", (("hosts_all", "hosts"),)),
            Plot("outcomes/pages-by-state", _plots.pages_by_state, "An error of the server closes a host for as long as it lasts.", (("pages_all", "pages"),)),
        ),
    ),
    Section(
        "change",
        "What changed between crawls",
        (
            Plot(
                "change/summary",
                _change.change,
                "Of the hosts that answer in both crawls (survivors), by name alone: through * is in the table. Whether a share changed,"
                " the interval of the difference says (table and tooltips), and not whether both intervals overlap. Not drawn for fewer than 30.",
                (("survivors", "hosts in both crawls"),),
                least=("survivors", 30),
                interval="a line through each point",
            ),
            Plot(
                "change/panel",
                _change.panel,
                "At most 6 agents, which most hosts of the panel close by name, each from the month by which a source lists it. A"
                " balanced panel has the same hosts at every time: what it shows is change. All hosts and newcomers can be"
                " chosen. Figures also change at the marks. Not drawn for fewer than 30 hosts. Agents that no source lists by a month are left out; the"
                " table names each with the reason (left out).",
                (("hosts", "hosts"),),
                "panel",
                least=("hosts", 30),
                interval="a line: of each share by name",
                has_events=True,
            ),
            Plot("change/bans-dropped", is_open=True),
        ),
    ),
    Section(
        "cost",
        "What each policy keeps, and what it costs",
        (
            Plot(
                "filtering/policy-cost",
                _plots.policy_cost,
                "A page is dropped for the first reason that applies. robots keeps what robots.txt opens; labels drops of this what"
                " says no to training; strict keeps of this what says yes.",
                (("pages_all", "pages"),),
                interval="a line with a tick: of what is kept",
            ),
        ),
    ),
    Section(
        "lints",
        "What is odd in robots.txt",
        (Plot("quality/lints", _plots.lints, "What each oddity means is in docs/lints.md.", (("files_all", "distinct robots.txt files"),)),),
    ),
    Section("read", "What was read, and what was lost", (Plot("quality/read"), Plot("quality/trust"))),
)

EVENTFUL = tuple(plot.name for section in SECTIONS for plot in section.plots if plot.has_events)
"""The plots on which dated events are marked."""
