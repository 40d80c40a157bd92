"""A store in memory that answers as S3 does to what the program asks of it, after some time, and counts.

It holds 20,000 archives where moto, which `check.py` uses, would need a gigabyte: objects may share their bytes.
Lists come by thousands, ranges and conditional puts are honoured. It checks no signature.
"""

import bisect
import hashlib
import re
import threading
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

PAGE = 1000


@dataclass
class Store:
    """A running store: the objects of one bucket by key."""

    latency: float = 0.0
    objects: dict[str, tuple[bytes, str, float]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    conflicts: int = 0
    """So many conditional puts are answered with 409, as S3 does where two come at once."""
    internal_errors: int = 0
    """So many uploads of several parts end with status 200 and an error in the body."""
    parts: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lock, self.keys = threading.Lock(), None
        handler = type("Bound", (Handler,), {"store": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, key: str, content: bytes, tag: str = "") -> None:
        """Puts an object."""
        with self.lock:
            if key not in self.objects:
                self.keys = None
            self.objects[key] = (content, tag or hashlib.md5(content).hexdigest(), time.time())

    def remove(self, key: str) -> None:
        """Removes an object."""
        with self.lock:
            self.objects.pop(key, None)
            self.keys = None

    def counts(self) -> dict[str, int]:
        """Returns how many requests there were since the last call, by what was asked."""
        with self.lock:
            seen, self.seen = self.seen, []
        return {kind: seen.count(kind) for kind in sorted(set(seen))}

    def page(self, prefix: str, after: str) -> tuple[list[str], bool]:
        """Returns a page of keys behind a key, and whether there are more."""
        with self.lock:
            if self.keys is None:
                self.keys = sorted(self.objects)
            start = max(bisect.bisect_right(self.keys, after), bisect.bisect_left(self.keys, prefix))
            end = bisect.bisect_left(self.keys, prefix + "\U0010ffff")
            return self.keys[start : min(end, start + PAGE)], end > start + PAGE


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    store: Store

    def log_message(self, *_) -> None:
        pass

    def answer(self, status: int, content: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        self.wfile.flush()

    def begin(self, kind: str) -> str:
        time.sleep(self.store.latency)
        with self.store.lock:
            self.store.seen.append(kind)
        return unquote(urlsplit(self.path).path.removeprefix("/bucket").removeprefix("/"))

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        if "list-type" in asked:
            self.begin("list")
            return self.list(asked)
        key = self.begin(self.command.lower())
        found = self.store.objects.get(key)
        if found is None:
            return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        content, tag, at = found
        headers = {"ETag": f'"{tag}"', "Last_Modified": formatdate(at, usegmt=True)}
        wanted = self.headers.get("Range", "").removeprefix("bytes=")
        if not wanted or self.command == "HEAD":
            return self.answer(200, content, **headers)
        first, last = wanted.split("-")
        start = int(first) if first else max(0, len(content) - int(last))
        end = min(len(content), int(last) + 1) if first and last else len(content)
        if start >= len(content):
            return self.answer(416)
        self.answer(206, content[start:end], Content_Range=f"bytes {start}-{end - 1}/{len(content)}", **headers)

    def list(self, asked: dict[str, str]) -> None:
        after = asked.get("continuation-token", asked.get("start-after", ""))
        keys, more = self.store.page(asked.get("prefix", ""), after)
        entries = []
        for key in keys:
            content, tag, _ = self.store.objects.get(key, (b"", "", 0))
            entries.append(
                f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                f"<ETag>&quot;{tag}&quot;</ETag><Size>{len(content)}</Size></Contents>"
            )
        token = f"<NextContinuationToken>{escape(keys[-1])}</NextContinuationToken>" if more else ""
        text = f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>{token}{''.join(entries)}</ListBucketResult>"
        self.answer(200, text.encode(), Content_Type="application/xml")

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        key = self.begin("put")
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        if "partNumber" in asked:
            self.store.parts[asked["partNumber"]] = content
            return self.answer(200, ETag=f'"{asked["partNumber"]}"')
        if self.headers.get("If-None-Match") == "*" and self.store.conflicts:
            self.store.conflicts -= 1
            message = "<Message>The conditional request cannot succeed due to a conflicting operation.</Message>"
            return self.answer(409, f"<Error><Code>ConditionalRequestConflict</Code>{message}</Error>".encode())
        if self.headers.get("If-None-Match") == "*" and key in self.store.objects:
            return self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        self.store.put(key, content)
        self.answer(200, ETag=f'"{self.store.objects[key][1]}"')

    def do_DELETE(self) -> None:
        self.store.remove(self.begin("delete"))
        self.answer(204)

    def do_POST(self) -> None:
        if urlsplit(self.path).query.partition("=")[0] == "delete":
            content = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            self.begin("delete")
            keys = re.findall("<Key>(.*?)</Key>", content)
            for key in keys:
                self.store.remove(unescape(key))
            gone = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            return self.answer(200, f"<DeleteResult>{gone}</DeleteResult>".encode(), Content_Type="application/xml")
        key = self.begin("post")
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "uploads" in urlsplit(self.path).query:
            self.store.parts = {}
            return self.answer(200, b"<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
        if self.store.internal_errors:
            self.store.internal_errors -= 1
            return self.answer(200, b"<Error><Code>InternalError</Code><Message>Please try again.</Message></Error>")
        self.store.put(key, b"".join(self.store.parts[number] for number in sorted(self.store.parts, key=int)))
        self.answer(200, b"<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>")
