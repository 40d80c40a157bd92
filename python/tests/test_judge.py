"""`judge` and `Judge`: the verdicts of the command, in memory; and the adapters to pipelines, with the real packages."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import command

import crawlprefs

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def documents(by_command: Path) -> Any:
    """FineWeb's columns: the pages of the tables, other URLs of their sites, unknown sites and bad rows."""
    pages = crawlprefs.open(by_command).pages.to_table(columns=["url", "warc_record_id", "fetch_time"]).to_pylist()
    rows = [{"url": it["url"], "id": it["warc_record_id"], "date": it["fetch_time"].isoformat(), "text": "a b"} for it in pages]
    rows += [{**row, "url": f"{row['url']}?other", "id": f"<urn:uuid:{number}>"} for number, row in enumerate(rows)]
    rows += [{"url": url, "id": None, "date": "2026-08-10", "text": ""} for url in ("https://nobody.example/", "mailto:a", "", None)]
    return pa.Table.from_pylist(rows)


def test_memory_and_files_give_the_same_verdicts(by_command: Path, documents: Any, tmp_path: Path) -> None:
    pq.write_table(documents, tmp_path / "docs.parquet")
    report = crawlprefs.judge(tmp_path / "docs.parquet", by_command, tmp_path / "judged", policy="labels")
    assert report["counts"]["documents"] == documents.num_rows
    judged = pq.read_table(tmp_path / "judged/docs.parquet")
    judge = crawlprefs.Judge(by_command, policy="labels")
    kept = judge.documents(documents)
    columns = [name for name in kept.column_names if name != "prefs_drop"]
    of_kept = documents.append_column("drop", kept["prefs_drop"])
    for name in columns:
        of_kept = of_kept.append_column(name, kept[name])
    of_kept = of_kept.filter(pa.compute.is_null(of_kept["drop"])).drop_columns(["drop"])
    assert judged.to_pylist() == of_kept.to_pylist()
    assert 0 < judged.num_rows < documents.num_rows
    by_columns = judge(documents["url"], dates=documents["date"], ids=documents["id"])
    assert by_columns.to_pylist() == kept.to_pylist()
    assert pickle.loads(pickle.dumps(judge)).documents(documents).to_pylist() == kept.to_pylist()


def test_a_page_of_the_tables_has_its_row(by_command: Path) -> None:
    columns = ["url", "warc_record_id", "access", "train_ai", "disallowed_agents", "unread"]
    pages = crawlprefs.open(by_command).pages.to_table(columns=columns)
    verdicts = crawlprefs.Judge(by_command)(pages["url"], ids=pages["warc_record_id"])
    assert set(verdicts["prefs_source"].to_pylist()) == {"record"}
    for column in columns[2:]:
        assert verdicts[f"prefs_{column}"].to_pylist() == pages[column].to_pylist(), column


def test_no_label_of_an_unseen_page_is_allow(by_command: Path, documents: Any) -> None:
    verdicts = crawlprefs.Judge(by_command, at="newest")(documents["url"]).to_pylist()
    assert {row["prefs_source"] for row in verdicts} == {"site", "none"}
    labels = [name for name in verdicts[0] if name.removeprefix("prefs_") in ("search", "train_ai", "train_genai", "ai_input", "tdm")]
    assert {row[label] for row in verdicts for label in labels} == {"disallow", "unknown"}
    assert all(row["prefs_unread"] for row in verdicts if row["prefs_source"] == "site")


def test_what_is_wrong_is_an_exception_with_the_words_of_the_command(by_command: Path, tmp_path: Path) -> None:
    with pytest.raises(crawlprefs.Error, match="no column url or metadata.url; it has text"):
        crawlprefs.Judge(by_command).documents(pa.table({"text": ["a"]}))
    with pytest.raises(crawlprefs.UsageError):
        crawlprefs.Judge(by_command, policy="none of them")
    with pytest.raises(crawlprefs.Error):
        crawlprefs.Judge(tmp_path)
    (tmp_path / "docs.parquet").write_bytes(b"PAR1")
    (tmp_path / "urls.txt").write_text("https://nobody.example/\n")
    with pytest.raises(crawlprefs.InputsFailed, match="docs.parquet") as failed:
        crawlprefs.judge([tmp_path / "docs.parquet", tmp_path / "urls.txt"], by_command, tmp_path / "judged")
    assert failed.value.report["counts"]["documents"] == 1


