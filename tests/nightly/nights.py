#!/usr/bin/env python3
"""A year of nights: nightly.sh scans three crawls as they are published, with its metrics and a site index for each crawl.

  tests/nightly/nights.py BINARY [NIGHTS [SEED]]

Calls are killed, archives are published damaged and repaired, are in a list before the server has them, and evidence is lost.
Somebody reads the index all the time. After every night that was not killed:

- the metrics say that all is complete, and the exit status is 0, or both say that it is not;
- where it is complete, evidence, tables and index are byte for byte those of one `run` and one `index` over the archives as they are;
- the index of a crawl that nobody works on stays as it is; and no reader fails, where an index is switched at once.

A crawl ends with its index replaced by that of another OUT, and the oldest one is retired: its folders are removed.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample-data" / "crawl-data" / "CC-MAIN-2026-34"
CRAWLS = ("CC-MAIN-2026-30", "CC-MAIN-2026-34", "CC-MAIN-2026-38")
URL = "https://rep.example/private/x"


def files(folder, without=()):
    """The bytes of all files below a folder, but for what is hidden, remembered, or in these files."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if not name.startswith("_known/") and "/." not in f"/{name}" and name not in without}


class Reader:
    """Asks an index, again and again, from the moment at which it is there."""

    def __init__(self, program):
        self.program, self.index, self.reads, self.failed = program, None, 0, []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while not self.ended.wait(0.2):
            index = self.index
            if index is None or not (index / "_index.json").exists():
                continue
            done = subprocess.run([self.program, "explain", "--sites", index, "--url", URL, "--json"], capture_output=True, text=True)
            self.reads += 1
            if done.returncode != 0 and self.index == index:
                self.failed.append(done.stderr)

    def end(self):
        self.ended.set()
        self.thread.join()


