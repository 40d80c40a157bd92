"""The HTML page of one host: what its site files said over time, by `history`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

import jinja2

from .. import __version__
from .._history import History, SiteFileHistory
from ._page import replace, shown, template

NAMES = 8
"""Names and lines of a list on the page; the JSON of `history` has more."""

CLOSED = {"full": "closed", "partial": "closed in part", "none": "open", "unknown": "unknown"}
BY = {"name": " by name", "everyone": " through *"}
EFFECTS = {
    "first": "The first that is known.",
    "lines": "Other lines changed: no agent may fetch anything else, and no label changed.",
    "text": "Nothing that is read changed: only comments, blank lines or the order of lines.",
    "answer": "The state and the body are those of before.",
}
OPEN = {"allow": "open", "disallow": "closed", "unknown": "unknown"}
"""What an entry of robots.txt is, by the access of the page."""
KINDS = {"read": "file", "no_file": "absent"}
"""What an entry of another file is, by its state."""
WORDS = {"open": "open", "closed": "closed", "unknown": "unknown", "file": "a file", "absent": "no file"}
"""The words beside the colours."""


class Bar(NamedTuple):
    """A part of a timeline, in per mille of its width."""

    left: float
    width: float
    kind: str
    title: str


class Shown(NamedTuple):
    """An entry as it is shown."""

    first: str
    kind: str
    what: str
    gaps: Sequence[str]
    hops: Sequence[str]
    warnings: Sequence[str]
    effect: str
    changes: Sequence[str]
    rules: Sequence[str]


def write_history(path: str, history: History) -> None:
    """Writes the page whole, or not at all."""
    times = [_time(entry[end]) for file in history.files for entry in file.entries for end in ("first", "last")]
    span = (min(times), max(times)) if times else None
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(template), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    html = environment.get_template("history.html").render(
        version=__version__,
        history=history,
        subject=shown(history.url or history.host),
        span=None if span is None else [time.strftime("%Y-%m-%d") for time in span],
        files=[(shown(file.url), file, list(_bars(file, span)), [_entry(it) for it in file.entries]) for file in history.files],
        words=WORDS,
        legend={kind: words for kind, words in WORDS.items() if kind in {_kind(entry) for file in history.files for entry in file.entries}},
    )
    replace(path, html)


def _time(text: str) -> datetime:
    return datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)


def _bars(file: SiteFileHistory, span: tuple[datetime, datetime] | None) -> Iterator[Bar]:
    """Yields two bars for each entry: until the next one, and above it from the first to the last fetch, which is seen."""
    if span is None:
        return
    start, length = span[0], max((span[1] - span[0]).total_seconds(), 1)

    def place(text: str) -> float:
        return 1000 * (_time(text) - start).total_seconds() / length

    for number, entry in enumerate(file.entries):
        kind = _kind(entry)
        later = file.entries[number + 1]["first"] if number + 1 < len(file.entries) else entry["last"]
        title = f"{_day(entry['first'])} to {_day(entry['last'])}: {WORDS[kind]} ({entry['state']})"
        for end, seen in ((later, ""), (entry["last"], " seen")):
            # A single fetch is a bar, too.
            width = max(place(end) - place(entry["first"]), 6)
            yield Bar(round(min(place(entry["first"]), 1000 - width), 1), round(width, 1), kind + seen, title)


def _kind(entry: dict[str, Any]) -> str:
    """Returns what the page is while an entry lasts: open, closed or unknown by robots.txt; of another file whether it is there."""
    if entry["file"] == "robots":
        return OPEN[entry["access"]["after"]["access"]]
    return KINDS.get(entry["state"], "unknown")


def _entry(entry: dict[str, Any]) -> Shown:
    word = "fetch" if entry["fetches"] == 1 else "fetches"
    fetches = f"{entry['fetches']:,} {word} until {_day(entry['last'])}" if entry["first"] != entry["last"] else ""
    if not entry["fetches"]:
        fetches = "where an earlier redirect leads"
    size = f"{entry['body_bytes']:,} bytes" if "body_bytes" in entry else ""
    hops = [f"{hop['status'] or 'status unreadable'} {shown(hop['url'])}" for hop in entry["hops"]]
    hops = [] if len(hops) == 1 and entry["hops"][0]["status"] == 200 else hops
    target = entry["hops"][-1].get("redirect")
    gaps = [f"No fetch for {it['days']:,} days, from {_day(it['from'])} to {_day(it['to'])}." for it in entry["gaps"][:NAMES]]
    if entry["gaps_count"] > len(gaps):
        gaps.append(f"{entry['gaps_count'] - len(gaps):,} more times without a fetch.")
    warnings = []
    if entry["unread"]:
        warnings.append(f"Not read in full: {', '.join(map(shown, entry['unread']))}.")
    if entry["doubt"]:
        warnings.append(f"In doubt: {', '.join(map(shown, entry['doubt']))}.")
    for it in entry["not_understood"][:NAMES]:
        warnings.append(f"Line {it['line']} is not understood: {shown(it['text'])}. {it['message']}")
    if entry["not_understood_count"] > len(entry["not_understood"][:NAMES]):
        warnings.append(f"{entry['not_understood_count'] - NAMES:,} more lines that are not understood.")
    effect = EFFECTS.get(entry["effect"], "")
    if "same_as" in entry:
        effect += f" The body is that of {_day(entry['same_as'])} again."
    return Shown(
        first=_day(entry["first"]),
        kind=_kind(entry),
        what=", ".join(part for part in (entry["state"], size, fetches) if part),
        gaps=gaps,
        hops=[*hops, *([f"leads to {shown(target)}"] if target else [])],
        warnings=warnings,
        effect=effect.strip(),
        changes=[*_agents(entry), *_access(entry), *_labels(entry)],
        rules=list(_rules(entry)),
    )


def _day(text: str) -> str:
    return text[:19].replace("T", " ")


def _agents(entry: dict[str, Any]) -> Iterator[str]:
    said = entry.get("agents")
    if said and entry["effect"] == "first":
        for closed in CLOSED:
            if said[closed]["count"]:
                yield f"{_names(said[closed])}: {CLOSED[closed]} by name"
        yield f"through *: {CLOSED[said['everyone']['closed']]}{_by_line(said['everyone'])}"
    for change in entry["agent_changes"]:
        before, after = change["before"], change["after"]
        everyone = change["agents"]["names"] == ["*"]
        sides = [CLOSED.get(it["closed"], it["closed"]) + ("" if everyone else BY.get(it["by"], "")) for it in (before, after)]
        who = "through *" if everyone else _names(change["agents"])
        words = f"{sides[0]}, by other rules" if sides[0] == sides[1] else f"{sides[0]} → {sides[1]}{_by_line(after)}"
        yield f"{who}: {words}"
    if entry["agent_changes_count"] > len(entry["agent_changes"]):
        yield f"{entry['agent_changes_count'] - len(entry['agent_changes']):,} more changes of agents"


def _names(names: dict[str, Any]) -> str:
    listed = [shown(name) for name in names["names"][:NAMES]]
    more = names["count"] - len(listed)
    return ", ".join(listed) + (f" and {more:,} more" if more else "")


def _by_line(access: dict[str, Any]) -> str:
    if "line" not in access:
        return ""
    if access.get("closed") == "unknown":
        return f", line {access['line']} is not understood: {shown(access['text'])}"
    return f", by line {access['line']}: {shown(access['text'])}"


def _access(entry: dict[str, Any]) -> Iterator[str]:
    before, after = entry["access"]["before"], entry["access"]["after"]
    if (before["access"], before["reason"]) != (after["access"], after["reason"]):
        was = "" if entry["effect"] == "first" else f"{before['access']} → "
        yield f"access: {was}{after['access']}{_by_line(after) or ' (' + after['reason'] + ')'}"


def _labels(entry: dict[str, Any]) -> Iterator[str]:
    for change in entry["label_changes"]:
        before, after = change["before"], change["after"]
        was = "" if before["preference"] == after["preference"] or entry["effect"] == "first" else f"{before['preference']} → "
        answers = []
        for one in after["answers"]:
            word = "" if one["preference"] == after["preference"] else {"allow": "a yes ", "disallow": "a no "}[one["preference"]]
            carrier = "" if one["carrier"] == "robots" else f"{one['carrier']} "
            line = f"line {one['line']}: " if "line" in one else ""
            text = f"{word}by {carrier}{line}{shown(one.get('text') or '')} ({one['system']})"
            answers += [] if text in answers else [text]
        more = [] if after["answers_count"] == len(after["answers"]) else ["..."]
        yield ", ".join([f"{change['label']}: {was}{after['preference']}", *answers, *more])


def _rules(entry: dict[str, Any]) -> Iterator[str]:
    """Yields the lines that came and went, where the changes do not name them."""
    parts = [it for it in entry["agent_changes"] if it["before"]["closed"] == it["after"]["closed"]]
    parts += [] if entry["effect"] == "first" else [entry["lines"]]
    for part in parts:
        for sign, key in (("−", "went"), ("+", "came")):
            listed = part[key][:NAMES]
            yield from (f"{sign} line {it['line']}: {shown(it['text'])}" for it in listed)
            if part[f"{key}_count"] > len(listed):
                yield f"{sign} {part[f'{key}_count'] - len(listed):,} more lines"
