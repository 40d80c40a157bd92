"""A package with which others check an answer: three answers over two crawls of ten segments each, in a folder without archives."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import crawlprefs
from conftest import command

pytest.importorskip("duckdb")

CRAWLS = (("CC-MAIN-2026-30", "2026-07-20"), ("CC-MAIN-2026-34", "2026-08-20"))
SEGMENTS = 10
GPT = "User-agent: GPTBot\nDisallow: /\n"
OPEN = "User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n"


def record(number: int, day: str, url: str, head: str, body: str) -> bytes:
    block = f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}".encode()
    lines = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {day}T06:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012x}>\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return lines.encode() + block + b"\r\n\r\n"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two crawls: hosts that close GPTBot, more in the second one, and pages whose header says the contrary of robots.txt."""
    folder = tmp_path_factory.mktemp("archives")
    number = 0
    for crawl, (name, day) in enumerate(CRAWLS):
        for segment in range(SEGMENTS):
            files: dict[str, list[bytes]] = {"robotstxt": [], "warc": []}
            for host in range(segment * 4, segment * 4 + 4):
                number += 2
                is_closed = host % 5 < 1 + crawl
                site = f"https://h{host}.example"
                files["robotstxt"].append(record(number, day, f"{site}/robots.txt", "Content-Type: text/plain", GPT if is_closed else OPEN))
                says = "\r\nContent-Usage: train-ai=y" if host % 3 == 0 else ""
                files["warc"].append(record(number + 1, day, f"{site}/", f"Content-Type: text/html{says}", "<p>a page</p>"))
            for subset, records in files.items():
                path = folder / f"crawl-data/{name}/segments/{1786000000000 + segment}.1/{subset}/CC-MAIN-20260810060000-20260810090000-00000.warc"
                path.parent.mkdir(parents=True)
                path.write_bytes(b"".join(records))
    return folder


