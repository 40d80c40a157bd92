"""Attributes for dolma: a file beside each file of documents, with the same rows in the same order.

    crawlprefs.dolma.tag("wikipedia/documents/*.json.gz", "out", policy="labels")

In the mixer's configuration, this drops what the policy drops:

    streams: [{attributes: [crawlprefs], filter: {exclude: ["$.attributes[?(@.crawlprefs__crawlprefs__drop[0][2] >= 1.0)]"]}}]
"""

from __future__ import annotations

import glob
import gzip
import json
import os
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._judge import LABELS, Judge, value, with_policy

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import JudgeOptions, Path

DOCUMENTS = "/documents/"
AT_ONCE = 50_000


def tag(documents: str, tables: Path | None = None, name: str = "crawlprefs", **options: Unpack[JudgeOptions]) -> list[str]:
    """Writes the attributes of each file of documents (a glob of `.json.gz` or `.jsonl.gz` below a folder `documents`).

    A document has `<name>__<name>__drop`, a span over its text with the score 1, where the policy drops it, and
    `<name>__<name>__<label>` where the label is disallow. Its URL is `metadata.url`, its date `metadata.date`, else from `created` to `added`.
    With a site index (`sites`), tables are not needed; the options are those of `crawlprefs.Judge`. A row that cannot be judged, such
    as one whose URL is a number, is unknown. Returns the paths of the files, which are complete or not there.

    Raises `Error` where no file is found, or one is not below a folder `documents`.
    """
    judge = Judge(tables, **with_policy(options))
    paths = sorted(glob.glob(documents, recursive=True))
    if not paths:
        raise Error(f"{documents}: no file is there", "input_missing")
    return [_tag_file(path, judge, name) for path in paths]


def _tag_file(path: str, judge: Judge, name: str) -> str:
    if DOCUMENTS not in path:
        raise Error(f"{path}: found no folder documents in the path, expected one", "input_missing")
    before, after = path.rsplit(DOCUMENTS, 1)
    attributes = f"{before}/attributes/{name}/{after}"
    os.makedirs(os.path.dirname(attributes), exist_ok=True)
    unfinished = f"{attributes}.tmp"
    with gzip.open(path, "rt", encoding="utf-8") as source, gzip.open(unfinished, "wt", encoding="utf-8") as target:
        for chunk in _chunks(source):
            for row in _rows(chunk, judge, f"{name}__{name}__"):
                target.write(json.dumps(row) + "\n")
    os.replace(unfinished, attributes)
    return attributes


def _chunks(lines: Iterator[str]) -> Iterator[list[dict[str, Any]]]:
    while chunk := [json.loads(line) for line in islice(lines, AT_ONCE)]:
        yield chunk


def _rows(documents: list[dict[str, Any]], judge: Judge, prefix: str) -> Iterator[dict[str, Any]]:
    metadata = [of if isinstance(of := document.get("metadata"), dict) else {} for document in documents]
    dates = [of.get("date") for of in metadata]
    # `created` is when the original was made: the document was fetched between that and `added` (RULES KNOW-7).
    names = [*judge.policy_columns, "created", "added"]
    columns = {name: [value(document, name) for document in documents] for name in names}
    ids = [document.get("id") for document in documents]
    verdicts = judge([of.get("url") for of in metadata], dates=dates, ids=ids, columns=columns)
    for document, verdict in zip(documents, verdicts.to_pylist(), strict=True):
        text = document.get("text")
        span = [[0, len(text) if isinstance(text, str) else 0, 1.0]]
        found = {f"{prefix}{label}": span for label in LABELS if verdict.get(f"{judge.prefix}{label}") == "disallow"}
        if verdict[f"{judge.prefix}drop"] is not None:
            found[f"{prefix}drop"] = span
        yield {"id": document.get("id"), "attributes": found}
