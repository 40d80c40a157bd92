#!/usr/bin/env python3
"""How often the intervals of shares and of differences contain the truth, by simulation: coverage.py [RUNS].

Domains have the numbers of hosts that those of 14,361 real robots.txt files have; most decide for all of their hosts together. Shares of
0.5 to 50 % are drawn of 30 to 10,000 hosts. 95 % intervals must hold in 93 to 97 % of the runs, within the error of the simulation; where
fewer than five hosts are expected to have it, or to change in either way, few counts are possible, and only too short is wrong.
"""
import pathlib
import random
import sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python/crawlprefs"))
import _intervals as intervals  # noqa: E402

# Registered domains by how many of their hosts answered.
SIZES = {
    1: 9324, 2: 784, 3: 223, 4: 79, 5: 54, 6: 27, 7: 11, 8: 8, 9: 9, 10: 3, 11: 3, 12: 6, 13: 1, 14: 4, 15: 3, 16: 2, 17: 1, 18: 2, 19: 1,
    20: 2, 21: 1, 24: 1, 26: 1, 27: 2, 30: 1, 31: 1, 32: 1, 33: 1, 35: 1, 37: 2, 39: 1, 51: 1, 57: 1, 87: 1,
}
TOGETHER = 0.9
SHARES = (0.005, 0.02, 0.05, 0.2, 0.5)
HOSTS = (30, 100, 500, 2_000, 10_000)


def domains(hosts, draw):
    """Draws registered domains with about so many hosts; of a domain each host with the same chance, as its archive is chance."""
    part = hosts / sum(size * count for size, count in SIZES.items())
    for size in draw.choices(list(SIZES), list(SIZES.values()), k=sum(SIZES.values())):
        drawn = sum(draw.random() < part for _ in range(size))
        if drawn:
            yield drawn


def changed(units, share, draw):
    """How many hosts of a domain came, and how many went: half as many."""
    count = 1 if draw.random() < TOGETHER else units
    drawn = [draw.random() for _ in range(count)]
    each = units // count
    return each * sum(it < share for it in drawn), each * sum(share <= it < 1.5 * share for it in drawn)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    module, draw, wrong = intervals, random.Random(28), []
    slack = 3 * (0.95 * 0.05 / runs) ** 0.5
    for share in SHARES:
        for hosts in HOSTS:
            inside = changes = 0
            for _ in range(runs):
                kinds, rows = Counter(), []
                for number, units in enumerate(domains(hosts, draw)):
                    came, went = changed(units, share, draw)
                    kinds[came, units] += 1
                    rows.append((number, came, went, units))
                found = module.interval_of(kinds)
                inside += found.low <= share <= found.high
                difference = module.clustered_difference(rows)
                changes += difference.low <= share / 2 <= difference.high
            print(f"share {100 * share:4.1f} %, {hosts:6,} hosts: {100 * inside / runs:5.1f} %, differences {100 * changes / runs:5.1f} %", flush=True)
            for name, count, expected in (("share", inside, share * hosts), ("difference", changes, share / 2 * hosts)):
                is_long = count / runs > 0.97 + slack and expected >= 5
                if count / runs < 0.93 - slack or is_long:
                    wrong.append((name, share, hosts, count / runs))
    assert not wrong, wrong


main()
