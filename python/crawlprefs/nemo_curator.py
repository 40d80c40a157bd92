"""For NeMo Curator: a filter, and a list of ids to remove.

    from crawlprefs.nemo_curator import PreferenceFilter, ids_to_remove
    pipeline.add_stage(ScoreFilter(PreferenceFilter("out", policy="labels"), text_field="url"))

`ScoreFilter` asks for one document at a time, which costs more than half a millisecond of CPU time for each.
`ids_to_remove` is for `TextDuplicatesRemovalWorkflow(..., id_field="warc_id", duplicate_id_field="id")` and is much faster,
where the documents are of the crawl of the tables.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from nemo_curator.stages.text.filters import DocumentFilter

from ._errors import UsageError
from ._judge import Judge, with_policy

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import JudgeOptions, Path

LISTED = ("robots", "labels", "strict")
"""The policies of the view `drop_list`."""


class PreferenceFilter(DocumentFilter):  # type: ignore[misc]
    """Keeps the documents that the policy allows, by the tables of a run, by a site index (`sites`), or by both.

    `ScoreFilter` passes it one value of a document: give it `text_field="url"`, or `text_field="warc_id"` with
    `by="id"`. A URL without a date is judged by the newest files of its site unless the policy names times, a record as of the time of its page: an id alone
    does not say of which site it is.
    """

    def __init__(self, tables: Path | None = None, by: str = "url", **options: Unpack[JudgeOptions]) -> None:
        if by == "id" and tables is None:
            raise UsageError("by='id' needs tables: a site index has no records")
        super().__init__()
        self._name = "crawlprefs"
        self.by = by
        options = with_policy(options)
        self.judge = Judge(tables, **options)
        if by == "url" and self.judge.urls_are_newest:
            options["at"] = "newest"
            self.judge = Judge(tables, **options)
        if asked := self.judge.policy_columns:
            raise UsageError(f"the policy asks for {', '.join(asked)}, and ScoreFilter passes one value of a document")

    def score_document(self, text: str) -> float:
        """Returns 1 where the document with this URL or id is kept, and 0 where it is dropped."""
        # A missing value comes as NaN.
        given = [text if isinstance(text, str) else None]
        verdict = self.judge(given) if self.by == "url" else self.judge([None], ids=given)
        return float(verdict[f"{self.judge.prefix}drop"][0].as_py() is None)

    def keep_document(self, scores: float | list[float]) -> bool:
        """Returns whether a document with this score is kept."""
        return scores == 1.0


def ids_to_remove(tables: Path, path: Path, policy: str = "labels") -> int:
    """Writes the record ids of the pages that a policy drops: Parquet, column `id`, bare UUIDs, sorted. Returns how many.

    Documents that are not of these tables are not among them. Needs DuckDB.

    Raises `UsageError` for a policy that the view `drop_list` does not have: it has `robots`, `labels` and `strict`.
    """
    from ._views import database

    if policy not in LISTED:
        raise UsageError(f"policy {policy}: no list of ids for it, expected one of {', '.join(LISTED)}")
    with database([os.fspath(tables)], None) as connection:
        chosen = "SELECT DISTINCT uuid AS id FROM drop_list WHERE policy = ? ORDER BY id"
        connection.execute(f"CREATE TEMP TABLE removed AS {chosen}", [policy])
        connection.execute("COPY removed TO $path (FORMAT parquet)", {"path": os.fspath(path)})
        counted: Any = connection.execute("SELECT count(*) FROM removed").fetchone()
        return int(counted[0])
