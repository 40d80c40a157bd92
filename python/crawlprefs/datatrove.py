"""A filter for datatrove: keeps the documents that a policy allows.

    from crawlprefs.datatrove import PreferenceFilter
    pipeline = [ParquetReader("docs"), PreferenceFilter("out", policy="labels"), ParquetWriter("kept")]

With a site index, tables are not needed: `PreferenceFilter(sites="index", policy="labels")`.

A document is judged by `metadata["url"]`, `metadata["date"]` and its id, which FineWeb and `WarcReader` give it. Why one is
dropped is in `metadata["filter_reason"]`, and counted as `dropped_<reason>`. Columns that exceptions of the policy name are members of `metadata`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from datatrove.pipeline.filters.base_filter import BaseFilter

from ._judge import Judge, value, with_policy

if TYPE_CHECKING:
    from datatrove.data import Document
    from datatrove.pipeline.writers.disk_base import DiskWriter
    from typing_extensions import Unpack

    from ._options import JudgeOptions, Path


class PreferenceFilter(BaseFilter):  # type: ignore[misc]
    """Keeps the documents that the policy allows, by the tables of a run, by a site index (`sites`), or by both.

    The options are those of `crawlprefs.Judge`.
    """

    name = "crawlprefs"

    def __init__(
        self,
        tables: Path | None = None,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 10_000,
        **options: Unpack[JudgeOptions],
    ) -> None:
        super().__init__(exclusion_writer, batch_size=batch_size)
        self.tables = None if tables is None else os.fspath(tables)
        self.options = with_policy(options)
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
        urls, ids = [doc.metadata.get("url") for doc in batch], [doc.id for doc in batch]
        rows = [{"metadata": doc.metadata, **doc.metadata} for doc in batch]
        columns = {name: [value(row, name) for row in rows] for name in self._judge.policy_columns}
        verdicts = self._judge(urls, dates=[doc.metadata.get("date") for doc in batch], ids=ids, columns=columns)
        return [True if reason is None else (False, reason) for reason in verdicts[f"{self._judge.prefix}drop"].to_pylist()]

