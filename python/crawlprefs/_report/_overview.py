"""The first screen of the report: six small plots, and what they say in a sentence each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _names
from ._results import Result

Rows = Sequence[Mapping[str, Any]]

FEW = 100
"""A share of fewer is not a share: the counts are shown."""

SHOWN = 5
"""Bars of a small plot."""


class Bar(NamedTuple):
    """A bar of a small plot: its name, its length in percent of the whole, and its figure. All plots have one scale."""

    name: str
    length: float
    figure: str


class Small(NamedTuple):
    """A small plot: its question, its bars, and what they are shares of."""

    section: str
    question: str
    bars: tuple[Bar, ...]
    denominator: str


class Finding(NamedTuple):
    """A sentence about the newest crawl, and the section that shows it."""

    section: str
    sentence: str


def overview(answers: Mapping[str, Result], crawl: str | None) -> tuple[list[Small], list[Finding]]:
    """Returns the small plots and the findings of one crawl."""

    absent: list[str] = []

    def rows(query: str) -> Rows:
        absent.extend(answers[query].missing)
        of_next = "next_crawl" if query == "change/summary" else "crawl"
        return [row for row in answers[query].records() if row[of_next] == crawl]

    def whole(small: Callable[[Ask], Small]) -> Small:
        absent.clear()
        made = small(rows)
        named = ", ".join(dict.fromkeys(absent))
        return made if made.bars or not named else made._replace(denominator=f"Not shown: not in this folder: {named}.")

    return [whole(small) for small in SMALL], [found for finding in FINDINGS if (found := finding(rows)) is not None]


def share(part: int, whole: int) -> str:
    """Returns a share in percent, or the counts where there are too few for a share."""
    if whole < FEW:
        return f"{part:,} of {whole:,}"
    percent = 100 * part / whole
    return f"{percent:.1f} %" if percent >= 0.05 or not part else "< 0.1 %"


def share_of(part: int, whole: int, within: str = "") -> str:
    """Returns a share, what `within` says of it, and of how many it is; or the counts where there are too few."""
    return f"{share(part, whole)}{within} of {whole:,}" if whole >= FEW else share(part, whole)


def _bars(parts: Sequence[tuple[str, int, int]]) -> tuple[Bar, ...]:
    """Returns bars of shares: names, parts, and the wholes. A share of few has no bar."""
    return tuple(Bar(name, _length(part, whole), share(part, whole)) for name, part, whole in parts if whole)


def _length(part: int, whole: int) -> float:
    return 100 * part / whole if whole >= FEW else 0.0


def _n(parts: Sequence[tuple[str, int, int]], noun: str) -> str:
    wholes = sorted({whole for *_, whole in parts})
    if not wholes:
        return "Nothing of that kind was found."
    return f"of {wholes[0]:,} {noun}" if len(wholes) == 1 else f"of {wholes[0]:,} to {wholes[-1]:,} {noun}"


def _small(section: str, question: str, parts: Sequence[tuple[str, int, int]], noun: str) -> Small:
    return Small(section, question, _bars(parts[:SHOWN]), _n(parts[:SHOWN], noun))


Ask = Callable[[str], Rows]


def _closed(ask: Ask) -> Small:
    parts = [(row["agent"], row["by_name"], row["hosts_answering"]) for row in ask("agents/closed") if row["by_name"]]
    return _small("agents", "Which agents are shut out by name?", parts, "hosts that answer")


def _refused(ask: Ask) -> Small:
    no: dict[str, int] = {}
    pages = 0
    for row in ask("filtering/labels"):
        no[row["label"]] = no.get(row["label"], 0) + (row["pages"] if row["value"] == "disallow" else 0)
        pages = row["pages_all"]
    parts = [(_names.label(label), count, pages) for label, count in sorted(no.items(), key=lambda it: -it[1])]
    return _small("labels", "Which uses do pages refuse?", parts, "pages")


def _systems(ask: Ask) -> Small:
    found = sorted(ask("adoption/systems"), key=lambda row: -row["in_site_files"])
    parts = [(_names.system(row["system"]), row["in_site_files"], row["hosts_answering"]) for row in found if row["site_files_percent"]]
    return _small("adoption", "Which systems are in site files?", parts, "hosts that answer")


def _answers(ask: Ask) -> Small:
    states: dict[str, int] = {}
    asked = 0
    for row in ask("outcomes/robots-status"):
        states[row["robots_state"]] = states.get(row["robots_state"], 0) + row["hosts"]
        asked = row["hosts_asked"]
    parts = [(_names.state(state), count, asked) for state, count in sorted(states.items(), key=lambda it: -it[1])]
    return _small("robots", "What came of robots.txt?", parts, "hosts with a capture of it")


def _kept(ask: Ask) -> Small:
    pages: dict[str, int] = {}
    kept: dict[str, int] = {}
    for row in ask("filtering/policy-cost"):
        pages[row["policy"]] = pages.get(row["policy"], 0) + row["pages"]
        kept[row["policy"]] = kept.get(row["policy"], 0) + (row["pages"] if row["reason"] == "(kept)" else 0)
    parts = [(f"policy {policy}", kept[policy], count) for policy, count in sorted(pages.items(), key=lambda it: -kept[it[0]])]
    return _small("cost", "How much does each policy keep?", parts, "pages")


def _changed(ask: Ask) -> Small:
    found = sorted(ask("change/summary"), key=lambda row: -row["by_name_after"])[:SHOWN]
    if not found:
        vendors: dict[str, list[int]] = {}
        for row in ask("adoption/managed-or-own"):
            counts = vendors.setdefault(row["system"], [0, row["hosts_stating"]])
            counts[0] += row["hosts"] if row["author"] != "(own)" else 0
        parts = sorted(((_names.system(it), part, whole) for it, (part, whole) in vendors.items()), key=lambda it: -it[2])
        return _small("managed", "How much is vendors' text?", parts, "hosts that state it in robots.txt")
    bars = [
        Bar(row["agent"], _length(row["by_name_after"], row["survivors"]), f"{row['by_name_before']:,} to {row['by_name_after']:,}")
        for row in found
    ]
    return Small("change", "What changed by name, in hosts?", tuple(bars), f"of {found[0]['survivors']:,} hosts in both crawls")


SMALL = (_closed, _refused, _systems, _answers, _kept, _changed)


def _unknown(ask: Ask) -> Finding | None:
    rows = ask("outcomes/pages-by-state")
    if not rows:
        return None
    pages = rows[0]["pages_all"]
    unknown = sum(row["pages"] for row in rows if row["access"] == "unknown")
    return Finding("robots", f"Not known: whether {share_of(unknown, pages)} pages may be fetched. That is in no share of what is open or kept.")


def _any_agent(ask: Ask) -> Finding | None:
    for row in ask("agents/closed-any"):
        if row["kind"] == "any":
            counted = share_of(row["by_name"], row["units"])
            return Finding(
                "agents", f"{counted} hosts that answer close everything to some agent of AI by name; {row['only_by_star']:,} more do so through *."
            )
    return None


def _gptbot(ask: Ask) -> Finding | None:
    for row in ask("agents/share-closed"):
        if row["recommended"]:
            sure = [it for it in ask("agents/closed-interval") if it["domains"] >= 30 and row["hosts"] >= FEW]
            within = "".join(f" (95 % interval {it['low_percent']:.1f} to {it['high_percent']:.1f} %)" for it in sure)
            return Finding(
                "agents",
                f"{share_of(row['by_name'], row['hosts'], within)} hosts that answer close everything to GPTBot by name; {row['by_star']:,} more"
                f" do so through *, and {row['by_error']:,} answered 5xx, which is not a decision.",
            )
    return None


def _training(ask: Ask) -> Finding | None:
    rows = [row for row in ask("filtering/labels") if row["label"] == "train_ai"]
    if not rows:
        return None
    pages = rows[0]["pages_all"]
    no, yes = (sum(row["pages"] for row in rows if row["value"] == value) for value in ("disallow", "allow"))
    said = f"no on {share(no, pages)} and yes on {share(yes, pages)}" if pages >= FEW else f"no on {no:,} and yes on {yes:,}"
    return Finding("labels", f"Training AI: {said} of {pages:,} pages. What the others want is not known.")


def _lost(ask: Ask) -> Finding | None:
    for row in ask("quality/read"):
        archives = f"{row['archives']:,} {'archive' if row['archives'] == 1 else 'archives'}"
        changed, missing = row["wacz_archives_changed"], row["wacz_archives_missing"]
        collections = f" In WACZ files, {changed:,} archives are not those of datapackage.json, and {missing:,} are missing."
        return Finding(
            "read",
            f"Read: {row['captures']:,} captures in {archives}, {row['captures_of_pages']:,} of them of pages;"
            f" {row['records_lost']:,} of {row['records']:,} records were lost.{collections if changed + missing else ''}",
        )
    return None


FINDINGS = (_lost, _unknown, _any_agent, _gptbot, _training)
