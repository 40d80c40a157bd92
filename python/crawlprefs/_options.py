"""The options of `scan`, `resolve`, `run`, `sites`, `judge` and `history`: those of the command, with underscores for hyphens.

`python/options.py` writes this file from the command's manual pages. Left out: what concerns the command's messages.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import TypedDict

Path = str | os.PathLike[str]


class StoreOptions(TypedDict, total=False):
    """How stores are asked."""

    no_sign_request: bool
    """Do not sign requests to stores; public buckets allow that."""
    retries: int
    """How often to repeat a request that was interrupted, or answered by 429 or 503; default: 8."""
    timeout: timedelta | int | str
    """Time limit for one answer; default: 5m."""


class RemoteOptions(StoreOptions, total=False):
    """How stores and web servers are asked."""

    user_agent: str
    """Text to add to the User-Agent field, after name and version, such as a contact."""
    request_rate: int
    """Largest number of requests per second to one web server (http, https); default: 2."""
    allow_private: bool
    """Let redirects and lists of servers lead to loopback, private and link-local addresses, and lists of web servers
    to buckets; default: only where the first address is of the same kind.
    """


class CommonOptions(StoreOptions, total=False):
    """The options of `scan`, `resolve`, `run` and `sites`."""

    jobs: int
    """Number of workers; default: one per core."""
    memory_limit: int | str
    """Limit of memory, approximately, such as 500M or 4G; default: half of the memory of the machine or its control
    group.
    """
    verify: bool
    """`scan`, `run`: Compare every file of the evidence with its manifest, and read the archives again whose evidence
    has changed, or which are damaged. `resolve`: Compare every file of the tables with its manifest, and make
    again what has changed. `sites`: Compare every file of the table with its manifest, and make again what has
    changed.
    """
    report: Path
    """Write a report as JSON at the end (options, times, totals), and FILE.archives.jsonl with one line for every
    archive.
    """
    metrics: Path
    """Write metrics for Prometheus every five seconds and at the end, for example for its textfile collector."""
    metrics_label: str
    """Label `out` of the metrics, which keeps those of several calls apart; default: the name of the output folder."""


class ShareOptions(CommonOptions, total=False):
    """What a call works on."""

    slice: str
    """Work only on the I-th of N shares, such as 3/10: of the archives in scan, else of the segments."""
    limit: int
    """Work only on the first N archives in scan and run, or segments in resolve."""
    sample: int | str
    """Work on N archives in scan and run, or segments in resolve, that are drawn at random; `slice` shares them out.
    The same SEED (a whole number) and names draw the same, in whatever order they are given; docs/sampling.md says
    what they are a sample of [default SEED: 0].
    """


class ScanOptions(ShareOptions, RemoteOptions, total=False):
    """The options of `scan`."""

    max_failed: int
    """How many inputs may fail or be cut before `InputsFailed` is raised; default: 0."""
    paths_from: Path | Sequence[Path]
    """List of inputs, or its URL: one path or URL per line, plain or gzipped, such as Common Crawl's warc.paths.gz.
    Blank lines and lines that begin with # are skipped. - is standard input.
    """
    base: Path
    """Folder or URL that the paths of lists are relative to, and the names in the tables too; default: for a list
    with a URL, the root of its host or bucket.
    """
    crawl: str
    """Name of the crawl, by which the tables are partitioned; default: the folder below crawl-data/ in an archive's
    path, else local.
    """
    depth: str | Sequence[str]
    """How much of each archive is read, less than all of it: `heads` decompresses only the heads of pages and skips
    the rest, if the archive makes that safe (the CRC of a record that is skipped is not checked); `no-meta` leaves
    out the metas of pages (the column unread of every HTML page then has meta); `heads,no-meta` does both.
    """
    downloads: int
    """How many archives to read at once over a network that is slower than the workers, and how many requests to send
    to one web server at once; default: the number of workers, and 4 requests.
    """
    again: str | Sequence[str]
    """Read archives again although there is evidence of them: NAME as in the tables; `damaged` for all that have
    damaged places or were cut, where there may be repaired copies; `changed` for all whose file is another one now
    and whose evidence replaces that of the earlier one.
    """
    recheck: timedelta | int | str
    """How long an undamaged archive behind a URL counts as unchanged after it was last compared, such as 7d, 12h; 0
    compares it in each call. If a listing of a store has its size and `ETag`, they are compared in each call;
    default: 7d.
    """


class ViewpointOptions(TypedDict, total=False):
    """For whom and in which words the verdict columns are."""

    agent: str
    """Product token of the crawler that access and labels are for; default: as in the tables, else `CCBot`."""
    agent_unknown: bool
    """Take `agent` as it is, although it is a letter or two away from a token of the agents table."""
    agents: Path
    """Agents table: the product tokens for `disallowed_agents` and its like, separated by tabs, with a column token;
    default: the built-in table, see docs/agents.md.
    """
    vocab: Path
    """AI preference vocabulary: 01 to 08 for a revision of draft-ietf-aipref-vocab, or a file with lines "label
    parent". In `sites` also `dated`: the newest revision of the day on which the robots.txt was fetched; default:
    as in the tables, else 03.
    """
    applications: Path
    """Crawlers of the applications that App-Directives name: a file with lines "application token". Every other
    application counts as one of `agent`.
    """
    token_match: str
    """How to compare the names in User-agent lines with tokens; default: as in the tables, else exact. `exact`: The
    whole name up to a slash or blank, in any case. `prefix`: The name up to the first byte that is not a letter,
    hyphen or underscore, as Google's parser does.
    """


class ViewOptions(ViewpointOptions, total=False):
    """How the verdict columns are made."""

    tables: str | Sequence[str]
    """Tables to write, separated by commas: `pages,sites` writes only these, `-robots_agents` all but this.
    `+robots_lines_full` puts every line of robots.txt into `robots_lines`.
    """
    robots_slack: timedelta | int | str
    """If a page has no earlier robots.txt, use the first one that was fetched within this time after it, such as 3h,
    90m, 86400; if the earlier one is stale (older than 24 hours), count the noes of both; default: 0.
    """
    robots_max_age: str
    """The age from which a copy of robots.txt or of another file of the site proves no yes, such as 30d; `none`: a
    copy of any age proves what it says; default: 90d.
    """
    scope: str
    """Which captures of robots.txt count for a page; other files of its site count wherever they are; default: all.
    `all`: Those of all inputs. `segment`: Those of the page's own segment of Common Crawl.
    """
    require: Path | Sequence[Path]
    """List of archives, or its URL: write tables of a segment only if all of its archives in the list are read to
    their end.
    """


class SitesOptions(ViewpointOptions, CommonOptions, RemoteOptions, total=False):
    """The options of `sites`."""

    at: str
    """The times, separated by commas, such as 2024-01-01,2025-01-01: each is a crawl of the table, with the newest
    files of each origin at or before it. Or each-crawl: each crawl of the index by its own captures.
    """
    allow_incomplete: bool
    """Use a site index although archives could not be read, or not to their end, or records were lost: what their
    sites said may be missing.
    """
    overwrite: bool
    """`resolve`: Replace tables in the output folder that were made with other options, which removes them all first.
    Those of a crawl without evidence stay if an earlier version made them; else it is refused where some have no
    evidence. Do not use it in calls with `slice`: each removes the work of the others. `sites`: Replace a table in
    the output folder that was made of another index or with other options.
    """


class ResolveOptions(ViewOptions, ShareOptions, total=False):
    """The options of `resolve`."""

    segment: str | Sequence[str]
    """Work only on this segment, or, with `other`, on the archives that belong to no segment."""
    drop_missing: bool
    """If archives that the tables were made of have no evidence any more, make the tables without them, and remove
    the parts that have no archive left; default: such a call is refused.
    """
    overwrite: bool
    """`resolve`: Replace tables in the output folder that were made with other options, which removes them all first.
    Those of a crawl without evidence stay if an earlier version made them; else it is refused where some have no
    evidence. Do not use it in calls with `slice`: each removes the work of the others. `sites`: Replace a table in
    the output folder that was made of another index or with other options.
    """


class RunOptions(ViewOptions, ScanOptions, total=False):
    """The options of `run`."""


class JudgeOptions(RemoteOptions, total=False):
    """How documents are judged."""

    jobs: int
    """Number of workers; default: one per core."""
    memory_limit: int | str
    """Limit of memory, approximately, such as 500M or 4G; default: half of the memory of the machine or its control
    group.
    """
    sites: Path | Sequence[Path]
    """Site index that index wrote, or its URL, or a folder of indexes: judge by them the documents that have no
    record in the tables. With #sha256=DIGEST behind it, only the index whose _index.json has that SHA-256.
    """
    evidence: Path | Sequence[Path]
    """Folder with the evidence of the tables; default: the folder of the tables, or the folders that they name."""
    allow_incomplete: bool
    """Use tables or a site index although archives could not be read, or not to their end, or records were lost: what
    their sites said may be missing.
    """
    agent: str
    """Product token of the crawler that the verdicts are for, if there are no tables; default: as in resolve."""
    agent_unknown: bool
    """Take `agent` as it is, although it is a letter or two away from a token of the agents table."""
    token_match: str
    """How to compare the names in User-agent lines with tokens, if there are no tables; default: exact. `exact`: The
    whole name up to a slash or blank, in any case. `prefix`: The name up to the first byte that is not a letter,
    hyphen or underscore, as Google's parser does.
    """
    robots_slack: timedelta | int | str
    """If there is no earlier robots.txt, use the first one that was fetched within this time after the document's
    date, such as 3h; if there are no tables; default: 0.
    """
    robots_max_age: str
    """The age from which a copy of robots.txt or of another file of the site proves no yes, such as 30d, or `none`;
    if there are no tables; default: 90d.
    """
    at: str
    """Times to judge documents for, separated by commas: page (a document's date; without a date it is unknown),
    newest, or a time such as 2026-08-10. With several, a policy drops what is disallowed at any of them, and each
    time after the first has columns such as `prefs_access_newest`; default: those of the policy, else page; newest
    for lists of URLs, which have no dates.
    """
    match: timedelta | int | str
    """Count the noes in headers and metas of captures of a document's exact URL that were fetched within this time of
    its date, such as 1d, if it has no record in the tables.
    """
    agents: Path
    """Agents table; with tables, if they were made with `agents`."""
    vocab: Path
    """Vocabulary: 01 to 08, or a file; with tables, if they were made with a file for `vocab`."""
    applications: Path
    """Crawlers of applications; with tables, if they were made with `applications`."""
    policy: Path
    """Which documents to keep: robots, labels, strict, or a TOML file (docs/filtering.md); default: all."""
    dialect: str
    """Data set whose names the columns or members have: warc2text, hplt, oscar, redpajama, fineweb2, fineweb, c4,
    common-pile, dolma, laion; default: what the first row of each file shows; docs/filtering.md.
    """
    url: str | Sequence[str]
    """Column or JSON member with the URL: each is a URL of the document, such as of an image and of its page, and a
    no of any counts; default: url, metadata.url.
    """
    id: str
    """Column or JSON member with the WARC-Record-ID; default: id, `warc_record_id`, `warc_id`, `record_id`, and the
    same in metadata.
    """
    date: str
    """Column or JSON member with the date of the fetch; of a day, month or year, the strictest answer within it
    counts; default: date, `fetch_time`, `warc_date`, metadata.date and the like; else from created to added, as
    Dolma has them.
    """
    prefix: str
    """Beginning of the names of the columns that are added; default: prefs_."""
    columns: str | Sequence[str]
    """Columns to add, separated by commas, such as `access,train_ai,reason`: names without the prefix, also those of
    `audit`; default: all but `disallowed_agents` and those of `audit`.
    """
    replace_prefs: bool
    """Replace columns and JSON members of the documents that have the names of those that are added; default: a file
    that has one is refused.
    """
    audit: bool
    """Also add the columns with what each decision rests on: digest, line and fetch time of the robots.txt, what
    decided the labels, policy and version (docs/filtering.md).
    """


class HistoryOptions(RemoteOptions, total=False):
    """The options of `history`."""

    since: str
    """Leave out what ended before this time."""
    until: str
    """Leave out what began after this time."""
    gap: timedelta | int | str
    """Name times without a fetch of a file that are longer than this; default: 100d."""
    allow_incomplete: bool
    """Use a site index although archives could not be read, or not to their end, or records were lost: what their
    sites said may be missing.
    """
    agent: str
    """Product token of the crawler that access and labels are for; default: as in the tables, else `CCBot`."""
    agent_unknown: bool
    """Take `agent` as it is, although it is a letter or two away from a token of the agents table."""
    agents: Path
    """Agents table: the product tokens for `disallowed_agents` and its like, separated by tabs, with a column token;
    default: the built-in table, see docs/agents.md.
    """
    vocab: Path
    """AI preference vocabulary: 01 to 08 for a revision of draft-ietf-aipref-vocab, or a file with lines "label
    parent". In `sites` also `dated`: the newest revision of the day on which the robots.txt was fetched; default:
    as in the tables, else 03.
    """
    applications: Path
    """Crawlers of the applications that App-Directives name: a file with lines "application token". Every other
    application counts as one of `agent`.
    """
    token_match: str
    """How to compare the names in User-agent lines with tokens; default: as in the tables, else exact. `exact`: The
    whole name up to a slash or blank, in any case. `prefix`: The name up to the first byte that is not a letter,
    hyphen or underscore, as Google's parser does.
    """


class JudgeFilesOptions(JudgeOptions, total=False):
    """The options of `judge`."""

    diff: str
    """Output folder of an earlier judgement, or a file of ids or URLs that were kept then: when all inputs of the
    output folder are judged, also write what changed to changes.parquet, changes.jsonl and removed.txt in the
    folder beside it.
    """
    drop_missing: bool
    """Remove the outputs of inputs that this call does not name, and forget these inputs."""
    dropped: Path
    """Folder for the id, the URL, the date and the reason of each document that the policy drops."""
    format: str
    """Format of the output: parquet for inputs in Parquet, jsonl for JSON lines and lists of URLs. Rows are not
    converted: an input of another format fails; default: the format of each input. `parquet`: Parquet. `jsonl`:
    One JSON object per line.
    """
    max_failed: int
    """How many inputs may fail before `InputsFailed` is raised; default: 0."""
    metrics: Path
    """Write metrics for Prometheus at the end: requests that were sent again, hosts that were left alone."""
    metrics_label: str
    """Label `out` of the metrics, which keeps those of several calls apart; default: the name of the output folder."""
    overwrite: bool
    """Judge all files again, if the output folder has files of other tables or options; refused if it has outputs of
    inputs that this call does not name, unless `drop_missing` removes them.
    """
    sample: int | str
    """Audit a random sample: judge N documents, drawn by chance with this seed, write all of them with what was
    found, and say how certain the share of violations of the policy is [default SEED: one that is drawn and
    printed].
    """