@pytest.fixture(scope="module")
def tables(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> crawlprefs.Tables:
    out = tmp_path_factory.mktemp("run") / "out"
    crawlprefs.run(archives, out)
    return crawlprefs.open(out)


@pytest.mark.parametrize(
    ("query", "options", "records"),
    [
        ("agents/closed-interval", ["--agent", "GPTBot", "--unit", "website"], "the captures of site files"),
        ("conflicts/pairs", [], "all captures"),
        ("change/summary", [], "the captures of site files"),
    ],
)
def test_a_package_gives_the_answer_without_the_archives(
    query: str, options: list[str], records: str, archives: Path, tables: crawlprefs.Tables, tmp_path: Path
) -> None:
    ran = command("extract", "--package", query, "--tables", tables.out, "--base", archives, "-o", tmp_path / "package", *options)
    assert ran.returncode == 0, ran.stderr
    elsewhere = Path(shutil.move(tmp_path / "package", tmp_path / "elsewhere"))
    known = json.loads((elsewhere / "package.json").read_text())
    assert known["records"] == records and known["crawlprefs"] == crawlprefs.__version__
    assert [design["design"] for design in known["designs"]] == ["all inputs"] * len(CRAWLS)
    assert len((elsewhere / "expected.csv").read_text().splitlines()) > len(CRAWLS) - 1
    assert len(list(elsewhere.glob("records/crawl-data/*/segments/*/robotstxt/*"))) == len(CRAWLS) * SEGMENTS
    verify = [sys.executable, elsewhere / "verify.py"]
    found = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert found.returncode == 0 and "the same answer" in found.stdout, found.stderr
    assert "agent = " in found.stdout and "robots_max_age = " in found.stdout, found.stdout
    # A record less, and the answer is another.
    next(elsewhere.glob("records/crawl-data/CC-MAIN-2026-34/segments/*/robotstxt/*")).unlink()
    found = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert found.returncode == 1 and "cannot" not in found.stderr, found.stderr


def test_what_no_record_has_is_refused(archives: Path, tables: crawlprefs.Tables, tmp_path: Path) -> None:
    """`quality/read` counts what was read of the archives, which their records do not say."""
    with pytest.raises(crawlprefs.Error, match="another answer"):
        tables.package("quality/read", tmp_path / "package", base=archives)
    with pytest.raises(crawlprefs.UsageError, match="is not empty"):
        tables.package("agents/closed", archives, base=archives)


@pytest.fixture(scope="module")
def packed(archives: Path, tables: crawlprefs.Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of one answer."""
    out = tmp_path_factory.mktemp("packed") / "package"
    tables.package("agents/closed", out, base=archives)
    return out


def verify(package: Path, *flags: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, package / "verify.py", *map(str, flags)], capture_output=True, text=True, check=False)


def about(package: Path, **changes: object) -> None:
    """Changes package.json, as somebody who forges a package does: with the digests of what is there."""
    file = package / "package.json"
    known = json.loads(file.read_text())
    files = (path for path in package.rglob("*") if path.is_file() and path != file)
    known["sha256"] = {str(path.relative_to(package)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    file.write_text(json.dumps({**known, **changes}))


def forged_record(package: Path) -> None:
    """Another record, of the same length, with its digest renewed."""
    file = next(package.glob("records/crawl-data/CC-MAIN-2026-34/segments/*/robotstxt/*"))
    members, rest = [], file.read_bytes()
    while rest:
        inflated = zlib.decompressobj(31)
        text = inflated.decompress(rest)
        members.append(gzip.compress(text.replace(b"GPTBot", b"XXXBot")))
        rest = inflated.unused_data
    file.write_bytes(b"".join(members))
    about(package)


def forged_place(package: Path) -> None:
    """A record that records.csv does not have where it is said to be."""
    file = package / "records.csv"
    file.write_text(file.read_text().replace(",0,", ",1,"))
    about(package)


def forged_query(package: Path) -> None:
    (package / "query.sql").write_text("COPY (SELECT 'it was me') TO 'lie.csv'; SELECT 1 AS one")
    (package / "expected.csv").write_text("one\n1\n")
    about(package)


def forged_name(package: Path) -> None:
    """An archive whose name leads out of the package."""
    about(package)
    known = json.loads((package / "package.json").read_text())
    known["sha256"]["../lie.csv"] = hashlib.sha256(b"").hexdigest()
    (package / "package.json").write_text(json.dumps(known))


def forged_archive(package: Path) -> None:
    """A record whose archive has a name that leads out of every folder, in records.csv and in the copied-record lines."""
    file = next(package.glob("records/crawl-data/CC-MAIN-2026-34/segments/*/robotstxt/*"))
    name = str(file.relative_to(package / "records")).removesuffix(".warc.gz")
    members, rest = [], file.read_bytes()
    while rest:
        inflated = zlib.decompressobj(31)
        members.append(gzip.compress(inflated.decompress(rest).replace(f" {name}".encode(), b" ../../lie.warc")))
        rest = inflated.unused_data
    file.write_bytes(b"".join(members))
    places = package / "records.csv"
    places.write_text(places.read_text().replace(name, "../../lie.warc"))
    about(package)


def forged_link(package: Path) -> None:
    (package / "records" / "link.warc").symlink_to("/etc/hostname")


def forged_answer(package: Path) -> None:
    file = package / "expected.csv"
    file.write_text(file.read_text() + "CC-MAIN-2026-34,0,0\n")
    about(package)


@pytest.mark.parametrize(
    ("forge", "says"),
    [
        (forged_place, "records.csv lists a record that is not in the package"),
        (forged_query, "it is not the query 'agents/closed'"),
        (forged_name, "../lie.csv"),
        (forged_archive, "../../lie.warc: expected the name of an archive below --base"),
        (forged_link, "a symbolic link"),
        (forged_answer, "another answer"),
        (lambda package: about(package, query="../../lie"), "it is not the query"),
        (lambda package: about(package, options={"agents": "/etc/passwd"}), "is refused"),
        (lambda package: about(package, options={"vocab": "../../lie"}), "is refused"),
        (lambda package: about(package, variables={"file_search_path": "/"}), "is refused"),
        (lambda package: about(package, variables={"unit": "host; DROP TABLE x"}), "is refused"),
        (lambda package: (package / "views.sql").write_text("SELECT 1"), "does not list this file"),
        (lambda package: (package / "records.csv").write_text(""), "found the SHA-256"),
        (lambda package: (package / "package.json").write_text("[" * 100000), "cannot be read"),
    ],
)
def test_a_forged_package_is_refused_and_says_what_differs(forge: Callable[[Path], object], says: str, packed: Path, tmp_path: Path) -> None:
    package = Path(shutil.copytree(packed, tmp_path / "package"))
    forge(package)
    before = sorted(path for path in tmp_path.rglob("*"))
    found = verify(package)
    assert found.returncode == 1 and says in found.stderr, found.stderr
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_a_forged_record_differs_from_that_of_its_archive(packed: Path, archives: Path, tmp_path: Path) -> None:
    found = verify(packed, "--archives", archives)
    assert found.returncode == 0 and "are as in the archives" in found.stdout, found.stderr
    package = Path(shutil.copytree(packed, tmp_path / "package"))
    forged_record(package)
    found = verify(package, "--archives", archives)
    assert found.returncode == 1 and "is not the one at byte" in found.stderr, found.stderr
    # Another script would not say so: the command does.
    (package / "verify.py").write_text("print('the same answer')")
    about(package)
    found = command("extract", "--verify", package)
    assert found.returncode == 1 and "it is not that of every package" in found.stderr, found.stderr


@pytest.mark.parametrize("has_length", [True, False])
def test_a_name_of_an_archive_in_tables_leads_nowhere(has_length: bool, archives: Path, tables: crawlprefs.Tables, tmp_path: Path) -> None:
    """Tables of somebody else may name any file: it is neither read nor written."""
    import duckdb

    secret = tmp_path / "secret.warc"
    secret.write_bytes(next(archives.rglob("*.warc")).read_bytes())
    out = Path(shutil.copytree(tables.out, tmp_path / "tables"))
    length = "warc_record_length" if has_length else "NULL::BIGINT"
    for file in (out / "evidence" / "captures").rglob("*.parquet"):
        columns = f"SELECT * REPLACE ('../secret.warc' AS warc_filename, {length} AS warc_record_length) FROM '{file}'"
        duckdb.sql(f"COPY ({columns}) TO '{file}.new' (FORMAT parquet)")
        Path(f"{file}.new").replace(file)
    (tmp_path / "base").mkdir()
    before = sorted(tmp_path.rglob("*"))
    ran = command("extract", "--package", "agents/closed", "--tables", out, "--base", tmp_path / "base", "-o", tmp_path / "deep" / "package")
    assert ran.returncode == 1 and "below --base" in ran.stderr, ran.stderr
    left = [path for path in tmp_path.rglob("*") if path not in before and path != tmp_path / "deep"]
    assert not left, left


def test_a_query_of_ones_own_reads_nothing_but_the_tables(packed: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for number, query in enumerate((f"SELECT * FROM '{secret}'", f"COPY (SELECT 1) TO '{tmp_path}/lie.csv'", "SET enable_external_access = true")):
        package = Path(shutil.copytree(packed, tmp_path / f"package-{number}"))
        (package / "query.sql").write_text(query)
        about(package)
        found = verify(package, "--allow-query")
        assert found.returncode == 1 and "the query cannot be asked" in found.stderr, found.stderr
        assert query[:10] in found.stderr
    assert not (tmp_path / "lie.csv").exists()
    package = Path(shutil.copytree(packed, tmp_path / "own"))
    (package / "query.sql").write_text("SELECT count(*) AS robots FROM robots")
    (package / "expected.csv").write_text("robots\n80\n")
    about(package)
    assert verify(package, "--allow-query").returncode == 0
    assert verify(package).returncode == 1
