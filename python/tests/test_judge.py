"""`judge` and `Judge`: the verdicts of the command, in memory."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import surfaces
from conftest import command, made

import crawlprefs
from crawlprefs._flags import names

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


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


def test_an_audit_of_a_sample_has_its_figures_in_the_report(by_command: Path, documents: Any, tmp_path: Path) -> None:
    pq.write_table(documents, tmp_path / "docs.parquet")
    report = crawlprefs.judge(tmp_path / "docs.parquet", by_command, tmp_path / "audit", policy="labels", audit=True, sample="20@7")
    audit = report["audit"]
    assert (audit["drawn"], audit["population"], audit["sample"]) == (20, documents.num_rows, {"documents": 20, "seed": 7})
    rows = pq.read_table(tmp_path / "audit/docs.parquet").to_pylist()
    for found in audit["findings"]:
        assert found["documents"] == sum(row["prefs_finding"] == found["finding"] for row in rows)
        assert 0 <= found["interval"]["low"] <= found["share"] <= found["interval"]["high"] <= 1
    assert json.loads((tmp_path / "_audit.judge/_judge.json").read_text())["audit"] == audit
    assert "audit" not in report["counts"]


def test_a_site_index_gives_the_verdicts_that_evidence_gives(by_command: Path, documents: Any, tmp_path: Path) -> None:
    made = command("index", "-q", by_command, "-o", tmp_path / "index")
    assert made.returncode == 0, made.stderr
    by_site = [documents["url"], documents["date"]]
    expected = crawlprefs.Judge(by_command)(*by_site).to_pylist()
    judge = crawlprefs.Judge(sites=tmp_path / "index")
    assert judge(*by_site).to_pylist() == expected
    assert pickle.loads(pickle.dumps(judge))(*by_site).to_pylist() == expected
    both = crawlprefs.Judge(by_command, sites=tmp_path / "index", policy="labels").documents(documents).to_pylist()
    assert both == crawlprefs.Judge(by_command, policy="labels").documents(documents).to_pylist()
    assert "record" in {row["prefs_source"] for row in both}
    by_other = crawlprefs.Judge(sites=tmp_path / "index", agent="GPTBot")(*by_site).to_pylist()
    assert [row["prefs_access"] for row in by_other] != [row["prefs_access"] for row in expected]
    with pytest.raises(crawlprefs.UsageError):
        crawlprefs.Judge()


def test_layers_answer_as_the_index_that_they_merge_to(sample: Path, documents: Any, tmp_path: Path) -> None:
    layers = [tmp_path / "layers" / name for name in ("crawl-data", "local")]
    for layer in layers:
        evidence = made(tmp_path / "evidence" / layer.name, "scan", "-q", sample / layer.name)
        made(layer, "index", "-q", evidence)
    merged = made(tmp_path / "merged", "index", "-q", *layers)
    by_site = [documents["url"], documents["date"]]
    expected = crawlprefs.Judge(sites=merged)(*by_site).to_pylist()
    assert expected != crawlprefs.Judge(sites=layers[0])(*by_site).to_pylist()
    for named in (tmp_path / "layers", layers, layers[::-1]):
        judge = crawlprefs.Judge(sites=named)
        assert judge(*by_site).to_pylist() == expected
        assert pickle.loads(pickle.dumps(judge))(*by_site).to_pylist() == expected
        assert crawlprefs.history("rep.example", named).files == crawlprefs.history("rep.example", merged).files
    for name, sites in (("by-layers", layers), ("by-one", merged)):
        crawlprefs.sites(sites, tmp_path / name, at="2026-09-01")
    by_layers, by_one = (crawlprefs.open(tmp_path / name).sites.to_table().to_pylist() for name in ("by-layers", "by-one"))
    assert by_layers == by_one and len(by_one) > 5


def test_every_option_has_a_case() -> None:
    assert names(crawlprefs.JudgeOptions) == set(surfaces.OPTIONS)


@surfaces.every_option
def test_memory_gives_what_the_command_gives_with_every_option(
    option: str, by_command: Path, index: Path, documents: Any, tmp_path: Path
) -> None:
    if option == "replace_prefs":
        documents = documents.append_column("prefs_access", pa.array(["allow"] * documents.num_rows))
    tables, options = surfaces.case(option, by_command, index, tmp_path)
    expected, kept = surfaces.by_command(documents, tables, options, tmp_path)
    verdicts = crawlprefs.Judge(tables, **options).documents(documents)
    drop = verdicts[f"{options.get('prefix', 'prefs_')}drop"].to_pylist()
    assert [row for row, reason in enumerate(drop) if reason is None] == kept
    without_version = [name for name in expected.column_names if "policy" not in name]
    assert verdicts.select(without_version).to_pylist() == expected.select(without_version).to_pylist()
    assert verdicts.schema.types[:-1] == expected.schema.types
    assert verdicts.column_names[:-1] == expected.column_names


def test_one_url_instead_of_several_is_refused(by_command: Path) -> None:
    with pytest.raises(crawlprefs.UsageError, match="expected a list of URLs"):
        crawlprefs.Judge(by_command)("https://a.example/")


def test_a_row_that_cannot_be_judged_is_unknown_as_in_the_command(by_command: Path, tmp_path: Path) -> None:
    good = "https://rep.example/private/x"
    rows: list[tuple[Any, Any, Any]] = [
        (5, "2026-08-10", None), ("https://a.example/\ud800", "2026-08-10", None), (good, "2026-08-12", 7), (good, 5.5, "\udfff"),
        (["https://a.example/"], "2026-08-10", {}), (good, "2026-08-12", None),
    ]  # fmt: skip
    urls, dates, ids = zip(*rows, strict=True)
    found = crawlprefs.Judge(by_command, columns=["access", "reason"])(urls, dates=dates, ids=ids).to_pylist()
    lines = [json.dumps({"url": url, "date": date, "id": id}) for url, date, id in rows]
    (tmp_path / "docs.jsonl").write_text("".join(line + "\n" for line in lines))
    ran = command("judge", tmp_path / "docs.jsonl", "--tables", by_command, "-q", "--columns", "access,reason")
    assert ran.returncode == 0, ran.stderr
    of_command = [json.loads(line) for line in ran.stdout.splitlines()]
    assert found == [{name: row[name] for name in ("prefs_access", "prefs_reason")} for row in of_command]
    assert [row["prefs_access"] for row in found] == ["unknown", "unknown", "disallow", "unknown", "unknown", "disallow"]


def test_columns_without_any_value_are_as_if_they_were_not_there(by_command: Path, documents: Any) -> None:
    judge = crawlprefs.Judge(by_command, policy="labels", at="newest")
    none = [None] * documents.num_rows
    expected = judge(documents["url"]).to_pylist()
    assert judge(documents["url"], dates=none, ids=none).to_pylist() == expected
    assert judge.documents(pa.table({"url": documents["url"], "date": pa.nulls(len(none)), "id": pa.nulls(len(none))})).to_pylist() == expected
    assert {row["prefs_access"] for row in judge(none).to_pylist()} == {"unknown"}


def test_a_page_of_the_tables_has_its_row(by_command: Path) -> None:
    columns = ["url", "warc_record_id", "fetch_time", "access", "train_ai", "disallowed_agents", "unread", "doubt", "not_seen"]
    pages = crawlprefs.open(by_command).pages.to_table(columns=columns)
    judge = crawlprefs.Judge(by_command, columns=["source", *columns[3:]])
    verdicts = judge(pages["url"], ids=pages["warc_record_id"])
    assert set(verdicts["prefs_source"].to_pylist()) == {"record"}
    by_site = judge(pages["url"], dates=pages["fetch_time"])["prefs_train_ai"].to_pylist()
    for column in columns[3:]:
        wanted = [";".join(value) if isinstance(value, list) else value for value in pages[column].to_pylist()]
        if column == "train_ai":  # what the files of the site alone refuse is refused, whatever a page says
            wanted = ["disallow" if site == "disallow" else own for own, site in zip(wanted, by_site, strict=True)]
            assert wanted != pages[column].to_pylist()
        assert verdicts[f"prefs_{column}"].to_pylist() == wanted, column


def test_no_label_of_an_unseen_page_is_allow(by_command: Path, documents: Any) -> None:
    verdicts = crawlprefs.Judge(by_command, at="newest")(documents["url"]).to_pylist()
    assert {row["prefs_source"] for row in verdicts} == {"site", "none"}
    labels = [name for name in verdicts[0] if name.removeprefix("prefs_") in ("search", "train_ai", "train_genai", "ai_input", "tdm")]
    assert {row[label] for row in verdicts for label in labels} == {"disallow", "unknown"}
    assert all(row["prefs_not_seen"] for row in verdicts if row["prefs_source"] == "site")


def test_what_is_wrong_is_an_exception_with_the_words_of_the_command(by_command: Path, tmp_path: Path) -> None:
    with pytest.raises(crawlprefs.Error, match="no column url or metadata.url or metadata.WARC-Target-URI; it has text"):
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


@pytest.mark.parametrize("name", ["prefs_access", "PREFS_TDM", "prefs_drop"])
def test_columns_of_verdicts_are_refused_or_replaced_or_have_another_prefix(by_command: Path, name: str) -> None:
    documents = pa.table({"url": ["https://nobody.example/"], name: ["allow"]})
    with pytest.raises(crawlprefs.Error, match=f"it has a column {name} already"):
        crawlprefs.Judge(by_command).documents(documents)
    assert crawlprefs.Judge(by_command, replace_prefs=True).documents(documents)["prefs_access"].to_pylist() == ["unknown"]
    later = crawlprefs.Judge(by_command, prefix="later_", policy="labels")
    assert later.documents(documents)["later_drop"].to_pylist() == ["site_unknown"]
    assert later.documents(documents)["later_access"].to_pylist() == ["unknown"]


@pytest.mark.parametrize("source", ["evidence", "index"])
def test_a_process_that_is_forked_judges_and_explains(by_command: Path, documents: Any, tmp_path: Path, source: str) -> None:
    assert command("index", "-q", by_command, "-o", tmp_path / "index").returncode == 0
    judge = crawlprefs.Judge(by_command, jobs=2) if source == "evidence" else crawlprefs.Judge(sites=tmp_path / "index", jobs=2)
    url = documents["url"][0].as_py()

    def answers() -> object:
        return judge.documents(documents).to_pylist(), crawlprefs.explain_page(by_command, url).answer

    expected = answers()
    read, write = os.pipe()
    if child := os.fork():
        os.close(write)
        # A process that waits for threads which it does not have is ended, and the answer is cut.
        timer = threading.Timer(60, os.kill, (child, signal.SIGKILL))
        timer.start()
        with open(read, "rb") as answer:
            pickled = answer.read()
        timer.cancel()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert pickle.loads(pickled) == expected
        return
    status = 1
    try:
        with open(write, "wb") as answer:
            answer.write(pickle.dumps(answers()))
        status = 0
    finally:
        os._exit(status)


def test_an_index_is_opened_by_its_list_alone_and_needs_no_temporary_file(by_command: Path, tmp_path: Path) -> None:
    assert command("index", "-q", by_command, "-o", tmp_path / "index").returncode == 0
    script = (
        "import crawlprefs, shutil, sys\n"
        "index, url = sys.argv[1:]\n"
        "print(crawlprefs.Judge(sites=index, at='newest')([url])['prefs_access'][0])\n"
        "shutil.rmtree(index + '/fetches')\n"
        "judge = crawlprefs.Judge(sites=index, at='newest')\n"
        "try:\n    judge([url])\n"
        "except crawlprefs.Error as error:\n    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "index"), "https://rep.example/private/x"],
        env={**os.environ, "TMPDIR": str(tmp_path / "nowhere")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    access, error = ran.stdout.splitlines()[:2]
    assert access == "disallow" and "fetches/" in error, ran.stdout


def test_rows_of_every_library_and_type_are_judged(by_command: Path) -> None:
    urls = ["https://rep.example/private/x", None, "https://nobody.example/"]
    judge = crawlprefs.Judge(by_command, at="newest")
    expected = judge(urls).to_pylist()
    assert [row["prefs_access"] for row in expected] == ["disallow", "unknown", "unknown"]

    class Rows:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            table = pa.table({"url": pa.array(urls, pa.string_view()), "id": [float("nan")] * 3})
            return table.__arrow_c_stream__(requested_schema)

    encoded = pa.table({"url": pa.array(urls).dictionary_encode(), "date": pa.array(["2026-08-10"] * 3, pa.large_string())})
    for rows in (Rows(), encoded, encoded.to_batches()[0]):
        assert judge.documents(rows).to_pylist() == expected
    assert judge([urls[0], float("nan"), urls[2]], dates=[float("nan")] * 3).to_pylist() == expected  # type: ignore[list-item]
    with pytest.raises(TypeError, match="found list"):
        judge.documents([urls])
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"url": urls, "date": [float("nan")] * 3})
    if hasattr(frame, "__arrow_c_stream__"):
        assert judge.documents(frame).to_pylist() == expected


def test_ctrl_c_ends_the_wait_for_files(by_command: Path, tmp_path: Path) -> None:
    # A shell that starts this in the background ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.mkfifo(tmp_path / "policy.toml")
    (tmp_path / "urls.txt").write_text("https://nobody.example/\n")
    ended = threading.Event()

    def interrupt() -> None:
        # Opening waits until the call reads, and the call cannot end before this is closed.
        with open(tmp_path / "policy.toml", "wb"):
            os.kill(os.getpid(), signal.SIGINT)
            ended.wait(60)

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        crawlprefs.judge(tmp_path / "urls.txt", by_command, tmp_path / "judged", policy=tmp_path / "policy.toml")
    ended.set()
    other.join(60)


def test_the_command_of_the_package_judges(by_command: Path, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("https://aipref-robots.example/open/new\n")
    ran = command("judge", tmp_path / "urls.txt", "--tables", by_command, "-q")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["prefs_source"] == "site"


def test_documents_one_by_one_are_those_of_one_call(by_command: Path, index: Path, documents: Any) -> None:
    rows = documents.to_pylist()
    dates, urls = [row["date"] for row in rows], [row["url"] for row in rows]
    for place in ({"tables": by_command}, {"sites": index}, {"sites": index, "memory_limit": "1K"}):
        judge = crawlprefs.Judge(**place, policy="labels", at="page,newest", audit=True)
        expected = judge(pa.array(urls), dates=pa.array(dates)).to_pylist()
        # The second time by what is kept of the sites.
        for _ in range(2):
            assert [judge([url], dates=[date]).to_pylist()[0] for url, date in zip(urls, dates, strict=True)] == expected
        found = [judge(urls[start : start + 7], dates=dates[start : start + 7]).to_pylist() for start in range(0, len(urls), 7)]
        assert [row for rows in found for row in rows] == expected
