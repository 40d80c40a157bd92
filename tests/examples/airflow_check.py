#!/usr/bin/env python3
"""Runs examples/airflow_crawl.py in Airflow, without its servers, over the sample: its tables are those of `crawlprefs run`.

  CRAWLPREFS=target/release/crawlprefs tests/examples/airflow_check.py

Needs Airflow 3; `.ci/airflow` has it.
"""
import filecmp
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CRAWL = "CC-MAIN-2026-34"


def tables(folder):
    """Returns the files of tables and evidence."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.parquet"))


def main():
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        served = work / "served"
        shutil.copytree(REPOSITORY / "sample-data/crawl-data", served / "crawl-data")
        shutil.copy(REPOSITORY / "sample-data/robotstxt.paths.gz", served / "crawl-data" / CRAWL)
        (work / "bin").mkdir()
        command = work / "bin/crawlprefs"
        command.symlink_to(Path(os.environ["CRAWLPREFS"]).resolve())
        os.environ |= {
            "PATH": f"{command.parent}:{os.environ['PATH']}",
            "AIRFLOW_HOME": str(work / "airflow"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
        }
        subprocess.run([Path(sys.executable).with_name("airflow"), "db", "migrate"], check=True, stdout=subprocess.DEVNULL)

        # Airflow finds a DAG again by its file.
        file = work / "airflow/dags/airflow_crawl.py"
        file.parent.mkdir(parents=True)
        shutil.copy(REPOSITORY / "examples" / file.name, file)
        spec = importlib.util.spec_from_file_location("airflow_crawl", file)
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        run = example.dag.test(run_conf={"crawl": CRAWL, "base": str(served), "out": str(work / "shared"), "subset": "robotstxt"})
        if str(run.state) != "success":
            sys.exit(f"the DAG: found the state {run.state}, expected success")

        lists = served / "crawl-data" / CRAWL / "robotstxt.paths.gz"
        whole = work / "whole"
        subprocess.run([command, "run", "-q", "--paths-from", lists, "--base", f"{served}/", "-o", whole], check=True)
        out = work / "shared" / CRAWL
        names = tables(whole)
        if not names or tables(out) != names:
            sys.exit(f"found {tables(out)}, expected {names}")
        _, different, missing = filecmp.cmpfiles(out, whole, names, shallow=False)
        if different or missing:
            sys.exit(f"other bytes: {different + missing}")
        print(f"Airflow made the {len(names)} files that one command makes")


if __name__ == "__main__":
    main()