def test_datatrove_keeps_what_the_policy_keeps(by_command: Path, documents: Any) -> None:
    data = pytest.importorskip("datatrove.data")
    from crawlprefs.datatrove import PreferenceFilter

    rows = [row for row in documents.to_pylist() if row["url"]]
    of_rows = [
        data.Document(text=row["text"], id=row["id"] or "", metadata={"url": row["url"], "date": row["date"]}) for row in rows
    ]
    step = pickle.loads(pickle.dumps(PreferenceFilter(by_command, policy="robots", batch_size=50)))
    kept = [doc.metadata["url"] for doc in step.run(iter(of_rows))]
    judge = crawlprefs.Judge(by_command, policy="robots")
    reasons = judge([row["url"] for row in rows], dates=[row["date"] for row in rows], ids=[row["id"] for row in rows])["prefs_drop"]
    assert kept == [row["url"] for row, reason in zip(rows, reasons.to_pylist(), strict=True) if reason is None]
    dropped = {name.removeprefix("dropped_") for name in step.stats.stats if name.startswith("dropped_")}
    assert dropped == set(reasons.to_pylist()) - {None}


def test_nemo_curator_filters_by_url_and_by_id(by_command: Path, tmp_path: Path) -> None:
    pytest.importorskip("nemo_curator")
    from crawlprefs.nemo_curator import PreferenceFilter, ids_to_remove

    pages = crawlprefs.open(by_command).pages.to_table(columns=["url", "warc_record_id", "access"]).to_pylist()
    by_id = PreferenceFilter(by_command, by="id", policy="robots")
    for page in pages[:40]:
        score = by_id.score_document(page["warc_record_id"][10:-1])
        assert by_id.keep_document(score) == (page["access"] == "allow")
    by_url = PreferenceFilter(by_command)
    assert not by_url.keep_document(by_url.score_document("https://nobody.example/"))
    count = ids_to_remove(by_command, tmp_path / "ids.parquet", policy="robots")
    ids = pq.read_table(tmp_path / "ids.parquet")["id"].to_pylist()
    assert len(ids) == count and ids == sorted(ids)
    assert set(ids) == {page["warc_record_id"][10:-1] for page in pages if page["access"] != "allow"}


def test_dolma_mixes_by_the_attributes(by_command: Path, documents: Any, tmp_path: Path) -> None:
    dolma = pytest.importorskip("dolma")
    import crawlprefs.dolma

    rows = [row for row in documents.to_pylist() if row["url"] and row["text"]]
    (tmp_path / "set/documents").mkdir(parents=True)
    with gzip.open(tmp_path / "set/documents/a.json.gz", "wt") as file:
        for row in rows:
            of_row = {"id": row["id"], "text": row["text"], "source": "test", "metadata": {"url": row["url"], "date": row["date"]}}
            file.write(json.dumps(of_row) + "\n")
    paths = crawlprefs.dolma.tag(str(tmp_path / "set/documents/*.json.gz"), by_command, policy="robots")
    assert paths == [str(tmp_path / "set/attributes/crawlprefs/a.json.gz")]
    drop = "$.attributes[?(@.crawlprefs__crawlprefs__drop && @.crawlprefs__crawlprefs__drop[0] && @.crawlprefs__crawlprefs__drop[0][2] >= 1.0)]"
    stream = {
        "name": "kept",
        "documents": [str(tmp_path / "set/documents/*.json.gz")],
        "attributes": ["crawlprefs"],
        "output": {"path": str(tmp_path / "kept"), "max_size_in_bytes": 1_000_000_000},
        "filter": {"include": [], "exclude": [drop]},
    }
    work = {"input": str(tmp_path / "in"), "output": str(tmp_path / "work")}
    dolma.dolma.mixer_entrypoint(json.dumps({"streams": [stream], "work_dir": work, "processes": 1}))
    (mixed,) = (tmp_path / "kept").glob("*.gz")
    kept = [json.loads(line)["id"] for line in gzip.open(mixed, "rt")]
    reasons = crawlprefs.Judge(by_command, policy="robots")(
        [row["url"] for row in rows], dates=[row["date"] for row in rows], ids=[row["id"] for row in rows]
    )["prefs_drop"].to_pylist()
    assert kept == [row["id"] for row, reason in zip(rows, reasons, strict=True) if reason is None]


def test_the_command_of_the_package_judges(by_command: Path, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("https://aipref-robots.example/open/new\n")
    ran = command("judge", tmp_path / "urls.txt", "--tables", by_command, "-q")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["prefs_source"] == "site"
