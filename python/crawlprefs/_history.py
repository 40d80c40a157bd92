"""What a host said over time, by a site index."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _native
from ._flags import flags
from ._jobs import as_paths
from ._judge import interruptible
from ._options import HistoryOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from ._options import Path


@dataclass(frozen=True)
class SiteFileHistory:
    """A site file of an origin over time."""

    origin: str
    file: str
    """The kind of the site file, such as `robots` or `tdmrep`."""
    url: str
    fetches: int
    """Fetches with a time."""
    undated: int
    """Fetches without a usable time, which are in no entry."""
    replaced: int
    """Answers that others of the same time replaced."""
    runs: int
    """Runs of equal answers."""
    left_out: int
    """Runs of another time than `since` and `until` ask for."""
    entries: list[dict[str, Any]] = field(default_factory=list)
    """The others, by time, with what each changed; docs/site-index.md describes the keys."""


@dataclass(frozen=True)
class History:
    """What a host said over time."""

    host: str
    url: str | None
    """The page that access and labels are for; None: `/` of each origin."""
    product_token: str
    vocabulary: str
    index: str
    index_sha256: str
    archives_read: int
    archives_failed: int
    archives_cut: int
    records_lost: int
    """Archives of the index that could not be read: what they have may be missing."""
    gap_s: int
    not_asked: list[str]
    """The site files of which the index has no capture: nobody knows whether they exist."""
    files: list[SiteFileHistory] = field(default_factory=list)
    """The site files of each origin."""


def history(subject: str, sites: Path | Sequence[Path], **options: Unpack[HistoryOptions]) -> History:
    """Returns when the site files of a host changed, and what each change did.

    `subject` is a host, for all of its origins and the labels of `/`, or the URL of a page; `sites` is a site index, or its URL, or several of them.

    Raises `UsageError` for wrong options, and `Error` where the index cannot be read or has nothing of the host (its `kind` is
    then `host_unknown`).
    """
    given = [*(f"--sites={it}" for it in as_paths(sites)), *flags("history", HistoryOptions, options), "--", subject]
    found: History | None = None
    for item in interruptible(lambda: _native.history(["history", "--json", *given])):
        kind = item.pop("item")
        if found is None:
            found = History(**item)
        elif kind == "file":
            found.files.append(SiteFileHistory(**item))
        else:
            found.files[-1].entries.append(item)
    assert found is not None, "the first item is about the whole"
    return found
