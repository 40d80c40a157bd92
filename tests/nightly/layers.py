#!/usr/bin/env python3
"""Thirty nights with an index for each: they are asked as one while a night is added, corrected, or retired.

  tests/nightly/layers.py BINARY [NIGHTS [SEED]]

One night reads an archive that was cut, and is corrected when the good copy comes; another one is retired. Readers ask the folder of
indexes all the time, and none fails. After each night, hosts are asked by the layers and by the index that they merge to: the answers are
equal. What is printed is the transcript.
"""
import gzip
import json
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HOSTS = 60
FILES = [b"User-agent: *\nDisallow: /\n", b"User-agent: *\nAllow: /\n", b"User-agent: GPTBot\nDisallow: /\n", b"User-agent: *\nDisallow: /p\n"]
NEVER = b"User-agent: *\nContent-Signal: ai-train=no\n"


def record(host, night, body):
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{night:04}{host:08}>\r\n"
        f"WARC-Date: 2026-11-{night:02}T03:{host:02}:00Z\r\nWARC-Target-URI: https://h{host}.example/robots.txt\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + answer + b"\r\n\r\n", mtime=0)


class Nights:
    """The folder of a season of nights: archives, evidence, and in `indexes` a folder for each night."""

    def __init__(self, binary, folder, seed):
        self.binary, self.folder, self.draw = binary, folder, random.Random(seed)
        self.indexes, self.ended = folder / "indexes", threading.Event()
        self.reads, self.failed = 0, []

    def call(self, *words, status=0):
        done = subprocess.run([self.binary, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        assert done.returncode == status, (words, done)
        return done.stdout

    def say(self, text):
        print(text, flush=True)

    def told(self, *words):
        """Runs a command of the transcript."""
        self.say("$ crawlprefs " + " ".join(map(str, words)))
        self.say(self.call(*words).rstrip())

    def archive(self, night, is_cut):
        changed = self.draw.sample(range(HOSTS), HOSTS // 3)
        records = [record(host, night, NEVER if host == 0 else self.draw.choice(FILES)) for host in sorted({0, *changed})]
        data = b"".join(records)
        place = self.folder / "archives" / f"night-{night:02}.warc.gz"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data[: -len(records[-1]) - len(records[-2]) // 2] if is_cut else data)
        return place, data

    def scan(self, night, *more):
        place = f"archives/night-{night:02}.warc.gz"
        status = 3 if self.is_cut(night) else 0
        self.call("scan", "-q", place, "--crawl", "2026-11", "-o", f"evidence/{night:02}", *more, status=status)

    def is_cut(self, night):
        return night in self.cut

    def read(self, kind):
        """Asks the folder of indexes until the end."""
        (self.folder / f"urls-{kind}.txt").write_text("https://h0.example/p\n")
        words = {
            "explain": ["explain", "--json", "--url", "https://h0.example/p"],
            "judge": ["judge", "-q", "--at", "newest", f"urls-{kind}.txt"],
            "history": ["history", "--json", "h0.example"],
        }[kind]
        while not self.ended.wait(0.05):
            done = subprocess.run([self.binary, *words, "--sites", "indexes", "--allow-incomplete"], capture_output=True, text=True, cwd=self.folder)
            # Each night and each reader knows that h0.example says no to training.
            if done.returncode != 0 or '"disallow"' not in done.stdout:
                self.failed.append((words, done.returncode, done.stdout, done.stderr))
            self.reads += 1

    def check(self):
        """Compares the answers of the layers with those of one index."""
        self.call("index", "-q", "--overwrite", "--allow-incomplete", *sorted(self.indexes.iterdir()), "-o", "merged")
        for host in (0, *self.draw.sample(range(HOSTS), 3)):
            name, answers = f"h{host}.example", []
            for place in ("indexes", "merged"):
                flags = ["--sites", place, "--allow-incomplete"]
                done = subprocess.run([self.binary, "history", "--json", name, *flags], capture_output=True, text=True, cwd=self.folder)
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                explained = subprocess.run([self.binary, "explain", "--json", "--url", f"https://{name}/p", *flags], capture_output=True, text=True, cwd=self.folder)
                answers.append((done.returncode, [{key: it for key, it in line.items() if not key.startswith("index")} for line in lines], explained.stdout))
            assert answers[0] == answers[1], (name, answers)

    def work(self, nights):
        self.cut, corrected, retired = {nights // 2: None}, nights * 2 // 3, nights * 5 // 6
        readers = []
        for night in range(1, nights + 1):
            place, data = self.archive(night, self.is_cut(night))
            self.scan(night)
            more = ["--allow-incomplete"] if self.is_cut(night) else []
            self.told("index", f"evidence/{night:02}", "-o", f"indexes/{night:02}", *more)
            if self.is_cut(night):
                self.cut[night] = (place, data)
            if night == 1:
                readers = [threading.Thread(target=self.read, args=(kind,)) for kind in ("explain", "judge", "history")]
                for reader in readers:
                    reader.start()
            if night == corrected:
                ((of, (place, data)),) = self.cut.items()
                place.write_bytes(data)
                self.cut = {}
                self.say(f"The good copy of the archive of night {of} has come:")
                self.scan(of, "--again", "damaged")
                self.told("index", f"evidence/{of:02}", "-o", f"indexes/{of:02}", "--overwrite")
            if night == retired:
                self.say("$ mv indexes/02 retired")
                (self.indexes / "02").rename(self.folder / "retired")
            self.check()
        self.told("history", "h0.example", "--sites", "indexes")
        self.ended.set()
        for reader in readers:
            reader.join()
        assert not self.failed, self.failed[:3]
        assert self.reads > nights, self.reads
        self.say(f"{nights} nights, {self.reads} reads meanwhile, of which {len(self.failed)} failed")


def main():
    binary, nights, seed = Path(sys.argv[1]).resolve(), int((sys.argv[2:] or ["30"])[0]), int((sys.argv[3:] or ["1"])[0])
    with tempfile.TemporaryDirectory() as folder:
        season = Nights(binary, Path(folder), seed)
        try:
            season.work(nights)
        finally:
            season.ended.set()


main()
