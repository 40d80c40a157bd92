"""The adapters to datatrove, NeMo Curator and dolma, in pipelines of the real packages: what `Judge` keeps is kept."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import surfaces

import crawlprefs

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def reasons(tables: Path, rows: list[dict[str, Any]], **options: Any) -> list[str | None]:
    """Returns why each row is dropped."""
    columns = {name: [row[name] for row in rows] for name in ("url", "date", "id")}
    verdicts = crawlprefs.Judge(tables, **options)(columns["url"], dates=columns["date"], ids=columns["id"])
    found: list[str | None] = verdicts["prefs_drop"].to_pylist()
    assert None in found and set(found) != {None}
    return found


def lines(folder: Path) -> list[dict[str, Any]]:
    """Returns the documents in the gzipped files of a folder."""
    return [json.loads(line) for path in sorted(folder.rglob("*.gz")) for line in gzip.open(path, "rt")]


def test_datatrove_keeps_what_the_policy_keeps(by_command: Path, documents: Any) -> None:
    data = pytest.importorskip("datatrove.data")
    from crawlprefs.datatrove import PreferenceFilter

    rows = documents.to_pylist()
    of_rows = [data.Document(text=row["text"], id=row["id"], metadata={"url": row["url"], "date": row["date"]}) for row in rows]
    step = pickle.loads(pickle.dumps(PreferenceFilter(by_command, policy="robots", batch_size=50)))
    kept = [doc.metadata["url"] for doc in step.run(iter(of_rows))]
    expected = reasons(by_command, rows, policy="robots")
    assert kept == [row["url"] for row, reason in zip(rows, expected, strict=True) if reason is None]
    for reason in {*expected} - {None}:
        assert step.stats[f"dropped_{reason}"].total == expected.count(reason)


def test_datatrove_runs_a_pipeline_of_two_processes(by_command: Path, documents: Any, tmp_path: Path) -> None:
    pytest.importorskip("datatrove")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.pipeline.writers import JsonlWriter

    from crawlprefs.datatrove import PreferenceFilter

    rows = [row for row in documents.to_pylist() if row["text"] and row["id"]]
    for number in range(2):
        (tmp_path / "docs").mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows[number::2]), tmp_path / f"docs/{number}.parquet")
    step = PreferenceFilter(by_command, JsonlWriter(str(tmp_path / "dropped")))
    pipeline = [ParquetReader(str(tmp_path / "docs")), step, JsonlWriter(str(tmp_path / "kept"))]
    LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir=str(tmp_path / "logs"), skip_completed=False).run()
    expected = {row["id"]: reason for row, reason in zip(rows, reasons(by_command, rows, policy="labels"), strict=True)}
    assert sorted(doc["id"] for doc in lines(tmp_path / "kept")) == sorted(id for id in expected if expected[id] is None)
    dropped = {doc["id"]: doc["metadata"]["filter_reason"] for doc in lines(tmp_path / "dropped")}
    assert dropped == {id: reason for id, reason in expected.items() if reason is not None}


@surfaces.every_option
def test_datatrove_keeps_what_the_command_keeps_with_every_option(
    option: str, by_command: Path, index: Path, documents: Any, tmp_path: Path
) -> None:
    data = pytest.importorskip("datatrove.data")
    from crawlprefs.datatrove import PreferenceFilter

    tables, options = surfaces.case(option, by_command, index, tmp_path)
    _, kept = surfaces.by_command(documents, tables, options, tmp_path)
    rows = documents.to_pylist()
    of_rows = [
        data.Document(text=row["text"], id=row["id"], metadata={"url": row["url"], "date": row["date"], "row": number})
        for number, row in enumerate(rows)
    ]
    step = PreferenceFilter(tables, batch_size=100, **options)
    assert [doc.metadata["row"] for doc in step.run(iter(of_rows))] == kept


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("folder", ["kept", "dropped"])
@pytest.mark.parametrize("below", [None, "*", "**/*"])
def test_datatrove_reads_what_judge_writes(
    below: str | None, folder: str, kind: str, by_command: Path, documents: Any, tmp_path: Path
) -> None:
    readers = pytest.importorskip("datatrove.pipeline.readers")
    expected = surfaces.written(documents.filter(pa.compute.is_valid(documents["url"])), by_command, kind, tmp_path)[folder]
    reader = readers.ParquetReader if kind == "parquet" else readers.JsonlReader
    # What was dropped has no text, and readers pass over rows without any.
    names = {"text_key": "text" if folder == "kept" else "url"}
    files = {} if below is None else {"glob_pattern": f"{below}.{kind}"}
    rows = list(reader(str(tmp_path / folder), **names, **files).run())
    assert abs(len(rows) - expected) <= 3 and rows


@surfaces.every_option
def test_dolma_tags_what_the_command_says_with_every_option(
    option: str, by_command: Path, index: Path, documents: Any, tmp_path: Path
) -> None:
    import crawlprefs.dolma

    tables, options = surfaces.case(option, by_command, index, tmp_path)
    expected, kept = surfaces.by_command(documents, tables, options, tmp_path)
    (tmp_path / "set/documents").mkdir(parents=True)
    with gzip.open(tmp_path / "set/documents/0.json.gz", "wt") as file:
        for row in documents.to_pylist():
            of_row = {"id": row["id"], "text": row["text"], "source": "test", "metadata": {"url": row["url"], "date": row["date"]}}
            file.write(json.dumps(of_row) + "\n")
    (path,) = crawlprefs.dolma.tag(str(tmp_path / "set/documents/*.json.gz"), tables, **options)
    tagged = [json.loads(line)["attributes"] for line in gzip.open(path, "rt")]
    assert [row for row, attributes in enumerate(tagged) if "crawlprefs__crawlprefs__drop" not in attributes] == kept
    prefix = options.get("prefix", "prefs_")
    for label in ("search", "train_ai", "train_genai", "ai_input", "tdm"):
        noes = [f"crawlprefs__crawlprefs__{label}" in attributes for attributes in tagged]
        if f"{prefix}{label}" in expected.column_names:
            assert noes == [value == "disallow" for value in expected[f"{prefix}{label}"].to_pylist()]


def test_dolma_goes_on_behind_rows_that_cannot_be_judged(by_command: Path, tmp_path: Path) -> None:
    import crawlprefs.dolma

    (tmp_path / "set/documents").mkdir(parents=True)
    rows = [
        {"id": "a", "text": "x", "metadata": {"url": 5}},
        {"id": 7, "text": None, "metadata": "none"},
        {"text": "x", "metadata": {"url": "https://a.example/\ud800", "date": ["2026"]}},
    ]
    with gzip.open(tmp_path / "set/documents/0.json.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    (path,) = crawlprefs.dolma.tag(str(tmp_path / "set/documents/*.json.gz"), by_command)
    tagged = [json.loads(line) for line in gzip.open(path, "rt")]
    assert [(row["id"], list(row["attributes"])) for row in tagged] == [(id, ["crawlprefs__crawlprefs__drop"]) for id in ("a", 7, None)]


@surfaces.every_option
def test_nemo_curator_keeps_what_the_command_keeps_with_every_option(
    option: str, by_command: Path, index: Path, documents: Any, tmp_path: Path
) -> None:
    pytest.importorskip("nemo_curator.stages.text.filters")
    from crawlprefs.nemo_curator import PreferenceFilter

    tables, options = surfaces.case(option, by_command, index, tmp_path)
    urls = documents.select(["url"]).slice(0, 60)
    step = PreferenceFilter(tables, **options)
    if option in ("id", "date"):
        # It is given URLs alone, and says so.
        with pytest.raises(crawlprefs.Error, match=f"no column {option}"):
            step.score_document("https://a.example/")
        return
    # The policy of its case names times.
    times = {} if option == "policy" else {"at": "newest"}
    _, kept = surfaces.by_command(urls, tables, {**times, **options}, tmp_path)
    assert [row for row, url in enumerate(urls["url"].to_pylist()) if step.keep_document(step.score_document(url))] == kept


def test_columns_of_exceptions_are_those_of_the_documents(by_command: Path, documents: Any, tmp_path: Path) -> None:
    data = pytest.importorskip("datatrove.data")
    pytest.importorskip("nemo_curator.stages.text.filters")
    import crawlprefs.dolma
    from crawlprefs.datatrove import PreferenceFilter
    from crawlprefs.nemo_curator import PreferenceFilter as NemoFilter

    tables, options = surfaces.case("policy", by_command, by_command, tmp_path)
    (tmp_path / "policy.toml").write_text(surfaces.BY_LANGUAGE)
    rows = [
        {**row, "language": ("de", "en", None)[number % 3], "metadata": {"license": ("cc0", "all rights")[number // 3 % 2]}}
        for number, row in enumerate(documents.to_pylist())
    ]
    table = pa.Table.from_pylist(rows)
    _, kept = surfaces.by_command(table, tables, options, tmp_path)
    plain = {**options, "policy": tmp_path / "plain.toml"}
    (tmp_path / "plain.toml").write_text(surfaces.POLICY)
    reasons = [crawlprefs.Judge(tables, **given).documents(table)["prefs_drop"].to_pylist() for given in (options, plain)]
    assert [row for row, reason in enumerate(reasons[0]) if reason is None] == kept
    by_exception = [row for row, (now, without) in enumerate(zip(*reasons, strict=True)) if now is None and without is not None]
    assert by_exception and all(rows[row]["language"] == "de" and rows[row]["metadata"]["license"] == "cc0" for row in by_exception)
    of_rows = [
        data.Document(
            text=row["text"], id=row["id"],
            metadata={"url": row["url"], "date": row["date"], "language": row["language"], **row["metadata"], "row": number},
        )  # fmt: skip
        for number, row in enumerate(rows)
    ]
    assert [doc.metadata["row"] for doc in PreferenceFilter(tables, batch_size=7, **options).run(iter(of_rows))] == kept
    (tmp_path / "set/documents").mkdir(parents=True)
    with gzip.open(tmp_path / "set/documents/0.json.gz", "wt") as file:
        for row in rows:
            metadata = {"url": row["url"], "date": row["date"], **row["metadata"]}
            file.write(json.dumps({"id": row["id"], "text": row["text"], "language": row["language"], "metadata": metadata}) + "\n")
    (path,) = crawlprefs.dolma.tag(str(tmp_path / "set/documents/*.json.gz"), tables, **options)
    tagged = [json.loads(line)["attributes"] for line in gzip.open(path, "rt")]
    assert [row for row, attributes in enumerate(tagged) if "crawlprefs__crawlprefs__drop" not in attributes] == kept
    with pytest.raises(crawlprefs.UsageError, match="language, metadata.license"):
        NemoFilter(tables, **options)


def batch_of(rows: list[dict[str, Any]]) -> Any:
    """Returns a batch of NeMo Curator's, with its columns for Common Crawl."""
    tasks = pytest.importorskip("nemo_curator.tasks")
    columns = [{"url": row["url"], "warc_id": row["id"] and row["id"][10:-1], "text": row["text"]} for row in rows]
    return tasks.DocumentBatch(dataset_name="test", data=pa.Table.from_pylist(columns))


