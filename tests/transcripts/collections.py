"""Writes the two harvests of docs/libraries.md: collections.py FOLDER.

The same bytes come out each time. The second harvest has a WACZ and a WARC: in the WACZ a robots.txt is a revisit of the record
before it, a page reserves text and data mining, and a site was stored without its robots.txt; in the WARC a site has closed.
"""
import base64
import gzip
import hashlib
import json
import sys
import uuid
import zipfile
from pathlib import Path

OPEN = b"User-agent: *\nDisallow: /drafts/\n"
CLOSED = b"User-agent: *\nDisallow: /\n"


def sha1(body):
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


def record(kind, url, time, body, media="text/html", fields=(), more=()):
    head = ["HTTP/1.1 200 OK", f"Content-Type: {media}", *fields, "", ""]
    block = "\r\n".join(head).encode() + (b"" if kind == "revisit" else body)
    lines = [
        "WARC/1.1", f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", f"WARC-Date: {time}",
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url + time)}>",
        f"WARC-Payload-Digest: {sha1(body)}", "Content-Type: application/http; msgtype=response",
        *more, f"Content-Length: {len(block)}", "", "",
    ]
    return url, time, gzip.compress("\r\n".join(lines).encode() + block + b"\r\n\r\n", mtime=0)


def write(path, records):
    """Writes a WACZ of records, with its index and its list of pages."""
    warc, index, pages = b"", [], ['{"format": "json-pages-1.0", "id": "pages", "title": "All pages"}']
    for url, time, member in records:
        host, _, rest = url.partition("//")[2].partition("/")
        entry = {"url": url, "filename": "data.warc.gz", "offset": len(warc), "length": len(member)}
        digits = "".join(filter(str.isdigit, time))[:14]
        index.append(f"{','.join(reversed(host.split('.')))})/{rest} {digits} {json.dumps(entry)}")
        if not url.endswith("/robots.txt"):
            pages.append(json.dumps({"id": f"p{len(pages)}", "url": url, "ts": time}))
        warc += member
    files = {
        "archive/data.warc.gz": warc,
        "indexes/index.cdx": "\n".join(sorted(index)).encode() + b"\n",
        "pages/pages.jsonl": "\n".join(pages).encode() + b"\n",
    }
    resources = [
        {"path": name, "hash": f"sha256:{hashlib.sha256(data).hexdigest()}", "bytes": len(data)} for name, data in files.items()
    ]
    files["datapackage.json"] = json.dumps({"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}).encode()
    with zipfile.ZipFile(path, "w") as wacz:
        for name, data in files.items():
            wacz.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)


def main(folder):
    page = b"<!DOCTYPE html><title>A page</title><p>Text"
    reserved = b'<!DOCTYPE html><meta name="tdm-reservation" content="1"><title>A page</title>'
    first, second = "2025-04-02T09:00:0", "2026-04-02T09:00:0"
    revisit = ["WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"]
    for harvest in ("2025-spring", "2026-spring"):
        (Path(folder) / harvest).mkdir(parents=True, exist_ok=True)
    write(Path(folder) / "2025-spring/crawl.wacz", [
        record("response", "https://paper.example/robots.txt", first + "0Z", OPEN, "text/plain"),
        record("response", "https://paper.example/", first + "1Z", page),
        record("response", "https://paper.example/drafts/1", first + "2Z", page),
        record("response", "https://museum.example/robots.txt", first + "3Z", OPEN, "text/plain"),
        record("response", "https://museum.example/", first + "4Z", page),
    ])
    write(Path(folder) / "2026-spring/crawl.wacz", [
        record("response", "https://paper.example/robots.txt", second + "0Z", OPEN, "text/plain"),
        record("response", "https://paper.example/", second + "1Z", page),
        record("revisit", "https://paper.example/robots.txt", second + "2Z", OPEN, "text/plain", (), revisit),
        record("response", "https://paper.example/rights", second + "3Z", reserved),
        record("response", "https://family.example/", second + "4Z", page),
    ])
    later = [
        record("response", "https://museum.example/robots.txt", second + "5Z", CLOSED, "text/plain"),
        record("response", "https://museum.example/", second + "6Z", page),
    ]
    (Path(folder) / "2026-spring/museum.warc.gz").write_bytes(b"".join(member for _, _, member in later))


if __name__ == "__main__":
    main(*sys.argv[1:])
