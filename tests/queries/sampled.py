#!/usr/bin/env python3
"""Samples of a crawl whose truth is known: sampled.py BINARY FOLDER.

The crawl is that of docs/sampling.py: 20,000 hosts in 100 segments of five archives each, and a host's robots.txt is in the same
archive of each segment. What is printed of a part of it must not be taken for the whole: weights of hosts are there only where whole
segments were read, designs say what was drawn, and what queries and the summary count are the hosts of the archives that were read.
"""
import importlib.util
import pathlib
import random
import re
import subprocess
import sys

import duckdb

HERE = pathlib.Path(__file__).resolve().parent
QUERIES = HERE.parents[1] / "queries"
ARCHIVES = 5
# Of these parts every figure is counted again: hundreds of archives take minutes.
RECOUNTED = "sampled", "cut", "ten"
CLOSED = "User-agent: GPTBot\nDisallow: /\n"
OPEN = "User-agent: *\nDisallow:\n"


def made_up_hosts():
    found = importlib.util.spec_from_file_location("sampling", HERE.parents[1] / "docs/sampling.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.made_up_hosts(random.Random(28))


def record(number, segment, is_closed):
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{CLOSED if is_closed else OPEN}".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-08-10T06:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-{segment:04x}-{number:012x}>\r\n"
        f"WARC-Target-URI: https://h{number}.example/robots.txt\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def write(folder, hosts):
    archives = {}
    for number, (segments, is_closed) in enumerate(hosts):
        for segment in segments:
            archives.setdefault((segment, number % ARCHIVES), []).append(record(number, segment, is_closed))
    names = []
    for (segment, number), records in sorted(archives.items()):
        name = f"crawl-data/CC-MAIN-2026-34/segments/{1786000000000 + segment}.1/robotstxt/CC-MAIN-20260810060000-20260810090000-{number:05}.warc"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"".join(records))
        names.append(name)
    assert len(names) == 100 * ARCHIVES, len(names)
    (folder / "all.paths").write_text("".join(f"{name}\n" for name in names))
    (folder / "ten.paths").write_text("".join(f"{name}\n" for name in names[: 10 * ARCHIVES]))


def opened(out):
    database = duckdb.connect()
    database.execute(f"SET file_search_path = '{out}'")
    for text in ("duckdb.sql", "views.sql"):
        database.execute((QUERIES / text).read_text(encoding="utf-8"))
    return lambda query: database.sql(query).fetchall()


def recounted(answers, hosts):
    """What queries answer is what the hosts are that the archives have which were read."""
    read = {tuple(map(int, re.search(r"/(\d+)\.1/robotstxt/.*-(\d+)\.warc$", name).groups())) for name, in answers("SELECT warc_filename FROM archives")}
    read = {(segment - 1786000000000, number) for segment, number in read}
    seen = [is_closed for number, (segments, is_closed) in enumerate(hosts) if any((segment, number % ARCHIVES) in read for segment in segments)]
    wanted = len(seen), sum(seen)
    asked = {
        "agents/share-closed": "SELECT hosts, by_name FROM ({}) WHERE recommended",
        "agents/closed": "SELECT hosts_answering, by_name FROM ({}) WHERE agent = 'GPTBot' AND by_star + by_error + partly = 0",
        "agents/closed-any": "SELECT units, by_name FROM ({}) WHERE kind = 'any' AND own = by_name AND only_by_star = 0",
        "agents/closed-interval": "SELECT units, by_name FROM ({}) WHERE low_percent < by_name_percent AND by_name_percent < high_percent",
        "agents/named": "SELECT hosts_readable, hosts FROM ({}) WHERE agent = 'GPTBot'",
        "outcomes/robots-status": "SELECT hosts_asked, hosts FROM ({}) WHERE robots_state = 'parsed' AND fetch_status = 200",
    }
    for query, count in asked.items():
        text = (QUERIES / f"{query}.sql").read_text(encoding="utf-8").rstrip().removesuffix(";")
        found = answers(count.format(text))
        assert found == [wanted if not query.startswith("outcomes") else (len(seen), len(seen))], (query, found, wanted)
    return wanted


