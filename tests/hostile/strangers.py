#!/usr/bin/env python3
"""Holds that texts in what a stranger sends are texts: no path, no address, no command.

    tests/hostile/strangers.py BINARY [COUNT [SEED]]

Each string of every JSON file, and each text column of every Parquet file, of evidence, tables, a site index, judged documents and a
list of records, and each field of the records and answers of a WARC and a WAT, with the strings of its JSON, is replaced by hostile
values: paths, URLs of buckets and hosts, device names, NUL, 1 MiB, SQL, escapes. Digests and lengths that name it are made to fit. Then every command that reads it runs. No file outside of its output may change, no server
may be asked, no process may panic, be ended by a signal or need more than 512 MiB, and no escape may reach the terminal. COUNT of all
pairs of a place and a value are tried, spread over all of them; without it, all. Exit status 0: all hold. Needs pyarrow.
"""

import base64
import collections
import ctypes
import gc
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

import sent_archives
import sent_index
from sent_json import pointers, with_string
from sent_parquet import texts, with_column

# The memory of a child begins with what this process has at its start, not with the most that it ever had, or that its pool keeps.
subprocess._USE_POSIX_SPAWN = subprocess._USE_VFORK = False
pa.set_memory_pool(pa.system_memory_pool())

MOST_MIB = 512
ADDRESSES = 4 << 30
PAGE = "https://a.example/x"
Files = dict[str, bytes]
#: A file, and the place in it: a JSON pointer, or a column.
Place = tuple[str, str]


def values(server: str) -> list[str]:
    """Returns what leads elsewhere, or costs, where it is believed."""
    return [
        "x/../../../mine/sites/crawl=local", "../mine/_resolved.json", "..", "/dev/zero", "a\\..\\..\\mine", "a\0b", "s3://victim/x",
        f"http://{server}/x", f"file://localhost/../../{server}", "A" * (1 << 20),
        "'; DROP TABLE pages; COPY (SELECT 1) TO '../mine/x'; --", "\x1b]0;x\x07\x1b[2J",
    ]


class Server:
    """Counts connections, and answers none."""

    def __init__(self) -> None:
        self.asked, self.socket = 0, socket.create_server(("127.0.0.1", 0))
        self.address = "{}:{}".format(*self.socket.getsockname())
        threading.Thread(target=self.count, daemon=True).start()

    def count(self) -> None:
        while True:
            self.socket.accept()[0].close()
            self.asked += 1


