"""`crawlprefs.spark.run` on a cluster of two executors, each a process of its own: the bytes of `crawlprefs.run`."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import surfaces
from conftest import REPOSITORY, command, files

import crawlprefs

pyspark = pytest.importorskip("pyspark")

import crawlprefs.spark  # noqa: E402


@pytest.fixture(scope="session")
def kill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder by which a test asks for the death of an executor; see executor/sitecustomize.py."""
    return tmp_path_factory.mktemp("kill")


@pytest.fixture(scope="session")
def store() -> Any:
    """A store of tests/stores, which the environment names."""
    found = runpy.run_path(str(REPOSITORY / "tests/stores/store.py"))["Store"]()
    os.environ |= {"AWS_ENDPOINT_URL": found.url, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}
    return found


@pytest.fixture(scope="session")
def spark(kill: Path, store: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of two executors."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    folders = [str(Path(__file__).parent / "executor"), *filter(None, [os.environ.get("PYTHONPATH")])]
    builder = pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]").appName("crawlprefs")
    for name, value in {
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(folders),
        "spark.executorEnv.KILL_DIR": str(kill),
        **{f"spark.executorEnv.{name}": value for name, value in os.environ.items() if name.startswith("AWS_")},
        "spark.ui.enabled": "false",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def inputs(name: str, sample: Path) -> Path:
    if name == "sample":
        return sample
    corpus = os.environ.get("CRAWLPREFS_CORPUS")
    if corpus is None:
        pytest.skip("CRAWLPREFS_CORPUS is not set")
    return Path(corpus) / "segment"


@pytest.mark.parametrize("name", ["sample", "segment"])
def test_a_cluster_writes_the_bytes_of_one_call(name: str, spark: Any, sample: Path, tmp_path: Path) -> None:
    archives = inputs(name, sample)
    report = crawlprefs.run(archives, tmp_path / "one")
    rows = crawlprefs.spark.run(spark, archives, tmp_path / "out").collect()
    assert files(tmp_path / "out") == files(tmp_path / "one")
    scans = [row for row in rows if row.stage == "scan"]
    assert sorted(row.unit for row in scans) == sorted(archive.name for archive in crawlprefs.archives(archives))
    assert {row.outcome for row in scans} == {"read"}
    for count in ("bytes", "records", "captures", "failures"):
        assert sum(row[count] for row in scans) == report["totals"][count]
    assert sum(row.pages for row in rows if row.stage == "resolve") == report["resolve"]["pages"]
    again = crawlprefs.spark.run(spark, archives, tmp_path / "out", archives_per_task=5).collect()
    assert {row.outcome for row in again} == {"known", "resolved"}
    assert files(tmp_path / "out") == files(tmp_path / "one")
    pages = spark.read.parquet(str(tmp_path / "out/pages"))
    assert pages.count() == report["resolve"]["pages"]


@pytest.mark.parametrize(
    ("stage", "when"),
    [("scan", "3 started"), ("scan", "2 archive_read"), ("resolve", "1 started"), ("resolve", "2 batch_resolved")],
)
def test_an_executor_that_dies_changes_nothing(
    stage: str, when: str, spark: Any, kill: Path, sample: Path, by_command: Path, tmp_path: Path
) -> None:
    (kill / stage).write_text(when)
    rows = crawlprefs.spark.run(spark, sample, tmp_path / "out", robotstxt_per_task=1).collect()
    assert (kill / f"{stage}.killed").exists()
    for path in kill.iterdir():
        path.unlink()
    assert files(tmp_path / "out") == files(by_command)
    assert len(rows) == 9


def test_a_store_needs_no_shared_file_system(
    spark: Any, kill: Path, store: Any, sample: Path, by_command: Path, tmp_path: Path
) -> None:
    for path in sample.rglob("*"):
        if path.is_file():
            store.put(f"data/{path.relative_to(sample)}", path.read_bytes())
    (kill / "scan").write_text("3 started")
    (kill / "resolve").write_text("1 started")
    archives, out = "s3://bucket/data", "s3://bucket/out"
    rows = crawlprefs.spark.run(spark, archives, out, robotstxt_per_task=1).collect()
    assert (kill / "scan.killed").exists() and (kill / "resolve.killed").exists()
    for path in kill.iterdir():
        path.unlink()
    assert {row.outcome for row in rows} <= {"read", "known", "resolved"}

    def written() -> dict[str, bytes]:
        names = [name for name in store.objects if name.startswith("out/") and not name.startswith("out/_known/")]
        return {name.removeprefix("out/"): store.objects[name][0] for name in names}

    assert written() == files(by_command)
    # The example, by a list, into the same output: all is known.
    example = runpy.run_path(str(REPOSITORY / "examples/spark_emr.py"))
    names = [path.relative_to(sample) for path in sample.rglob("*.warc*")]
    (tmp_path / "list").write_text("".join(f"{name}\n" for name in names))
    assert example["main"](spark, [str(tmp_path / "list"), f"--base={archives}", f"--out={out}"]) == 0
    assert written() == files(by_command)


def test_options_and_lists_are_those_of_run(spark: Any, sample: Path, tmp_path: Path) -> None:
    lists = {"paths_from": [sample / "warc.paths.gz", tmp_path / "more"], "base": sample}
    (tmp_path / "more").write_text("local/site.warc\nlocal/nowhere.warc\n")
    options = {"agent": "GPTBot", "tables": ["pages", "robots"], "robots_slack": 60, "depth": "no-meta"}
    crawlprefs.run([], tmp_path / "one", max_failed=1, **lists, **options)
    rows = crawlprefs.spark.run(spark, [], tmp_path / "out", archives_per_task=2, **lists, **options).collect()
    assert files(tmp_path / "out") == files(tmp_path / "one")
    assert [row.unit for row in rows if row.outcome == "missing"] == ["local/nowhere.warc"]


def test_names_that_no_list_can_hold_are_archives(spark: Any, sample: Path, tmp_path: Path) -> None:
    (tmp_path / "in/sub").mkdir(parents=True)
    for name in ("a\nb.warc", "t.warc", "c\x07\u0085.warc", "*.warc"):
        shutil.copy(sample / "local/site.warc", tmp_path / "in/sub" / name)
    crawlprefs.run(tmp_path / "in", tmp_path / "one")
    rows = crawlprefs.spark.run(spark, tmp_path / "in", tmp_path / "out").collect()
    assert files(tmp_path / "out") == files(tmp_path / "one")
    scans = {row.unit: row.outcome for row in rows if row.stage == "scan"}
    assert scans == dict.fromkeys(("sub/a\nb.warc", "sub/t.warc", "sub/c\x07\u0085.warc", "sub/*.warc"), "read")
    for name in ("gone\n.warc", "locked\n.warc"):
        archive = crawlprefs.Archive(name, str(tmp_path / name), "local", None)
        (tmp_path / "locked\n.warc").mkdir(exist_ok=True)
        row = crawlprefs.spark._scan(archive, str(tmp_path / "out"), {"jobs": 1})
        assert (row["unit"], row["outcome"]) == (name, "missing" if "gone" in name else "unreadable")


def test_the_example_for_a_cluster(spark: Any, sample: Path, by_command: Path, tmp_path: Path) -> None:
    example = runpy.run_path(str(REPOSITORY / "examples/spark_emr.py"))
    names = [path.relative_to(sample) for path in sample.rglob("*.warc*")]
    (tmp_path / "list").write_text("".join(f"{name}\n" for name in names))
    arguments = [str(tmp_path / "list"), f"--base={sample}", f"--out={tmp_path}/out"]
    assert example["main"](spark, arguments) == 0
    assert files(tmp_path / "out") == files(by_command)


def test_what_cannot_run_says_why(spark: Any, sample: Path, tmp_path: Path) -> None:
    with pytest.raises(crawlprefs.UsageError, match="overwrite"):
        crawlprefs.spark.run(spark, sample, tmp_path / "out", overwrite=True)
    with pytest.raises(crawlprefs.Error, match="no such file or folder"):
        crawlprefs.spark.run(spark, sample / "nowhere", tmp_path / "out")
    shutil.copytree(sample / "local", tmp_path / "foreign")
    with pytest.raises(Exception, match="nothing in it says that crawlprefs wrote it"):
        crawlprefs.spark.run(spark, sample, tmp_path / "foreign")


def test_documents_get_the_verdicts_of_one_process(spark: Any, by_command: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pages = crawlprefs.open(by_command).pages.to_table(columns=["url", "warc_record_id", "fetch_time"]).to_pylist()
    rows = [{"id": it["warc_record_id"], "url": it["url"], "date": it["fetch_time"].isoformat()} for it in pages]
    rows += [{**row, "id": f"new-{number}", "url": f"{row['url']}?{number}"} for number, row in enumerate(rows * 5)]
    judged = crawlprefs.spark.judge(spark.createDataFrame(rows), by_command, policy="labels", partitions=4).collect()
    expected = crawlprefs.Judge(by_command, policy="labels").documents(pa.Table.from_pylist(rows)).to_pylist()
    assert {row["id"]: row.asDict() for row in judged} == {
        row["id"]: row | verdict for row, verdict in zip(rows, expected, strict=True)
    }


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("folder", ["kept", "dropped"])
@pytest.mark.parametrize("below", ["", "/*"])
def test_spark_reads_what_judge_writes(
    below: str, folder: str, kind: str, spark: Any, by_command: Path, tmp_path: Path
) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [{**row, "text": "a"} for _, row in zip(range(300), many_documents(by_command), strict=False)]
    expected = surfaces.written(pa.Table.from_pylist(rows), by_command, kind, tmp_path)[folder]
    read = spark.read.parquet if kind == "parquet" else spark.read.json
    place = str(tmp_path / folder) + (below and f"{below}.{kind}")
    found = read(place)
    assert "url" in found.columns and found.count() == expected


@surfaces.every_option
def test_spark_gives_what_one_process_gives_with_every_option(
    option: str, spark: Any, by_command: Path, index: Path, tmp_path: Path
) -> None:
    pa = pytest.importorskip("pyarrow")
    tables, options = surfaces.case(option, by_command, index, tmp_path)
    rows = [{**row, "row": number} for number, row in zip(range(500), many_documents(by_command), strict=False)]
    judged = crawlprefs.spark.judge(spark.createDataFrame(rows, "row int, url string, id string, date string"), tables, partitions=2, **options)
    expected = crawlprefs.Judge(tables, **options).documents(pa.Table.from_pylist(rows))
    assert judged.columns == ["row", "url", "id", "date", *expected.column_names]
    found = {row["row"]: row.asDict() for row in judged.collect()}
    for row, verdict in zip(rows, expected.to_pylist(), strict=True):
        times = {name: value.replace(tzinfo=None) for name, value in verdict.items() if hasattr(value, "tzinfo")}
        of_spark = {name: value if name not in times else value.replace(tzinfo=None) for name, value in found[row["row"]].items()}
        assert of_spark == row | verdict | times


def test_spark_reads_a_site_index_as_it_is(spark: Any, index: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    fetches, bodies = (spark.read.parquet(str(index / table)) for table in ("fetches", "bodies"))
    columns = ["url_host_name", "kind", "body", "fetch_unix_s"]
    expected = [tuple(row[name] for name in columns) for row in pq.read_table(index / "fetches", columns=columns).to_pylist()]
    assert sorted(map(str, expected)) == sorted(str(tuple(row)) for row in fetches.select(columns).collect())
    said = fetches.where("surt_host_name = 'example,twice' AND kind = 'robots'").join(bodies, "body").orderBy("fetch_unix_s")
    assert [bytes(row.content).splitlines()[-1] for row in said.collect()] == [b"Disallow: /shop/", b"Content-Usage: train-ai=n"]


def test_a_site_index_gives_the_verdicts_of_one_process(spark: Any, by_command: Path, index: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [{**row, "id": str(number)} for number, row in zip(range(3000), many_documents(by_command), strict=False)]
    options: Any = {"sites": index, "policy": "labels", "at": "newest"}
    judged = crawlprefs.spark.judge(spark.createDataFrame(rows), partitions=4, **options).collect()
    expected = crawlprefs.Judge(**options).documents(pa.Table.from_pylist(rows)).to_pylist()
    assert {row["id"]: row.asDict() for row in judged} == {
        row["id"]: row | verdict for row, verdict in zip(rows, expected, strict=True)
    }


def many_documents(tables: Path) -> Iterator[dict[str, str | None]]:
    """Yields pages of the tables, many other paths of their sites, sites that are not there, and what is no URL."""
    pages = crawlprefs.open(tables).pages.to_table(columns=["url", "warc_record_id", "fetch_time"]).to_pylist()
    for page in pages:
        yield {"url": page["url"], "id": page["warc_record_id"], "date": page["fetch_time"].isoformat()}
    wrong = [None, "", "mailto:a@a.example", "https://", "//a.example/b", "http://a b.example/", "https://[::1", "\u00e9"]
    for number in range(200_000 - len(pages)):
        page = pages[number % len(pages)]
        scheme, _, host, path = page["url"].split("/", 3)
        url = (
            f"{page['url']}/{number}.html",
            f"{scheme}//{host}/{number % 89}/private/{path}?q={number}",
            f"{scheme.upper()}//{host.upper()}/{path}",
            f"https://nobody-{number % 1000}.example:8443/{number}",
            wrong[number % len(wrong)],
        )[number % 5]
        yield {"url": url, "id": None, "date": page["fetch_time"].isoformat() if number % 7 else None}


def test_200_000_documents_get_the_verdicts_of_the_command(spark: Any, by_command: Path, tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist(list(many_documents(by_command))), tmp_path / "docs.parquet")
    judged = command("judge", "-q", tmp_path / "docs.parquet", "--tables", by_command, "-o", tmp_path / "judged")
    assert judged.returncode == 0, judged.stderr
    of_command = spark.read.parquet(str(tmp_path / "judged/docs.parquet"))
    documents = spark.read.parquet(str(tmp_path / "docs.parquet"))
    of_cluster = crawlprefs.spark.judge(documents, by_command, partitions=4).select(of_command.columns).cache()
    assert of_cluster.count() == of_command.count() == 200_000
    assert of_command.select("prefs_source", "prefs_access").distinct().count() >= 6
    # Of two tables with as many rows, this leaves nothing only where they are the same.
    assert of_cluster.exceptAll(of_command).count() == 0
    of_cluster.unpersist()
