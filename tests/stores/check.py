"""Holds what comes of stores and servers: the same bytes as from a disk, and of each fault the outcome that is promised."""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

import many
from setting import KEYS, SAMPLE, Setting, archives, contents, files
from store import Store
from web import Seen

FAST = ["--request-rate", "1000"]


def https_gives_the_bytes_of_the_disk(it: Setting) -> None:
    """For one worker and two, one archive by one and from a list, of archives of one range and of several."""
    paths = it.folder / "paths.txt"
    paths.write_text("\n".join(it.names))
    for jobs in ("1", "2"):
        it.web.reset()
        out = it.out(f"https-{jobs}")
        it.call("run", "--paths-from", paths, "--base", it.web.url, "-o", out, "-j", jobs, "--downloads", "4", *FAST)
        assert contents(out) == it.expected, "https"
    agents = {seen.agent.split("/")[0] for seen in it.web.seen}
    assert agents == {"crawlprefs"}, agents


def s3_gives_and_takes_the_bytes_of_the_disk(it: Setting) -> None:
    """A folder of a bucket in, a folder of it out; also a glob, and tables resolved from a store into a store."""
    it.upload(it.served, it.names, "in")
    for jobs in ("1", "2"):
        it.call("run", "s3://bucket/in/", "-o", f"s3://bucket/out-{jobs}", "-j", jobs)
        assert it.objects(f"out-{jobs}") == it.expected, "s3"
    it.call("scan", "s3://bucket/in/**/*", "--base", "s3://bucket/in", "-o", "s3://bucket/half")
    it.call("resolve", "s3://bucket/half", "-o", "s3://bucket/tables")
    evidence = {name: content for name, content in it.expected.items() if name.startswith(("evidence/captures/", "evidence/site_files/", "_manifest/"))}
    half = it.objects("half")
    assert evidence and evidence.items() <= half.items()
    tables = {name: content for name, content in it.objects("tables").items() if name.endswith(".parquet")}
    assert tables and tables.items() <= it.expected.items()
    local = it.call("explain", "--tables", it.local, "--url", it.page, "--json")
    assert it.call("explain", "--tables", "s3://bucket/out-1", "--url", it.page, "--json") == local


def kills_and_restarts_leave_the_bytes_of_the_disk(it: Setting) -> None:
    """Also two calls at once in one prefix."""
    for attempt in range(8):
        process = it.start("run", "s3://bucket/in/", "-o", "s3://bucket/killed", "-j", "2")
        time.sleep(random.Random(attempt).uniform(0.05, 1.5))
        process.kill()
        process.communicate()
    it.call("run", "s3://bucket/in/", "-o", "s3://bucket/killed", "-j", "2")
    assert it.objects("killed") == it.expected
    for attempt in range(5):
        both = [it.start("run", "s3://bucket/in/", "-o", f"s3://bucket/both-{attempt}") for _ in range(2)]
        for process in both:
            said = process.communicate()
            assert process.returncode == 0, said
        assert it.objects(f"both-{attempt}") == it.expected


def a_second_call_reads_nothing_again(it: Setting) -> None:
    """No request for an archive that was compared not long ago, two for the one that is damaged, or where all are compared."""
    it.web.reset()
    out = it.out("again")
    call = ["scan", "@" + str(it.folder / "paths.txt"), "--base", it.web.url, "-o", out, *FAST]
    it.call(*call)
    for recheck, requests in (("7d", 2), ("0", 2 * len(it.names))):
        it.web.reset()
        it.call(*call, "--recheck", recheck)
        assert len(it.web.seen) == requests, (recheck, len(it.web.seen))


