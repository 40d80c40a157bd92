"""A web server with the faults of real ones: it cuts answers, is busy, refuses, redirects, drips, and counts requests.

It serves a folder by ranges, over TLS where it is given a certificate. As a proxy (CONNECT) it answers for any host,
so that a client reaches it by the name of a real one. What it does wrong is in `Faults`.
"""

import hashlib
import ssl
import threading
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Faults:
    """What the server does wrong."""

    latency: float = 0.0
    """Seconds before each answer."""
    cut_every: int = 0
    """One answer in this many ends in its middle."""
    busy_every: int = 0
    """After each this many requests, three in a row are answered with 503."""
    later: int = 0
    """This many requests are answered with 429 and Retry-After: 1."""
    forbidden_after: int = -1
    """After this many requests, all are answered with 403."""
    change_after: int = -1
    """After this many requests the objects have another ETag."""
    rewritten: str = ""
    """Each answer has another time of writing; the ETag stays: "strong", or "weak", where only the time shows a change."""
    redirect: str = ""
    """Where each request is redirected to; "loop" for itself."""
    drip: bool = False
    """Answers come a byte at a time."""


@dataclass
class Seen:
    """A request."""

    at: float
    method: str
    path: str
    range: str
    status: int
    agent: str
    match: str


@dataclass
class Web:
    """A running server."""

    folder: Path
    certificate: Path | None = None
    faults: Faults = field(default_factory=Faults)
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    at_once: int = 0
    most_at_once: int = 0

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.context = None
        if self.certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(self.certificate)
        handler = type("Bound", (Handler,), {"web": self})
        self.server = Server(("127.0.0.1", 0), handler)
        self.port = self.server.server_address[1]
        self.url = f"{'https' if self.certificate else 'http'}://localhost:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reset(self, **faults) -> None:
        """Forgets what was seen, and does these things wrong."""
        with self.lock:
            self.faults = Faults(**faults)
            self.seen, self.connections, self.most_at_once = [], 0, 0


class Server(ThreadingHTTPServer):
    """Threads, and no messages about connections that clients end."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address) -> None:
        pass


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    web: Web

    def setup(self) -> None:
        self.tls = False
        with self.web.lock:
            self.web.connections += 1
        super().setup()
        # A TLS client begins with byte 0x16, a client of the proxy with CONNECT.
        if self.web.context and self.connection.recv(1, 2) == b"\x16":
            self.begin_tls()

    def begin_tls(self) -> None:
        self.connection = self.web.context.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb", self.rbufsize)
        self.wfile = self.connection.makefile("wb", self.wbufsize)
        self.tls = True

    def log_message(self, *_) -> None:
        pass

    def do_CONNECT(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        self.begin_tls()
        self.close_connection = False

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        web = self.web
        with web.lock:
            number = len(web.seen)
            seen = Seen(
                time.monotonic(), self.command, self.path, self.headers.get("Range", ""), 0,
                self.headers.get("User-Agent", ""), self.headers.get("If-Match", ""),
            )
            web.seen.append(seen)
            web.at_once += 1
            web.most_at_once = max(web.most_at_once, web.at_once)
        try:
            self.answer(number, seen)
        finally:
            self.wfile.flush()
            with web.lock:
                web.at_once -= 1

    def answer(self, number: int, seen: Seen) -> None:
        faults = self.web.faults
        time.sleep(faults.latency)
        fields = {}
        status = 0
        if 0 <= faults.forbidden_after <= number:
            status = 403
        elif number < faults.later:
            status, fields = 429, {"Retry-After": "1"}
        elif faults.busy_every and number % faults.busy_every in range(1, 4):
            status = 503
        elif faults.redirect:
            here = self.path + "x" if faults.redirect == "loop" else faults.redirect
            status, fields = 302, {"Location": here}
        file = self.web.folder / unquote(urlsplit(self.path).path).lstrip("/")
        if not status and not file.is_file():
            status = 404
        if status:
            seen.status = status
            self.reply(status, fields, b"no")
            return
        tag = f'"{hashlib.sha1(file.name.encode()).hexdigest()[:8]}-{file.stat().st_size}"'
        if 0 <= faults.change_after <= number:
            tag = '"another"'
        if self.web.faults.rewritten == "weak":
            tag = "W/" + tag
        if seen.match and seen.match != tag:
            seen.status = 412
            self.reply(412, {}, b"")
            return
        self.send_file(file, tag, number, seen)

    def send_file(self, file: Path, tag: str, number: int, seen: Seen) -> None:
        size = file.stat().st_size
        start, end = 0, size
        fields = {"ETag": tag, "Accept-Ranges": "bytes"}
        if self.web.faults.rewritten:
            fields["Last-Modified"] = formatdate(1_700_000_000 + number, usegmt=True)
        seen.status = 200
        if seen.range:
            first, last = seen.range.removeprefix("bytes=").split("-")
            start = int(first) if first else max(0, size - int(last))
            end = min(size, int(last) + 1) if first and last else size
            if start >= size:
                seen.status = 416
                self.reply(416, {"Content-Range": f"bytes */{size}"}, b"")
                return
            seen.status = 206
            fields["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        faults = self.web.faults
        cut = faults.cut_every and number % faults.cut_every == faults.cut_every - 1
        self.send_response(seen.status)
        for name, value in {**fields, "Content-Length": str(end - start)}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if faults.drip:
            for _ in range(600):
                self.wfile.write(b"\x1f")
                self.wfile.flush()
                time.sleep(0.1)
        with open(file, "rb") as content:
            content.seek(start)
            left = (end - start) // 2 if cut else end - start
            while left:
                piece = content.read(min(left, 1 << 18))
                self.wfile.write(piece)
                left -= len(piece)
        if cut:
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)

    def reply(self, status: int, fields: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**fields, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
