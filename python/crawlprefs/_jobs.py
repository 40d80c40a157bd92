"""`scan`, `resolve`, `run` and `sites`, as on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from . import _native
from ._errors import InputsFailed
from ._flags import flags
from ._options import ResolveOptions, RunOptions, ScanOptions, SitesOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Path

Event = dict[str, Any]
"""What happens: an object of the command's JSON log. `event` is `started`, `progress`, `archive_read`, ..."""


class Report(TypedDict, total=False):
    """What a call was asked to do and what it did, as the command's `--report` writes it."""

    version: str
    command: str
    options: dict[str, Any]
    start: str
    end: str
    seconds: float
    outcome: str
    """`finished`."""
    status: int
    totals: dict[str, Any]
    """What this call did: archives, batches, captures, bytes, records, failures."""
    inputs: int
    inputs_of_earlier_calls: int
    failed_inputs: list[dict[str, Any]]
    bytes: int
    records: int
    captures: dict[str, int]
    """Captures by kind."""
    site_files: int
    no_interest: int
    records_lost: int
    failures: dict[str, int]
    """Damaged places by kind."""
    resolve: dict[str, Any]
    """Of `resolve` and `run`: pages, robots states, access, labels and statements, counted."""


class Archive(NamedTuple):
    """An archive that a scan would read."""

    name: str
    """What the tables call it, in `warc_filename`."""
    location: str
    """Where it is."""
    crawl: str
    """Its crawl, a partition of the tables."""
    segment: str | None
    """Its segment, of Common Crawl's archives."""


Progress = Callable[[Event], object]


def run(
    inputs: Path | Iterable[Path], out: Path, *, progress: Progress | None = None, **options: Unpack[RunOptions]
) -> Report:
    """Scans archives and resolves them to tables: the main job.

    `inputs` are files, folders, globs and `@lists`; `out` is the folder for the tables. The same call goes on where
    it was left. `progress` is called with each event in the calling thread: every archive and batch as it ends, and
    once a second how far the work is. What it raises ends the work, as Ctrl-C does; what was finished stays.

    Raises `UsageError` for wrong options, `InputsFailed` where inputs failed, and `Error` where the job could not run.

    >>> report = crawlprefs.run("sample-data", "out", agent="GPTBot")
    >>> report["resolve"]["pages"]
    """
    return _job("run", inputs, ["--out", os.fspath(out)], RunOptions, options, progress)


def scan(
    inputs: Path | Iterable[Path], out: Path, *, progress: Progress | None = None, **options: Unpack[ScanOptions]
) -> Report:
    """Scans archives to evidence: what each record says that may be a preference, uninterpreted. See `run`."""
    return _job("scan", inputs, ["--out", os.fspath(out)], ScanOptions, options, progress)


def resolve(
    evidence: Path | Iterable[Path],
    out: Path | None = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[ResolveOptions],
) -> Report:
    """Resolves evidence to tables in `out`, by default beside the evidence. See `run`."""
    place = [] if out is None else ["--out", os.fspath(out)]
    return _job("resolve", evidence, place, ResolveOptions, options, progress)


def sites(
    index: Path | Iterable[Path], out: Path, *, progress: Progress | None = None, **options: Unpack[SitesOptions]
) -> Report:
    """Makes the table `sites` at each of some dates, from one site index or several. See `run`.

    >>> crawlprefs.sites("index", "panel", at="2024-01-01,2025-01-01")
    """
    return _job("sites", index, ["--out", os.fspath(out)], SitesOptions, options, progress)


def archives(inputs: Path | Iterable[Path], **options: Unpack[ScanOptions]) -> list[Archive]:
    """Returns the archives that `scan` would read, in the order of their names. No archive is opened.

    Raises what `scan` raises where an input is not there.
    """
    given = ["scan", "--out=.", *flags("archives", ScanOptions, options), "--", *as_paths(inputs)]
    return [Archive(*row) for row in _native.archives(given)]


def as_paths(inputs: Path | Iterable[Path]) -> list[str]:
    """Returns one input or several as texts."""
    if isinstance(inputs, (str, os.PathLike)):
        inputs = [inputs]
    return [os.fspath(path) for path in inputs]


def _job(
    command: str,
    inputs: Path | Iterable[Path],
    place: list[str],
    known: type,
    options: Mapping[str, Any],
    progress: Progress | None,
) -> Report:
    last_error: Event = {}

    def on_event(event: Event) -> None:
        if event["level"] == "error":
            last_error.update(event)
        if progress is not None:
            progress(event)

    given = [command, *place, *flags(command, known, options), "--", *as_paths(inputs)]
    status, found = _native.job(given, on_event)
    report = cast(Report, found)
    if status:
        message = last_error.get("message", f"found the exit status {status}, expected 0")
        kind, retry = last_error.get("kind", "inputs_failed"), last_error.get("retry", False)
        raise InputsFailed(message, report, kind, retry)
    return report
