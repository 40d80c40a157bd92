"""Verdicts for documents: in files, as the command's `judge`, or in memory, by the Arrow C data interface."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from datetime import date, datetime, timezone
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from . import _native
from ._errors import InputsFailed, UsageError
from ._flags import flags
from ._jobs import as_paths
from ._options import JudgeFilesOptions, JudgeOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Unpack

    from ._options import Path

_T = TypeVar("_T")

FEW = 1000
"""Up to so many documents are passed on one by one."""

LABELS = ("search", "train_ai", "train_genai", "ai_input", "tdm")
"""The labels, each a column `prefs_<label>`, or with another prefix."""


def judge(
    inputs: Path | Iterable[Path], tables: Path | None, out: Path, **options: Unpack[JudgeFilesOptions]
) -> dict[str, Any]:
    """Judges files of documents by the tables of a run, and writes them to the folder `out` with verdict columns.

    With a site index (`sites`), `tables` may be None.

    `inputs` are Parquet, JSON lines or a URL a line; docs/filtering.md describes them. The same call goes on where it was
    left. Returns what was counted (`counts`), and which inputs failed; with a policy, `cost.json` in `out` has what it costs. With
    `sample`, `audit` has what was found in a random sample, and how certain that is (docs/auditing.md).

    Raises `UsageError` for wrong options, `InputsFailed` where files failed, and `Error` where the tables cannot be read.
    """
    place = ["--out", os.fspath(out)]
    given = [*_arguments(tables, JudgeFilesOptions, options, place), "--", *as_paths(inputs)]
    status, report = interruptible(lambda: _native.judge_files(given))
    if status:
        failed = report["failed_inputs"]
        raise InputsFailed("; ".join(f"{it['name']}: {it['detail']}" for it in failed), report)
    return report


def columns(tables: Path | None, options: JudgeOptions, names: Iterable[str] = ()) -> tuple[pa.Schema, list[str]]:
    """Returns the columns that `Judge` gives with these options, and which of some names of columns a reader may take for them.

    Nothing is opened: whoever declares columns before they are made, such as Spark, has their names, types and order from here.
    """
    return _native.judge_columns([*_arguments(tables, JudgeOptions, options), "--", "-"], list(names))


def with_policy(options: JudgeOptions) -> JudgeOptions:
    """Returns options with a policy: `labels`, where none is given."""
    return {**options, "policy": options.get("policy") or "labels"}


def _arguments(tables: Path | None, known: type, options: Any, place: Sequence[str] = ()) -> list[str]:
    by_tables = [] if tables is None else ["--tables", os.fspath(tables)]
    return ["judge", *by_tables, *place, *flags("judge", known, options)]


def interruptible(call: Callable[[], _T]) -> _T:
    """Makes a call in a thread, so that Ctrl-C ends the wait for it. What it has not finished then is not there."""
    with_result: Future[_T] = Future()

    def work() -> None:
        try:
            with_result.set_result(call())
        except BaseException as error:
            with_result.set_exception(error)

    Thread(target=work, name="crawlprefs", daemon=True).start()
    while True:
        try:
            return with_result.result(timeout=0.1)
        except NotYet:
            if with_result.done():
                raise


class Judge:
    """Verdicts for documents in memory, by the tables of a run, by a site index (`sites`), or by both.

    A document whose record is in the tables has the verdict of its row, headers and metas included. Every other one is
    judged by its site's files, as they were at its date: what the page itself says was not seen, and no label of it is allow.

    `policy` is `robots`, `labels`, `strict` or a TOML file (docs/filtering.md). With it, the column `prefs_drop` says why a
    document is to be dropped; it is null where it is kept.

    What is known of the sites is loaded by the first call. An instance can be sent to another process, which opens the
    tables anew, and so does a process that is forked (`multiprocessing`, `map(num_proc=2)` of datasets), with its first call. Needs pyarrow.

    >>> judge = crawlprefs.Judge("out", policy="labels")
    >>> judge(["https://a.example/b"], dates=["2026-08-10T08:00:00Z"])["prefs_access"]
    >>> judge = crawlprefs.Judge(sites="index", policy="labels")
    """

    def __init__(self, tables: Path | None = None, **options: Unpack[JudgeOptions]) -> None:
        self._arguments = [*_arguments(tables, JudgeOptions, options), "--", "-"]
        self._native = _native.Judge(self._arguments)
        self._process = os.getpid()

    @property
    def prefix(self) -> str:
        """The beginning of the names of the columns."""
        return next((it.partition("=")[2] for it in self._arguments if it.startswith("--prefix=")), "prefs_")

    @property
    def policy_columns(self) -> list[str]:
        """The columns whose values the exceptions of the policy ask for, besides URLs, dates and ids."""
        return [name for name in self._native.policy_columns if name not in ("url", "date", "id")]

    @property
    def urls_are_newest(self) -> bool:
        """Whether neither `at` nor the policy names a time, so that a list of URLs is judged by the newest files."""
        return self._native.urls_are_newest

    def __reduce__(self) -> tuple[Any, ...]:
        return _judge, (self._arguments,)

    def __call__(
        self,
        urls: Sequence[str | None],
        dates: Sequence[Any] | None = None,
        ids: Sequence[str | None] | None = None,
        columns: Mapping[str, Sequence[Any]] | None = None,
    ) -> pa.Table:
        """Returns the verdicts of documents, in their order: the columns `prefs_*` of docs/filtering.md.

        `urls`, `dates` and `ids` (WARC-Record-IDs) are sequences of one length, or arrays of pyarrow. Dates are texts, times, or days. A
        value that is no text is as if it were missing, so that its document is unknown, as in files. `columns` are those that the exceptions of the policy ask for.

        Raises `UsageError` for one URL instead of several.
        """
        import pyarrow as pa

        if isinstance(urls, (str, bytes)):
            raise UsageError(f"urls: found one text, expected a list of URLs, such as [{urls!r}]")
        try:
            if not columns and len(urls) <= FEW:
                return pa.Table.from_batches([self._of_this_process().judge_texts(urls, dates, ids)])
        except (TypeError, UnicodeError):
            pass  # Some value is no text, or these are columns.
        given = {"url": urls, "date": dates, "id": ids}
        given = {**(columns or {}), **{name: values for name, values in given.items() if values is not None}}
        return self.documents(pa.table({name: _array(values, name) for name, values in given.items()}))

    def documents(self, documents: Any) -> pa.Table:
        """Returns the verdicts of a table's rows, in their order. Columns have the names that the command knows.

        `documents` is a table or a batch of pyarrow, or anything that gives its rows by `__arrow_c_stream__`: a data frame of pandas
        or polars, a relation of DuckDB. NaN is a missing value.
        """
        import pyarrow as pa

        rows = _without_nan(_table(documents))
        # Offsets of 32 bits, as Parquet gives them; one batch, so that each site is read once.
        batches = rows.combine_chunks().to_batches()
        native = self._of_this_process()
        return pa.Table.from_batches(
            [native.judge(batch) for batch in batches or [pa.RecordBatch.from_pylist([], schema=rows.schema)]]
        )

    def _of_this_process(self) -> _native.Judge:
        # A process that is forked has none of the threads.
        if self._process != os.getpid():
            _of_parents.append(self._native)
            self._native, self._process = _native.Judge(self._arguments), os.getpid()
        return self._native


_of_parents: list[_native.Judge] = []
"""What a parent has opened: nothing of it may be ended, as its threads are not there."""


def _table(documents: Any) -> pa.Table:
    import pyarrow as pa

    if isinstance(documents, pa.Table):
        return documents
    if isinstance(documents, pa.RecordBatch):
        return pa.Table.from_batches([documents])
    if hasattr(documents, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(documents).read_all()
    raise TypeError(f"expected a table, or rows with __arrow_c_stream__, found {type(documents).__name__}")


def _without_nan(rows: pa.Table) -> pa.Table:
    """Makes columns without any value columns of nulls: pandas writes NaN for what is missing."""
    import pyarrow as pa
    import pyarrow.compute as compute

    for place, field in enumerate(rows.schema):
        if pa.types.is_floating(field.type) and compute.all(compute.is_null(rows[place], nan_is_null=True)).as_py() is not False:
            rows = rows.set_column(place, field.name, pa.nulls(rows.num_rows))
    return rows


def value(row: Any, name: str) -> Any:
    """Returns what a document has under a name: under the whole of it, or as a path whose steps are separated by dots."""
    if not isinstance(row, Mapping) or name in row:
        return row[name] if isinstance(row, Mapping) else None
    first, _, rest = name.partition(".")
    return value(row.get(first), rest) if rest else None


def _judge(arguments: list[str]) -> Judge:
    judge = Judge.__new__(Judge)
    judge._arguments, judge._native, judge._process = arguments, _native.Judge(arguments), os.getpid()
    return judge


def _array(values: Any, name: str) -> Any:
    import pyarrow as pa

    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    kind = None if name == "date" else pa.string()
    try:
        # NaN is a missing value.
        array = pa.array(values, kind, from_pandas=True)
        if pa.types.is_nested(array.type) or pa.types.is_boolean(array.type) or pa.types.is_binary(array.type):
            raise pa.ArrowTypeError(f"{array.type} is no date")
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError, OverflowError, ValueError):
        array = pa.array([_date(value) if name == "date" else _text(value) for value in values], pa.string())
    return pa.nulls(len(array)) if pa.types.is_floating(array.type) and array.null_count == len(array) else array


def _text(value: Any) -> str | None:
    """Returns a text; None where it is none, or has a surrogate alone, which no URL or id has."""
    try:
        text = value.decode() if isinstance(value, bytes) else value
        return text if isinstance(text, str) and text.encode() else None
    except UnicodeError:
        return None


def _date(value: Any) -> str | None:
    """Returns a date as text, where it is a text or a time among others."""
    if not isinstance(value, date):
        return _text(value)
    try:
        if not isinstance(value, datetime):
            return value.isoformat()  # a day, which is an interval (RULES KNOW-7)
        moment = value.astimezone(timezone.utc) if value.tzinfo else value
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        # NaT is a datetime without a time.
        return None
