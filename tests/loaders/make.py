#!/usr/bin/env python3
"""Makes documents as data sets have them, judges each set into folders `kept` and `dropped`, and writes what loaders must find there.

    make.py PROGRAM FOLDER

A set is a folder of at least two files of one kind. Writers are pyarrow, pandas and datasets, with what each notes in the footer, and
Spark's note. `FOLDER/expected.json` has, for each folder that was written, its kind and its rows: the number of the document, or for a
dropped one its URL, and the columns of the verdict, as pyarrow and the standard library read them file by file. `read.py` compares.
"""

import gzip
import json
import pathlib
import subprocess
import sys

import datasets
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

NOBODY = {"id": None, "url": "https://nobody.example/", "date": "2026-08-10", "text": ""}
SPARK = "org.apache.spark.sql.parquet.row.metadata"


def documents(tables):
    """Returns documents with a record, documents of the same sites without one, and documents of an unknown site."""
    columns = ["url", "warc_record_id", "fetch_time", "unread", "doubt", "not_seen"]
    pages = pyarrow.dataset.dataset(tables / "pages", partitioning="hive").to_table(columns=columns).to_pylist()
    whole = [page for page in pages if not (page["unread"] or page["doubt"] or page["not_seen"])]
    row = lambda page: {"id": page["warc_record_id"], "url": page["url"], "date": page["fetch_time"].isoformat(), "text": "a b"}
    by_record = [row(page) for page in whole[:40]]
    by_site = [{**it, "id": f"<urn:uuid:{number}>", "url": it["url"] + "?new"} for number, it in enumerate(by_record)]
    return by_record, by_site, [dict(NOBODY, url=f"https://nobody.example/{number}") for number in range(9)]


def nested(row):
    """Returns a document with an object, a list of objects, a map and an empty list."""
    deep = {"license": "cc0", "links": [{"to": row["url"], "words": ["a"]}], "none": []}
    return {**row, "metadata": deep, "tags": [{"name": "a", "score": 0.5}] * (row["row"] % 3)}


def sets():
    """Returns the sets: a name, how its files are written, and the documents of each file by what they are."""
    record, site, unknown = 0, 1, 2
    return [
        ("record", "plain", [[record], [record]]),
        ("site", "plain", [[site], [site]]),
        ("empty_lists", "plain", [[record], [site, unknown]]),
        ("unknown_first", "plain", [[unknown], [record, site]]),
        ("nothing_kept", "plain", [[unknown], [unknown]]),
        ("nothing_kept_in_the_second", "plain", [[site, unknown], [unknown], [record]]),
        ("nothing_dropped", "all", [[record], [site, unknown]]),
        ("nested", "nested", [[record, unknown], [site]]),
        ("dictionary", "dictionary", [[record, unknown], [site]]),
        ("pandas", "pandas", [[record, unknown], [site]]),
        ("datasets", "datasets", [[record, unknown], [site]]),
        ("spark", "spark", [[record, unknown], [site]]),
        ("int96", "int96", [[record, unknown], [site]]),
    ]  # fmt: skip


def of_spark(table):
    """Adds the note of the columns that Spark writes, and believes."""
    fields = [{"name": name, "type": "long" if name in ("row", "prefs_tdm") else "string", "nullable": True, "metadata": {}} for name in table.column_names]
    return table.replace_schema_metadata({SPARK: json.dumps({"type": "struct", "fields": fields}), "org.apache.spark.version": "4.3.0"})


def write_parquet(rows, how, file):
    """Writes a Parquet file as a writer does."""
    table = pa.Table.from_pylist(rows, pa.schema([("id", pa.string()), *((name, kind) for name, kind in kinds(rows))]))
    if how == "dictionary":
        table = table.set_column(0, "id", table["id"].dictionary_encode()).append_column("lang", pa.array(["en", "de", None] * len(rows))[: len(rows)].dictionary_encode())
    if how in ("pandas", "datasets", "spark"):
        # A column that is replaced by one of another type: the note in the footer has the old one.
        table = table.append_column("prefs_tdm", pa.array([1] * len(rows)))
    if how == "pandas":
        frame = table.to_pandas()
        frame.index = [f"n{number}" for number in frame["row"]]
        frame["text"] = frame["text"].astype("category")
        return frame.to_parquet(file, row_group_size=10)
    if how == "datasets":
        return datasets.Dataset(table).to_parquet(file, batch_size=10)
    if how == "spark":
        table = of_spark(table)
    if how == "int96":
        seen = pa.array([pa.scalar(1_700_000_000_000_000 + row["row"], pa.timestamp("us")) for row in rows], pa.timestamp("us"))
        table = table.append_column("seen", seen)
    pq.write_table(table, file, row_group_size=10, use_deprecated_int96_timestamps=how == "int96")


