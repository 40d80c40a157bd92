#!/usr/bin/env python3
"""What it costs to filter documents like FineWeb's, by the command and by Python's `Judge`.

  documents.py PROGRAM FOLDER [HOSTS...]   (FOLDER: a new one; HOSTS: 40000 and 440000; needs a Python with pyarrow, and for
                                           batches the wheel, too)

For each number of hosts an index of invented robots.txt files is made, half of them distinct, and Parquet files of documents with texts of
400 bytes and of 3 kB, in no order of hosts. Each is judged with `--policy labels` and one worker; what is printed are documents a
second of CPU time, the median of three calls. Then `Judge` judges the same documents in batches of 1, 100 and 1,000: those of the first
pass over its hosts (cold), and of the second (warm), by the clock.
"""
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

DOCUMENTS = 400_000


def record(host: str, rules: str) -> bytes:
    body = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n{rules}".encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\nWARC-Date: 2026-10-10T06:00:00Z\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body + b"\r\n\r\n"


def make_index(program: str, folder: Path, hosts: int) -> Path:
    draw = random.Random(hosts)
    words = [f"/{draw.randrange(1 << 40):x}/" for _ in range(4000)]
    common = ["".join(f"Disallow: {draw.choice(words)}\n" for _ in range(draw.randrange(40))) for _ in range(50)]
    archive, evidence, index = (folder / name for name in ("a.warc", "evidence", "index"))
    with archive.open("wb") as file:
        for number in range(hosts):
            rules = draw.choice(common)
            file.write(record(f"host-{number}.example", rules + f"Disallow: /{number}/\n" * (number % 2)))
    for call in (["scan", archive, "-o", evidence, "--crawl", "invented"], ["index", evidence, "-o", index]):
        begun = os.times()
        subprocess.run([program, call[0], "-q", *map(str, call[1:])], check=True)
        ended = os.times()
        print(f"{call[0]}: {ended.children_user + ended.children_system - begun.children_user - begun.children_system:.1f} s of CPU time")
    archive.unlink()
    print(f"index: {sum(it.stat().st_size for it in index.rglob('*') if it.is_file()) / hosts:.0f} bytes a host")
    return index


def urls(hosts: int) -> list[str]:
    draw = random.Random(7)
    return [f"https://host-{draw.randrange(hosts)}.example/{draw.choice(['', 'a/b.html', 'private/x', 'search?q=1'])}" for _ in range(DOCUMENTS)]


def make_documents(path: Path, hosts: int, size: int) -> None:
    draw = random.Random(size)
    text = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz     ", k=1 << 20))
    with pq.ParquetWriter(path, pa.schema([("url", pa.string()), ("date", pa.string()), ("dump", pa.string()), ("text", pa.string())]), compression="zstd") as writer:
        all_urls = urls(hosts)
        for first in range(0, DOCUMENTS, 50_000):
            some = all_urls[first : first + 50_000]
            starts = [draw.randrange((1 << 20) - size) for _ in some]
            columns = [some, ["2026-12-01T00:00:00Z"] * len(some), ["CC-MAIN-2026-47"] * len(some), [text[at : at + size] for at in starts]]
            writer.write_table(pa.table(columns, schema=writer.schema), row_group_size=10_000)


def by_command(program: str, folder: Path, index: Path, documents: Path) -> float:
    took = []
    for _ in range(3):
        shutil.rmtree(folder / "judged", ignore_errors=True)
        shutil.rmtree(folder / "_judged.judge", ignore_errors=True)
        call = ["judge", "-q", "-j", "1", str(documents), "--sites", str(index), "--policy", "labels", "-o", str(folder / "judged")]
        process = subprocess.Popen([program, *call])
        _, status, used = os.wait4(process.pid, 0)
        assert status == 0, call
        process.returncode = 0
        took.append(used.ru_utime + used.ru_stime)
    return DOCUMENTS / sorted(took)[1]


def in_batches(index: Path, hosts: int) -> None:
    try:
        import crawlprefs
    except ImportError:
        print("batches: left out, as there is no wheel")
        return
    given = urls(hosts)[: 2 * hosts]
    for size in (1, 100, 1000):
        judge = crawlprefs.Judge(sites=index, policy="labels", jobs=1)
        rates = []
        asked = given[:20_000] if size == 1 else given
        for _ in range(2):
            begun = time.perf_counter()
            for first in range(0, len(asked), size):
                some = asked[first : first + size]
                judge(some, dates=["2026-12-01T00:00:00Z"] * len(some))
            rates.append(len(asked) / (time.perf_counter() - begun))
        print(f"  Judge, batches of {size}: {rates[0]:,.0f} a second cold, {rates[1]:,.0f} warm")


def main() -> None:
    program, folder = sys.argv[1], Path(sys.argv[2])
    for hosts in map(int, sys.argv[3:] or ["40000", "440000"]):
        print(f"{hosts:,} hosts, {DOCUMENTS:,} documents")
        place = folder / str(hosts)
        place.mkdir(parents=True)
        index = make_index(program, place, hosts)
        for size in (400, 3000):
            make_documents(place / f"{size}.parquet", hosts, size)
            print(f"  judge, texts of {size} bytes: {by_command(program, place, index, place / f'{size}.parquet'):,.0f} a second and core")
        in_batches(index, hosts)


main()
