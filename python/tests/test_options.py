"""The options are those of the command, and the package passes a type checker."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY, command

import crawlprefs
from crawlprefs._flags import names


def test_the_options_are_those_of_the_manual_pages() -> None:
    """`python/options.py` writes the module anew; a test of the command holds the pages against its help."""
    found = importlib.util.spec_from_file_location("options", REPOSITORY / "python" / "options.py")
    assert found is not None and found.loader is not None
    options = importlib.util.module_from_spec(found)
    found.loader.exec_module(options)
    assert (REPOSITORY / "python/crawlprefs/_options.py").read_text() == options.text()


@pytest.mark.parametrize("call", ["scan", "resolve", "run", "judge", "history"])
def test_every_flag_is_an_option(call: str) -> None:
    known = {"scan": crawlprefs.ScanOptions, "resolve": crawlprefs.ResolveOptions, "run": crawlprefs.RunOptions}
    known["history"] = crawlprefs.HistoryOptions
    found = re.findall(r"^ +(?:-\w, )?--([\w-]+)", command(call, "--help").stdout, re.MULTILINE)
    arguments = {"judge": {"tables"}, "history": {"sites", "metrics", "metrics_label"}}.get(call, set())
    of_the_command = {"color", "dry_run", "help", "json", "log_format", "mask", "out", "progress", "quiet", "stdin_name", "verbose"}
    options = names(known.get(call, crawlprefs.JudgeFilesOptions))
    assert options == {flag.replace("-", "_") for flag in found} - of_the_command - arguments


def test_the_package_and_its_tests_pass_a_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    examples = [*REPOSITORY.glob("python/examples/*.py"), *REPOSITORY.glob("examples/*.py")]
    strict = ["mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path]
    for module, *arguments in (
        [*strict, "-p", "crawlprefs"],
        *([*strict, example] for example in examples),
        ["mypy.stubtest", "crawlprefs._native", "--ignore-missing-stub"],
    ):
        checked = [sys.executable, "-m", module, *map(str, arguments)]
        ran = subprocess.run(checked, capture_output=True, text=True, cwd=tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr
