"""Hostile documents for `judge`: long values, many times one value, lines that are inflated from little."""

import functools
import gzip
import json
import pathlib

from case import Case

MIB = 1 << 20
ROWS = 8192
JUDGE = ("{binary}", "judge", "{in}", "--tables", "{tables}", "-o", "{out}", "-q", "-j", "1", "--memory-limit", "256M")


def url(number: int) -> str:
    """Returns the URL of a page of the ordinary host."""
    return f"http://a.example/{number}"


def lines(folder: pathlib.Path) -> None:
    """As many ordinary documents in JSON lines, packed."""
    text = "".join(json.dumps({"url": url(number), "text": "x" * 200}) + "\n" for number in range(ROWS))
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(text.encode()))


def parquet(folder: pathlib.Path, urls: list[str] | None = None, **more: list) -> None:
    """Documents in Parquet, of which each value is once in the file."""
    import pyarrow
    import pyarrow.parquet

    columns = {"url": urls or [url(number) for number in range(ROWS)], **more}
    table = pyarrow.table({name: pyarrow.array(values).dictionary_encode() for name, values in columns.items()})
    pyarrow.parquet.write_table(table, folder / "a.parquet", compression="zstd")


def one_long_url(folder: pathlib.Path) -> None:
    """A dictionary of one URL of 1 MB, and 8,192 rows."""
    parquet(folder, ["http://a.example/" + "x" * 1_000_000] * ROWS)


def one_long_text(folder: pathlib.Path) -> None:
    """A dictionary of one text of 1 MB, and 8,192 rows."""
    parquet(folder, text=["x" * 1_000_000] * ROWS)


def tiny_members(folder: pathlib.Path) -> None:
    """One line of 1 GiB, of gzip members of 1 MiB each."""
    member = gzip.compress(b"x" * MIB)
    with (folder / "a.jsonl.gz").open("wb") as file:
        file.write(gzip.compress(b'{"url":"http://a.example/1","text":"'))
        file.writelines([member] * 1024)
        file.write(gzip.compress(b'"}\n{"url":"http://a.example/2"}\n'))


def long_text(folder: pathlib.Path) -> None:
    """A document with a text of 200 MB."""
    with gzip.open(folder / "a.jsonl.gz", "wb", compresslevel=1) as file:
        file.write(b'{"url":"http://a.example/1","text":"')
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n')


def long_hosts(folder: pathlib.Path) -> None:
    """Documents of 2,000 hosts, each of 60,000 letters, for what is counted of sites."""
    with gzip.open(folder / "a.jsonl.gz", "wb", compresslevel=1) as file:
        for number in range(2_000):
            file.write(b'{"url":"http://%d%s/"}\n' % (number, b"x" * 60_000))


def deep(folder: pathlib.Path) -> None:
    """JSON of a million levels, which no reader takes."""
    text = b'{"url":"http://a.example/1","text":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}\n"
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(text))


case = functools.partial(Case, argv=JUDGE, ordinary=lines, plus_table_bytes=None)
of_parquet = functools.partial(Case, argv=JUDGE, ordinary=parquet, plus_table_bytes=None, packages=("pyarrow",), plus_mib=256)

CASES = [
    of_parquet("documents: one URL of 1 MB", one_long_url, plus_seconds=30, is_long=True),
    of_parquet("documents: one text of 1 MB", one_long_text, plus_seconds=30, is_long=True),
    case("documents: tiny members", tiny_members, plus_mib=256, plus_seconds=20, is_long=True),
    case("documents: a text of 200 MB", long_text, plus_mib=256, plus_seconds=5),
    Case("documents: long hosts", long_hosts, lines, argv=(*JUDGE, "--policy", "labels"), plus_mib=256, plus_seconds=20, is_long=True),
    case("documents: deep JSON", deep),
]