def test_nemo_curator_scores_and_filters_by_url(by_command: Path, documents: Any) -> None:
    filters = pytest.importorskip("nemo_curator.stages.text.filters")
    from crawlprefs.nemo_curator import PreferenceFilter

    rows = documents.to_pylist()
    stage = filters.ScoreFilter(PreferenceFilter(by_command), text_field="url", score_field="prefs")
    stage = pickle.loads(pickle.dumps(stage))
    kept = stage.process(batch_of(rows)).to_pandas()
    by_url = [{**row, "id": None, "date": None} for row in rows]
    expected = reasons(by_command, by_url, policy="labels", at="newest")
    assert kept["url"].tolist() == [row["url"] for row, reason in zip(rows, expected, strict=True) if reason is None]
    assert set(kept["prefs"]) == {1.0}


def test_nemo_curator_filters_by_id_and_removes_the_ids_of_a_list(by_command: Path, documents: Any, tmp_path: Path) -> None:
    filters = pytest.importorskip("nemo_curator.stages.text.filters")
    removal = pytest.importorskip("nemo_curator.stages.text.deduplication.removal")
    from crawlprefs.nemo_curator import PreferenceFilter, ids_to_remove

    count = crawlprefs.open(by_command).pages.count_rows()
    pages = documents.to_pylist()[:count]
    expected = [row["id"][10:-1] for row, reason in zip(pages, reasons(by_command, pages, policy="robots"), strict=True) if reason is None]
    by_id = filters.ScoreFilter(PreferenceFilter(by_command, by="id", policy="robots"), text_field="warc_id")
    assert by_id.process(batch_of(pages)).to_pandas()["warc_id"].tolist() == expected
    removed = ids_to_remove(by_command, tmp_path / "ids.parquet", policy="robots")
    ids = pq.read_table(tmp_path / "ids.parquet")["id"].to_pylist()
    assert len(ids) == removed == count - len(expected) and ids == sorted(ids)
    stage = removal.TextDuplicatesRemovalStage(str(tmp_path / "ids.parquet"), id_field="warc_id", duplicate_id_field="id")
    assert stage.process(batch_of(pages)).to_pandas()["warc_id"].tolist() == expected
    with pytest.raises(crawlprefs.UsageError, match="policy"):
        ids_to_remove(by_command, tmp_path / "none.parquet", policy="lables")
    assert not (tmp_path / "none.parquet").exists()


