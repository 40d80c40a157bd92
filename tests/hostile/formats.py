"""Hostile archives in other formats than gzipped WARC: false lengths, zstd frames, WAT, WACZ."""

import functools
import json
import pathlib
import struct
import zlib

import warc
from case import Case

MIB = 1 << 20
START = b"\x28\xb5\x2f\xfd\0\x58"


def one_file(folder: pathlib.Path, name: str, *parts: bytes) -> None:
    """An archive of these bytes."""
    with (folder / name).open("wb") as file:
        file.writelines(parts)


def lie(folder: pathlib.Path) -> None:
    """A plain WARC whose second record claims to hold all others, many of which look like records."""
    pages = list(warc.pages(20_000))
    pages[1] = warc.record("http://a.example/1", warc.response(b"x"), length=1 << 40)
    one_file(folder, "a.warc", *pages)


def block(kind: int, content: bytes, length: int, last: int = 0) -> bytes:
    """Returns a block of a frame (RFC 8878 3.1.1.2): raw (0), or one byte repeated (1)."""
    return struct.pack("<I", last | kind << 1 | length << 3)[:3] + content


def frames(folder: pathlib.Path, unit: bytes) -> None:
    """Beginnings of zstd frames between two frames."""
    pages = [warc.page(f"http://a.example/{number}") for number in range(2)]
    good = [START + block(0, page, len(page), 1) for page in pages]
    one_file(folder, "a.warc.zst", good[0], warc.repeated(unit, 4 * MIB), good[1])


def nested(folder: pathlib.Path) -> None:
    """Frames nested in each other, each with the same data behind it that ends in no block."""
    text, count = b"WARC/1.0\r\n", 2000
    unit = len(START) + 3 + len(text)
    parts = [START + block(0, text, (count - number - 1) * unit + len(text)) for number in range(count)]
    one_file(folder, "a.warc.zst", *parts, block(1, b"\0", 128 << 10) * 80, b"\x07\0\0")


def wat(folder: pathlib.Path, headers: str, count: int) -> None:
    """A WAT of records with these header fields."""
    records = []
    for number in range(count):
        warc_head = {"WARC-Type": "response", "WARC-Target-URI": f"http://a.example/{number}", "Content-Length": "100"}
        response = '{"Response-Message":{"Version":"HTTP/1.1","Status":"200"},"Headers-Length":"90","Headers":%s}'
        envelope = '{"Envelope":{"WARC-Header-Metadata":%s,"Payload-Metadata":{"HTTP-Response-Metadata":%s}}}'
        text = envelope % (json.dumps(warc_head), response % headers)
        head = "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        records.append((head % len(text) + text + "\r\n\r\n").encode())
    warc.write(folder / "a.warc.wat.gz", records)


def repeated_field() -> str:
    """Returns one long name of many values."""
    return '{"%s":[%s"x"]}' % ("n" * 100_000, '"x",' * 100_000)


def wacz(folder: pathlib.Path, archive: bytes, names: list[bytes]) -> None:
    """A WACZ whose directory lists one archive under many names."""
    checksum, size = zlib.crc32(archive), len(archive)

    def fields(name: bytes) -> bytes:
        return struct.pack("<HHHHHIIIHH", 10, 0, 0, 0, 0, checksum, size, size, len(name), 0)

    local = b"PK\x03\x04" + fields(b"archive/a") + b"archive/a" + archive
    listed = b"".join(b"PK\x01\x02\x0a\0" + fields(name) + bytes(14) + name for name in names)
    count = min(len(names), 0xFFFF)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(listed), len(local), 0)
    one_file(folder, "a.wacz", local, listed, end)


def archive_of(count: int) -> bytes:
    """Returns an archive of pages."""
    return b"".join(map(warc.member, warc.pages(count)))


def overlapping(folder: pathlib.Path) -> None:
    """A WACZ that lists an archive of 100 pages 30,000 times."""
    wacz(folder, archive_of(100), [b"archive/%d" % number for number in range(30_000)])


def directory(folder: pathlib.Path) -> None:
    """A WACZ with a directory as long as is read, of short names."""
    names = [b"%x" % number for number in range(60_000)]
    wacz(folder, archive_of(100), [b"archive/a", *names])


CASES = [
    Case("a length over all others", lie, status=3),
    Case("beginnings of frames", functools.partial(frames, unit=START[:4]), plus_seconds=3),
    Case("frames of raw blocks", functools.partial(frames, unit=START + block(0, b"WARC/1.0\r\n", 60_000)), plus_seconds=3),
    Case("nested frames", nested),
    Case("a WAT with a field of many values", functools.partial(wat, headers=repeated_field(), count=20), plus_seconds=2),
    Case("a WAT of deep JSON", functools.partial(wat, headers="[" * (4 * MIB), count=20)),
    Case("archives that overlap", overlapping, plus_seconds=3),
    Case("a long directory", directory),
]