class Desk:
    """A folder with what is mine, and `sent`."""

    def __init__(self, binary: str, folder: pathlib.Path) -> None:
        self.binary, self.folder, self.server, self.faults = binary, folder, Server(), []
        self.sent, self.out = folder / "sent", folder / "out"
        self.statuses: collections.Counter[int] = collections.Counter()
        self.make()
        self.all = {str(file.relative_to(self.sent)): file.read_bytes() for file in self.sent.rglob("*") if file.is_file()}

    def make(self) -> None:
        """Makes what is sent, of an archive that is mine."""
        records = [
            ("robots.txt", b"Content-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /private\n"),
            ("x", b"Content-Type: text/html\r\nX-Robots-Tag: noai\r\n\r\n<meta name=robots content=noindex>"),
            ("private/y", b"Content-Type: text/html\r\n\r\n<title>y</title>"),
        ]
        archive = b""
        for number, (path, answer) in enumerate(records):
            block = b"HTTP/1.1 200 OK\r\n" + answer
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:032}>\r\nWARC-Date: 2026-08-10T06:00:0{number}Z\r\n"
            head += f"WARC-Target-URI: https://a.example/{path}\r\nContent-Length: {len(block)}\r\n\r\n"
            archive += head.encode() + block + b"\r\n\r\n"
        self.sent.mkdir()
        (self.folder / "a.warc").write_bytes(archive)
        pq.write_table(pa.table({"url": [PAGE, "https://a.example/private/y"], "date": ["2026-08-10"] * 2}), self.folder / "d.parquet")
        for command in (
            "run a.warc -o mine", "scan a.warc -o sent/evidence", "resolve sent/evidence -o sent/tables", "index sent/evidence -o sent/index",
            "judge d.parquet --tables sent/tables --policy labels --audit --dropped sent/dropped -o sent/kept",
        ):
            if (ran := self.run(command.split()))[0]:
                sys.exit(f"{command}: {ran}")
        part = next((self.sent / "tables" / "pages").rglob("*.parquet"))
        columns = ["warc_filename", "warc_record_offset", "warc_record_length"]
        (self.sent / "list").mkdir()
        pq.write_table(pq.read_table(part, columns=columns), self.sent / "list" / "records.parquet")
        (self.sent / "archives").mkdir()
        for name, archive in sent_archives.archives().items():
            (self.sent / "archives" / name).write_bytes(archive)

    def run(self, command: list[str]) -> tuple[int, str, int]:
        """Runs the command as somebody with credentials for buckets; returns its status, what it said, and its peak in MiB."""
        def bound() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))

        environment = os.environ | {
            "AWS_ENDPOINT_URL": f"http://{self.server.address}", "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "mine",
            "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
        }
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [self.binary, *command], cwd=self.folder, env=environment, stdout=said, stderr=said, stdin=subprocess.DEVNULL, preexec_fn=bound
            )
            hangs = threading.Timer(120, process.kill)
            hangs.start()
            _, status, usage = os.wait4(process.pid, 0)
            hangs.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return process.returncode, said.read(1 << 20).decode(errors="replace"), usage.ru_maxrss >> 10

    def others(self, kind: str) -> dict[str, tuple[int, int, int]]:
        """Returns when each file was written, but those that the commands of a kind may write."""
        written = {"out", "_out.judge"}
        if any(f"-o sent/{kind}" in command for command in COMMANDS[kind]):
            written |= {f"sent/{kind}", f"sent/_{kind}.judge", "sent/dropped", "sent/_dropped.judge"}
        found = {}
        for folder, folders, files in os.walk(self.folder):
            below = os.path.relpath(folder, self.folder)
            folders[:] = [name for name in folders if os.path.normpath(f"{below}/{name}") not in written]
            for name in files:
                stat = os.stat(f"{folder}/{name}")
                found[f"{below}/{name}"] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        return found

    def attack(self, kind: str, name: str, change: Files, case: str) -> None:
        """Runs the commands of a kind over changed files."""
        for changed, content in change.items():
            (self.sent / changed).write_bytes(content)
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        before = self.others(kind)
        for command in COMMANDS[kind]:
            asked = self.server.asked
            status, said, mib = self.run(command.replace("{file}", f"sent/{name}").split())
            self.statuses[status] += 1
            what = [
                (status not in (0, 1, 2, 3), f"status {status}"), ("panicked" in said, "panicked"), ("\x1b" in said, "an escape"),
                (mib > MOST_MIB, f"{mib} MiB"), (self.server.asked > asked, "a server was asked"), (self.others(kind) != before, "a file changed"),
            ]
            self.faults += [f"{case}: {command}: {fault}: {said[-300:]!r}" for is_so, fault in what if is_so]
        self.restore(kind, change)

    def restore(self, kind: str, change: Files) -> None:
        """Puts back what a stranger sent of a kind, and what was changed."""
        sent = [f"sent/{name}" for name in (kind, f"_{kind}.judge", "dropped", "_dropped.judge")]
        for folder in ("out", "_out.judge", *sent):
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        for name, content in self.all.items():
            if name in change or f"sent/{name}".startswith(tuple(f"{folder}/" for folder in sent)):
                (self.sent / name).parent.mkdir(parents=True, exist_ok=True)
                (self.sent / name).write_bytes(content)


