"""For NeMo Curator: a filter, and a list of ids to remove.

    from crawlprefs.nemo_curator import PreferenceFilter, ids_to_remove
    pipeline.add_stage(ScoreFilter(PreferenceFilter("out", policy="labels"), text_field="url"))

`ids_to_remove` is for `TextDuplicatesRemovalWorkflow(..., id_field="warc_id", duplicate_id_field="id")` and is much faster,
where the documents are of the crawl of the tables.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from nemo_curator.stages.text.filters import DocumentFilter

from ._judge import Judge

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import JudgeOptions, Path


class PreferenceFilter(DocumentFilter):  # type: ignore[misc]
    """Keeps the documents that the policy allows, by the tables of a run.

    `ScoreFilter` passes it one value of a document: give it `text_field="url"`, or `text_field="warc_id"` with
    `by="id"`. A URL without a date is judged by the newest files of its site.
    """

    def __init__(self, tables: Path, by: str = "url", **options: Unpack[JudgeOptions]) -> None:
        super().__init__()
        self._name = "crawlprefs"
        self.by = by
        options.setdefault("policy", "labels")
        options.setdefault("at", "newest")
        self.judge = Judge(tables, **options)

    def score_document(self, text: str) -> float:
        """Returns 1 where the document with this URL or id is kept, and 0 where it is dropped."""
        verdict = self.judge([text]) if self.by == "url" else self.judge([None], ids=[text])
        return float(verdict["prefs_drop"][0].as_py() is None)

    def keep_document(self, scores: float | list[float]) -> bool:
        """Returns whether a document with this score is kept."""
        return scores == 1.0


def ids_to_remove(tables: Path, path: Path, policy: str = "labels") -> int:
    """Writes the record ids of the pages that a policy drops: Parquet, column `id`, bare UUIDs, sorted. Returns how many.

    Documents that are not of these tables are not among them. Needs DuckDB.
    """
    from ._views import database

    with database([os.fspath(tables)], None) as connection:
        chosen = "SELECT DISTINCT uuid AS id FROM drop_list WHERE policy = ? ORDER BY id"
        connection.execute(f"CREATE TEMP TABLE removed AS {chosen}", [policy])
        connection.execute("COPY removed TO $path (FORMAT parquet)", {"path": os.fspath(path)})
        counted: Any = connection.execute("SELECT count(*) FROM removed").fetchone()
        return int(counted[0])
