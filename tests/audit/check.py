#!/usr/bin/env python3
"""An audit of documents with planted violations of ten kinds: each is found, nothing else is, and the intervals hold what they say.

  tests/audit/check.py BINARY [DOCUMENTS [RUNS]]        by default 3,000 documents and 60 runs

- `judge --audit --sample` of all documents finds each planted violation by record id, and by URL and time, and no other one; by URL
  nothing conforms, as headers and metas were not seen.
- A sample is what SHA-256 of seed, file and row says, counted again here, and its intervals are those of `_intervals.py`.
- RUNS samples of the documents: the 95 % interval of all contains the true share in 93 to 97 %.
- RUNS times a twelfth of the domains, and a sample of their documents: the interval by domains contains the share of all domains in
  93 to 97 %. Of fewer runs than 400 the error of the simulation is added.
"""
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(Path(__file__).resolve().parent), str(ROOT / "python/crawlprefs")]
import _intervals as intervals  # noqa: E402
from world import KINDS, World, domain_of  # noqa: E402

POLICY = 'agents = ["CCBot"]\nlabels = ["train_ai", "train_genai", "tdm"]\n'
# Runs at once.
LANES = 2


class Audit:
    """A crawl that was run, and the command."""

    def __init__(self, binary, folder, documents):
        self.binary, self.folder = binary, Path(folder)
        self.world = World(documents, 35)
        (self.folder / "archives").mkdir()
        (self.folder / "archives" / "files.warc").write_bytes(b"".join(self.world.site_files))
        (self.folder / "archives" / "pages.warc").write_bytes(b"".join(self.world.pages))
        (self.folder / "policy.toml").write_text(POLICY)
        self.call("run", self.folder / "archives", "-q", "-o", self.folder / "tables")

    def call(self, *arguments):
        done = subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def write(self, name, documents, members):
        file = self.folder / f"{name}.jsonl"
        file.write_text("".join(json.dumps({member: it[member] for member in members}) + "\n" for it in documents))
        return file

    def judged(self, file, sample, *flags, out=None):
        """Returns what an audit says of itself, and the documents that came out."""
        out = self.folder / (out or f"{file.stem}-{sample}")
        flags = ["--tables", self.folder / "tables", "--policy", self.folder / "policy.toml", "--audit", "--sample", sample, *flags]
        self.call("judge", file, *flags, "-q", "-o", out)
        audit = json.loads((out.parent / f"_{out.name}.judge" / "_judge.json").read_text())["audit"]
        return audit, [json.loads(line) for line in (out / file.name).read_text().splitlines()]


def check_findings(audit):
    """Every planted violation is found, and no other one."""
    documents = audit.world.documents
    truth = {it["url"]: it["planted"] for it in documents}
    kinds = Counter(filter(None, truth.values()))
    assert sorted(kinds) == sorted(KINDS), f"planted {kinds}"
    for name, members, flags, otherwise in (
        ("by-id", ("url", "id", "date"), (), "conforms"),
        ("by-url", ("url", "date"), ("--match", "1s"), "unknown"),
    ):
        _, found = audit.judged(audit.write(name, documents, members), len(documents), *flags)
        assert len(found) == len(documents)
        for it in found:
            expected = "violation" if truth[it["url"]] else otherwise
            assert it["prefs_finding"] == expected, f"{name}: {truth[it['url']]}: {it}"
    print(f"{sum(kinds.values()):,} violations of {len(kinds)} kinds among {len(documents):,} documents, found by id and by URL")


def drawn(name, count, documents, seed):
    """Draws as `--sample COUNT@SEED` does."""
    numbered = [(hashlib.sha256(f"{seed}\n{name}\n{row}".encode()).digest(), it) for row, it in enumerate(documents, 1)]
    return [it for _, it in sorted(numbered, key=lambda one: one[0])[:count]]


def check_again(audit, file, documents, count, seed, module):
    """Counts a sample again; returns what the command says of violations."""
    found, out = audit.judged(file, f"{count}@{seed}")
    mine = drawn(file.name, count, documents, seed)
    assert {it["url"] for it in out} == {it["url"] for it in mine}, f"seed {seed}"
    violation = found["findings"][0]
    assert violation["finding"] == "violation"
    assert violation["documents"] == sum(bool(it["planted"]) for it in mine), violation
    clusters = defaultdict(lambda: [0, 0])
    for it in mine:
        clusters[domain_of(it)][0] += bool(it["planted"])
        clusters[domain_of(it)][1] += 1
    expected = module.interval_of(Counter(map(tuple, clusters.values())))
    by = violation["by_domains"]
    assert abs(by["low"] - expected.low) < 1e-9 and abs(by["high"] - expected.high) < 1e-9, (by, expected)
    return violation


def covered(audit, module, documents, runs):
    """Returns how often the interval of all documents, and that by domains, contains the truth."""
    truth = sum(bool(it["planted"]) for it in documents) / len(documents)
    file = audit.write("all", documents, ("url", "id", "date"))
    domains = defaultdict(list)
    for it in documents:
        domains[domain_of(it)].append(it)
    names = sorted(domains)
    count, part = max(len(documents) // 25, 300), max(len(names) // 12, 150)

    def is_in(interval):
        return interval["low"] <= truth <= interval["high"]

    def run(seed):
        simple = is_in(check_again(audit, file, documents, count, seed, module)["interval"])
        draw = random.Random(seed)
        some = [it for name in sorted(draw.sample(names, part)) for it in domains[name]]
        own = audit.write(f"part-{seed}", some, ("url", "id", "date"))
        return simple, is_in(check_again(audit, own, some, max(len(some) // 2, 200), seed, module)["by_domains"])

    with ThreadPoolExecutor(LANES) as lanes:
        found = list(lanes.map(run, range(runs)))
    return [sum(one[at] for one in found) for at in range(2)]


def main(arguments):
    binary = Path(arguments[0]).resolve()
    documents, runs = (int(arguments[at]) if len(arguments) > at else default for at, default in ((1, 3_000), (2, 60)))
    with tempfile.TemporaryDirectory() as folder:
        audit = Audit(binary, folder, documents)
        check_findings(audit)
        # What the simulation itself leaves to chance, where it has fewer runs than the promise is about.
        slack = 0 if runs >= 400 else 3 * (0.95 * 0.05 / runs) ** 0.5
        for name, count in zip(("all documents", "by domains"), covered(audit, intervals, audit.world.documents, runs)):
            print(f"{name}: the interval contains the truth in {100 * count / runs:.1f} % of {runs} runs")
            assert 0.93 - slack <= count / runs <= 0.97 + slack, name


if __name__ == "__main__":
    main(sys.argv[1:])