OF_TABLES = [
    f"explain --tables sent/tables --url {PAGE}", "status sent/tables", "judge d.parquet --tables sent/tables -o out/kept",
    f"extract --tables sent/tables --url {PAGE} -o out/x.warc.gz", "resolve sent/evidence -o sent/tables -q",
]
#: What reads each kind; what is made of it is read as well.
COMMANDS = {
    "evidence": [
        "status sent/evidence", "resolve sent/evidence -o out/tables", "index sent/evidence --allow-incomplete -o out/index",
        "sites out/index --allow-incomplete --at each-crawl -o out/sites", "history --sites out/index a.example",
        "extract --sites out/index --url " + PAGE, f"explain --tables out/tables --url {PAGE}", "scan a.warc -o sent/evidence",
    ],
    "tables": [*OF_TABLES, "extract --from {file} -o out/records/"],
    "index": [
        "sites sent/index --at each-crawl -o out/sites", "index sent/index -o out/index", f"explain --sites sent/index --url {PAGE}",
        "status sent/index", "history --sites sent/index a.example", "judge d.parquet --sites sent/index -o out/kept",
        f"extract --sites sent/index --url {PAGE} -o out/x.warc.gz",
    ],
    "kept": [
        f"explain --judged sent/kept {PAGE}", "judge sent/kept --tables sent/tables -o out/kept",
        "judge d.parquet --tables sent/tables --policy labels --audit --dropped sent/dropped --overwrite -o sent/kept",
        "judge d.parquet --tables sent/tables --policy labels --diff sent/kept -o out/diff",
    ],
    "archives": [
        "run sent/archives -o out/tables", "status out/tables", f"explain --tables out/tables --url {PAGE}",
        "explain --tables out/tables --url https://a.example/w", f"extract --tables out/tables --url {PAGE} --base sent/archives -o out/x.warc.gz",
        "index out/tables --allow-incomplete -o out/index", "history --sites out/index --allow-incomplete a.example",
        f"extract --sites out/index --allow-incomplete --url {PAGE} --base sent/archives -o out/y/", "judge d.parquet --tables out/tables -o out/kept",
    ],
    "list": ["extract --from {file} -o out/x.warc.gz", "extract --from {file} -o out/x/"],
}


def amended(files: Files, old: bytes, new: bytes) -> Files:
    """Returns the JSON files that state a file's digests and length, with those of another one."""
    change: Files = {}
    for name, content in files.items():
        text = content.decode(errors="replace") if name.endswith(".json") else ""
        for digest in (hashlib.sha1, hashlib.sha256):
            for form in (lambda raw: base64.b32encode(raw).decode(), bytes.hex):
                text = text.replace(form(digest(old).digest()), form(digest(new).digest()))
        if name.endswith(".json") and text != content.decode(errors="replace"):
            change[name] = re.sub(rf'"(bytes|output_bytes)": {len(old)}\b', rf'"\1": {len(new)}', text).encode()
    return change


def places(files: Files) -> Iterator[tuple[str, Place]]:
    """Gives each place with the kind of what was sent."""
    for name, content in sorted(files.items()):
        kind = name.split("/")[0].removeprefix("_").removesuffix(".judge").replace("dropped", "kept")
        if name.endswith(".json"):
            found = pointers(json.loads(content))
        elif kind == "archives":
            found = sent_archives.texts(content)
        else:
            found = sent_index.places(files, name) if kind == "index" else texts(content) if name.endswith(".parquet") else iter(())
        yield from ((kind, (name, place)) for place in found)


def with_value(files: Files, kind: str, place: Place, value: str) -> Files:
    """Returns the files that change with a value at a place."""
    name, within = place
    if name.endswith(".json"):
        return {name: with_string(files[name], within, value)}
    if kind == "archives":
        return {name: sent_archives.with_text(files[name], within, value)}
    if kind == "index":
        return sent_index.with_place(files, name, within, value)
    new = with_column(files[name], within, value)
    return amended(files, files[name], new) | {name: new}


def main() -> None:
    binary, *rest = sys.argv[1:] or sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as temporary:
        desk = Desk(str(pathlib.Path(binary).resolve()), pathlib.Path(temporary))
        # Once: a child's memory is at least what this process has when it starts it.
        hostile = values(desk.server.address)
        pairs = [(kind, place, value) for kind, place in places(desk.all) for value in hostile]
        # A step that shares no factor with the number of values, so that all are used.
        step = max(1, len(pairs) // int(rest[0]) | 1) if rest else 1
        seed = int(rest[1]) if len(rest) > 1 else 0
        chosen = pairs[seed % step :: step + (step % 3 == 0) * 2]
        for kind, (name, place), value in chosen:
            change = with_value(desk.all, kind, (name, place), value)
            desk.attack(kind, name, change, f"{name} {place!r}: {value[:40]!r}")
        before = desk.server.asked
        desk.run(["status", "s3://victim/x", "--retries", "0", "--timeout", "1s"])
        deadline = time.monotonic() + 10
        while desk.server.asked == before and time.monotonic() < deadline:
            time.sleep(0.01)
        if desk.server.asked == before:
            desk.faults.append("the server does not count")
        print(f"{len(chosen)} of {len(pairs)} pairs, {desk.statuses.total()} commands, by status {dict(sorted(desk.statuses.items()))}:"
              f" {len(desk.faults)} faults", *desk.faults[:20], sep="\n")
        sys.exit(bool(desk.faults))


main()
