#!/usr/bin/env python3
"""Reads the folders that `make.py` had judged with loaders of data sets: each gives the same rows, each column of a verdict as text.

    read.py FOLDER LOADER...

A loader that fails, or gives other rows, is named with the folder; then the exit status is 1. pandas and eager Polars read JSON lines file by
file. Left out, as the loader cannot: zstd in Spark and in datasets of pyarrow, and a folder without any row in datasets, which says so.
"""

import json
import pathlib
import sys
import tempfile
import warnings


def form(ending):
    return "parquet" if ending == ".parquet" else "json"


def pyarrow(folder, ending):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(folder, format=form(ending)).to_table().to_pylist()


def of_files(read, folder):
    """Returns the rows of each file, one after the other."""
    return [row for file in sorted(pathlib.Path(folder).iterdir()) for row in read(file)]


def pandas(folder, ending):
    import pandas

    if ending == ".parquet":
        return pandas.read_parquet(folder).to_dict("records")
    return of_files(lambda file: pandas.read_json(file, lines=True).to_dict("records"), folder)


def polars_eager(folder, ending):
    import polars

    if ending == ".parquet":
        return polars.read_parquet(folder).to_dicts()
    return of_files(lambda file: polars.read_ndjson(file).to_dicts(), folder)


def polars_lazy(folder, ending):
    import polars

    scan = polars.scan_parquet if ending == ".parquet" else polars.scan_ndjson
    return scan(f"{folder}/*{ending}").collect().to_dicts()


def duckdb(folder, ending):
    import duckdb

    connection = duckdb.connect()
    read = "read_parquet" if ending == ".parquet" else "read_json"
    rows = connection.execute(f"SELECT * FROM {read}('{folder}/*{ending}')")
    names = [column[0] for column in rows.description]
    return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]


def of_datasets(**options):
    import datasets

    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as cache:
        return list(datasets.load_dataset(split="train", cache_dir=cache, **options))


def datasets(folder, ending):
    return of_datasets(path=folder)


def datasets_streaming(folder, ending):
    return of_datasets(path=form(ending), data_files=f"{folder}/*{ending}", streaming=True)


def datafusion(folder, ending):
    from datafusion import SessionContext

    context = SessionContext()
    if ending == ".parquet":
        return context.read_parquet(folder).to_pylist()
    packed = {".gz": "gzip", ".zst": "zstd"}.get(pathlib.Path(ending).suffix)
    return context.read_json(folder, file_extension=ending, file_compression_type=packed).to_pylist()


def spark(folder, ending):
    read = session().read.parquet if ending == ".parquet" else session().read.json
    return [row.asDict() for row in read(folder).collect()]


def session():
    from pyspark.sql import SparkSession

    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    return SparkSession.builder.master("local[2]").config(map=quiet).getOrCreate()


LOADERS = [pyarrow, pandas, polars_eager, polars_lazy, duckdb, datasets, datasets_streaming, datafusion, spark]
CANNOT = {("spark", ".jsonl.zst"), ("pyarrow", ".jsonl.zst")}


def keyed(rows, names):
    """Returns rows as comparable texts; NaN is how pandas shows what is missing."""
    missing = lambda value: None if value != value else value
    return sorted(json.dumps({name: missing(row.get(name)) for name in names}, default=str, sort_keys=True) for row in rows)


def compare(loader, entry):
    """Returns what is wrong with what a loader gives."""
    try:
        rows = loader(entry["folder"], entry["ending"])
    except Exception as error:
        if not entry["rows"] and loader is datasets and "corresponds to no data" in str(error):
            return None
        return f"{type(error).__name__}: {str(error).strip()[:300]}"
    names = sorted({name for row in entry["rows"] for name in row})
    found, expected = keyed(rows, names), keyed(entry["rows"], names)
    if len(found) != len(expected):
        return f"{len(found)} rows, expected {len(expected)}"
    return next((f"{one}\n  expected {other}" for one, other in zip(found, expected, strict=True) if one != other), None)


def main(folder, *wanted):
    warnings.simplefilter("ignore")
    entries = json.loads((pathlib.Path(folder) / "expected.json").read_text())
    failed, compared = [], 0
    for loader in [loader for loader in LOADERS if loader.__name__ in wanted]:
        for entry in entries:
            if (loader.__name__, entry["ending"]) in CANNOT:
                continue
            wrong = compare(loader, entry)
            compared += 1
            if wrong:
                failed.append(f"{loader.__name__}: {pathlib.Path(entry['folder']).relative_to(folder)}: {wrong}")
    print("\n".join(failed))
    print(f"{compared} folders read by {', '.join(wanted)}, {len(failed)} of them wrongly")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
