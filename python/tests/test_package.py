"""A package with which others check an answer: three answers over two crawls of ten segments each, in a folder without archives."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
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
    # A record less, and the answer is another.
    next(elsewhere.glob("records/crawl-data/CC-MAIN-2026-34/segments/*/robotstxt/*")).unlink()
    found = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert found.returncode == 1 and "expected: " in found.stderr


def test_what_no_record_has_is_refused(archives: Path, tables: crawlprefs.Tables, tmp_path: Path) -> None:
    """`quality/read` counts what was read of the archives, which their records do not say."""
    with pytest.raises(crawlprefs.Error, match="another answer"):
        tables.package("quality/read", tmp_path / "package", base=archives)
    with pytest.raises(crawlprefs.UsageError, match="is not empty"):
        tables.package("agents/closed", archives, base=archives)
