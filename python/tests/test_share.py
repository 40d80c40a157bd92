"""The wheel installs manual pages and completions, and the completions are those of the command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

SHARE = Path(sysconfig.get_path("data")) / "share"
ENVIRONMENT = os.environ | {"PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"}


def test_manual_pages_are_installed() -> None:
    pages = {page.stem for page in (SHARE / "man/man1").glob("crawlprefs*.1")}
    assert pages >= {"crawlprefs", "crawlprefs-run", "crawlprefs-judge"}


@pytest.mark.parametrize(
    ("shell", "expected", "script"),
    [
        (
            "bash",
            "schema",
            """. "$0/bash-completion/completions/crawlprefs"
            COMP_WORDS=(crawlprefs sch) COMP_CWORD=1; _crawlprefs crawlprefs sch crawlprefs; echo "${COMPREPLY[@]}\"""",
        ),
        ("fish", "schema", """source "$argv/fish/vendor_completions.d/crawlprefs.fish"; complete -C "crawlprefs sch" """),
        ("zsh", "_crawlprefs", """fpath=("$0/zsh/site-functions" $fpath); autoload -Uz compinit; compinit -D; echo $_comps[crawlprefs]"""),
    ],
)
def test_a_shell_completes_the_command(shell: str, expected: str, script: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    ran = subprocess.run([shell, "-c", script, SHARE], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert expected in ran.stdout, ran.stderr
