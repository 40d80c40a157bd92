"""Hostile archives: what one page, one record, one gzip member or one robots.txt may cost."""

import functools
import itertools
import pathlib
import struct

import warc
from case import Case

MIB = 1 << 20
COUNT = 300


def page_heads(folder: pathlib.Path, head: bytes) -> None:
    """Pages with an HTML head of about 1 MiB."""
    warc.write(folder / "a.warc.gz", warc.pages(COUNT, head=head))


def large_pages(folder: pathlib.Path) -> None:
    """Ordinary pages of 1 MiB."""
    page_heads(folder, warc.repeated(b"<style>p { margin: 0 }</style>\n", MIB - 200))


def heads(name: str, head: bytes, **limits) -> Case:
    """A case of pages with a head."""
    return Case(name, functools.partial(page_heads, head=head), large_pages, **limits)


def one_file(folder: pathlib.Path, name: str, parts: list[bytes]) -> None:
    """An archive of these bytes."""
    with (folder / name).open("wb") as file:
        file.writelines(parts)


def empty_blocks(folder: pathlib.Path) -> None:
    """A gzip member of 200 MiB of empty stored blocks behind the beginning of a record."""
    text = b"WARC/1.0\r\n"
    start = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\0" + struct.pack("<HH", len(text), len(text) ^ 0xFFFF) + text
    blocks = warc.repeated(b"\0\0\0\xff\xff", MIB)
    one_file(folder, "a.warc.gz", [start, *itertools.repeat(blocks, 200)])


def lines(folder: pathlib.Path, packed: bool) -> None:
    """Beginnings of records without an end."""
    text = warc.repeated(b"WARC/1.0\n", 4 * MIB)
    one_file(folder, "a.warc.gz" if packed else "a.warc", [warc.member(text) if packed else text])


def magics(folder: pathlib.Path, unit: bytes) -> None:
    """Beginnings of gzip members between two members."""
    good = [warc.member(warc.page(f"http://a.example/{number}")) for number in range(2)]
    one_file(folder, "a.warc.gz", [good[0], warc.repeated(unit, 4 * MIB), good[1]])


def nested(folder: pathlib.Path) -> None:
    """Members nested in each other, each with the same data behind it and a wrong checksum."""
    header, text, count = b"\x1f\x8b\x08\0\0\0\0\0\0\xff", b"WARC/1.0\r\n", 2000
    unit = len(header) + 5 + len(text)
    parts = []
    for number in range(count):
        length = (count - number) * unit - len(header) - 5
        parts.append(header + b"\0" + struct.pack("<HH", length, length ^ 0xFFFF) + text)
    data = warc.member(bytes(10 * MIB), 9)[10:-8]
    one_file(folder, "a.warc.gz", [*parts, data, bytes(8)])


def body(folder: pathlib.Path, coding: bytes, content: bytes) -> None:
    """A page and a robots.txt whose body is under a coding, or said to be."""
    fields = warc.HTML + coding
    page = warc.record("http://a.example/", warc.response(content, fields))
    warc.write(folder / "a.warc.gz", [page, warc.site_file("b.example", content, fields=fields)])


def codings() -> bytes:
    """10 fields that declare 7,000 codings each."""
    return (b"Content-Encoding: " + b"br," * 7000 + b"\r\n") * 10


def robots(folder: pathlib.Path, file: bytes, path: str = "") -> None:
    """A robots.txt and 100 pages of its host."""
    warc.write(folder / "a.warc.gz", [warc.site_file("a.example", file), *warc.pages(100, path=path)])


def numbered(unit: str, size: int, start: str = "") -> bytes:
    """Returns lines in which %d is a number."""
    text = [start]
    for number in itertools.count():
        size -= len(unit) + 1
        if size < len(start):
            return "".join(text).encode()
        text.append(unit.replace("%d", f"{number:x}") + "\n")


def agents() -> bytes:
    """One group of many names and rules, then a group for each name."""
    names = [f"{number:x}" for number in range(9000)]
    first = [f"User-agent:{name}\n" for name in names] + [f"Disallow:/{number:x}\n" for number in range(9000)]
    return "".join(first + [f"User-agent:{name}\nAllow:/\n" for name in names]).encode()[:510_000]


