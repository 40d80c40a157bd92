"""`run` on a Spark cluster: an archive a task, then a segment a task; and `judge`: documents, by their sites.

Every executor needs this package, pyarrow and pandas, and must see the archives and the output under the same names: URLs of a
store (`s3://`), or paths of a shared file system. No row is shuffled. A task writes what it writes as a function of its input, so
that Spark may try it again, run it twice or lose its executor; `docs/spark.md` says why, and what a crawl costs.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import crawlprefs

from ._errors import Error, InputsFailed, UsageError
from ._judge import Judge, columns
from ._flags import names
from ._jobs import as_paths
from ._options import JudgeOptions, ResolveOptions, RunOptions, ScanOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from ._options import Path

COUNTED = ("captures_by_kind", "site_files", "no_interest", "records_lost", "failures_by_kind", "failed_inputs")
"""What of a scan's report is in its row."""

COLUMNS = {
    "stage": "string", "unit": "string", "outcome": "string", "detail": "string", "seconds": "double", "bytes": "long",
    "records": "long", "captures": "long", "failures": "long", "pages": "long", "batches": "long", "report": "string",
}  # fmt: skip
"""The columns of what `run` returns, which `docs/spark.md` describes."""

REPORTS = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())

JUDGED_AT_ONCE = 200_000
"""Documents of a task that are judged together, so that each site is read once for many."""

Row = dict[str, Any]
Task = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def run(
    spark: SparkSession,
    paths: Path | Iterable[Path],
    out: Path,
    *,
    archives_per_task: int = 1,
    robotstxt_per_task: int = 100,
    **options: Unpack[RunOptions],
) -> DataFrame:
    """Does what `crawlprefs.run(paths, out, **options)` does, on a cluster, and writes the same bytes.

    `paths` are files, folders, globs and `@lists`, which the driver looks up; a list may name archives that only the
    executors can see. Stage one scans an archive a task (`archives_per_task`), of Common Crawl's `robotstxt` files, which
    are small, `robotstxt_per_task`. Stage two resolves a segment a task. `jobs` is the number of workers of a task, by
    default `spark.task.cpus`.

    Returns a row for each archive and each segment: what became of it, its counts and its report as JSON. An archive
    that cannot be read is such a row, and the others go on; its `outcome` is not `read` or `known`.

    Raises `UsageError` for wrong options, and what Spark raises where a task fails for good, with the words of the
    command.
    """
    if options.get("overwrite"):
        raise UsageError("overwrite: a cluster never removes an earlier run; choose another folder, or remove it first")
    archives = [_absolute(archive) for archive in crawlprefs.archives(paths, **_of(ScanOptions, options))]
    place = _absolute_place(out)
    cpus = int(spark.conf.get("spark.task.cpus", "1") or "1")
    for_tasks = {"jobs": cpus, **_for_tasks(options)}
    scan, resolve = _of(ScanOptions, for_tasks), _of(ResolveOptions, for_tasks)
    small = [archive for archive in archives if _is_robotstxt(archive)]
    large = [archive for archive in archives if not _is_robotstxt(archive)]
    shares = [*_shares(small, robotstxt_per_task), *_shares(large, archives_per_task)]
    scanned = _rows(spark, len(shares), _task(_scan, shares, place, scan))
    segments = [[segment] for segment in sorted({_segment(archive) for archive in archives})]
    resolved = _rows(spark, len(segments), _task(_resolve, segments, place, resolve))
    return spark.createDataFrame(scanned + resolved, REPORTS)


