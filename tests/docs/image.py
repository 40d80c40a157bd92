#!/usr/bin/env python3
"""Runs the steps of the Dockerfile that need no container: cargo's, and the command as its entry point and README have it.

  CARGO_TARGET_DIR=target tests/docs/image.py

Packages of the image are not installed; each RUN must be one that is known here.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def main():
    text = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()
    for step in re.findall(r"^RUN (.*)$", text, re.MULTILINE):
        if step.startswith("apt-get update && apt-get install "):
            continue
        if not step.startswith("cargo "):
            sys.exit(f"Dockerfile: found RUN {step}, expected cargo or apt-get")
        subprocess.run(shlex.split(step), cwd=REPOSITORY, check=True)
    source, installed = re.search(r"^COPY --from=build (\S+) (\S+)$", text, re.MULTILINE).groups()
    built = target / Path(source).relative_to("/build/target")
    entry = json.loads(re.search(r"^ENTRYPOINT (.*)$", text, re.MULTILINE)[1])
    if entry != [Path(installed).name]:
        sys.exit(f"Dockerfile: found the entry point {entry}, expected {Path(installed).name}")
    arguments = shlex.split(re.search(r"^#   docker run .* crawlprefs (run .*)$", text, re.MULTILINE)[1])
    with tempfile.TemporaryDirectory() as out:
        places = {"/in": str(REPOSITORY / "sample-data"), "/out": out}
        command = [str(built), *(places.get(it, it) for it in arguments), "--quiet"]
        subprocess.run(command, check=True)
        if not list(Path(out).glob("pages/*/*.parquet")):
            sys.exit(f"{shlex.join(command)}: wrote no table pages")
    print(f"the Dockerfile's steps: {built.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
