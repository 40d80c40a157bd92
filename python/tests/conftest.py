"""What the tests share: the sample, its result by the command, documents, and files compared byte for byte.

With `CRAWLPREFS_NO_SKIP=1` a test that is skipped fails the run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crawlprefs

REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a run that skips tests, where that is not allowed."""
    skipped = session.config.pluginmanager.get_plugin("terminalreporter").stats.get("skipped")  # type: ignore[union-attr]
    if skipped and os.environ.get("CRAWLPREFS_NO_SKIP"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def command(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs the command of the installed package."""
    path = os.environ.get("CRAWLPREFS", os.path.join(sysconfig.get_path("scripts"), "crawlprefs"))
    return subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)  # type: ignore[call-overload,no-any-return]


def files(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def made(folder: Path, *arguments: str | Path) -> Path:
    """Runs the command, which writes to this folder."""
    ran = command(*arguments, "-o", folder)
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(scope="session")
def sample() -> Path:
    """The folder with the sample's archives."""
    return REPOSITORY / "sample-data"


@pytest.fixture(scope="session")
def by_command(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes for the sample."""
    return made(tmp_path_factory.mktemp("command") / "out", "run", "-q", sample)


@pytest.fixture(scope="session")
def index(by_command: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site index of the sample."""
    return made(tmp_path_factory.mktemp("index") / "index", "index", "-q", by_command)


@pytest.fixture(scope="session")
def documents(by_command: Path) -> Any:
    """FineWeb's columns: the pages of the tables, other URLs of their sites, unknown sites and bad rows."""
    pa = pytest.importorskip("pyarrow")
    pages = crawlprefs.open(by_command).pages.to_table(columns=["url", "warc_record_id", "fetch_time"]).to_pylist()
    rows = [{"url": it["url"], "id": it["warc_record_id"], "date": it["fetch_time"].isoformat(), "text": "a b"} for it in pages]
    rows += [{**row, "url": f"{row['url']}?other", "id": f"<urn:uuid:{number}>"} for number, row in enumerate(rows)]
    rows += [{"url": url, "id": None, "date": "2026-08-10", "text": ""} for url in ("https://nobody.example/", "mailto:a", "", None)]
    return pa.Table.from_pylist(rows)


WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def barriers(tab: Any) -> list[str]:
    """Returns what axe-core finds in a page against WCAG 2.2 AA: contrast, names, text alternatives, what the keyboard reaches."""
    script = os.environ.get("CRAWLPREFS_AXE")
    if script is None:
        pytest.skip("CRAWLPREFS_AXE is not set")
    tab.evaluate(Path(script).read_text(encoding="utf-8"))
    found = tab.evaluate("(tags) => axe.run(document, { runOnly: tags, resultTypes: ['violations'] })", WCAG)
    assert len(found["passes"]) > 5, "axe-core looked at the page"
    return [f"{it['id']}: {node['html'][:200]}" for it in found["violations"] for node in it["nodes"]]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None and "CRAWLPREFS_NO_SKIP" not in os.environ:
        pytest.skip("no Chromium here")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()
