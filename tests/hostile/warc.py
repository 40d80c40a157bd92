"""Writes WARC records for the hostile archives: `record`, `page`, `site_file`, and an archive of gzip members."""

import pathlib
import uuid
import zlib
from collections.abc import Iterable, Iterator

HTML = b"Content-Type: text/html\r\n"
TEXT = b"Content-Type: text/plain\r\n"


def record(url: str, block: bytes, at: int = 0, fields: bytes = b"", length: object = None) -> bytes:
    """Returns a response record; `at` is its second of the day, `length` what it claims to have."""
    clock = f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
        f"WARC-Date: 2026-08-10T{clock}Z\r\nWARC-Target-URI: {url}\r\n"
    )
    length = len(block) if length is None else length
    return head.encode() + fields + f"Content-Length: {length}\r\n\r\n".encode() + block + b"\r\n\r\n"


def response(body: bytes, fields: bytes = HTML) -> bytes:
    """Returns an HTTP response."""
    return b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n" + body


def page(url: str, head: bytes = b"", fields: bytes = HTML) -> bytes:
    """Returns the record of a page whose HTML head holds `head`."""
    body = b"<html><head><title>t</title>" + head + b"</head><body><p>x</p></body></html>"
    return record(url, response(body, fields), at=7200)


def site_file(host: str, body: bytes, path: str = "/robots.txt", fields: bytes = TEXT) -> bytes:
    """Returns the record of a host's robots.txt, or of its file at `path`."""
    return record(f"http://{host}{path}", response(body, fields), at=3600)


def member(text: bytes, level: int = 6) -> bytes:
    """Returns a gzip member."""
    pack = zlib.compressobj(level, zlib.DEFLATED, 31)
    return pack.compress(text) + pack.flush()


def write(archive: pathlib.Path, records: Iterable[bytes]) -> None:
    """Writes an archive of one gzip member per record."""
    with archive.open("wb") as file:
        file.writelines(map(member, records))


def pages(count: int, host: str = "a.example", head: bytes = b"", path: str = "") -> Iterator[bytes]:
    """Gives the records of `count` pages of one host."""
    return (page(f"http://{host}/{path}{number}", head) for number in range(count))


def repeated(unit: bytes, size: int) -> bytes:
    """Returns as many copies of `unit` as fit in `size` bytes."""
    return unit * (size // len(unit))