def an_output_of_many_archives_is_asked_in_a_few_requests(it: Setting) -> None:
    """200 archives of ten segments: known ones cost no request each, a segment costs what is remembered of each."""
    store = Store()
    names = many.fill(it, store, 200, 20)
    paths = it.folder / "many.txt"
    paths.write_text("\n".join(names))
    many.known(names, store, it.web.url)

    def call(*arguments: str, status: int = 0) -> tuple[dict[str, int], int]:
        it.web.reset()
        store.counts()
        it.call(*arguments, status=status, AWS_ENDPOINT_URL=store.url)
        return store.counts(), len(it.web.seen)

    out = "s3://bucket/out"
    segment = ["resolve", out, "--segment", many.CRAWL + "/" + names[0].split("/")[3]]
    counts, _ = call(*segment, "--dry-run")
    # Each manifest once, as the site files of all segments count (KNOW-2) and nothing is remembered; and marks.
    assert counts["get"] <= 200 + 15 and counts["list"] <= 5 and counts.get("head", 0) <= 5, counts
    scan = ["scan", "--paths-from", paths, "--base", it.web.url, "-o", out, *FAST]
    # A dry run asks for each manifest once, and of what is not there for nothing; it remembers nothing. Three listings are of
    # the evidence, and one of the archives that have changed.
    dry, asked = call(*scan, "--dry-run")
    assert asked == 0 and set(dry) == {"get", "list"} and dry["get"] <= 200 + 10 + 5 and dry["list"] <= 4, (dry, asked)
    dry, asked = call(*scan[:-3], "s3://bucket/new", *FAST, "--dry-run")
    # Whether the prefix is empty takes one more listing.
    assert asked == 0 and dry["get"] <= 10 + 5 and dry["list"] <= 5, (dry, asked)
    first, asked = call(*scan)
    # Each manifest once; what is remembered of ten segments is read twice and written.
    assert asked == 0 and first["get"] <= 200 + 2 * 10 + 5 and first["put"] == 10 and first.get("head", 0) <= 2, (first, asked)
    second, asked = call(*scan)
    assert asked == 0 and second["get"] <= 10 + 5 and second["list"] <= 4 and "put" not in second, (second, asked)
    dry, asked = call(*scan, "--dry-run")
    assert asked == 0 and dry["get"] <= 10 + 5 and dry["list"] <= 4, (dry, asked)
    counts, _ = call(*segment, "--dry-run")
    assert counts["get"] <= 10 + 12, counts
    # What was removed or replaced is found all the same.
    call(*segment)
    manifest = f"out/_manifest/crawl={many.CRAWL}/{many.stem(names[3])}.json"
    content, _, _ = store.objects[manifest]
    store.remove(manifest)
    call(*segment, status=1)
    store.put(manifest, content.replace(b'"outcome": "read"', b'"outcome": "cut" '))
    _, asked = call(*scan, status=3)
    # The archive of this manifest is asked for, as one that was cut may have grown.
    assert asked == 2, asked
    store.remove(f"out/evidence/captures/crawl={many.CRAWL}/{many.stem(names[5])}.parquet")
    _, asked = call(*scan, status=3)
    # Of another one, a file of the evidence is gone: it is read.
    assert asked == 3, asked


def status_asks_for_the_crawls_at_hand_by_listings(it: Setting) -> None:
    """Two crawls of 100 archives in five segments each: not one request for each file, and of the listed crawl alone."""
    store = Store()
    names = many.fill(it, store, 100, 20)
    other = "CC-MAIN-2026-30"
    for key, (content, _, _) in list(store.objects.items()):
        if many.CRAWL in key:
            # Only a manifest has the name of its crawl in its bytes.
            manifest = content.replace(many.CRAWL.encode(), other.encode()) if "/_manifest/" in key else content
            store.put(key.replace(many.CRAWL, other), manifest)
    paths = it.folder / "one-crawl.txt"
    paths.write_text("\n".join(names))

    def counts(*arguments: str, status: int = 0) -> dict[str, int]:
        store.counts()
        it.call(*arguments, status=status, AWS_ENDPOINT_URL=store.url)
        return store.counts()

    out = "s3://bucket/out"
    look = ["status", out]
    of_list = [*look, "--paths-from", paths, "--base", it.web.url]
    # Nothing is remembered: each manifest of the crawls at hand once, and marks.
    for call, manifests in ((look, 200), (of_list, 100)):
        asked = counts(*call, status=3)
        assert asked["get"] <= manifests + manifests // 20 + 6 and asked["list"] <= 40 and asked.get("head", 0) <= 1, (call, asked)
    counts("resolve", out, "-q")
    # What is remembered of each segment, and the manifests of its batch and of its site files.
    for call, segments in ((look, 10), (of_list, 5)):
        asked = counts(*call)
        assert set(asked) <= {"get", "list", "head"}, asked
        assert asked["get"] <= 3 * segments + 6 and asked["list"] <= 40 and asked.get("head", 0) <= 1, (call, asked)
    # A file that is gone is found by its listing, where its crawl is looked at.
    for crawl, expected in ((other, 0), (many.CRAWL, 3)):
        gone = f"out/evidence/captures/crawl={crawl}/{many.stem(names[5])}.parquet"
        content, tag, _ = store.objects[gone]
        store.remove(gone)
        counts(*look, status=3)
        counts(*of_list, status=expected)
        store.put(gone, content, tag)
    # Tables of a crawl without any evidence are named, also where the list is of the other one.
    for key in [key for key in store.objects if other in key and ("/evidence/captures/" in key or "/evidence/site_files/" in key or "/_manifest/" in key)]:
        store.remove(key)
    said = it.call(*of_list, status=3, AWS_ENDPOINT_URL=store.url)
    assert f"the tables of {other} have no evidence" in said, said


