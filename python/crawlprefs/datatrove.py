"""A filter for datatrove: keeps the documents that a policy allows.

    from crawlprefs.datatrove import PreferenceFilter
    pipeline = [ParquetReader("docs"), PreferenceFilter("out", policy="labels"), ParquetWriter("kept")]

A document is judged by `metadata["url"]`, `metadata["date"]` and its id, which FineWeb and `WarcReader` give it. Why one is
dropped is in `metadata["filter_reason"]`, and counted as `dropped_<reason>`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from datatrove.pipeline.filters.base_filter import BaseFilter

from ._judge import Judge

if TYPE_CHECKING:
    from datatrove.data import Document
    from datatrove.pipeline.writers.disk_base import DiskWriter
    from typing_extensions import Unpack

    from ._options import JudgeOptions, Path


class PreferenceFilter(BaseFilter):  # type: ignore[misc]
    """Keeps the documents that the policy allows, by the tables of a run."""

    name = "crawlprefs"

    def __init__(
        self,
        tables: Path,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 10_000,
        **options: Unpack[JudgeOptions],
    ) -> None:
        super().__init__(exclusion_writer, batch_size=batch_size)
        self.tables = os.fspath(tables)
        options.setdefault("policy", "labels")
        self.options = options
        self._judge: Judge | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Each task opens the tables itself.
        return {**self.__dict__, "_judge": None}

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Returns whether a document is kept, or why it is not."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        """Returns the same for many, which costs far less."""
        if self._judge is None:
            self._judge = Judge(self.tables, **self.options)
        dates = [_text(doc.metadata.get("date")) for doc in batch]
        verdicts = self._judge([doc.metadata.get("url") for doc in batch], dates=dates, ids=[doc.id for doc in batch])
        return [True if reason is None else (False, reason) for reason in verdicts[f"{self._judge.prefix}drop"].to_pylist()]


def _text(date: Any) -> str | None:
    return date if date is None or isinstance(date, str) else date.isoformat()