def main():
    binary, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    hosts = made_up_hosts()
    write(folder, hosts)

    def run(name, paths, *options):
        out = folder / name
        command = ["run", "--base", folder, "--paths-from", folder / paths, "--tables", "pages,sites,robots,robots_agents", *options]
        subprocess.run([binary, *command, "-q", "-o", out], check=True)
        answers = opened(out)
        if name in RECOUNTED:
            subprocess.run([sys.executable, HERE / "summary.py", binary, out, *command], check=True)
            recounted(answers, hosts)
        weights = answers("SELECT count(*), count(inclusion_weight), sum(inclusion_weight) FROM hosts")[0]
        design = answers("SELECT design, archives_read, list_archives, sample, seed, archive_weight FROM designs")[0]
        return weights, design, answers

    seen = lambda numbers: sum(1 for segments, _ in hosts if numbers.intersection(segments))
    weights, design, _ = run("all", "all.paths")
    assert weights == (20_000, 20_000, 20_000.0), weights
    assert design == ("all inputs", 500, 500, None, None, 1.0), design
    weights, design, _ = run("sampled", "all.paths", "--sample", "100@7")
    assert weights[1:] == (0, None), weights  # a touched segment is no read one
    assert design == ("random sample", 100, 500, 100, 7, 5.0), design
    weights, design, _ = run("first", "all.paths", "--limit", "100")
    assert weights[1] == weights[0] and design[0] == "part of a list" and design[5] is None, (weights, design)
    weights, design, _ = run("cut", "all.paths", "--limit", "98")
    assert weights[1] == 0 and design[0] == "part of a list", (weights, design)
    weights, _, answers = run("ten", "ten.paths")
    assert weights[:2] == (seen(set(range(10))),) * 2 and seen(set(range(10))) < weights[2] < 20_000, weights
    truth = sum(is_closed for _, is_closed in hosts) / len(hosts)
    plain, weighted = answers("""
        SELECT avg(is_closed), sum(is_closed * inclusion_weight) / sum(inclusion_weight)
        FROM (SELECT *, list_contains(agents_closed, 'GPTBot')::INT AS is_closed FROM hosts)
    """)[0]
    assert truth < weighted < plain, (truth, weighted, plain)
    unlike(folder, binary)
    print("weights, designs and figures of five parts of a crawl of known truth")


def unlike(folder, binary):
    """Of crawls with other designs no query gives shares of hosts that are not the same, and of samples alike each does."""
    out = folder / "two"
    samples = (("first", "100@7"), ("second", "100@8"), ("third", "50@8"))
    for number, (crawl, sample) in enumerate(samples):
        drawn = ["--base", folder, "--paths-from", folder / "all.paths", "--crawl", crawl, "-o", out, "--sample", sample]
        subprocess.run([binary, "run", "-q", *drawn, "--tables", "sites,robots,robots_agents"], check=True)
        answers = opened(out)
        for query, column in (("change/panel", "panel"), ("change/authors", "panel"), ("comparison/agents-named-per-crawl", None)):
            if number == 0 and column:
                continue
            text = (QUERIES / f"{query}.sql").read_text(encoding="utf-8").rstrip().removesuffix(";")
            # The crawl of the archives is one, under three names.
            shares = "percent_of_readable, percent_of_asked" if column is None else "COLUMNS('percent')"
            counted = "" if query != "change/panel" else "WHERE by_name IS NOT NULL"
            found = answers(f"SELECT {column or 'crawl'}, unlike_designs, {shares} FROM ({text}) {counted}")
            assert {name for name, *_ in found} >= ({"all hosts", "balanced"} if column else {crawl}), (query, found)
            for name, is_unlike, *percents in found:
                assert is_unlike == (number == 2 and name != "balanced"), (query, name, is_unlike)
                assert {share is None for share in percents} == {is_unlike}, (query, name, percents)


main()
