"""Hostile servers, on a port of this machine: they are busy, lead in circles, or never end."""

import functools
import gzip
import http.server
import pathlib
import re
import threading

import warc
from case import Answer, Case

ARCHIVE = b"".join(warc.member(page) for page in warc.pages(100))
LIST = ("{binary}", "scan", "--paths-from", "{in}/list", "--base", "{url}", "-o", "{out}", "-q", "-j", "2", "--request-rate", "1000")
FROM = ("{binary}", "scan", "--paths-from", "{url}/list", "-o", "{out}", "-q", "-j", "2", "--request-rate", "1000")


class Server:
    """A server whose answers change from case to case."""

    def __init__(self) -> None:
        self.answer: Answer = ordinary
        self.requests = 0
        self.lock = threading.Lock()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"of": self}))
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def begin(self, answer: Answer | None) -> None:
        """Answers so from now on."""
        with self.lock:
            self.answer, self.requests = answer or ordinary, 0


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    of: Server

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        with self.of.lock:
            self.of.requests += 1
        try:
            self.of.answer(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_HEAD = do_GET


def send(to: http.server.BaseHTTPRequestHandler, status: int, body: bytes = b"", **fields: object) -> None:
    """Sends an answer."""
    to.send_response(status)
    for name, value in fields.items():
        to.send_header(name.replace("_", "-"), str(value))
    to.send_header("Content-Length", str(len(body)))
    to.end_headers()
    to.wfile.write(body if to.command == "GET" else b"")


def ordinary(to: http.server.BaseHTTPRequestHandler) -> None:
    """The same archive under every name, by ranges; a list of one."""
    content = b"0.warc.gz\n" if to.path == "/list" else ARCHIVE
    asked = re.fullmatch(r"bytes=(\d+)-(\d*)", to.headers.get("Range", ""))
    if not asked:
        return send(to, 200, content, ETag='"1"')
    first, last = int(asked[1]), min(int(asked[2] or len(content)), len(content) - 1)
    return send(to, 206, content[first : last + 1], ETag='"1"', Content_Range=f"bytes {first}-{last}/{len(content)}")


def busy(to: http.server.BaseHTTPRequestHandler) -> None:
    """Wants to be left alone for a quarter of an hour."""
    send(to, 503, Retry_After=900)


def refuses(to: http.server.BaseHTTPRequestHandler) -> None:
    """Forbids everything."""
    send(to, 403)


def leads_on(to: http.server.BaseHTTPRequestHandler) -> None:
    """Redirects without end."""
    send(to, 302, Location=to.path + "x")


def never_ends(to: http.server.BaseHTTPRequestHandler, unit: bytes) -> None:
    """Has a terabyte of the same bytes."""
    first, last = map(int, re.findall(r"\d+", to.headers.get("Range", "bytes=0-16777215"))[:2])
    start, length = first % len(unit), last + 1 - first
    body = (unit * (length // len(unit) + 2))[start : start + length]
    send(to, 206, body, ETag='"1"', Content_Range=f"bytes {first}-{last}/{1 << 40}")


def list_of(count: int, folder: pathlib.Path) -> None:
    """A list of so many archives."""
    (folder / "list").write_text("".join(f"{number}.warc.gz\n" for number in range(count)))


def of_list(name: str, answer: Answer, most: int, count: int = 200, **more) -> Case:
    """A case of a list of archives at a server."""
    write, one = functools.partial(list_of, count), functools.partial(list_of, 1)
    return Case(name, write, one, argv=LIST, serve=answer, most_requests=most, plus_seconds=5, **more)


endless = functools.partial(Case, hostile=functools.partial(list_of, 1), ordinary=functools.partial(list_of, 1), argv=FROM, status=1, plus_seconds=15, plus_mib=400)
LINES = b"".join(b"%d.warc.gz\n" % number for number in range(10_000))

CASES = [
    of_list("servers: busy", busy, 4, status=1),
    of_list("servers: refuses", refuses, 8, status=1),
    of_list("servers: leads on", leads_on, 6, count=1, status=3),
    endless(name="servers: a list without end", serve=functools.partial(never_ends, unit=LINES), most_requests=20),
    endless(name="servers: a line without end", serve=functools.partial(never_ends, unit=b"x" * 65536), most_requests=20),
    endless(
        name="servers: a packed list", serve=functools.partial(never_ends, unit=gzip.compress(bytes(10_000_000))), most_requests=20
    ),
]
