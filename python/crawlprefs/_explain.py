"""One decision about a page, with and without its reasons."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin

from . import _native
if TYPE_CHECKING:
    from ._options import Path

    Text = str | bytes
    Fields = Mapping[str, Text] | Iterable[tuple[str, Text]]


@dataclass(frozen=True)
class Decision:
    """What is decided about a page. The names and values are those of the columns of the table `pages`."""

    url: str
    access: str
    """Whether it may be fetched, by robots.txt: `allow`, `disallow` or `unknown`."""
    access_reason: str
    access_line: int | None
    """The line of robots.txt that decided, from 1; None where no line did."""
    access_rule: str | None
    """That line without comment and outer white space."""
    robots_state: str
    """`parsed`, `unavailable`, `unreachable`, `unreadable`, `not_archived`, ..."""
    disallowed_agents: list[str] | None
    """The agents of the agents table that may not fetch it; None where that is not known."""
    disallowed_agents_at_least: list[str]
    """The agents that surely may not fetch it."""
    labels: dict[str, str]
    """`search`, `train_ai`, `train_genai`, `ai_input` and `tdm`: `allow`, `disallow` or `unknown`."""
    labels_from: dict[str, list[str]]
    """For each label the systems and carriers that decided it."""
    unread: list[str]
    """The carriers and site files that could not be read in full; with any, no label is `allow`."""
    doubt: list[str]
    """The carriers and site files in which something may be a no and is not understood; no label of its topic is `allow`."""
    not_seen: list[str]
    """The carriers that nobody received; with any, no label is `allow`."""
    columns: dict[str, Any]
    """The columns of each system, in the system's own words."""


@dataclass(frozen=True)
class Explanation(Decision):
    """A decision with its reasons."""

    conflict: list[str]
    """The labels on which answers contradict each other."""
    evidence: list[dict[str, Any]]
    """The answers that decided the labels, each with its line or field."""
    overruled: list[dict[str, Any]]
    """The answers that did not."""
    systems: list[dict[str, Any]]
    """What each system that states something says, and the lines and fields on which that rests."""
    lints: list[dict[str, Any]]
    """What `lint` finds on the lines and fields that matter for the page, each with its code and, where it is known, how to write it."""
    robots: dict[str, Any]
    """The lines around the one that decided, what would have decided otherwise, and the requests for robots.txt."""
    answer: dict[str, Any]
    """The whole answer of `crawlprefs explain --json`, whose keys docs/explain.md describes."""


def decide(
    url: str,
    *,
    robots: Text | int | None = None,
    headers: Fields = (),
    metas: Fields = (),
    content_type: str | None = "text/html",
    agent: str = "CCBot",
    vocab: str = "03",
    agent_unknown: bool = False,
) -> Decision:
    """Decides about a page.

    `robots` is the robots.txt of the page's site, or the HTTP status of the answer if the site has no such file, such as 404;
    with None nothing is known of it, and what is unknown is never allowed. `headers` are the header fields of the
    page's response, and `metas` the metas of its head: a mapping, or pairs where a name comes several times. Values
    are text, or bytes as received.

    Raises `UsageError` where a value cannot be used: also for several names as `agent`, and, without `agent_unknown`, for one that
    is a letter or two away from a token of the agents table.

    >>> crawlprefs.decide("https://a.example/b", robots=404, headers={"TDM-Reservation": "1"}).labels["tdm"]
    'disallow'
    """
    _check_agent(agent, agent_unknown, robots)
    scenario = _scenario(url, robots, headers, metas, content_type)
    return _typed(Decision, _native.answer({**scenario, "product_token": agent, "vocabulary": vocab}))


def explain(
    url: str,
    *,
    robots: Text | int | None = None,
    headers: Fields = (),
    metas: Fields = (),
    content_type: str | None = "text/html",
    agent: str = "CCBot",
    vocab: str = "03",
    agent_unknown: bool = False,
    **scenario: Any,
) -> Explanation:
    """Explains the decision about a page; see `decide`.

    Further arguments are keys of a scenario, which docs/explain.md describes, such as `fetched`, `robots_history`,
    `site_files`, `token_match` and `method`. `explain_page` explains a page of a run's tables.

    Raises `UsageError` where a value cannot be used.
    """
    _check_agent(agent, agent_unknown, robots)
    own = _scenario(url, robots, headers, metas, content_type)
    return _typed(Explanation, _native.answer({**own, "product_token": agent, "vocabulary": vocab, **scenario}))


def explain_page(
    tables: Path, url: str, *, fetched: str | None = None, agent: str | None = None, vocab: str | None = None
) -> Explanation:
    """Explains what was decided about a page of a run.

    `tables` is the folder of the run, and `fetched` the `fetch_time` of the page's capture; by default it is the
    newest. `agent` and `vocab` replace those of the run.

    Raises `Error` where the page or its evidence is not there.
    """
    options = {"tables": os.fspath(tables), "url": url, "fetched": fetched, "agent": agent, "vocab": vocab}
    given = [f"--{name}={value}" for name, value in options.items() if value is not None]
    return _typed(Explanation, _native.explained(["explain", "--json", *given]))


def _scenario(
    url: str, robots: Text | int | None, headers: Fields, metas: Fields, content_type: str | None
) -> dict[str, Any]:
    scenario: dict[str, Any] = {
        "url": url,
        "content_type": content_type,
        "headers": [[name, _text(value)] for name, value in _pairs(headers)],
        "meta": [{"name": name, "content": _text(value)} for name, value in _pairs(metas)],
    }
    if isinstance(robots, int):
        scenario["robots_fetch"] = [{"url": urljoin(url, "/robots.txt"), "status": robots}]
    elif isinstance(robots, str):
        scenario["robots_txt"] = robots
    elif robots is not None:
        scenario["robots_txt_base64"] = _base64(robots)
    return scenario


def _pairs(fields: Fields) -> Iterable[tuple[str, Text]]:
    return fields.items() if isinstance(fields, Mapping) else fields


def _text(value: Text) -> str | dict[str, str]:
    return value if isinstance(value, str) else {"base64": _base64(value)}


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _check_agent(agent: str, agent_unknown: bool, robots: Text | int | None) -> None:
    if not agent_unknown:
        groups = _native.RobotsTxt(robots).groups() if isinstance(robots, (str, bytes)) else []
        _native.check_agent(agent, [name for group in groups for name in group])


_Kind = TypeVar("_Kind", bound=Decision)


def _typed(kind: type[_Kind], answer: dict[str, Any]) -> _Kind:
    """Returns an answer as a value of this type, whose attributes are keys of it."""
    whole = {**answer, "answer": answer}
    return kind(**{field.name: whole[field.name] for field in fields(kind)})
