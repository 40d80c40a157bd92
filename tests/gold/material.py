"""What the gold set is drawn of: robots.txt files, header sets and heads of pages, each with the place where it is.

A place is a file of the corpora (`corpus:`) or of this repository (`here:`), and behind `#` the offset of the record or
of the response in it, or the number of the line. An item is named by the SHA-1 of its bytes in base32, which is how the
tables name a body.
"""

import base64
import hashlib
import json
import pathlib
import re
import typing

from fastwarc.warc import ArchiveIterator, WarcRecordType

HERE = pathlib.Path(__file__).resolve().parents[2]
ROBOTS = "robots.warc.gz"
HEAD_END = re.compile(rb"(?i)</head\s*>|<body[\s>]")
HEAD_BYTES = 64 << 10
STATUS = re.compile(rb"(?m)^HTTP/[\d.]+ \d{3}")


class Item(typing.NamedTuple):
    """One thing to label: `real` is false for what was made to imitate the web."""

    kind: str
    place: str
    real: bool
    content: bytes
    url: str = ""

    @property
    def digest(self) -> str:
        return base64.b32encode(hashlib.sha1(self.content).digest()).decode()


def robots(corpus: pathlib.Path) -> typing.Iterator[Item]:
    """Yields the real robots.txt files."""
    with open(corpus / ROBOTS, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            yield Item("robots", f"corpus:{ROBOTS}#{record.stream_pos}", True, record.reader.read(), record.headers["WARC-Target-URI"])


def head(body: bytes) -> bytes:
    """Returns a page up to the end of its head, at most 64 KiB."""
    body = body[:HEAD_BYTES]
    end = HEAD_END.search(body)
    return body[: end.start()] if end else body


def responses(place: str, file: pathlib.Path, real: bool) -> typing.Iterator[Item]:
    """Yields the header set and the head of every response of an archive; robots.txt and the like are left out."""
    with open(file, "rb") as stream:
        records = ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=False)
        while True:
            try:
                record = next(records, None)
            except Exception:  # noqa: BLE001: of a damaged archive what comes before
                return
            if record is None:
                return
            block = record.reader.read(HEAD_BYTES * 2)
            if not block.startswith(b"HTTP/"):
                continue
            fields, _, body = block.replace(b"\r\n\r\n", b"\n\n", 1).partition(b"\n\n")
            where = f"{place}#{record.stream_pos}"
            yield Item("headers", where, real, fields)
            if re.search(rb"(?im)^content-encoding:", fields) or re.search(rb"(?im)^transfer-encoding:", fields):
                continue
            if re.search(rb"(?i)<html|<head|<meta", body[:HEAD_BYTES]):
                yield Item("head", where, real, head(body))


def dumps(corpus: pathlib.Path) -> typing.Iterator[Item]:
    """Yields the header sets of the dumps of real sites."""
    for file in sorted((corpus / "http-headers").rglob("*")):
        if not file.is_file() or file.name == "index.tsv":
            continue
        content = file.read_bytes()
        starts = [match.start() for match in STATUS.finditer(content)] or [0]
        for start, end in zip(starts, [*starts[1:], len(content)]):
            fields = content[start:end].replace(b"\r\n", b"\n").partition(b"\n\n")[0].rstrip(b"\n")
            if fields.strip():
                yield Item("headers", f"corpus:{file.relative_to(corpus)}#{start}", True, fields)


def vectors() -> typing.Iterator[Item]:
    """Yields header sets and metas of the repository's cases."""
    file = HERE / "tests/vectors/account.jsonl"
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        scenario = json.loads(line)["scenario"]
        place = f"here:{file.relative_to(HERE)}#{number}"
        fields = [(name, value) for name, value in scenario.get("headers") or [] if isinstance(value, str)]
        if fields:
            text = "".join(f"\n{name}: {value}" for name, value in fields)
            yield Item("headers", place, False, b"HTTP/1.1 200 OK" + text.encode())
        metas = [meta for meta in scenario.get("meta") or [] if isinstance(meta.get("content"), str)]
        if metas and all(meta.get("carrier", "meta") == "meta" and meta.get("in", "head") == "head" for meta in metas):
            text = "".join('<meta name="{}" content="{}">\n'.format(*(str(meta[key]).replace("&", "&amp;").replace('"', "&quot;") for key in ("name", "content"))) for meta in metas)
            yield Item("head", place, False, b"<!doctype html>\n<html><head>\n" + text.encode())


def pages(corpus: pathlib.Path) -> typing.Iterator[Item]:
    """Yields every header set and head, real ones first."""
    yield from dumps(corpus)
    for folder, root, name, real in (("warc", corpus, "corpus", True), ("segment", corpus, "corpus", False), ("sample-data", HERE, "here", False)):
        for file in sorted((root / folder).rglob("*")):
            if "robotstxt" in file.parts or not re.search(r"\.w?arc(\.gz)?$", file.name):
                continue
            yield from responses(f"{name}:{file.relative_to(root)}", file, real)
    yield from vectors()


def distinct(items: typing.Iterable[Item]) -> dict[str, Item]:
    """Returns items by digest: of equal ones the first."""
    found: dict[str, Item] = {}
    for item in items:
        found.setdefault(item.digest, item)
    return found
