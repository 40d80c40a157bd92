"""What the tests share: the sample, its result by the command, and files compared byte for byte."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def command(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs the command of the installed package."""
    path = os.environ.get("CRAWLPREFS", os.path.join(sysconfig.get_path("scripts"), "crawlprefs"))
    return subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)  # type: ignore[call-overload,no-any-return]


def files(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="session")
def sample() -> Path:
    """The folder with the sample's archives."""
    return REPOSITORY / "sample-data"


@pytest.fixture(scope="session")
def by_command(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes for the sample."""
    out = tmp_path_factory.mktemp("command") / "out"
    ran = command("run", "-q", sample, "-o", out)
    assert ran.returncode == 0, ran.stderr
    return out