def a_task_asks_of_a_store_what_is_documented(it: Setting) -> None:
    """The table of docs/spark.md, over a segment of 12 archives that are scanned one by one."""
    store, counted = Store(), []
    folder = "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1"
    names = []
    for subset in ("robotstxt", "warc"):
        content = (SAMPLE / folder / subset / "CC-MAIN-20260810060000-20260810090000-00001.warc.gz").read_bytes()
        for number in range(10, 16):
            names.append(f"{folder}/{subset}/CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz")
            store.put(names[-1], many.unlike(content, number))

    def call(*arguments: str) -> tuple[int, int]:
        store.counts()
        it.call(*arguments, AWS_ENDPOINT_URL=store.url)
        counts = store.counts()
        return sum(counts.get(kind, 0) for kind in ("get", "head", "list")), counts.get("put", 0)

    scan = [["scan", "s3://bucket/" + name, "--base", "s3://bucket", "-o", "s3://bucket/out"] for name in names]
    call(*scan[0])
    # An archive of this size is one read.
    counted += [tuple(max(counts) for counts in zip(*(call(*archive) for archive in scan[1:])))]
    counted += [tuple(max(counts) for counts in zip(*(call(*archive) for archive in scan[1:])))]
    resolve = ["resolve", "s3://bucket/out", "--segment", "CC-MAIN-2026-34/1786000000000.1"]
    for _ in range(2):
        counted += [tuple(-(-count // len(names)) for count in call(*resolve))]
    counted[0] = (counted[0][0] - 1, counted[0][1])
    lines = (Path(__file__).parents[2] / "docs/spark.md").read_text().splitlines()
    start = lines.index("| | reads | writes |") + 2
    documented = [tuple(int(cell) for cell in line.split("|")[2:4]) for line in lines[start : start + 4]]
    assert documented == counted, (documented, counted)


def of_the_long(it: Setting, name: str, *more: str, status: int = 0) -> tuple[Path, str]:
    """Scans the long archives over https."""
    out = it.out(name)
    return out, it.call("scan", "@" + str(it.folder / "long.txt"), "--base", it.web.url, "-o", out, *FAST, *more, status=status)


def cut_connections_go_on_at_their_byte(it: Setting) -> None:
    """In the middle of every third and of every tenth range."""
    for every in (3, 10):
        it.web.reset(cut_every=every)
        out, _ = of_the_long(it, "cut")
        assert contents(out) == it.long
        cut = [seen for seen in it.web.seen if seen.match]
        assert cut and len(it.web.seen) > it.ranges, len(it.web.seen)


def bursts_of_503_are_waited_for(it: Setting) -> None:
    """No request is given up, and none sent more often than is said."""
    it.web.reset(busy_every=6)
    out, _ = of_the_long(it, "busy")
    assert contents(out) == it.long
    it.web.reset(later=10**6)
    it.call("scan", it.web.url + "/" + it.names[0], "-o", it.out("later-for-good"), "--retries", "2", status=3)
    assert len(it.web.seen) == 3, it.web.seen


def retry_after_is_honoured(it: Setting) -> None:
    """The server is left alone for as long as it says."""
    it.web.reset(later=1)
    it.call("scan", it.web.url + "/" + it.names[0], "-o", it.out("later"))
    assert [seen.status for seen in it.web.seen] == [429, 206]
    assert it.web.seen[1].at - it.web.seen[0].at >= 1


def two_requests_a_second_and_four_at_once(it: Setting) -> None:
    """Towards a host that is not the user's own store, by default."""
    it.web.reset(latency=0.3)
    names = it.folder / "eight.txt"
    names.write_text("\n".join(it.names[:5]))
    it.call("scan", "@" + str(names), "--base", it.web.url, "-o", it.out("rate"), "-j", "2", "--downloads", "8")
    times = [seen.at for seen in it.web.seen]
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    assert len(times) >= 5 and min(gaps) > 0.3, gaps
    it.web.reset(latency=0.3)
    it.call("scan", "@" + str(names), "--base", it.web.url, "-o", it.out("rate"), "--request-rate", "100", "-j", "8")
    assert 2 <= it.web.most_at_once <= 4, it.web.most_at_once
    it.web.reset(latency=0.3)
    it.call("scan", "@" + str(names), "--base", it.web.url, "-o", it.out("rate"), "--request-rate", "100", "-j", "8", "--downloads", "5")
    assert it.web.most_at_once == 5, it.web.most_at_once


def common_crawls_403_stops(it: Setting) -> None:
    """Not one request more, exit status 1, and how to use the bucket; what was read stays and counts."""
    it.web.reset(forbidden_after=3)
    proxy = {"HTTPS_PROXY": f"http://localhost:{it.web.port}"}
    call = ["scan", "@" + str(it.folder / "paths.txt"), "--base", "https://data.commoncrawl.org/", "-j", "1", "--request-rate", "1000"]
    out = it.out("refused")
    said = it.call(*call, "-o", out, status=1, **proxy)
    assert "403" in said and "s3://commoncrawl/" in said, said
    assert len(it.web.seen) == 4, it.web.seen
    it.web.reset()
    it.call(*call, "-o", out, **proxy)
    scanned = {name: content for name, content in it.expected.items() if name.startswith(("evidence/captures/", "evidence/site_files/"))}
    assert scanned.items() <= contents(out).items()


def marks_of_folders_are_no_objects(it: Setting) -> None:
    """As the console ("Create folder") and S3A write them, in an input, an output and evidence; odd keys below them are not ours."""
    it.upload(it.served, it.names, "made/in")
    for prefix in ("made/", "made/in/", "made/in/crawl-data/", "made/out/", "made/out/pages/", "made/kept/"):
        it.s3.put_object(Bucket="bucket", Key=prefix, Body=b"")
    it.call("run", "s3://bucket/made/in/", "-o", "s3://bucket/made/out")
    for prefix in ("made/out/evidence/", "made/out/evidence/captures/", "made/out/_manifest/"):
        it.s3.put_object(Bucket="bucket", Key=prefix, Body=b"")
    it.s3.put_object(Bucket="bucket", Key="made/out/_manifest//x.json", Body=b"{}")
    it.call("run", "s3://bucket/made/in/", "-o", "s3://bucket/made/out")
    it.call("resolve", "s3://bucket/made/out", "-o", "s3://bucket/made/tables")
    it.call("status", "s3://bucket/made/out")
    found = {name: content for name, content in it.objects("made/out").items() if content and "/x.json" not in name}
    assert found == it.expected, sorted(name for name in {**found, **it.expected} if found.get(name) != it.expected.get(name))
    urls = it.folder / "urls.txt"
    urls.write_text("https://rep.example/\n")
    it.call("judge", urls, "--tables", "s3://bucket/made/out", "-o", "s3://bucket/made/kept")
    assert it.objects("made/kept")["urls.txt"]


def a_store_that_has_not_decided_is_asked_again(it: Setting) -> None:
    """409 to a conditional put; a command does not end with 0 without its manifest. And an error within a 200."""
    store = Store()
    run = ["scan", it.served / it.names[0], "-o", "s3://bucket/out"]
    store.conflicts = 2
    it.call(*run, AWS_ENDPOINT_URL=store.url)
    manifests = [key for key in store.objects if key.startswith("out/_manifest/")]
    assert len(manifests) == 1 and store.conflicts == 0, store.objects.keys()
    store.conflicts = 1000
    said = it.call(*run[:-1], "s3://bucket/new", "--retries", "1", status=1, AWS_ENDPOINT_URL=store.url)
    assert "ConditionalRequestConflict" in said and not [key for key in store.objects if key.startswith("new/_manifest/")], said
    store.conflicts = 0
    docs = it.folder / "docs.jsonl"
    docs.write_text("".join(json.dumps({"url": it.page, "text": "x" * 1000, "row": row}) + "\n" for row in range(12_000)))
    judge = ["judge", docs, "--tables", it.local, "--at", "newest", "-q", "-o"]
    store.internal_errors = 2
    it.call(*judge, "s3://bucket/kept", AWS_ENDPOINT_URL=store.url)
    rows = [json.loads(line)["row"] for line in store.objects["kept/docs.jsonl"][0].splitlines()]
    assert rows == list(range(12_000)) and store.internal_errors == 0
    store.internal_errors = 1000
    said = it.call(*judge, "s3://bucket/lost", "--retries", "1", status=1, AWS_ENDPOINT_URL=store.url)
    assert "InternalError" in said and "lost/docs.jsonl" not in store.objects, said


def another_403_is_a_failed_input(it: Setting) -> None:
    """As a missing object is."""
    it.web.reset(forbidden_after=0)
    said = it.call("scan", it.web.url + "/" + it.names[0], "-o", it.out("forbidden"), status=3)
    assert len(it.web.seen) == 1, it.web.seen
    it.web.reset()
    out = it.out("missing")
    it.call("scan", it.web.url + "/none.warc.gz", "-o", out, status=3)
    assert '"missing"' in "".join(file.read_text() for file in out.rglob("*.json"))
    assert it.call("scan", "s3://bucket/none.warc.gz", "-o", it.out("missing"), status=3)


def a_changed_object_is_a_failed_input(it: Setting) -> None:
    """Its bytes would be of two files."""
    it.web.reset(change_after=1)
    _, said = of_the_long(it, "changed", "-j", "1", "--limit", "1", status=3)
    manifest = json.loads(next((it.folder / "out" / "changed").rglob("_manifest/**/*.json")).read_text())
    assert "has changed" in json.dumps(manifest), manifest
    assert [seen.status for seen in it.web.seen].count(412) >= 1
    it.web.reset(rewritten="weak")
    of_the_long(it, "changed-weak", "-j", "1", "--limit", "1", status=3)


def an_object_written_again_with_the_same_bytes_is_read_on(it: Setting) -> None:
    """As by two runs in one prefix: its ETag stays."""
    it.web.reset(rewritten="strong")
    out, _ = of_the_long(it, "rewritten")
    assert contents(out) == it.long


def redirects_end(it: Setting) -> None:
    """A loop is left after five, and one to another scheme is not followed."""
    it.web.reset(redirect="loop")
    it.call("scan", it.web.url + "/" + it.names[0], "-o", it.out("loop"), status=3)
    assert len(it.web.seen) == 6, len(it.web.seen)
    for target in (f"http://localhost:{it.web.port}/x", "file:///etc/passwd", "ftp://localhost/x"):
        it.web.reset(redirect=target)
        it.call("scan", it.web.url + "/" + it.names[0], "-o", it.out("scheme"), status=3)
        assert len(it.web.seen) == 1, (target, it.web.seen)


def slow_servers_are_left(it: Setting) -> None:
    """An answer that drips ends with --timeout."""
    it.web.reset(drip=True)
    begun = time.monotonic()
    out = it.out("drip")
    it.call("scan", it.web.url + "/" + it.names[0], "-o", out, "--timeout", "2", "--retries", "1", status=3)
    assert time.monotonic() - begun < 20
    assert "within 2 s" in "".join(file.read_text() for file in out.rglob("*.json"))


def an_unknown_authority_fails_at_once_and_names_the_fix(it: Setting) -> None:
    """Few connections for many archives, and no minutes."""
    (it.folder / "many.txt").write_text("\n".join(f"{number}.warc.gz" for number in range(40)))
    for given in ([it.web.url + "/one.warc.gz"], ["--paths-from", it.folder / "many.txt", "--base", it.web.url]):
        it.web.reset()
        out, begun = it.out("authority"), time.monotonic()
        said = it.call("scan", *given, "-o", out, status=3 if len(given) == 1 else 1, SSL_CERT_FILE="")
        assert "SSL_CERT_FILE" in said, said
        assert not it.web.seen and 1 <= it.web.connections <= 10, it.web.connections
        assert time.monotonic() - begun < 60


def lists_reach_no_local_file(it: Setting) -> None:
    """Not by file:, not by a path of a list that came from a server, not by ..; and a list may be a URL."""
    it.web.reset()
    (it.served / "evil.txt").write_text("/etc/passwd\n")
    it.call("scan", "--paths-from", it.web.url + "/evil.txt", "-o", it.out("evil"), status=3)
    assert [seen.path for seen in it.web.seen] == ["/evil.txt", "/etc/passwd"]
    for line in ("file:///etc/passwd", "../../etc/passwd"):
        (it.served / "evil.txt").write_text(line + "\n")
        said = it.call("scan", "--paths-from", it.web.url + "/evil.txt", "-o", it.out("evil"), status=1)
        assert "line 1" in said, said
    (it.served / "evil.txt").unlink()
    local = it.folder / "evil.txt"
    local.write_text("file:///etc/passwd\n")
    assert "line 1" in it.call("scan", "--paths-from", local, "-o", it.out("evil"), status=1)
    it.call("scan", "file://" + str(SAMPLE), "-o", it.out("file"))


def credentials_are_nowhere(it: Setting) -> None:
    """Not in logs, reports, manifests or tables: neither of the environment nor of URLs."""
    it.web.reset()
    out, report = it.out("secret"), it.folder / "report.json"
    signed = f"https://me:PASSWORD@localhost:{it.web.port}/{it.names[0]}?X-Amz-Signature=SIGNATURE"
    missing = f"https://me:PASSWORD@localhost:{it.web.port}/none.warc.gz?X-Amz-Signature=SIGNATURE"
    said = it.call("run", signed, missing, "-o", out, "--report", report, "--log-format", "json", "-v", *FAST, status=3)
    said += it.call("scan", "https://me:PASSWORD@localhost:1/x.warc?sig=SIGNATURE", "-o", it.out("refused"), "--retries", "0", status=3)
    said += it.call("scan", "--paths-from", missing, "-o", it.out("list"), status=1)
    said += it.call("run", "s3://bucket/in/", "-o", "s3://bucket/secret", "--report", report, "-v")
    written = [*contents(out).values(), *it.objects("secret").values(), report.read_bytes(), said.encode()]
    written += [file.read_bytes() for file in it.folder.glob("report.json*")]
    for secret in (b"PASSWORD", b"SIGNATURE", KEYS["AWS_SECRET_ACCESS_KEY"].encode()):
        assert not any(secret in content for content in written), secret
    assert "?X-Amz-Signature=SIGNATURE" in it.web.seen[0].path


def public_buckets_need_no_credentials(it: Setting) -> None:
    """With --no-sign-request; without it, the error says what is missing."""
    bare = {name: "" for name in KEYS if name != "AWS_REGION"}
    it.s3.put_object_acl(Bucket="bucket", Key="in/" + it.names[0], ACL="public-read")
    it.call("scan", "s3://bucket/in/" + it.names[0], "-o", it.out("anonymous"), "--no-sign-request", **bare)
    out = it.out("signed")
    it.call("scan", "s3://bucket/in/" + it.names[0], "-o", out, status=3, **bare)
    assert "found no credentials" in "".join(file.read_text() for file in out.rglob("*.json"))


def an_extract_gives_the_same_rows(it: Setting) -> None:
    """Out of a folder, a bucket and a server; and from a list."""
    import duckdb

    it.web.reset()
    url = it.page
    of_all = {}
    for name, base in (("disk", it.served), ("s3", "s3://bucket/in"), ("web", it.web.url)):
        file = it.folder / f"{name}.warc.gz"
        it.call("extract", "--tables", it.local, "--url", url, "--base", base, "-o", file, *FAST)
        of_all[name] = gzip.decompress(file.read_bytes()).split(b"WARC/1.", 2)[2]
    assert len(set(of_all.values())) == 1
    out = it.out("extracted")
    it.call("run", file, "-o", out)
    less = "EXCLUDE (crawl, warc_filename, source_filename, warc_record_offset, warc_record_length, warc_segment, subset, kind)"
    rows = f"SELECT * {less} FROM '{{}}/evidence/captures/*/*.parquet'"
    missing = f"FROM ({rows.format(out)}) EXCEPT ALL FROM ({rows.format(it.local)})"
    assert duckdb.sql(missing).fetchall() == []
    verdict = f"SELECT access, access_line, robots_state, disallowed_agents FROM '{{}}/pages/*/*.parquet' WHERE url = '{url}'"
    assert duckdb.sql(verdict.format(out)).fetchall()[0] == duckdb.sql(verdict.format(it.local)).fetchall()[0]
    where = "warc_filename, warc_record_offset, warc_record_length"
    for ending in ("csv", "parquet"):
        few = it.folder / f"few.{ending}"
        duckdb.sql(f"COPY (SELECT url, {where} FROM '{it.local}/pages/*/*.parquet' WHERE warc_record_length IS NOT NULL AND warc_filename LIKE '%.gz' ORDER BY ALL LIMIT 3) TO '{few}' ({'COMPRESSION zstd, ' if ending == 'parquet' else ''}FORMAT {ending})")
        it.call("extract", "--from", few, "--base", it.served, "-o", "s3://bucket/few.warc.gz")
        it.call("scan", "s3://bucket/few.warc.gz", "-o", it.out("few"))
        count = duckdb.sql(f"SELECT count(*) FROM '{it.folder}/out/few/evidence/captures/*/*.parquet'").fetchall()[0]
        assert count == (3,), count
    for name in ("../x.warc.gz", "/etc/passwd"):
        few.with_suffix(".csv").write_text(f"{where.replace(' ', '')}\n{name},0,9\n")
        it.call("extract", "--from", few.with_suffix(".csv"), "--base", it.served, "-o", it.folder / "none.warc.gz", status=1)
        assert not (it.folder / "none.warc.gz").exists()


def asked(it: Setting, seen: Seen) -> int:
    """Returns the bytes that a request asks for."""
    first, _, last = seen.range.removeprefix("bytes=").partition("-")
    return int(last) - int(first) + 1 if last else (it.served / seen.path.lstrip("/")).stat().st_size


def an_index_is_asked_in_a_few_ranges(it: Setting) -> None:
    """An index of 20,000 hosts in a bucket and behind a web server: the bytes of the disk, and look-ups in four requests."""
    hosts = [f"host-{number:05}.example" for number in range(20_000)]
    draw = random.Random(19)
    words = [f"/{draw.randrange(1 << 40):x}/" for _ in range(4000)]
    with gzip.open(it.folder / "hosts.warc.gz", "wb", 1) as archive:
        for host in hosts:
            rules = "".join(f"Disallow: {draw.choice(words)}\n" for _ in range(draw.randrange(60)))
            body = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n{rules}".encode()
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\nWARC-Date: 2026-08-10T06:00:00Z\r\nContent-Length: {len(body)}\r\n\r\n"
            archive.write(head.encode() + body + b"\r\n\r\n")
    evidence, local = it.out("hosts"), it.served / "index"
    it.call("scan", "-q", it.folder / "hosts.warc.gz", "-o", evidence)
    it.call("index", "-q", evidence, "-o", local)
    it.call("index", "-q", evidence, "-o", "s3://bucket/index")
    assert it.objects("index") == contents(local)
    it.call("index", "-q", "s3://bucket/index", "-o", "s3://bucket/index-again")
    assert it.objects("index-again") == contents(local)
    requests, sizes, cached = [], [], (local / "_index.json").stat().st_size
    count = int(os.environ.get("LOOK_UPS", "60"))
    for number, host in enumerate(draw.sample(hosts, count)):
        page = ["--url", f"https://{host}{draw.choice(words)}x", "--json"]
        it.web.reset()
        by_web = it.call("explain", "--sites", f"{it.web.url}/index", *page, *FAST)
        requests.append(len(it.web.seen))
        sizes.append(sum(asked(it, seen) for seen in it.web.seen) - cached)
        if number % 25 == 0:
            assert by_web == it.call("explain", "--sites", local, *page) == it.call("explain", "--sites", "s3://bucket/index", *page)
            it.web.reset()
            by_web = it.call("history", host, "--json", "--sites", f"{it.web.url}/index", *FAST).splitlines()
            # No archive is named.
            assert len(it.web.seen) == 3 and len(by_web) == 3, it.web.seen
            for place in (local, "s3://bucket/index"):
                assert by_web[1:] == it.call("history", host, "--json", "--sites", place).splitlines()[1:]
    assert max(requests) == 4, requests
    sizes.sort()
    assert sizes[-1] < 200_000, sizes
    print(f"  {count} look-ups: {max(requests)} requests; without _index.json {max(requests) - 1}, {sizes[count // 2]} bytes (median), {sizes[count * 99 // 100]} (p99)")
    for chosen in draw.sample(hosts, 3):
        ran = duckdb_asks(it, "index", chosen)
        assert ran.returncode == 0 and f"://{chosen}/robots.txt: status 200, " in ran.stdout, (ran.stdout, ran.stderr)
        sizes = [asked(it, seen) for seen in it.web.seen if seen.method == "GET"]
        print(f"  by DuckDB: {len(it.web.seen)} requests, {sum(sizes)} bytes, {cached} of them _index.json")
        assert len(it.web.seen) <= 17 and sum(sizes) < 550_000, it.web.seen


def duckdb_asks(it: Setting, index: str, *hosts: str) -> subprocess.CompletedProcess[str]:
    """Asks an index over https for hosts by the example."""
    it.web.reset()
    example = [sys.executable, "examples/index_over_https.py", f"{it.web.url}/{index}", *hosts]
    return subprocess.run(example, env=it.environment, capture_output=True, text=True, timeout=120)


def duckdb_asks_an_index_over_https(it: Setting) -> None:
    """examples/index_over_https.py finds the files of the sample by `_index.json`, and opens only the parts that it needs."""
    evidence, local = it.out("sample-evidence"), it.served / "sample-index"
    it.call("scan", "-q", SAMPLE, "-o", evidence)
    it.call("index", "-q", evidence, "-o", local)
    ran = duckdb_asks(it, "sample-index", "www.rep.example", "nobody.example")
    assert ran.returncode == 0, ran.stderr
    assert "://rep.example/robots.txt: status 200, " in ran.stdout and "    Disallow: /private/\n" in ran.stdout, ran.stdout
    assert not any("archives" in seen.path for seen in it.web.seen), it.web.seen
    none = duckdb_asks(it, "sample-index", "zzz")
    assert none.returncode == 1 and "none of these hosts" in none.stderr, (none.stdout, none.stderr)


def a_real_tree_is_one_command(it: Setting) -> None:
    """The README's, against an imitation of the tree."""
    it.web.reset()
    proxy = {"HTTPS_PROXY": f"http://localhost:{it.web.port}"}
    crawl = next((it.served / "crawl-data").iterdir()).name
    lists = it.served / "crawl-data" / crawl
    shutil.copy(SAMPLE / "robotstxt.paths.gz", lists / "robotstxt.paths.gz")
    readme = Path("README.md").read_text()
    command = next(line for line in readme.splitlines() if "data.commoncrawl.org" in line and line.startswith("$ crawlprefs run"))
    words = command.split()[2:]
    words = [word.replace("CC-MAIN-2026-43", crawl) for word in words]
    words[words.index("-o") + 1] = str(it.out("real"))
    it.call(*words, **proxy)
    assert list((it.folder / "out" / "real" / "robots").rglob("*.parquet"))
    (lists / "robotstxt.paths.gz").unlink()


def prepare(it: Setting) -> None:
    """What is expected, from the disk."""
    shutil.copytree(SAMPLE, it.served, dirs_exist_ok=True, ignore=lambda _, names: [n for n in names if n.endswith((".py", ".md", ".json", ".paths.gz"))])
    it.names = [name for name in files(it.served)]
    it.local = it.out("disk")
    it.call("run", it.served, "-o", it.local)
    it.expected = contents(it.local)
    it.page = page_url(it)
    long = archives(it.served, 6, 20)
    (it.folder / "long.txt").write_text("\n".join(long))
    out = it.out("disk-long")
    it.call("scan", "@" + str(it.folder / "long.txt"), "--base", it.served, "-o", out)
    it.long = contents(out)
    it.ranges = sum(-(-(it.served / name).stat().st_size // (16 << 20)) for name in long)


def page_url(it: Setting) -> str:
    """Returns the URL of a page in the tables."""
    import duckdb

    return duckdb.sql(f"SELECT url FROM '{it.local}/pages/*/*.parquet' WHERE robots_state = 'parsed' AND warc_filename LIKE 'crawl-data/%' ORDER BY url LIMIT 1").fetchall()[0][0]


CHECKS = [
    https_gives_the_bytes_of_the_disk,
    s3_gives_and_takes_the_bytes_of_the_disk,
    kills_and_restarts_leave_the_bytes_of_the_disk,
    a_second_call_reads_nothing_again,
    an_output_of_many_archives_is_asked_in_a_few_requests,
    status_asks_for_the_crawls_at_hand_by_listings,
    a_task_asks_of_a_store_what_is_documented,
    cut_connections_go_on_at_their_byte,
    bursts_of_503_are_waited_for,
    retry_after_is_honoured,
    two_requests_a_second_and_four_at_once,
    common_crawls_403_stops,
    marks_of_folders_are_no_objects,
    a_store_that_has_not_decided_is_asked_again,
    another_403_is_a_failed_input,
    a_changed_object_is_a_failed_input,
    an_object_written_again_with_the_same_bytes_is_read_on,
    redirects_end,
    slow_servers_are_left,
    an_unknown_authority_fails_at_once_and_names_the_fix,
    lists_reach_no_local_file,
    credentials_are_nowhere,
    public_buckets_need_no_credentials,
    an_extract_gives_the_same_rows,
    an_index_is_asked_in_a_few_ranges,
    duckdb_asks_an_index_over_https,
    a_real_tree_is_one_command,
]


def main() -> None:
    it = Setting(sys.argv[1])
    wanted, failed = os.environ.get("ONLY", ""), 0
    try:
        prepare(it)
        for check in CHECKS:
            if wanted in check.__name__:
                begun = time.monotonic()
                try:
                    check(it)
                    outcome = f"{time.monotonic() - begun:.1f} s"
                except AssertionError:
                    outcome = traceback.format_exc()
                    failed += 1
                print(f"{check.__name__.replace('_', ' ')}: {outcome}", flush=True)
    finally:
        it.end()
    sys.exit(f"{failed} checks failed" if failed else 0)


if __name__ == "__main__":
    main()