def judge(
    documents: DataFrame, tables: Path | None = None, *, partitions: int | None = None, **options: Unpack[JudgeOptions]
) -> DataFrame:
    """Adds verdicts to documents, as `crawlprefs.Judge` gives them: the columns `prefs_*` of docs/filtering.md.

    `documents` has a column of URLs, and may have dates and record ids. Documents of a site come to one task: the rows
    are partitioned by the origin of their URL, into `partitions` (default: Spark's). The columns are those of the command, by the
    same options (`audit`, `at`, `columns`), and with a policy `prefs_drop` behind them. All other columns are unchanged; the order of rows is Spark's. Executors must see `tables` and the evidence under the same names.
    With a site index (`sites`, a folder or a URL, or several), tables are not needed, and a task has a range of hosts, so that it reads
    only the parts of the index that have them.
    `jobs` is by default `spark.task.cpus`, and `memory_limit` is that of each task.

    >>> crawlprefs.spark.judge(documents, "/shared/out", policy="labels").where("prefs_drop IS NULL")
    """
    from pyspark.sql import functions
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    given: Any = {"jobs": int(documents.sparkSession.conf.get("spark.task.cpus", "1") or "1"), **options}
    for name in ("agents", "applications", "sites"):
        if name in given:
            given[name] = [_absolute_place(it) for it in as_paths(given[name])]
    if os.path.isfile(given.get("policy") or ""):
        given["policy"] = os.path.abspath(given["policy"])
    place = None if tables is None else _absolute_place(tables)
    names = given.get("url") or ()
    # The first of several URLs.
    url = names if isinstance(names, str) else next(iter(names), None)
    url = url or next((name for name in ("url", "metadata.url") if _has(documents, name)), "url")
    origin = functions.regexp_extract(functions.lower(functions.col(url)), "^[a-z]+://[^/?#]*", 0)
    added, twice = columns(place, given, documents.columns)
    if twice and not given.get("replace_prefs"):
        raise UsageError(f"the documents have the columns {', '.join(sorted(twice))} already; see prefix and replace_prefs")
    documents = documents.drop(*twice)
    counts = [] if partitions is None else [partitions]
    if "sites" in given:
        host = functions.regexp_extract(functions.lower(functions.col(url)), "^[a-z]+://(?:[^/?#@]*@)?(?:www[0-9]*[.])?([^/?#:]*)", 1)
        surt = functions.array_join(functions.reverse(functions.split(host, "[.]")), ",")
        by_origin = documents.repartitionByRange(*counts, surt)
    else:
        by_origin = documents.repartition(*counts, origin)
    schema = StructType([*documents.schema.fields, *from_arrow_schema(added).fields])
    return by_origin.mapInArrow(_judging(place, given, added.names), schema)


def _absolute_place(place: Path) -> str:
    return os.fspath(place) if "://" in os.fspath(place) else os.path.abspath(place)


def _has(documents: DataFrame, name: str) -> bool:
    first, *rest = name.split(".")
    return first in documents.columns and (not rest or rest[0] in documents.select(f"{first}.*").columns)


def _judging(tables: str | None, options: JudgeOptions, added: list[str]) -> Task:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        opened = Judge(tables, **options)
        for rows in _many(batches):
            # Spark takes columns by their places.
            verdicts = opened.documents(rows)
            if verdicts.column_names != added:
                raise Error(f"an executor gives the columns {verdicts.column_names}, expected the driver's {added}")
            judged = pa.table([*rows.columns, *verdicts.columns], [*rows.column_names, *verdicts.column_names])
            yield from judged.to_batches(max_chunksize=10_000)

    return task