class Crawl:
    """One crawl: its archives as the server has them, its OUT and its index."""

    def __init__(self, folder, name, program, draw):
        self.folder, self.name, self.program, self.draw = folder / name, name, program, draw
        self.base, self.out, self.index = self.folder / "base", self.folder / "out", self.folder / "index"
        self.metrics = self.folder / "status.prom"
        names = sorted(str(path.relative_to(SAMPLE)) for path in SAMPLE.rglob("*.warc.gz"))
        self.waiting = [(f"crawl-data/{name}/{path}", (SAMPLE / path).read_bytes()) for path in names]
        self.archives, self.listed, self.bad = {}, [], {}
        self.expected = {}
        self.folder.mkdir(parents=True)

    def publish(self):
        """The next archive comes: as it is, damaged, or in the list alone."""
        name, data = self.waiting.pop(0)
        self.listed.append(name)
        self.archives[name] = data
        how = self.draw.choice(["whole", "whole", "damaged", "absent"])
        if how != "whole":
            self.bad[name] = how
        if how != "absent":
            self.write(name, data if how == "whole" else data[:len(data) // 2] + b"\0" + data[len(data) // 2 + 1:])
        (self.folder / "list").write_text("".join(line + "\n" for line in self.listed))

    def repair(self):
        """The server has the archive as it should be. One that was read damaged is corrected as docs/nightly.md says."""
        name = self.draw.choice(sorted(self.bad))
        was_read = self.bad.pop(name) == "damaged"
        self.write(name, self.archives[name])
        if was_read:
            called(self.program, "scan", "-q", "--base", self.base, self.base / name, "-o", self.out, "--again", name)
            called(self.program, "resolve", "-q", self.out)
            subprocess.run([self.program, "index", "-q", self.out, "-o", self.index, "--overwrite"], capture_output=True)

    def write(self, name, data):
        (self.base / name).parent.mkdir(parents=True, exist_ok=True)
        (self.base / name).write_bytes(data)

    def lose_evidence(self):
        parts = sorted(self.out.glob("evidence/captures/*/*.parquet"))
        if parts:
            self.draw.choice(parts).unlink()

    def night(self, kill):
        """Runs a night; returns its exit status, `None` where it was killed."""
        environment = {
            **os.environ, "CRAWLPREFS": self.program, "NIGHTLY_BASE": self.base.as_uri(), "NIGHTLY_PAUSE": "0",
            "NIGHTLY_WORK": str(self.folder / "work"), "NIGHTLY_METRICS": str(self.metrics), "NIGHTLY_INDEX": str(self.index),
        }  # fmt: skip
        words = [ROOT / "examples/nightly/nightly.sh", "all", self.out, self.folder / "list"]
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            self.said, _ = process.communicate(timeout=self.draw.uniform(0.05, 1.5) if kill else 600)
            return process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, self.draw.choice([signal.SIGTERM, signal.SIGKILL]))
            process.communicate()
            return None

    def is_green(self):
        text = self.metrics.read_text()
        return all(re.search(rf"^crawlprefs_status_{name}{{.*}} {value}$", text, re.M) for name, value in (("complete", 1), ("exit_status", 0)))

    def hold(self):
        """OUT and index are those of one run over the archives as the server has them."""
        state = tuple((name, self.bad.get(name)) for name in self.listed)
        if state not in self.expected:
            out, index = self.folder / "one-out", self.folder / "one-index"
            shutil.rmtree(out, ignore_errors=True), shutil.rmtree(index, ignore_errors=True)
            called(self.program, "run", "-q", "--paths-from", self.folder / "list", "--base", self.base, "-o", out)
            called(self.program, "index", "-q", out, "-o", index)
            self.expected = {state: (files(out, ("_crawlprefs.json",)), files(index))}
        out, index = self.expected[state]
        assert files(self.out, ("_crawlprefs.json",)) == out, f"{self.name}: OUT is not that of one run"
        # A killed call leaves parts that no `_index.json` names, until the next one.
        found = files(self.index)
        assert {name: found.get(name) for name in index} == index, f"{self.name}: the index is not that of one run"


def called(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done)


def one_crawl(crawl, others, nights, reader, draw, counted):
    """Works on a crawl night by night, until all of it is there and as it should be."""
    reader.index = None
    for night in range(nights):
        if crawl.waiting and (night == 0 or draw.random() < 0.4):
            crawl.publish()
        elif crawl.bad and draw.random() < 0.25:
            crawl.repair()
        elif draw.random() < 0.1:
            crawl.lose_evidence()
        before = [files(other.index) for other in others]
        status = crawl.night(kill=draw.random() < 0.3)
        if status is None:
            counted["killed"] += 1
            continue
        has_index_refused = "--allow-incomplete" in crawl.said
        assert (status == 0) == crawl.is_green() or has_index_refused, (crawl.name, night, status, crawl.said, crawl.metrics.read_text())
        assert (status == 0) == (crawl.said == ""), (crawl.name, night, status, crawl.said)
        counted["complete" if status == 0 else "incomplete"] += 1
        if status == 0:
            crawl.hold()
            reader.index = crawl.index
        assert [files(other.index) for other in others] == before
    while crawl.waiting:
        crawl.publish()
    while crawl.bad:
        crawl.repair()
    assert crawl.night(kill=False) == 0, crawl.said
    crawl.hold()


def main():
    program, nights = str(Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 120
    draw, counted = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 29), dict.fromkeys(("complete", "incomplete", "killed"), 0)
    with tempfile.TemporaryDirectory() as name:
        reader, kept = Reader(program), []
        try:
            for crawl_name in CRAWLS:
                crawl = Crawl(Path(name), crawl_name, program, draw)
                one_crawl(crawl, kept, nights // len(CRAWLS), reader, draw, counted)
                # Its index is replaced by that of a second OUT, while it is read.
                second = crawl.folder / "second"
                called(program, "scan", "-q", "--paths-from", crawl.folder / "list", "--base", crawl.base, "-o", second)
                called(program, "index", "-q", second, "-o", crawl.index, "--overwrite")
                crawl.hold()
                kept.append(crawl)
                if len(kept) > 2:
                    oldest = kept.pop(0)
                    shutil.rmtree(oldest.out), shutil.rmtree(oldest.index)
                    for crawl in kept:
                        assert crawl.night(kill=False) == 0, crawl.said
                        crawl.hold()
            is_switched = not (kept[0].index / "bodies/part-00000.parquet").exists()
        finally:
            reader.end()
    # Parts that are named by their digests are switched at once; others are removed before the new ones are there.
    assert not (is_switched and reader.failed), reader.failed[:3]
    assert min(counted.values()) >= nights // 20 and reader.reads > 10, (counted, reader.reads)
    print(f"{nights} nights: {counted}; the index was read {reader.reads} times, {len(reader.failed)} reads failed")


if __name__ == "__main__":
    main()
