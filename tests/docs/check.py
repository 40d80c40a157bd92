#!/usr/bin/env python3
"""Runs the commands and the SQL of README and docs, as a reader would.

  CRAWLPREFS=target/release/crawlprefs tests/docs/check.py

Each file is a session of bash of its own, in a new copy of the repository, after `crawlprefs run sample-data -o out`. A
command must succeed. elsewhere.tsv lists those that are not run here, each with the script that runs it or the reason
why nobody can; a line of it that no document has is an error. Blocks of SQL are run by DuckDB in the folder `out`, after
queries/duckdb.sql and views.sql. Needs a Python with DuckDB.
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
DOCUMENTS = ["README.md", *(f"docs/{path.name}" for path in sorted((REPOSITORY / "docs").glob("*.md"))), "python/README.md"]
BLOCK = re.compile(r"^```(console|sql)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# What a reader has as a program of its own.
DUCKDB = f"""#!{sys.executable}
import duckdb, sys
for statement in duckdb.extract_statements(sys.stdin.read()):
    shown = duckdb.sql(statement)
    if shown is not None:
        print(shown)
"""


def commands(text):
    """Returns the commands of a block: what is behind `$ `, with the lines that go on."""
    found = re.findall(r"^\$ (.*(?:\n(?!\$ ).+)*)", text, re.MULTILINE)
    return [command.rstrip() for command in found]


def sandbox(folder):
    """Makes a copy of what a reader has, with the programs in PATH; returns the environment."""
    for name in ("README.md", "sample-data", "queries", "examples", "docs", "data", "tests/years"):
        source = REPOSITORY / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    shutil.copytree(REPOSITORY / "tests/transcripts/collection", folder / "collection")
    programs = folder / ".programs"
    programs.mkdir()
    (programs / "crawlprefs").symlink_to(Path(os.environ["CRAWLPREFS"]).resolve())
    (programs / "duckdb").write_text(DUCKDB)
    (programs / "duckdb").chmod(0o755)
    path = f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    subprocess.run(["crawlprefs", "run", "-q", "sample-data", "-o", "out"], cwd=folder, env=environment, check=True)
    return environment


def run_commands(name, wanted):
    """Runs the commands of a document in one session; returns what failed."""
    with tempfile.TemporaryDirectory() as folder:
        environment = sandbox(Path(folder))
        session = "set -euo pipefail\n" + "".join(f"{command} >.printed\n" for command in wanted)
        ran = subprocess.run(["bash", "-c", session], cwd=folder, env=environment, capture_output=True, text=True)
        return [] if ran.returncode == 0 else [f"{name}: status {ran.returncode}: {ran.stderr.strip()}"]


def run_sql(name, blocks):
    """Runs the SQL of a document in the folder of the run, with a site index beside it; returns what failed."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        environment = sandbox(Path(folder))
        subprocess.run(["crawlprefs", "index", "out", "-q", "-o", "index"], cwd=folder, env=environment, check=True)
        connection = duckdb.connect()
        connection.execute(f"SET file_search_path = '{folder}/out,{folder}'")
        for text in ("duckdb.sql", "views.sql"):
            connection.execute((REPOSITORY / "queries" / text).read_text())
        for block in blocks:
            try:
                connection.execute(block)
            except duckdb.Error as error:
                failed.append(f"{name}: {block.strip()}\n  {error}")
    return failed


def main():
    with open(HERE / "elsewhere.tsv", newline="", encoding="utf-8") as file:
        elsewhere = {(row[0], row[1]): row[2] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    failed, unused, count = [], set(elsewhere), 0
    for name in DOCUMENTS:
        blocks = BLOCK.findall((REPOSITORY / name).read_text(encoding="utf-8"))
        listed = [command for kind, text in blocks if kind == "console" for command in commands(text)]
        keys = [(name, command.splitlines()[0]) for command in listed]
        unused -= set(keys)
        here = [command for key, command in zip(keys, listed) if key not in elsewhere and (name, "*") not in elsewhere]
        unused.discard((name, "*"))
        sql = [text for kind, text in blocks if kind == "sql"]
        count += len(here) + len(sql)
        failed += (run_commands(name, here) if here else []) + (run_sql(name, sql) if sql else [])
    failed += [f"elsewhere.tsv: no such command in {name}: {command}" for name, command in sorted(unused)]
    print(*failed, f"{count} commands and blocks of SQL, {len(elsewhere)} run elsewhere, {len(failed)} failures", sep="\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
