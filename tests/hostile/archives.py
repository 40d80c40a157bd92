"""Hostile archives for `scan`: what one page, one record or one gzip member may cost."""

import functools
import pathlib

import warc
from case import Case


def metas(folder: pathlib.Path, count: int, meta: bytes) -> None:
    """Pages whose HTML head is 1 MiB of one meta."""
    head = warc.repeated(meta, (1 << 20) - 200)
    warc.write(folder / "a.warc.gz", warc.pages(count, head=head))


def large_pages(folder: pathlib.Path, count: int) -> None:
    """Ordinary pages of 1 MiB."""
    head = warc.repeated(b"<style>p { margin: 0 }</style>\n", (1 << 20) - 200)
    warc.write(folder / "a.warc.gz", warc.pages(count, head=head))


CASES = [
    Case(
        "metas without a name",
        functools.partial(metas, count=300, meta=b"<meta content=a>"),
        functools.partial(large_pages, count=300),
    ),
]
