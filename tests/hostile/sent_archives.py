"""The archives that a stranger sends, and their texts: the fields of records and of answers, and the strings of a WAT's JSON."""

import base64
import hashlib
import json
from collections.abc import Iterator

from sent_json import pointers, with_string

Fields = list[tuple[str, bytes]]
Record = tuple[Fields, bytes]


def written(records: list[Record]) -> bytes:
    """Returns an archive, each record with the length of its block."""
    archive = b""
    for fields, block in records:
        lines = [f"{name}: ".encode() + value for name, value in [*fields, ("Content-Length", b"%d" % len(block))]]
        archive += b"\r\n".join([b"WARC/1.0", *lines]) + b"\r\n\r\n" + block + b"\r\n\r\n"
    return archive


def records(archive: bytes) -> Iterator[Record]:
    """Gives the records of an archive, without the lengths that they state."""
    while archive:
        head, _, rest = archive.partition(b"\r\n\r\n")
        fields = fields_of(head)
        length = int(dict(fields)["Content-Length"])
        yield [field for field in fields if field[0] != "Content-Length"], rest[:length]
        archive = rest[length + 4 :]


def fields_of(head: bytes) -> Fields:
    """Returns the fields behind the first line of a head."""
    lines = [line.partition(b": ") for line in head.split(b"\r\n")[1:]]
    return [(name.decode(), value) for name, _, value in lines]


def texts(archive: bytes) -> Iterator[str]:
    """Gives the places of texts: the number of a record, then `warc` or `http` with the name of a field, or a pointer into its JSON."""
    for number, (fields, block) in enumerate(records(archive)):
        yield from (f"{number} warc {name}" for name, _ in fields)
        if block.startswith(b"{"):
            yield from (f"{number} json {pointer}" for pointer in pointers(json.loads(block)))
        elif block.startswith(b"HTTP/"):
            yield from (f"{number} http {name}" for name, _ in fields_of(block.partition(b"\r\n\r\n")[0]))
        else:
            yield from (f"{number} info {name}" for name, _ in fields_of(b"\r\n" + block.strip()))


def with_text(archive: bytes, place: str, text: str) -> bytes:
    """Returns an archive with another text at a place; the lengths of its blocks fit."""
    changed = list(records(archive))
    number, kind, name = place.split(" ", 2)
    fields, block = changed[int(number)]

    def replaced(fields: Fields) -> Fields:
        return [(known, text.encode() if known == name else value) for known, value in fields]

    if kind == "warc":
        fields = replaced(fields)
    elif kind == "json":
        block = with_string(block, name, text)
    else:
        first, body = (block.partition(b"\r\n")[0], block.partition(b"\r\n\r\n")[2]) if kind == "http" else (b"", b"")
        head = block.partition(b"\r\n\r\n")[0] if kind == "http" else b"\r\n" + block.strip()
        lines = [f"{known}: ".encode() + value for known, value in replaced(fields_of(head))]
        block = b"\r\n".join([*([first] if first else []), *lines]) + b"\r\n\r\n" + body
    changed[int(number)] = fields, block
    return written(changed)


def envelope(fields: Fields, block: bytes) -> Record:
    """Returns the record of a WAT about a record of a WARC."""
    head = block.partition(b"\r\n\r\n")[0]
    described = {
        "Container": {
            "Filename": "b.warc.gz", "Compressed": True, "Offset": "847",
            "Gzip-Metadata": {"Header-Length": "10", "Deflate-Length": "900", "Footer-Length": "8", "Inflated-CRC": "1", "Inflated-Length": "1"},
        },
        "Envelope": {
            "Format": "WARC", "WARC-Header-Length": "300", "Block-Digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "WARC-Header-Metadata": {name: value.decode() for name, value in fields} | {"Content-Length": str(len(block))},
            "Payload-Metadata": {
                "Trailing-Slop-Length": "4", "Actual-Content-Type": "application/http; msgtype=response",
                "HTTP-Response-Metadata": {
                    "Response-Message": {"Version": "HTTP/1.1", "Status": "200", "Reason": "OK"},
                    "Headers": {name: value.decode() for name, value in fields_of(head)},
                    "Headers-Length": str(len(head) + 4), "Entity-Length": "40", "Entity-Digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
                    "HTML-Metadata": {"Head": {
                        "Title": "x", "Metas": [{"name": "robots", "content": "noindex"}],
                        "Link": [{"path": "LINK@/href", "rel": "license", "url": "https://a.example/terms"}],
                    }},
                },
            },
        },
    }
    return [
        ("WARC-Type", b"metadata"), ("WARC-Record-ID", b"<urn:uuid:00000000-0000-0000-0000-00000000000a>"),
        ("WARC-Refers-To", dict(fields)["WARC-Record-ID"]), ("WARC-Date", b"2026-08-10T06:00:00Z"),
        ("WARC-Target-URI", dict(fields)["WARC-Target-URI"]), ("Content-Type", b"application/json"),
    ], json.dumps(described).encode()


def warcinfo(name: bytes) -> Record:
    """Returns the record that describes an archive."""
    return [
        ("WARC-Type", b"warcinfo"), ("WARC-Record-ID", b"<urn:uuid:00000000-0000-0000-0000-00000000000b>"),
        ("WARC-Date", b"2026-08-10T06:00:00Z"), ("WARC-Filename", name), ("Content-Type", b"application/warc-fields"),
    ], b"software: Nutch 1.6\r\nhostname: crawler.example\r\nisPartOf: CC-MAIN-2026-33\r\npublisher: p\r\n"


def response(number: int, url: str, fields: Fields, body: bytes, status: bytes = b"200 OK") -> Record:
    """Returns the record of an answer."""
    head = b"".join(f"{name}: ".encode() + value + b"\r\n" for name, value in fields)
    digest = b"sha1:" + base64.b32encode(hashlib.sha1(body).digest())
    return [
        ("WARC-Type", b"response"), ("WARC-Record-ID", f"<urn:uuid:{number:08}-0000-0000-0000-000000000000>".encode()),
        ("WARC-Warcinfo-ID", b"<urn:uuid:00000000-0000-0000-0000-00000000000b>"),
        ("WARC-Date", f"2026-08-10T06:00:0{number}Z".encode()), ("WARC-Target-URI", f"https://{url}".encode()),
        ("WARC-IP-Address", b"192.0.2.1"), ("WARC-Payload-Digest", digest),
        ("Content-Type", b"application/http; msgtype=response"),
    ], b"HTTP/1.1 " + status + b"\r\n" + head + b"\r\n" + body


def archives() -> dict[str, bytes]:
    """Returns a WARC and a WAT by their names."""
    text, html = ("Content-Type", b"text/plain"), ("Content-Type", b"text/html")
    robots = response(1, "a.example/robots.txt", [("Location", b"https://b.example/robots.txt")], b"", b"301 Moved")
    rules = response(2, "b.example/robots.txt", [text, ("ETag", b'"1"')], b"User-agent: *\nDisallow: /private\n")
    page = response(3, "a.example/x", [html, ("X-Robots-Tag", b"noai"), ("Link", b'<https://a.example/terms>; rel="license"')], b"<title>x</title>")
    other = response(4, "a.example/w", [html, ("TDM-Reservation", b"1"), ("TDM-Policy", b"https://a.example/policy.json")], b"<title>w</title>")
    return {
        "a.warc": written([warcinfo(b"a.warc"), robots, rules, page]),
        "b.warc.wat": written([warcinfo(b"b.warc.wat"), envelope(*other)]),
    }
