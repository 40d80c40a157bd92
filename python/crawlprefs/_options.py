"""The options of `scan`, `resolve`, `run` and `judge`: those of the command, with underscores for hyphens.

Left out: what concerns the command's messages and its standard input.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    Path = str | os.PathLike[str]


class RemoteOptions(TypedDict, total=False):
    """How servers and stores are asked."""

    no_sign_request: bool
    """Do not sign requests to stores, as public buckets allow."""
    user_agent: str
    """What to send behind name and version in the field User-Agent, such as a contact."""
    retries: int
    """How often a request is sent again; default: 8."""
    timeout: timedelta | int | str
    """How long one answer may take; default: 5 minutes."""
    request_rate: int
    """How many requests a second are sent to a host that is not a store of yours; default: 2."""
    connections: int
    """How many requests are under way at once to such a host; default: 4."""
    allow_private: bool
    """Let redirects and lists of servers lead to private addresses, and lists of web servers to buckets."""


class CommonOptions(RemoteOptions, total=False):
    """The options of `scan`, `resolve` and `run`."""

    jobs: int
    """Number of workers; default: one per core."""
    slice: str
    """Work on the I-th of N shares, such as `3/10`: of the archives in a scan, else of the segments."""
    limit: int
    """Work on the first N archives only, or segments where evidence is resolved."""
    sample: int
    """Work on N archives that are drawn at random, or segments where evidence is resolved; not with `limit`."""
    seed: int
    """The seed of `sample`; default: 0."""
    overwrite: bool
    """`scan`, `run`: remove an earlier run from the output. `resolve`: replace tables of another viewpoint."""
    report: Path
    """Write the report to this file, too, and beside it a line for each archive."""
    metrics: Path
    """Write metrics for Prometheus to this file every five seconds and at the end."""


class ScanOptions(CommonOptions, total=False):
    """The options of `scan`."""

    paths_from: Path | Sequence[Path]
    """Lists of inputs, one path a line, plain or gzipped: a `warc.paths.gz` works as it is."""
    base: Path
    """Where the paths of lists start; names in the tables are relative to it."""
    crawl: str
    """Name of the crawl, a partition of the tables; default: from the path `crawl-data/<crawl>/`, else `local`."""
    no_meta: bool
    """Do not read the metas of pages; every HTML page says so in `unread`."""
    heads: bool
    """Inflate only the heads of pages and skip the rest, where the archive makes that safe."""
    downloads: int
    """How many archives to read at once where they come over a network; default: as many as there are workers."""
    memory_limit: int | str
    """About how much memory to use at most, in bytes or such as `4G`."""
    max_failed: int
    """How many inputs may fail or be cut before `InputsFailed` is raised; default: 0."""
    again: str | Sequence[str]
    """Read archives again although there is evidence of them: their names, or `damaged` for all with damaged places."""
    replace_changed: bool
    """Read an archive that is not the one of which the output has evidence, and replace its evidence."""


class ViewOptions(TypedDict, total=False):
    """For whom and in which words the verdict columns are."""

    agent: str
    """Product token that access and preferences are for; default: `CCBot`."""
    agents: Path
    """Table of tokens for `disallowed_agents`; default: the one that comes with the program."""
    vocab: str
    """AI preference vocabulary, by its draft or a file; default: `03`."""
    applications: Path
    """Crawlers of the applications to which App-Directives are addressed: a file."""
    token_match: str
    """How group names are compared with tokens: `exact` (default) or `prefix`."""
    robots_slack: timedelta | int | str
    """How much later than a page the first robots.txt may be and still serve; default: 0."""
    later: Path
    """Evidence of a later crawl, whose newest robots.txt gives `access_later`."""
    tables: str | Sequence[str]
    """Tables to write; default: all."""
    require: Path | Sequence[Path]
    """Lists of archives: tables of a segment are only written if all of its archives in the lists are read to their end."""
    one_index: bool
    """One index of robots.txt over all segments, instead of one per segment."""
    temp_dir: Path
    """Folder for the bodies of site files while a segment is resolved; default: that of the system."""


class ResolveOptions(ViewOptions, CommonOptions, total=False):
    """The options of `resolve`."""

    segment: str | Sequence[str]
    """Work on these segments alone: `CRAWL/SEGMENT`, or `other` for all archives that are of none."""
    drop_missing: bool
    """Make tables without archives of which there is no evidence any more; default: such a call is refused."""
    verify: bool
    """Compare every file of the tables with its manifest, and make again what has changed."""
    memory_limit: int | str
    """About how much memory to use at most, in bytes or such as `4G`."""


class RunOptions(ViewOptions, ScanOptions, total=False):
    """The options of `run`."""


class JudgeOptions(RemoteOptions, total=False):
    """How documents are judged."""

    policy: str | Path
    """Which documents are kept: `robots`, `labels`, `strict`, or a TOML file."""
    at: str
    """When a document without a record is judged: `page` (default: at its date), `newest`, or a time."""
    evidence: Path | Sequence[Path]
    """Folders with the evidence of the tables; default: their own, or those that they name."""
    sites: Path
    """A site index, by which documents without a record in the tables are judged, and all of them where there are no tables."""
    allow_incomplete: bool
    """Use a site index of which archives could not be read."""
    agent: str
    """Product token of the crawler that the verdicts are for, if there are no tables."""
    token_match: str
    """How names in User-agent lines are compared, `exact` or `prefix`, if there are no tables."""
    robots_slack: str | timedelta
    """How much later than a document a robots.txt may be fetched and still serve, if there are no tables."""
    agents: Path
    """The table of tokens, if the tables were made with one."""
    vocab: Path
    """The vocabulary, if the tables were made with a file of it."""
    applications: Path
    """The crawlers of applications, if the tables were made with some."""
    url: str
    """Column of the URL; default: `url`, `metadata.url`."""
    id: str
    """Column of the WARC-Record-ID; default: `id`, `warc_record_id`, `warc_id`, `record_id`."""
    date: str
    """Column of the date; default: `date`, `fetch_time`, `warc_date`, `metadata.date`, `created`."""
    prefix: str
    """Beginning of the names of the columns that are added; default: `prefs_`."""
    replace_prefs: bool
    """Replace columns of the documents that have the names of those that are added; otherwise such documents are refused."""
    jobs: int
    """Number of workers; default: one per core."""
    memory_limit: int | str
    """About how much memory to use at most, in bytes or such as `4G`."""
    temp_dir: Path
    """Folder for what does not fit in memory; default: that of the system."""


class JudgeFilesOptions(JudgeOptions, total=False):
    """The options of `judge`."""

    dropped: Path
    """Folder for the ids of what the policy drops, with the reasons."""
    format: str
    """Of the output: `parquet` or `jsonl`; default: that of each input."""
    max_failed: int
    """How many inputs may fail before `InputsFailed` is raised; default: 0."""
    metrics: Path
    """File for metrics of Prometheus: requests that were sent again, hosts that were left alone."""
    overwrite: bool
    """Judge all files again, where the output holds those of other tables or options."""


def names(options: type) -> frozenset[str]:
    """Returns the names of all options, those of the parents included."""
    return frozenset(options.__required_keys__ | options.__optional_keys__)  # type: ignore[attr-defined]


def flags(call: str, known: type, options: Mapping[str, Any]) -> list[str]:
    """Returns options as the command's flags; None and False are not given."""
    given = []
    for name, value in options.items():
        if name not in names(known):
            raise TypeError(f"{call}() got an unexpected keyword argument {name!r}")
        flag = "--" + name.replace("_", "-")
        if value is True:
            given.append(flag)
        elif value is not None and value is not False:
            given += [f"{flag}={one}" for one in _texts(name, value)]
    return given


def _texts(name: str, value: Any) -> list[str]:
    if isinstance(value, timedelta):
        return [f"{int(value.total_seconds())}s"]
    if isinstance(value, (str, int, os.PathLike)):
        return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    texts = [os.fspath(one) for one in value]
    return [",".join(texts)] if name == "tables" else texts
