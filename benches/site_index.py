#!/usr/bin/env python3
"""Measures the site index: making, merging, judging, look-ups, and the memory of eight processes.

  site_index.py PROGRAM FOLDER [EVIDENCE]   (FOLDER: a new one; needs a Python with DuckDB, Linux and its fincore)

Ten crawls of HOSTS invented hosts are made, of which 4.5 % change by a line from one to the next. With EVIDENCE, of one crawl
that is not invented, all but merging is measured with it. Times are CPU time of whole processes, for machines are shared.
"""
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import duckdb

HOSTS, CRAWLS, DOCUMENTS = 40_000, 10, 400_000


class Bench:
    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder
        folder.mkdir(parents=True)

    def timed(self, *arguments: object) -> tuple[float, float]:
        """Runs the command; returns its CPU seconds and its peak memory in MiB."""
        process = subprocess.Popen([self.program, *map(str, arguments)], stdout=subprocess.DEVNULL)
        ended, peak = 0, 0
        while not ended:
            # The peak that wait4 returns counts what this process had when it started the command.
            peak = max(peak, high_water(process.pid))
            time.sleep(0.005)
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
        assert status == 0, arguments
        process.returncode = 0
        return used.ru_utime + used.ru_stime, peak / 1024

    def median(self, *arguments: object) -> tuple[float, float]:
        return sorted(self.timed(*arguments) for _ in range(3))[1]

    def crawls(self) -> list[Path]:
        """Returns the evidence of ten crawls."""
        draw = random.Random(19)
        words = [f"/{draw.randrange(1 << 40):x}/" for _ in range(4000)]
        rules = ["".join(f"Disallow: {draw.choice(words)}\n" for _ in range(draw.randrange(60))) for _ in range(HOSTS)]
        found = []
        for crawl in range(CRAWLS):
            archive, out = self.folder / f"{crawl}.warc", self.folder / f"evidence-{crawl}"
            with archive.open("wb") as file:
                for number in range(HOSTS):
                    if draw.random() < 0.045:
                        rules[number] += f"Disallow: {draw.choice(words)}{crawl}\n"
                    file.write(record(f"host-{number}.example", f"2026-{crawl + 1:02}-10T06:00:00Z", rules[number]))
            self.timed("scan", "-q", archive, "-o", out, "--crawl", f"crawl-{crawl}")
            archive.unlink()
            found.append(out)
        return found

    def making(self, evidence: Path) -> Path:
        index = self.folder / "index"
        seconds, peak = self.median("index", "-q", "-j", 1, evidence, "-o", index, "--overwrite", "--memory-limit", "256M")
        raw = duckdb.sql(f"SELECT sum(octet_length(content)) FROM '{index}/bodies/*.parquet'").fetchall()[0][0]
        size = sum(it.stat().st_size for it in index.rglob("*.parquet"))
        print(f"making: {seconds:.2f} s, {raw / seconds / 1e6:.0f} MB of bodies a second and core; peak {peak:.0f} MiB; {size / 1e6:.1f} MB")
        return index

    def merging(self, evidence: list[Path]) -> None:
        parts = []
        for number, one in enumerate(evidence):
            parts.append(self.folder / f"part-{number}")
            self.timed("index", "-q", one, "-o", parts[-1])
        merged = self.folder / "merged"
        seconds, peak = self.median("index", "-q", "-j", 1, *parts, "-o", merged, "--overwrite", "--memory-limit", "256M")
        rows = duckdb.sql(f"SELECT count(*) FROM '{self.folder}/part-*/fetches/*.parquet'").fetchall()[0][0]
        print(f"merging {CRAWLS}: {rows} rows, {seconds:.2f} s, {rows / seconds / 1e6:.2f} M rows a second and core; peak {peak:.0f} MiB")

    def documents(self, name: str, hosts: list[str], each: int) -> None:
        """Writes documents as JSON lines and as Parquet, in any order."""
        draw, path = random.Random(20), self.folder / name
        urls = [f"https://{host}/{draw.choice(['', 'a/b.html', 'private/x', 'search?q=1'])}" for host in hosts for _ in range(each)]
        draw.shuffle(urls)
        with path.with_suffix(".jsonl").open("w") as file:
            file.writelines(json.dumps({"url": url, "date": "2026-02-01T00:00:00Z"}) + "\n" for url in urls)
        # Read as a time and written again it would have another form, by which documents are undated: nothing is compiled for these.
        columns = "{url: 'VARCHAR', date: 'VARCHAR'}"
        duckdb.sql(f"COPY (FROM read_json('{path}.jsonl', columns = {columns})) TO '{path}.parquet'")

    def judging(self, index: Path) -> None:
        found = duckdb.sql(f"SELECT DISTINCT url_host_name FROM '{index}/fetches/*.parquet' WHERE kind = 'robots' ORDER BY 1").fetchall()
        hosts = random.Random(21).sample([host for (host,) in found], min(len(found), DOCUMENTS))
        print(f"judging by an index of {len(found)} hosts")
        for each in (20, 1):
            chosen = hosts[: DOCUMENTS // each]
            self.documents(f"docs-{each}", chosen, each)
            for form in ("jsonl", "parquet"):
                for jobs in (1, 2):
                    call = ["judge", "-q", self.folder / f"docs-{each}.{form}", "--sites", index, "-j", jobs, "-o", self.folder / f"judged-{each}-{form}", "--overwrite"]
                    seconds, peak = self.median(*call)
                    rate = len(chosen) * each / seconds
                    print(f"  {each} a host, {form}, {jobs} workers: {rate:.0f} a second and core, peak {peak:.0f} MiB")

    def looking_up(self, index: Path) -> None:
        hosts = duckdb.sql(f"SELECT DISTINCT url_host_name FROM '{index}/fetches/*.parquet' ORDER BY hash(url_host_name) LIMIT 100").fetchall()
        begin = sorted(self.timed("--version")[0] for _ in hosts)
        took = sorted(self.timed("explain", "--json", "--sites", index, "--url", f"https://{host}/a")[0] for (host,) in hosts)
        print(f"a look-up on a disk: {took[50] * 1000:.1f} ms of CPU (median), {took[98] * 1000:.1f} (p99); --version takes {begin[50] * 1000:.1f}")

    def together(self, index: Path) -> None:
        """The memory of one process and of eight that judge at once: PSS, and the pages of the index that are cached. These
        are read and not mapped, so that no process's PSS has them, and all processes use the same ones."""
        files = sorted(index.rglob("*.parquet"))
        peaks = []
        for count in (1, 8):
            started = []
            for file in files:
                forget(file)
            for number in range(count):
                call = ["judge", "-q", "-j", "1", "--sites", index, self.folder / "docs-20.parquet", "-o", self.folder / f"together-{count}-{number}"]
                started.append(subprocess.Popen([self.program, *map(str, call)], stdout=subprocess.DEVNULL))
            peak = (0, 0)
            while any(process.poll() is None for process in started):
                seen = [pss(process.pid) for process in started]
                peak = max(peak, (sum(it[0] for it in seen), sum(it[1] for it in seen)))
                time.sleep(0.02)
            assert not any(process.returncode for process in started)
            pages = cached(files)
            peaks.append(peak[0] + pages)
            print(f"{count} processes: PSS {peak[0] / 1024:.0f} MiB at the peak, {peak[1] / 1024:.0f} of it anonymous; {pages / 1024:.0f} MiB of the index in the page cache")
        size = sum(it.stat().st_size for it in files)
        print(f"eight to one, with the page cache: {peaks[1] / peaks[0]:.2f}, by an index of {size / (1 << 20):.0f} MiB")


def record(host: str, date: str, rules: str) -> bytes:
    body = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n{rules}".encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\nWARC-Date: {date}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body + b"\r\n\r\n"


def pss(process: int) -> tuple[int, int]:
    """Returns the proportional set size of a process in KiB, and what of it is anonymous; 0 after its end."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
    return sizes["Pss"], sizes["Pss_Anon"]


def forget(file: Path) -> None:
    """Takes the pages of a file out of the page cache."""
    with file.open("rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cached(files: list[Path]) -> int:
    """Returns how many KiB of files are in the page cache."""
    printed = subprocess.run(["fincore", "--bytes", "--noheadings", "--output", "RES", *map(str, files)], check=True, capture_output=True, text=True).stdout
    return sum(map(int, printed.split())) // 1024


def high_water(process: int) -> int:
    """Returns the peak of a process's memory in KiB; 0 at its end."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def main() -> None:
    bench = Bench(sys.argv[1], Path(sys.argv[2]))
    crawls = bench.crawls()
    bench.merging(crawls)
    index = bench.making(Path(sys.argv[3]) if len(sys.argv) > 3 else crawls[0])
    bench.judging(index)
    bench.looking_up(index)
    bench.together(index)


main()
