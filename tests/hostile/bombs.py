"""Bombs: a page of 10 GiB in an archive of some megabytes, whose peak memory stays below 256 MiB."""

import functools
import pathlib
import struct
import zipfile
import zlib

import warc
from case import Case

GIB = 1 << 30
STEP = 16 << 20
ZEROS = bytes(STEP)


def record(size: int) -> tuple[bytes, bytes]:
    """Returns what comes before `size` zeros in the record of a page, and what comes behind."""
    start = b"HTTP/1.1 200 OK\r\n" + warc.HTML + b"\r\n<html><head>"
    text = warc.record("http://a.example/", start, length=len(start) + size)
    return text.removesuffix(b"\r\n\r\n"), b"\r\n\r\n"


def gzip(size: int) -> list[bytes]:
    """Returns a gzip member of such a record. Its zeros are packed once, as blocks that can be repeated."""
    before, behind = record(size)
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = pack.compress(before) + pack.flush(zlib.Z_FULL_FLUSH)
    zeros = pack.compress(ZEROS) + pack.flush(zlib.Z_FULL_FLUSH)
    last = pack.compress(behind) + pack.flush()
    crc = zlib.crc32(before)
    for _ in range(size // STEP):
        crc = zlib.crc32(ZEROS, crc)
    length = len(before) + size + len(behind)
    header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    trailer = struct.pack("<II", zlib.crc32(behind, crc), length % (1 << 32))
    return [header, first, *[zeros] * (size // STEP), last, trailer]


def zstd(size: int) -> list[bytes]:
    """Returns a zstd frame of such a record, its zeros as blocks of one repeated byte (RFC 8878 3.1.1.2)."""
    block_bytes = 128 << 10

    def block(kind: int, length: int, content: bytes, last: int = 0) -> bytes:
        return struct.pack("<I", last | kind << 1 | length << 3)[:3] + content

    before, behind = record(size)
    frame = b"\x28\xb5\x2f\xfd\0\x38" + block(0, len(before), before)
    zeros = block(1, block_bytes, b"\0") * (size // block_bytes)
    return [frame, zeros, block(0, len(behind), behind, 1)]


def archive(folder: pathlib.Path, name: str, parts: list[bytes]) -> None:
    """Writes an archive of these bytes."""
    with (folder / name).open("wb") as file:
        file.writelines(parts)


def in_gzip(folder: pathlib.Path, size: int) -> None:
    """As `.warc.gz`."""
    archive(folder, "a.warc.gz", gzip(size))


def in_zstd(folder: pathlib.Path, size: int) -> None:
    """As `.warc.zst`."""
    archive(folder, "a.warc.zst", zstd(size))


def in_wacz(folder: pathlib.Path, size: int) -> None:
    """As the archive in a `.wacz`, stored as they are."""
    with zipfile.ZipFile(folder / "a.wacz", "w", zipfile.ZIP_STORED) as file:
        file.writestr("archive/data.warc.gz", b"".join(gzip(size)))


def bomb(name: str, write, *options: str) -> Case:
    """A case of 10 GiB: its text is inflated once, in some tens of seconds, and 150 MiB are added at most."""
    return Case(name, functools.partial(write, size=10 * GIB), options=options, plus_seconds=60)


CASES = [
    bomb("10 GiB in gzip", in_gzip),
    bomb("10 GiB in gzip, heads", in_gzip, "--depth=heads"),
    bomb("10 GiB in zstd", in_zstd),
    bomb("10 GiB in a WACZ", in_wacz),
]
