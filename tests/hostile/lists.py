"""Hostile lists of inputs, and folders with links to themselves."""

import functools
import gzip
import json
import os
import pathlib

import warc
from case import Case, ordinary_pages

LIST = ("{binary}", "scan", "--paths-from", "{in}/list.gz", "--base", "{in}", "-o", "{out}", "-q", "-j", "1")
FOLDER = ("{binary}", "scan", "{in}", "-o", "{out}", "-q", "-j", "1")
GLOB = ("{binary}", "scan", "{in}/**/*.warc.gz", "-o", "{out}", "-q", "-j", "1")
JUDGE = ("{binary}", "judge", "{in}", "--tables", "{tables}", "-o", "{out}", "-q", "-j", "1")


def ordinary_list(folder: pathlib.Path) -> None:
    """A list of an ordinary archive."""
    ordinary_pages(folder)
    (folder / "list.gz").write_bytes(gzip.compress(b"a.warc.gz\n"))


def many_lines(folder: pathlib.Path, lines: bytes) -> None:
    """4 million lines in 8 KB."""
    (folder / "list.gz").write_bytes(gzip.compress(lines * (4_000_000 // lines.count(b"\n")), 9))


def long_line(folder: pathlib.Path) -> None:
    """A line of 1 GB."""
    with gzip.open(folder / "list.gz", "wb", compresslevel=1) as file:
        for _ in range(1000):
            file.write(b"x" * 1_000_000)


def documents(folder: pathlib.Path) -> None:
    """A file of documents."""
    text = "".join(json.dumps({"url": f"http://a.example/{number}"}) + "\n" for number in range(5000))
    (folder / "a.jsonl").write_text(text)


def links(folder: pathlib.Path, write) -> None:
    """Two folders with two links to the whole each."""
    write(folder)
    for name in ("x", "y"):
        (folder / name).mkdir()
        os.symlink("..", folder / name / "up")
        os.symlink(folder, folder / name / "whole")


def links_of_archives(folder: pathlib.Path) -> None:
    """Links beside an archive."""
    links(folder, ordinary_pages)


def links_of_documents(folder: pathlib.Path) -> None:
    """Links beside documents."""
    links(folder, documents)


many = functools.partial(Case, argv=LIST, ordinary=ordinary_list, status=1, plus_seconds=5, plus_mib=256)

CASES = [
    many("lists: two lines, repeated", functools.partial(many_lines, lines=b"a.warc.gz\nb.warc.gz\n")),
    Case("lists: one line, repeated", functools.partial(many_lines, lines=b"a.warc.gz\n"), ordinary_list, argv=LIST, status=3, plus_seconds=5),
    many("lists: empty lines", functools.partial(many_lines, lines=b"\n")),
    many("lists: a line of 1 GB", long_line),
    Case("links: a folder", links_of_archives, argv=FOLDER),
    Case("links: a glob", links_of_archives, argv=GLOB),
    Case("links: documents", links_of_documents, documents, argv=JUDGE),
]
