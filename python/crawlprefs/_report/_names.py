"""Names for readers: of systems, carriers, states, labels and reasons, which have identifiers in the tables."""

from __future__ import annotations

from ._systems import SITE_FILES, SYSTEMS

CARRIERS = {
    **SITE_FILES,
    "http_equiv": "meta http-equiv",
    "property": "meta property",
    "after_head": "meta behind the head",
}
"""Carriers of statements; header and meta are words."""

STATES = {
    "parsed": "read",
    "unavailable": "not there (4xx)",
    "unreachable": "server error (5xx)",
    "redirect_unresolved": "redirect unresolved",
    "other_status": "another status",
    "unreadable": "unreadable",
    "body_missing": "text not archived",
    "undated": "no date",
    "not_archived": "not archived",
}
"""What came of robots.txt."""

LABELS = {"search": "search", "train_ai": "train AI", "train_genai": "train gen. AI", "ai_input": "AI input", "tdm": "text and data mining"}

VALUES = {"allow": "yes", "disallow": "no", "unknown": "not known"}

WAYS = {"by_name": "by name", "by_star": "through *", "by_error": "5xx"}
"""By what something is closed; only the first is a decision about an agent."""

REASONS = {
    "(kept)": "kept",
    "access_disallow": "access: no",
    "train_ai_disallow": "train AI: no",
    "train_genai_disallow": "train gen. AI: no",
    "access_unknown": "access: not known",
    "unread": "not read",
    "doubt": "in doubt",
    "not_seen": "not seen",
    "train_ai_unknown": "train AI: not known",
    "train_genai_unknown": "train gen. AI: not known",
}
"""Why a policy drops a page."""


def words(name: str) -> str:
    """Returns an identifier as words."""
    return name.replace("_", " ")


def system(name: str) -> str:
    return SYSTEMS.get(name, words(name))


def source(name: str) -> str:
    """Returns the names of a system and of the carrier after it: `AIPREF, header`."""
    first, _, carrier = name.partition(" ")
    named, place = system(first), CARRIERS.get(carrier, words(carrier))
    return named if place in ("", named) else f"{named}, {place}"


def state(name: str) -> str:
    return STATES.get(name, words(name))


def label(name: str) -> str:
    return LABELS.get(name, words(name))


def crawl(name: str) -> str:
    """Returns the name of a crawl without the prefix that Common Crawl's have."""
    return name.removeprefix("CC-MAIN-")
