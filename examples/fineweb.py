#!/usr/bin/env python3
"""Keeps the documents of FineWeb that a policy allows, with datatrove. The files that it writes have FineWeb's columns.

    python fineweb.py DOCUMENTS TABLES|INDEX KEPT [POLICY]

DOCUMENTS is a folder of FineWeb's Parquet files, also `hf://datasets/HuggingFaceFW/fineweb/data/CC-MAIN-2025-26`. TABLES is what
`crawlprefs run` wrote for the same crawl; INDEX is a site index, a folder or a URL: documents are judged by the files of their sites
alone. POLICY is robots, labels or strict, or a file. KEPT gets `data`, and `dropped`: what
was dropped, with the reason in `filter_reason`. Needs crawlprefs, datatrove and pyarrow.
"""

import os
import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import ParquetWriter

from crawlprefs.datatrove import PreferenceFilter


def main() -> None:
    documents, place, kept, policy = [*sys.argv[1:], "labels"][:4]
    is_index = place.startswith("https://") or os.path.exists(os.path.join(place, "_index.json"))

    # The columns are FineWeb's, and no struct with all but the text and the id.
    dropped = ParquetWriter(f"{kept}/dropped", expand_metadata=True)
    if is_index:
        keeps = PreferenceFilter(None, dropped, policy=policy, sites=place)
    else:
        keeps = PreferenceFilter(place, dropped, policy=policy)
    pipeline = [
        ParquetReader(documents),
        keeps,
        ParquetWriter(f"{kept}/data", expand_metadata=True),
    ]
    tasks = os.cpu_count() or 1
    LocalPipelineExecutor(pipeline, tasks=tasks, workers=tasks, logging_dir=f"{kept}/logs").run()


if __name__ == "__main__":
    main()
