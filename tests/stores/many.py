"""Measures what an output of 20,000 archives in a store costs: requests, and time with 50 ms before each answer.

`tests/stores/run PROGRAM many [ARCHIVES]`. The archives are one of sample-data under other names, each with another end, behind a
web server; their evidence is that of one scan, put into the store. Requests are exact, times are of this machine.
"""

import base64
import gzip
import hashlib
import json
import sys
import time
from pathlib import Path

from setting import Setting
from store import Store

CRAWL = "CC-MAIN-2026-34"
FILE = "CC-MAIN-20260810060000-20260810090000"
LATENCY = 0.05


def name(number: int, of_segment: int) -> str:
    """Returns the name of an archive."""
    segment = f"17864{number // of_segment:05}.68"
    return f"crawl-data/{CRAWL}/segments/{segment}/robotstxt/{FILE}-{number % of_segment:05}.warc.gz"


def stem(archive: str) -> str:
    """Returns the name of its evidence."""
    _, _, _, segment, subset, file = archive.split("/")
    return f"{segment}-{subset}-{file.removesuffix('.warc.gz')}"


def unlike(archive: bytes, number: int) -> bytes:
    """Returns an archive with an empty member at its end, so that no two are the same one under two names."""
    return archive + gzip.compress(b"", mtime=number + 1)


def fill(it: Setting, store: Store, count: int, of_segment: int) -> list[str]:
    """Puts the evidence of archives into the store; returns their names."""
    names = [name(number, of_segment) for number in range(count)]
    source = next(file for file in sorted(Path("sample-data").rglob("*.warc.gz")) if "robotstxt" in str(file))
    for number, archive in enumerate(names):
        (it.served / archive).parent.mkdir(parents=True, exist_ok=True)
        (it.served / archive).write_bytes(unlike(source.read_bytes(), number))
    paths, out = it.folder / "filled.txt", it.out("one")
    paths.write_text("\n".join(names))
    it.call("scan", "--paths-from", paths, "--base", it.served, "-o", out, "-q")
    for file in sorted(path for path in out.rglob("*") if path.is_file()):
        if (key := str(file.relative_to(out))).split("/")[0] != "_known":
            store.put(f"out/{key}", file.read_bytes())
    return names


def known(names: list[str], store: Store, base: str) -> None:
    """Says that the archives below a base were compared a moment ago, as the scan that had read them would have said."""
    segments: dict[str, dict] = {}
    for archive in names:
        manifest = f"_manifest/crawl={CRAWL}/{stem(archive)}.json"
        fingerprint = json.loads(store.objects[f"out/{manifest}"][0])["fingerprint"]
        digest = base64.b32encode(hashlib.sha1(f"{base}/{archive}".encode()).digest()).decode()
        compared = {"fingerprint": fingerprint, "at_unix_ms": int(time.time() * 1000), "location_sha1": digest}
        segments.setdefault(archive.split("/")[3], {})[manifest] = {"compared": compared}
    for segment, archives in segments.items():
        store.put(f"out/_known/crawl={CRAWL}/{segment}.json", json.dumps(archives).encode())


def timed(it: Setting, store: Store, web: bool, *arguments: str) -> str:
    """Calls the program; returns its requests, and how long it took."""
    it.web.reset(latency=store.latency)
    store.counts()
    begun = time.monotonic()
    it.call(*arguments, "-q", AWS_ENDPOINT_URL=store.url)
    seconds, counts = time.monotonic() - begun, store.counts()
    asked = f", {len(it.web.seen)} of archives" if web else ""
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{seconds:.1f} s, {sum(counts.values())} requests of the store ({kinds}){asked}"


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    it = Setting(sys.argv[1])
    try:
        store = Store()
        of_segment = min(1000, count // 4)
        names = fill(it, store, count, of_segment)
        paths = it.folder / "many.txt"
        paths.write_text("\n".join(names))
        scan = ["scan", "--paths-from", paths, "--base", it.web.url, "-o", "s3://bucket/out", "--request-rate", "1000", "--downloads", "32"]
        store.latency = LATENCY
        segment = f"{CRAWL}/{names[0].split('/')[3]}"
        print(f"resolve --dry-run --segment, of {count} manifests {of_segment} of the segment:")
        print("  " + timed(it, store, False, "resolve", "s3://bucket/out", "--segment", segment, "--dry-run"))
        known(names, store, it.web.url)
        print(f"scan of {count} known archives, manifests not yet remembered:")
        print("  " + timed(it, store, True, *scan))
        print("the same again:")
        print("  " + timed(it, store, True, *scan))
        print("resolve --dry-run --segment:")
        print("  " + timed(it, store, False, "resolve", "s3://bucket/out", "--segment", segment, "--dry-run"))
    finally:
        it.end()


if __name__ == "__main__":
    main()