def dolma(folder: Path, *arguments: str) -> None:
    """Runs dolma's command in a folder."""
    ran = subprocess.run([sys.executable, "-m", "dolma.cli", *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr


def test_dolma_mixes_by_the_attributes_beside_those_of_its_own_tagger(by_command: Path, documents: Any, tmp_path: Path) -> None:
    pytest.importorskip("dolma")
    import crawlprefs.dolma

    rows = [row for row in documents.to_pylist() if row["id"]]
    for number in range(2):
        (tmp_path / "set/documents").mkdir(parents=True, exist_ok=True)
        with gzip.open(tmp_path / f"set/documents/{number}.json.gz", "wt") as file:
            for row in rows[number::2]:
                of_row = {"id": row["id"], "text": row["text"], "source": "test", "metadata": {"url": row["url"], "date": row["date"]}}
                file.write(json.dumps(of_row) + "\n")
    paths = crawlprefs.dolma.tag(str(tmp_path / "set/documents/*.json.gz"), by_command)
    assert paths == [str(tmp_path / f"set/attributes/crawlprefs/{number}.json.gz") for number in range(2)]
    dolma(tmp_path, "tag", "--documents=set/documents/*.json.gz", "--experiment=length", "--taggers=char_length_v1", "--processes=1")
    for path in paths:
        own = Path(path.replace("/crawlprefs/", "/length/"))
        ids = [[json.loads(line)["id"] for line in gzip.open(file, "rt")] for file in (path, own)]
        assert ids[0] == ids[1]
    exclude = re.findall(r'exclude: \["(.*)"\]', crawlprefs.dolma.__doc__ or "")
    stream = {
        "name": "kept", "documents": ["set/documents/*.json.gz"], "attributes": ["crawlprefs", "length"],
        "output": {"path": "kept", "max_size_in_bytes": 1_000_000}, "filter": {"exclude": exclude},
    }  # fmt: skip
    (tmp_path / "mix.json").write_text(json.dumps({"streams": [stream], "processes": 1}))
    dolma(tmp_path, "-c", "mix.json", "mix")
    expected = [row["id"] for row, reason in zip(rows, reasons(by_command, rows, policy="labels"), strict=True) if reason is None]
    assert sorted(doc["id"] for doc in lines(tmp_path / "kept")) == sorted(expected)


FINEWEB = ["text", "id", "dump", "url", "date", "file_path", "language", "language_score", "token_count"]


def test_the_example_for_fineweb_keeps_its_columns(by_command: Path, documents: Any, tmp_path: Path) -> None:
    pytest.importorskip("datatrove")
    rows = [row for row in documents.to_pylist() if row["text"] and row["id"] and row["url"] and row["date"]]
    rest = {"dump": "CC-MAIN-2026-34", "file_path": "s3://bucket/a.warc.gz", "language": "en", "language_score": 0.5, "token_count": 2}
    whole = [{name: {**row, **rest}[name] for name in FINEWEB} for row in rows]
    (tmp_path / "docs").mkdir()
    pq.write_table(pa.Table.from_pylist(whole), tmp_path / "docs/000_00000.parquet")
    example = Path(__file__).resolve().parents[2] / "examples/fineweb.py"
    call = [sys.executable, str(example), str(tmp_path / "docs"), str(by_command), str(tmp_path / "kept"), "robots"]
    ran = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    kept = pq.read_table(tmp_path / "kept/data")
    assert sorted(kept.column_names) == sorted(FINEWEB)
    expected = reasons(by_command, rows, policy="robots")
    assert kept.select(FINEWEB).to_pylist() == [row for row, reason in zip(whole, expected, strict=True) if reason is None]
    dropped = pq.read_table(tmp_path / "kept/dropped", columns=["id", "filter_reason"]).to_pylist()
    assert [row["filter_reason"] for row in dropped] == [reason for reason in expected if reason is not None]
