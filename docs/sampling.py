#!/usr/bin/env python3
"""Simulates what docs/sampling.md says of segments: a made-up crawl whose truth is known, and what a few segments of it show.

A host has at least one page, and few have very many (Pareto, exponent 1, at most 20,000). Each page is in one of 100 segments
by chance, and a host is closed by a chance that grows with its pages. Standard library only; the seed is fixed.
"""

import pathlib
import random
import statistics
import sys
from collections.abc import Iterator

HOSTS, SEGMENTS, RUNS = 20_000, 100, 20


def made_up_hosts(draw: random.Random) -> list[tuple[list[int], bool]]:
    """Returns the numbers of the segments that have a host, and whether it is closed."""
    hosts = []
    for _ in range(HOSTS):
        pages = min(int(1 / (1 - draw.random())), 20_000)
        segments = range(SEGMENTS) if pages > 1_000 else {draw.randrange(SEGMENTS) for _ in range(pages)}
        hosts.append((list(segments), draw.random() < min(0.02 * pages**0.5, 0.5)))
    return hosts


def unseen(once: int, twice: int, read: int) -> float:
    """Estimates how many hosts are in no segment that was read, as the view `hosts` does: like those in one of them (Chao and
    Lin 2012, for segments that are not read twice), and none where all segments were read."""
    part = read / SEGMENTS
    if read < 2 or part >= 1:
        return 0.0
    return once**2 / (2 * twice * read / (read - 1) + once * part / (1 - part))


def shares(hosts: list[tuple[list[int], bool]], read: set[int]) -> tuple[float, float, float]:
    """Returns the share of all hosts that was seen, the share closed of these, and the share closed by weight."""
    seen = [(len(read.intersection(segments)), closed) for segments, closed in hosts]
    seen = [(times, closed) for times, closed in seen if times]
    once, twice = (sum(times == wanted for times, _ in seen) for wanted in (1, 2))
    weight = 1 + unseen(once, twice, len(read)) / once if once else 1.0
    weights = [(weight if times == 1 else 1.0, closed) for times, closed in seen]
    weighted = sum(value for value, closed in weights if closed) / sum(value for value, _ in weights)
    return len(seen) / len(hosts), sum(closed for _, closed in seen) / len(seen), weighted


def lines() -> Iterator[str]:
    """Returns the lines of the table."""
    draw = random.Random(28)
    hosts = made_up_hosts(draw)
    yield f"{HOSTS:,} hosts, closed: {100 * sum(closed for _, closed in hosts) / HOSTS:.1f} %"
    yield "segments  hosts seen  closed of these  closed by weight"
    for count in (1, 2, 5, 10, 20, 50, 100):
        runs = [shares(hosts, set(draw.sample(range(SEGMENTS), count))) for _ in range(RUNS)]
        seen, plain, weighted = (100 * statistics.mean(run[at] for run in runs) for at in range(3))
        by_weight = f"{weighted:.1f} %" if count > 1 else "NULL"
        yield f"{count:8}  {seen:8.1f} %  {plain:13.1f} %  {by_weight:>16}"


def main(arguments: list[str]) -> int:
    """Prints the table; with `--check FILE` the status is 1 where the file has another one."""
    table = "\n".join(lines())
    print(table)
    return int(arguments[:1] == ["--check"] and table not in pathlib.Path(arguments[1]).read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
