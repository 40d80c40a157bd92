"""Days on which figures change without a decision of the sites: `data/events.tsv`, which the package carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from .. import _native


class Event(NamedTuple):
    """A dated event, with the number that its mark has."""

    number: int
    day: date
    """The first of the month where no day is known."""
    when: str
    event: str
    changes: str
    source: str


def day_of(crawl: str, month: str) -> date:
    """Returns the day at which a crawl is drawn: that of its name (2024-01-01, CC-MAIN-2024-18), else the first of a month."""
    try:
        return date.fromisoformat(crawl[:10])
    except ValueError:
        pass
    name, _, week = crawl.rpartition("-")
    try:
        return date.fromisocalendar(int(name.removeprefix("CC-MAIN-")), int(week), 1)
    except ValueError:
        return date.fromisoformat(f"{month}-01")


def events_between(records: Sequence[Mapping[str, Any]]) -> list[Event]:
    """Returns the events between the first and the last crawl of the records of change/panel, numbered from 1."""
    days = sorted(day_of(row["crawl"], row["month"]) for row in records if row["month"])
    lines = [line.split("\t") for line in _native.events().splitlines() if not line.startswith("#")]
    found = [(date.fromisoformat(row[0] if len(row[0]) == 10 else f"{row[0]}-01"), row) for row in lines[1:]]
    kept = [(day, row) for day, row in found if days and days[0] <= day <= days[-1]]
    return [Event(number, day, *row) for number, (day, row) in enumerate(kept, 1)]
