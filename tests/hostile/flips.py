#!/usr/bin/env python3
"""Holds that a damaged file costs itself: flips bytes of documents, tables, evidence, manifests and counts, and runs the command.

    tests/hostile/flips.py BINARY [COUNT [SEED [--others]]]

The first round flips each byte of a file of documents, with the four flips 0x01, 0x80, 0xff and a random one in turn; what
COUNT (default: 1,000) leaves are flips at random places of documents and, a tenth of them or all with --others, of what is read
back: tables, evidence, manifests, and what judge has counted. Processes have 4 GiB of addresses. One process judges many
damaged documents beside good ones, which must come out; of the others it reads one damaged file. A process that a signal or a
panic ends (status 101), or that says "panicked", is a fault. Exit status 0: there is none. Needs pyarrow.
"""

import collections
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ADDRESSES = 4 << 30
AT_ONCE = 250
GOOD = ("000.parquet", "zzz.parquet")


def run(binary: str, *arguments: object) -> tuple[int, str]:
    """Runs the command with little address space; returns its status and what it wrote."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))

    ran = subprocess.run([binary, *map(str, arguments)], preexec_fn=bound, capture_output=True, timeout=600)
    return ran.returncode, (ran.stdout + ran.stderr).decode(errors="replace")


def documents(path: pathlib.Path) -> None:
    """Writes documents whose columns are encoded in several ways."""
    count = 30
    table = pa.table({
        "url": [f"https://rep.example/private/{row}" for row in range(count)],
        "date": pa.array([f"2026-08-{row % 4 + 1:02}" for row in range(count)]).dictionary_encode(),
        "n": pa.array([row if row % 7 else None for row in range(count)], pa.int64()),
        "words": [[str(word) for word in range(row % 4)] if row % 3 else None for row in range(count)],
    })
    encodings = {"url": "DELTA_BYTE_ARRAY", "n": "DELTA_BINARY_PACKED"}
    pq.write_table(table, path, compression="zstd", use_dictionary=["date"], column_encoding=encodings, row_group_size=20)


def flipped(content: bytes, at: int, flip: int) -> bytes:
    """Returns bytes of which one is flipped."""
    return content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :]


def of_documents(binary: str, tables: pathlib.Path, folder: pathlib.Path, good: bytes, flips: list[tuple[int, int]]) -> list[str]:
    """Judges documents, each with one flip, beside good ones."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "in").mkdir(parents=True)
    for name in GOOD:
        (folder / "in" / name).write_bytes(good)
    for at, flip in flips:
        (folder / "in" / f"a{at}-{flip}.parquet").write_bytes(flipped(good, at, flip))
    command = ["judge", folder / "in", "--tables", tables, "-o", folder / "out", "-j", 2, "--memory-limit", "256M"]
    status, text = run(binary, *command)
    faults = [] if status in (0, 3) and "panicked" not in text else [f"documents: status {status}: {text[-500:]}"]
    return faults + [f"documents: {name} is not judged" for name in GOOD if not (folder / "out" / name).exists()]


def of_tables(binary: str, tables: pathlib.Path, file: pathlib.Path, at: int, flip: int, commands: list[list[object]]) -> tuple[list[str], list[int]]:
    """Runs commands that read tables and evidence, of which one file has a flip."""
    good = file.read_bytes()
    file.write_bytes(flipped(good, at, flip))
    try:
        ran = [run(binary, *command) for command in commands]
    finally:
        file.write_bytes(good)
    name = file.relative_to(tables.parent)
    faults = [f"{name}, byte {at} ^ {flip:#x}: status {status}: {text[-500:]}" for status, text in ran
              if status not in (0, 1, 3) or "panicked" in text]
    return faults, [status for status, _ in ran]


def main() -> None:
    """Flips."""
    binary, *rest = sys.argv[1:] or sys.exit(__doc__)
    count, seed = int(rest[0]) if rest else 1000, int(rest[1]) if len(rest) > 1 else 1
    of_others = "--others" in rest
    chance, faults, statuses = random.Random(seed), [], collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        tables = folder / "tables"
        status, text = run(binary, "run", REPOSITORY / "sample-data", "-q", "-o", tables)
        if status:
            sys.exit(text)
        documents(folder / "good.parquet")
        (folder / "urls.txt").write_text("https://rep.example/private/x\n")
        good = (folder / "good.parquet").read_bytes()
        cycle = [0x01, 0x80, 0xFF]
        flips = [(at, cycle[at % 4] if at % 4 < 3 else chance.randrange(1, 256)) for at in range(len(good))]
        # Few flips are spread over the file.
        flips = [] if of_others else flips[:: max(1, -(-len(flips) // count))]
        flips += [] if of_others else [(chance.randrange(len(good)), chance.randrange(1, 256)) for _ in range((count - len(flips)) * 9 // 10)]
        for start in range(0, len(flips), AT_ONCE):
            faults += of_documents(binary, tables, folder / "documents", good, flips[start : start + AT_ONCE])
        files = sorted(file for file in tables.rglob("*") if file.is_file())
        part = next(file for file in files if "pages/crawl" in str(file) and file.suffix == ".parquet")
        page = pq.read_table(part, columns=["url"])["url"][0]
        judged: list[object] = ["judge", folder / "good.parquet", "--tables", tables, "-o", folder / "judged", "-q", "--policy", "labels"]
        if run(binary, *judged)[0]:
            sys.exit("the good documents are not judged")
        counted = sorted(file for name in ("judged", "_judged.judge") for file in (folder / name).rglob("*") if file.is_file())
        commands: list[list[object]] = [
            ["judge", folder / "urls.txt", "--tables", tables, "-q"],
            ["explain", "--tables", tables, "--url", page],
            ["resolve", tables, "-o", folder / "resolved", "-q", "--overwrite"],
            judged,
        ]
        for number in range(count - len(flips)):
            file = chance.choice(files if number % 4 < 3 else counted)
            # A run that stops at a flip has removed the sums of the last one; the next makes them again.
            if not file.exists():
                run(binary, *judged)
            at, flip = chance.randrange(file.stat().st_size), chance.randrange(1, 256)
            found, ended = of_tables(binary, tables, file, at, flip, [commands[number % 4]])
            faults += found
            statuses.update(ended)
    print(f"{len(flips)} flips of documents ({len(good)} bytes), {sum(statuses.values())} of what is read back,"
          f" by status {dict(sorted(statuses.items()))}: {len(faults)} faults", *faults[:20], sep="\n")
    sys.exit(bool(faults))


main()