def _many(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yields the rows of many batches together."""
    import pyarrow as pa

    kept: list[pa.RecordBatch] = []
    for batch in batches:
        kept.append(batch)
        if sum(batch.num_rows for batch in kept) >= JUDGED_AT_ONCE:
            yield pa.Table.from_batches(kept)
            kept = []
    if kept:
        yield pa.Table.from_batches(kept)


def _absolute(archive: crawlprefs.Archive) -> crawlprefs.Archive:
    if archive.location == "standard input":
        raise UsageError("-: executors cannot read standard input; name archives that they can see")
    if "://" in archive.location:
        return archive
    return archive._replace(location=os.path.abspath(archive.location))


def _is_robotstxt(archive: crawlprefs.Archive) -> bool:
    return archive.segment is not None and "/robotstxt/" in archive.name


def _shares(archives: Sequence[crawlprefs.Archive], size: int) -> Iterator[Sequence[crawlprefs.Archive]]:
    return (archives[at : at + size] for at in range(0, len(archives), size))


def _segment(archive: crawlprefs.Archive) -> str:
    return "other" if archive.segment is None else f"{archive.crawl}/{archive.segment}"


def _of(known: type, options: Mapping[str, Any]) -> Any:
    return {name: value for name, value in options.items() if name in names(known)}


def _for_tasks(options: Mapping[str, Any]) -> dict[str, Any]:
    """Drops what the driver has done by then, and files that tasks would replace one by one."""
    of_driver = ("paths_from", "base", "slice", "limit", "sample", "overwrite", "max_failed", "report", "metrics", "metrics_label")
    paths = ("agents", "applications")
    kept = {name: value for name, value in options.items() if name not in of_driver}
    return {name: _absolute_place(value) if name in paths else value for name, value in kept.items()}


def _task(work: Callable[..., Row], shares: Sequence[Any], out: str, options: Mapping[str, Any]) -> Task:
    """Returns the work on the shares whose numbers a task is given."""
    version = crawlprefs.__version__

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        if crawlprefs.__version__ != version:
            raise Error(f"found crawlprefs {crawlprefs.__version__} on an executor, expected the driver's {version}")
        kinds = {"string": pa.string(), "long": pa.int64(), "double": pa.float64()}
        schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for unit in shares[number]:
                    row = dict.fromkeys(COLUMNS) | work(unit, out, options)
                    yield pa.RecordBatch.from_pylist([row], schema=schema)

    return task


def _rows(spark: SparkSession, tasks: int, task: Task) -> list[Any]:
    """Runs a task for each number, and waits until all have ended."""
    rows: list[Any] = spark.range(0, tasks, 1, tasks).mapInArrow(task, REPORTS).collect()
    return rows


def _scan(archive: crawlprefs.Archive, out: str, options: Mapping[str, Any]) -> Row:
    """Scans an archive, under the name that the driver gave it."""
    ended: Row = {}

    def on_event(event: crawlprefs.Event) -> None:
        if event.get("archive") is not None:
            ended.update(event)

    if _is_listable(archive.location):
        with tempfile.TemporaryDirectory() as folder:
            listed = os.path.join(folder, "archives")
            with open(listed, "w", encoding="utf-8") as file:
                file.write(archive.location + "\n")
            given: dict[str, Any] = {**options, **_base(archive), "paths_from": listed}
            begun, report = _scanned([], out, on_event, given)
    elif unreadable := _unreadable(archive):
        return unreadable
    else:
        begun, report = _scanned([archive.location], out, on_event, {**options, **_base(archive)})
    if ended["archive"] != archive.name:
        raise Error(f"{archive.location}: called {ended['archive']} on an executor, expected {archive.name}")
    outcome = {"archive_read": "read", "archive_known": "known"}.get(ended["event"], ended.get("kind"))
    counts = {name: ended[name] for name in ("bytes", "records", "captures", "failures")}
    detail = ended.get("message") if outcome not in ("read", "known") else None
    counted = {name: report[name] for name in COUNTED}
    return {
        "stage": "scan", "unit": archive.name, "outcome": outcome, "detail": detail,
        "seconds": time.monotonic() - begun, **counts, "report": json.dumps(counted),
    }  # fmt: skip


def _scanned(paths: list[str], out: str, on_event: Any, options: Mapping[str, Any]) -> tuple[float, Any]:
    # What cannot be read is a row of the result.
    given: dict[str, Any] = {**options, "max_failed": 1}
    return time.monotonic(), crawlprefs.scan(paths, out, progress=on_event, **given)


def _is_listable(location: str) -> bool:
    """Returns whether a line of a list can name it: without control characters, and without blanks at its end."""
    return location == location.strip() and not any(unicodedata.category(letter) == "Cc" for letter in location)


def _unreadable(archive: crawlprefs.Archive) -> Row | None:
    """Returns the row of a file that is not there or cannot be read: the command would be refused it as an input."""
    try:
        with open(archive.location, "rb"):
            return None
    except OSError as error:
        outcome = "missing" if isinstance(error, FileNotFoundError) else "unreadable"
        return {"stage": "scan", "unit": archive.name, "outcome": outcome, "detail": error.strerror, "seconds": 0.0}


def _base(archive: crawlprefs.Archive) -> ScanOptions:
    """Returns the folder that the archive's name is relative to."""
    end = "/" + archive.name
    return {"base": archive.location.removesuffix(end) or "/"} if archive.location.endswith(end) else {}


def _resolve(segment: str, out: str, options: Mapping[str, Any]) -> Row:
    """Resolves a segment."""
    begun = time.monotonic()
    report: Mapping[str, Any]
    outcome, detail = "resolved", None
    try:
        report = crawlprefs.resolve(out, segment=segment, **options)
    except InputsFailed as failed:
        report, outcome, detail = failed.report, "failed", failed.message
    return {
        "stage": "resolve", "unit": segment, "outcome": outcome, "detail": detail,
        "seconds": time.monotonic() - begun, "captures": report["totals"]["captures_resolved"],
        "pages": report["resolve"]["pages"], "batches": report["totals"]["batches_done"],
        "report": json.dumps(report["resolve"]),
    }  # fmt: skip
