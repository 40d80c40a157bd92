#!/usr/bin/env python3
"""Counts how many real robots.txt files have each finding of `lint`: lint_shares.py BINARY ROBOTS.warc.gz [--write]

Unit: a distinct body of an answer with status 200. Each finding names a line of its file, and every `--fix` leaves a file that is not worse.
Ends with status 1 if the table in docs/lints.md has other figures; `--write` writes them there.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from fastwarc.warc import ArchiveIterator, WarcRecordType

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/lints.md"
TABLE = re.compile(r"(\| finding \| how grave \| files \| share \|\n\|---\|---\|---:\|---:\|\n)((?:\|.*\n)*)")
FILES_AT_ONCE = 500


def bodies(path):
    """The distinct bodies."""
    found = set()
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            if record.http_headers.status_code == 200:
                found.add(record.reader.read())
    return sorted(found)


def findings(binary, folder, files):
    """The findings of each file, as (code, severity, line)."""
    for first in range(0, len(files), FILES_AT_ONCE):
        names = []
        for number, body in enumerate(files[first : first + FILES_AT_ONCE], first):
            (folder / f"{number}.txt").write_bytes(body)
            names.append(f"{number}.txt")
        ran = subprocess.run([binary, "lint", "--as", "robots", "--format", "json", *names], cwd=folder, capture_output=True, check=False)
        for linted in json.loads(ran.stdout)["files"]:
            yield int(linted["file"].removesuffix(".txt")), [(it["code"], it["severity"], it["line"]) for it in linted["findings"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("archive")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    files = bodies(asked.archive)
    counts, seen, worst = collections.Counter(), 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, found in findings(asked.binary.resolve(), pathlib.Path(folder), files):
            lines = len(re.split(rb"\r\n|\r|\n", files[number]))
            assert all(1 <= line <= lines for *_, line in found), f"a finding of file {number} names no line of it"
            counts.update({(code, severity) for code, severity, _ in found})
            worst["error" if any(severity == "error" for _, severity, _ in found) else "warning" if found else "none"] += 1
            seen += 1
    assert seen == len(files), (seen, len(files))
    rows = [("any error", "error", worst["error"]), ("warnings alone", "warning", worst["warning"])]
    rows += [(f"`{code}`", severity, count) for (code, severity), count in sorted(counts.items(), key=lambda it: (-it[1], it[0]))]
    table = "".join(f"| {name} | {severity} | {count:,} | {100 * count / len(files):.2f} % |\n" for name, severity, count in rows)
    page = PAGE.read_text(encoding="utf-8")
    of_page = page.replace("\n", " ")
    total = f"{len(files):,} distinct robots.txt files"
    if asked.write:
        PAGE.write_text(re.sub(r"[\d,]+ distinct robots.txt files", total, TABLE.sub(lambda it: it[1] + table, page)), encoding="utf-8")
    elif TABLE.search(page)[2] != table or total not in of_page:
        sys.exit(f"docs/lints.md has other figures than\n{total}\n{table}")
    print(f"{len(files):,} files, {worst['error']:,} with an error, {worst['warning']:,} with warnings alone: the figures of docs/lints.md")


if __name__ == "__main__":
    main()
