"""What `judge` writes is a data set: every loader reads the folders of what is kept and dropped, as a folder and by a glob.

datatrove's readers are in `test_adapters.py`, Spark's in `test_spark.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import surfaces

pytest.importorskip("pyarrow")


def of_pyarrow(place: str, kind: str) -> int:
    import pyarrow.dataset

    found: int = pyarrow.dataset.dataset(place, format="parquet" if kind == "parquet" else "json").count_rows()
    return found


def of_pandas(place: str, kind: str) -> int:
    pandas = pytest.importorskip("pandas")
    if kind == "parquet":
        return len(pandas.read_parquet(place))
    return sum(len(pandas.read_json(file, lines=True)) for file in sorted(Path(place).iterdir()))


def of_polars(place: str, kind: str) -> int:
    polars = pytest.importorskip("polars")
    scan = polars.scan_parquet if kind == "parquet" else polars.scan_ndjson
    height: int = scan(place).collect().height
    return height


def of_duckdb(place: str, kind: str) -> int:
    duckdb = pytest.importorskip("duckdb")
    files = place if "*" in place else f"{place}/**/*.{kind}"
    rows = duckdb.connect().execute(f"SELECT count(*), count(url) FROM '{files}'").fetchall()
    return int(rows[0][0])


def of_datasets(place: str, kind: str) -> int:
    datasets = pytest.importorskip("datasets")
    cache = str(Path(place.split("*")[0]).parent / "cache")
    if "*" not in place:
        return len(datasets.load_dataset(place, split="train", cache_dir=cache))
    return len(datasets.load_dataset("parquet" if kind == "parquet" else "json", data_files=place, split="train", cache_dir=cache))


FOLDERS = [of_pyarrow, of_pandas, of_polars, of_duckdb, of_datasets]
GLOBS = [of_polars, of_duckdb, of_datasets]


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("folder", ["kept", "dropped"])
@pytest.mark.parametrize("loader", FOLDERS)
def test_a_folder_is_read(
    loader: Callable[[str, str], int], folder: str, kind: str, by_command: Path, documents: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    expected = surfaces.written(documents, by_command, kind, tmp_path)[folder]
    assert expected and loader(str(tmp_path / folder), kind) == expected


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("folder", ["kept", "dropped"])
@pytest.mark.parametrize("loader", GLOBS)
@pytest.mark.parametrize("below", ["*", "**/*"])
def test_a_glob_is_read(
    below: str,
    loader: Callable[[str, str], int],
    folder: str,
    kind: str,
    by_command: Path,
    documents: Any,
    tmp_path: Path,
    monkeypatch: Any,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    expected = surfaces.written(documents, by_command, kind, tmp_path)[folder]
    assert loader(f"{tmp_path / folder}/{below}.{kind}", kind) == expected