def kinds(rows):
    """Returns the columns of documents but `id`, and their types: a file may have no value of one."""
    for name, value in rows[0].items():
        if name != "id":
            yield name, pa.int64() if name == "row" else pa.string() if isinstance(value, str) else pa.array([row[name] for row in rows]).type


def write_lines(rows, how, file):
    """Writes a file of JSON lines, compressed by its name."""
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else pa.Codec("zstd").compress(text, asbytes=True) if file.suffix == ".zst" else text)


def judged(program, tables, folder, how):
    """Judges a folder; returns how many documents were kept and dropped."""
    policy = "robots" if how != "all" else str(folder / "all.toml")
    (folder / "all.toml").write_text("labels = []\n[unknown]\nsite = 'keep'\naccess = 'keep'\n")
    places = ["--tables", tables, "-o", folder / "kept", "--dropped", folder / "dropped"]
    subprocess.run([program, "judge", "-q", folder / "in", *places, "--policy", policy, "--replace-prefs"], check=True)
    cost = json.loads((folder / "_kept.judge/cost.json").read_text())
    return {"kept": cost["kept"]["documents"], "dropped": cost["dropped"]["documents"]}


def rows_of(file):
    """Returns the rows of a file."""
    if file.suffix == ".parquet":
        return pq.read_table(file, partitioning=None).to_pylist()
    text = file.read_bytes()
    text = gzip.decompress(text) if file.suffix == ".gz" else pa.input_stream(file, compression="zstd").read() if file.suffix == ".zst" else text
    assert text, f"{file} has no rows"
    return [json.loads(line) for line in text.splitlines()]


def wanted(row):
    """Returns what loaders must find of a row: its number or URL, and its verdict."""
    return {name: value for name, value in row.items() if name in ("row", "reason") or name.startswith("prefs_") or ("reason" in row and name == "url")}


def found(folder, ending):
    """Returns the rows of a folder that was written; its files have the same columns."""
    files = sorted(folder.rglob("*")) if folder.exists() else []
    assert all(file.name.endswith(ending) for file in files), files
    if ending == ".parquet":
        schemas = [pq.read_schema(file) for file in files]
        assert all(schema.equals(schemas[0]) for schema in schemas), schemas
        for file in files:
            assert "INT96" not in str(pq.read_metadata(file).schema), file
    rows = [row for file in files for row in rows_of(file)]
    if ending != ".parquet":
        assert all(isinstance(value, str) for row in rows for name, value in row.items() if name.startswith("prefs_")), rows
    return files, [wanted(row) for row in rows]


def main(program, folder):
    datasets.disable_progress_bars()
    folder = pathlib.Path(folder)
    tables = folder / "tables"
    subprocess.run([program, "run", "-q", "sample-data", "-o", tables], check=True)
    groups, expected = documents(tables), []
    for name, how, files in sets():
        endings = [".parquet"] if how not in ("plain", "all", "nested") else [".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst"]
        for ending in endings:
            place = folder / f"{name}{ending}"
            (place / "in").mkdir(parents=True)
            count = 0
            for number, file in enumerate(files):
                rows = [dict(row, row=count + at) for at, row in enumerate(row for group in file for row in groups[group])]
                rows = [nested(row) for row in rows] if how == "nested" else rows
                count += len(rows)
                (write_parquet if ending == ".parquet" else write_lines)(rows, how, place / "in" / f"{number}{ending}")
            counts = judged(program, tables, place, how)
            assert sum(counts.values()) == count
            for kind in ("kept", "dropped"):
                there, rows = found(place / kind, ending)
                assert len(rows) == counts[kind], f"{place / kind}: {len(rows)} rows, expected {counts[kind]}"
                if there:
                    expected.append({"folder": str(place / kind), "ending": ending, "rows": rows})
                else:
                    assert ending != ".parquet" and not rows
    names = [entry["folder"] for entry in expected]
    assert len({len(entry["rows"]) for entry in expected}) > 5 and any(not entry["rows"] for entry in expected), names
    (folder / "expected.json").write_text(json.dumps(expected))
    print(f"{len(expected)} folders of {sum(len(entry['rows']) for entry in expected)} rows")


if __name__ == "__main__":
    main(*sys.argv[1:])