def wildcards(line: str) -> bytes:
    """Rules with wildcards for letters that no path has."""
    letters = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
    patterns = ("*".join(some) for count in range(1, 7) for some in itertools.product(letters, repeat=count))
    text = ["User-agent:*\n"]
    size = 0
    for pattern in patterns:
        text.append(line.replace("%s", "/*" + pattern) + "\n")
        size += len(text[-1])
        if size > 500_000:
            return "".join(text).encode()


def of_robots(name: str, file: bytes, path: str = "") -> Case:
    """A case of a robots.txt."""
    return Case(name, functools.partial(robots, file=file, path=path), command="run")


def revisits(folder: pathlib.Path, count: int) -> None:
    """Pages of one URL, second and digest, and a revisit that may mean each of them for each."""
    url, digest = "http://a.example/", b"WARC-Payload-Digest: sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A\r\n"
    page = warc.record(url, warc.response(b"<title>t</title>"), 3600, digest)
    meant = b"WARC-Refers-To-Target-URI: http://a.example/\r\nWARC-Refers-To-Date: 2026-08-10T01:00:00Z\r\n"
    revisit = warc.record(url, warc.response(b""), 3600, digest + meant).replace(b"response", b"revisit", 1)
    warc.write(folder / "a.warc.gz", [page, revisit] * count)


def files_of_one_second(folder: pathlib.Path, count: int) -> None:
    """Files of robots.txt that differ, all of one second, and a page."""
    files = (warc.site_file("a.example", b"User-agent: *\nDisallow: /%d\n" % number) for number in range(count))
    warc.write(folder / "a.warc.gz", [*files, *warc.pages(1)])


LIKE_TEXT = b"\xac\x63" + b"\xe9" * 200 + b"\x06" * 65536 + b"\x0e" * 16
META_RULES = b'<meta name=robots content="' + b"a," * 1000 + b'">'

CASES = [
    heads("metas without a name", warc.repeated(b"<meta content=a>", MIB - 200)),
    heads("metas", warc.repeated(b"<meta name=a>", MIB - 200), times=4),
    heads("a long name", b'<meta name="' + b"\xff" * (MIB - 400) + b'" content=x>'),
    heads("rules in metas", warc.repeated(META_RULES, MIB - 200), command="run", times=10, plus_table_bytes=None),
    Case("empty blocks", empty_blocks, status=3),
    Case("heads without an end", functools.partial(lines, packed=False), status=3),
    Case("the same in gzip", functools.partial(lines, packed=True), status=3),
    Case("beginnings of members", functools.partial(magics, unit=b"\x1f\x8b\x08"), plus_seconds=3),
    Case("members of no text", functools.partial(magics, unit=b"\x1f\x8b\x08\0"), plus_seconds=3),
    Case("nested members", nested),
    Case("revisits of one second", functools.partial(revisits, count=4000), command="run", plus_table_bytes=None),
    Case("files of one second", functools.partial(files_of_one_second, count=3000), command="run", plus_table_bytes=None),
    Case("codings", functools.partial(body, coding=codings(), content=LIKE_TEXT)),
    Case(
        "empty frames",
        functools.partial(
            body,
            coding=b"Content-Encoding: zstd\r\n",
            content=warc.repeated(b"\x28\xb5\x2f\xfd\x20\0\x01\0\0", 4 * MIB),
        ),
    ),
    of_robots("groups of one name", warc.repeated(b"User-agent:a\nAllow:/\nContent-Usage:/a X\n", 500_000)),
    of_robots("groups of one signal", warc.repeated(b"User-agent:a\nContent-Usage:a=n\n", 500_000)),
    of_robots("broken rules", numbered("Content-Usage:/%d X", 500_000, "User-agent:a\n")),
    of_robots("rules and wildcards", numbered("Content-Usage:/%d x=n\nDisallow:/%d*%d", 500_000, "User-agent:a\n")),
    of_robots("agents and rules", agents()),
    of_robots("Content-Usage for wildcards", wildcards("Content-Usage:%s x=n"), "B" * 2000),
    of_robots("Content-Signal for wildcards", wildcards("Content-Signal:%s search=no"), "B" * 2000),
    of_robots("Disallow of wildcards", wildcards("Disallow:%s"), "B" * 2000),
]
