"""Writes robots.txt files that were fetched elsewhere into an archive of their own.

  python docs/fetched.py fetched.warc https://a.example/robots.txt 2026-08-01T06:00:00Z 200 a.txt

URL, time of the fetch, status and file, once for each answer. The file has the body as it was received.
"""
import sys
import uuid
from pathlib import Path


def record(kind, fields, block):
    lines = [f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>", *fields, f"Content-Length: {len(block)}"]
    return "\r\n".join(["WARC/1.1", *lines, "", ""]).encode() + block + b"\r\n\r\n"


def main(out, *answers):
    records = []
    for url, time, status, file in zip(*[iter(answers)] * 4, strict=True):
        body = Path(file).read_bytes()
        head = f"HTTP/1.1 {int(status)} Fetched\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        fields = [f"WARC-Target-URI: {url}", f"WARC-Date: {time}", "Content-Type: application/http; msgtype=response"]
        records.append(record("response", fields, head.encode() + body))
    Path(out).write_bytes(b"".join(records))


if __name__ == "__main__":
    main(*sys.argv[1:])
