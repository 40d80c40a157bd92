"""Site indexes: what one site with very much of something costs who makes an index and who asks it, and what a forged part costs.

Each command scans, indexes, judges, explains and tells the history, in turn; the most memory of any of these counts.
"""

import functools
import hashlib
import json
import pathlib
from collections.abc import Callable, Iterator

import warc
from case import Case

#: What is asked of an index at {out}/index, with little memory.
ASKED = (
    "printf 'https://victim.test/no\\nhttps://www7.evil.test/x\\nhttps://evil.test:8007/x\\nhttps://evil.test/x\\n' > {out}/urls.txt && "
    "{binary} judge -q -j 1 --memory-limit 64M --at newest --sites {out}/index {out}/urls.txt && "
    "{binary} explain --sites {out}/index --url https://evil.test/x && "
    "{binary} sites {out}/index -q -j 1 --memory-limit 64M --at 2027-01-01 -o {out}/dates && "
    "{binary} history victim.test --sites {out}/index && {binary} history evil.test --sites {out}/index"
)
MADE = "mkdir {out} && {binary} scan -q -j 1 {in} -o {out}/evidence && {binary} index -q -j 1 --memory-limit 64M {out}/evidence -o {out}/index"
SHELL = ("/bin/sh", "-c", f"{MADE} && {ASKED}")


def robots(number: int) -> bytes:
    """Returns a file of its own for each number."""
    return f"User-agent: *\nDisallow: /{number}\n".encode()


def long_robots(number: int) -> bytes:
    """Returns a long file of its own for each number."""
    noise = "".join(f"# {hashlib.sha1(f'{number} {line}'.encode()).hexdigest()}\n" for line in range(2000))
    return noise.encode() + robots(number)


def site_file(origin: str, second: int, body: bytes) -> bytes:
    """Returns a capture of the robots.txt of any origin at a second of the day."""
    return warc.record(f"{origin}/robots.txt", warc.response(body, warc.TEXT), at=second)


def captures(folder: pathlib.Path, count: int, of: Callable[[int], tuple[str, int]], file: Callable[[int], bytes]) -> None:
    """An archive with captures of one kind, and one of victim.test."""

    def records() -> Iterator[bytes]:
        yield site_file("https://victim.test", 0, b"User-agent: *\nDisallow: /no\n")
        yield site_file("https://evil.test", 0, robots(0))
        for number in range(count):
            yield site_file(*of(number), file(number))

    warc.write(folder / "a.warc.gz", records())


def hosts(number: int) -> tuple[str, int]:
    return f"https://h{number}.example", 0


def www(number: int) -> tuple[str, int]:
    return f"https://www{number}.evil.test", 0


def ports(number: int) -> tuple[str, int]:
    return f"https://evil.test:{1024 + number}", 0


def versions(number: int) -> tuple[str, int]:
    return "https://evil.test", number


def forged(folder: pathlib.Path, elements: int) -> None:
    """An index whose part of `fetches` has a list of so many zeros."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    fetches = {
        "surt_host_name": pa.array(["test,evil"]), "url_host_name": pa.array(["evil.test"]), "url_protocol": pa.array(["https"]),
        "url_port": pa.array([None], pa.int32()), "kind": pa.array(["robots"]), "url": pa.array([None], pa.string()),
        "fetch_status": pa.array([404], pa.int16()), "fetch_redirect": pa.array([None], pa.string()), "body": pa.array([None], pa.int64()),
        "body_bytes": pa.array([None], pa.int32()), "is_cut": pa.array([False]), "is_undecodable": pa.array([False]),
        "fetch_unix_s": pa.array([[0] * elements], pa.list_(pa.int64())), "fetch_us": pa.array([None], pa.list_(pa.int32())),
        "archives": pa.array([[0] * elements], pa.list_(pa.int32())), "capture_rows": pa.array([None], pa.list_(pa.int64())),
        "undated_archives": pa.array([None], pa.list_(pa.int32())),
    }  # fmt: skip
    names = ["crawl", "warc_filename", "outcome"]
    archives = {
        "archive": pa.array([0], pa.int32()), **{name: pa.array([text]) for name, text in zip(names, ["c", "a", "read"], strict=True)},
        "records": pa.array([1]), "records_lost": pa.array([0]), "fingerprint": pa.array(["1 A B"]),
    }  # fmt: skip

    def part(table: str, columns: dict[str, "pa.Array"]) -> tuple[dict[str, object], dict[str, object]]:
        written = folder / "part"
        pq.write_table(pa.table(columns), written, compression="zstd")
        data = written.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        (folder / "index" / table).mkdir(parents=True, exist_ok=True)
        written.rename(folder / "index" / table / f"{digest[:32]}.parquet")
        whole = {"file": f"{table}/{digest[:32]}.parquet", "rows": 1, "bytes": len(data), "sha256": digest}
        return whole, {"start": 0, "bytes": len(data), "sha256": digest[:32]}

    (of_fetches, group), (of_archives, archive_group) = part("fetches", fetches), part("archives", archives)
    host = ["test,evil", "evil.test"]
    manifest = {
        "tool": "crawlprefs", "format": "1", "hosts": 1, "captures": elements, "bodies": [],
        "crawls": [{"crawl": "c", "archives_read": 1, "archives_cut": 0, "archives_failed": 0, "records_lost": 0}],
        "archives": {**of_archives, "groups": [archive_group]},
        "fetches": [{**of_fetches, "last": host, "groups": [{"first": host, "is_continued": False, **group}]}],
    }  # fmt: skip
    (folder / "index" / "_index.json").write_text(json.dumps(manifest))


def case(name: str, count: int, of: Callable[[int], tuple[str, int]], file: Callable[[int], bytes] = robots, **limits: object) -> Case:
    """A case of one site's captures, against as many of as many hosts."""
    write, ordinary = (functools.partial(captures, count=count, of=kind, file=file) for kind in (of, hosts))
    return Case(name, write, ordinary, argv=SHELL, **limits)


CASES = [
    case("index: www hosts", 20_000, www),
    case("index: ports", 20_000, ports, times=5),
    case("index: versions", 1_000, versions, long_robots, times=5),
    case("index: captures", 40_000, versions, lambda _: robots(7), times=5),
    Case(
        "index: a list of a part", functools.partial(forged, elements=50_000_000), functools.partial(forged, elements=1),
        argv=("/bin/sh", "-c", "for command in 'history evil.test' 'explain --url https://evil.test/x'; do {binary} $command --sites {in}/index; done; true"),
        packages=("pyarrow",),
    ),
]  # fmt: skip
