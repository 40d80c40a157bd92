"""The options have the names of the command's flags, and the package passes a type checker."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY, command

import crawlprefs
from crawlprefs._options import names

# What concerns messages, standard input and what a call does not return; `out` is an argument.
OF_THE_COMMAND = {"dry_run", "help", "log_format", "out", "progress", "quiet", "stdin_name", "verbose"}


@pytest.mark.parametrize(
    ("call", "options"),
    [
        ("scan", crawlprefs.ScanOptions),
        ("resolve", crawlprefs.ResolveOptions),
        ("run", crawlprefs.RunOptions),
        ("judge", crawlprefs.JudgeFilesOptions),
    ],
)
def test_every_flag_is_an_option(call: str, options: type) -> None:
    flags = re.findall(r"^ +(?:-\w, )?--([\w-]+)", command(call, "--help").stdout, re.MULTILINE)
    arguments = {"tables"} if call == "judge" else set()
    assert names(options) == {flag.replace("-", "_") for flag in flags} - OF_THE_COMMAND - arguments


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
