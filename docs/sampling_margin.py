#!/usr/bin/env python3
"""How many robots.txt files for which margin: draws parts of the hosts of a run, and shows how far their shares lie apart.

sampling_margin.py OUT [AGENT]: OUT is the folder of a run, AGENT is GPTBot by default. Needs DuckDB (1.5 or newer). In each of
400 draws whole registered domains are drawn first (a Poisson bootstrap), as another crawl would have other domains, and then
each host with the same chance, as a host's archive is chance. The margin is half of what 95 % of the shares span, beside the one
that would hold if hosts were independent. The seed is fixed.
"""

import os
import pathlib
import random
import sys
from collections import Counter

import duckdb

QUERIES = pathlib.Path(__file__).resolve().parents[1] / "queries"
DRAWS = 400
HOSTS = """
    SELECT
        coalesce(url_host_registered_domain, url_host_name) AS domain,
        count(*),
        count(CASE WHEN array_contains(agents_named, $agent) AND array_contains(agents_closed, $agent) THEN 1 END)
    FROM hosts
    WHERE answers
    GROUP BY domain
    ORDER BY domain
"""


def counted(out: str, agent: str) -> Counter[tuple[int, int]]:
    """Returns the number of domains for each number of hosts, and of hosts that close the agent by name."""
    os.chdir(out)
    database = duckdb.connect()
    for file in ("duckdb.sql", "views.sql"):
        database.execute((QUERIES / file).read_text(encoding="utf-8"))
    return Counter((hosts, closed) for _, hosts, closed in database.execute(HOSTS, {"agent": agent}).fetchall())


def share(domains: list[tuple[int, int]], part: float, draw: random.Random) -> tuple[int, float]:
    """Returns how many hosts one draw has, and the share of them that close the agent."""
    kinds = Counter(draw.choices(domains, k=len(domains))).items()
    hosts, closed = (sum(count * kind[at] for kind, count in kinds) for at in (0, 1))
    if part < 1:
        closed, other = binomial(closed, part, draw), binomial(hosts - closed, part, draw)
        hosts = closed + other
    return hosts, closed / hosts if hosts else 0.0


def binomial(number: int, chance: float, draw: random.Random) -> int:
    """Returns how many of a number are drawn."""
    return sum(draw.random() < chance for _ in range(number))


def main(arguments: list[str]) -> int:
    """Prints the table."""
    agent = arguments[1] if len(arguments) > 1 else "GPTBot"
    kinds = counted(arguments[0], agent)
    domains = sorted(kinds.elements())
    hosts, closed = (sum(kind[at] for kind in domains) for at in (0, 1))
    print(f"{hosts:,} hosts of {len(domains):,} domains, closed to {agent} by name: {100 * closed / hosts:.2f} %")
    print("   hosts   margin   as if independent")
    draw = random.Random(28)
    for divisor in (32, 16, 8, 4, 2, 1):
        found = [share(domains, 1 / divisor, draw) for _ in range(DRAWS)]
        shares = sorted(value for _, value in found)
        margin = 50 * (shares[-1 - DRAWS // 40] - shares[DRAWS // 40])
        number = round(hosts / divisor)
        independent = 196 * (closed / hosts * (1 - closed / hosts) / number) ** 0.5
        print(f"{number:8,}  ±{margin:6.2f}  ±{independent:6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
