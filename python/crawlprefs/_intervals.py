"""How certain a share is, where what was counted is not independent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from statistics import NormalDist
from typing import NamedTuple

FEW = 10
"""Of fewer clusters that have something, or do not have it, the differences between clusters say too little."""
LEAST_FREEDOM = 20.0
"""The degrees of freedom are not taken for fewer: a few large clusters would make them one or two."""


class Interval(NamedTuple):
    """A share with its interval, each from 0 to 1."""

    share: float
    low: float
    high: float
    design_effect: float
    """The variance by that of as many independent units."""
    units: int
    clusters: int


def clustered_interval(counts: Iterable[tuple[Hashable, int, int]], *, level: float = 0.95) -> Interval:
    """Returns a share and its interval, where the units of a cluster, such as the hosts of a registered domain, decide together.

    Each row of `counts` has a cluster, how many of its units have something, and how many units it has; rows of one cluster
    are added. The interval is Wilson's with the design effect, so that a share of 0 has an upper bound. agents/closed-interval
    has the same formula in SQL. Do not use it for fewer than 30 clusters. docs/sampling.md says what no interval shows.

    >>> rows = tables.duckdb().sql("SELECT url_host_registered_domain, closed, hosts FROM ...").fetchall()
    >>> crawlprefs.clustered_interval(rows)

    Raises ValueError where no unit is counted, or a cluster has more of them than units.
    """
    return interval_of(_kinds(counts), level=level)


class Difference(NamedTuple):
    """The difference of two shares of the same units, with its interval, each from -1 to 1."""

    difference: float
    low: float
    high: float


def clustered_difference(counts: Iterable[tuple[Hashable, int, int, int]], *, level: float = 0.95) -> Difference:
    """Returns how much a share changed between two times, over the same units, such as the hosts that answer in two crawls.

    Each row of `counts` has a cluster, how many of its units came (have something now, and had it not), how many went, and how
    many units it has. Newcombe's interval for pairs, of the intervals of those that came and of those that went, and how these go together: change/summary
    has the same formula in SQL. Two intervals of shares say less: the same units are in both.

    Raises ValueError as `clustered_interval` does.
    """
    rows = list(counts)
    came = clustered_interval(((cluster, came, units) for cluster, came, _, units in rows), level=level)
    went = clustered_interval(((cluster, went, units) for cluster, _, went, units in rows), level=level)
    # A unit that came did not go: both shares are of one multinomial, and correlated by this.
    others = (1 - came.share) * (1 - went.share)
    together = math.sqrt(came.share * went.share / others) if others else 0.0

    def radius(one: float, other: float) -> float:
        return math.sqrt(one * one + other * other + 2 * together * one * other)

    difference = came.share - went.share
    return Difference(
        difference,
        difference - radius(came.share - came.low, went.high - went.share),
        difference + radius(came.high - came.share, went.share - went.low),
    )


def interval_of(kinds: Counter[tuple[int, int]], *, level: float = 0.95) -> Interval:
    """Returns the interval of clusters, by how many of them have the same counts."""
    if not 0 < level < 1:
        raise ValueError(f"found level {level}, expected 0 < level < 1")
    rows = [(hits, units, count) for (hits, units), count in kinds.items() if units]
    units, clusters = sum(n * count for _, n, count in rows), sum(count for *_, count in rows)
    if units == 0:
        raise ValueError("found no unit, expected one or more")
    share = sum(hits * count for hits, _, count in rows) / units
    effect, freedom = _design(rows, share, units, clusters)
    z = NormalDist().inv_cdf((1 + level) / 2)
    z *= 1 + (z * z + 1) / (4 * max(freedom, LEAST_FREEDOM))
    effective = units / effect
    centre = (share + z * z / (2 * effective)) / (1 + z * z / effective)
    radius = z * math.sqrt(share * (1 - share) / effective + (z / (2 * effective)) ** 2) / (1 + z * z / effective)
    one_sided = NormalDist().inv_cdf(level)
    low = max(0.0, min(centre - radius, _least(share, effective, one_sided)))
    high = min(1.0, max(centre + radius, 1 - _least(1 - share, effective, one_sided)))
    return Interval(share, low, high, effect, units, clusters)


def _design(rows: list[tuple[int, int, int]], share: float, units: int, clusters: int) -> tuple[float, float]:
    """Returns the design effect, and the degrees of freedom of its variance."""
    if share in (0, 1):
        return sum(n * n * count for _, n, count in rows) / units, clusters
    squares = [((hits - share * n) ** 2, count) for hits, n, count in rows]
    total = sum(square * count for square, count in squares)
    effect = max(1.0, total * clusters / max(clusters - 1, 1) / (units * share * (1 - share)))
    fewer = min(sum(count for hits, _, count in rows if hits), sum(count for hits, n, count in rows if hits < n))
    if fewer < FEW:
        with_hits = [(n, count) for hits, n, count in rows if hits]
        effect = max(effect, sum(n * n * count for n, count in with_hits) / sum(n * count for n, count in with_hits))
    return effect, total * total / sum(square * square * count for square, count in squares)


def _least(share: float, effective: float, z: float) -> float:
    """Returns the lower limit of three or fewer, by Wilson and Hilferty for a Poisson number; of more there is none."""
    hits = share * effective
    if share == 0:
        return 0.0
    if hits > 3:
        return 1.0
    return share * max(1 - 1 / (9 * hits) - z / (3 * math.sqrt(hits)), 0.0) ** 3


def _kinds(counts: Iterable[tuple[Hashable, int, int]]) -> Counter[tuple[int, int]]:
    """Returns how many clusters have the same counts."""
    clusters: dict[Hashable, tuple[int, int]] = {}
    for cluster, hits, total in counts:
        if not 0 <= hits <= total:
            raise ValueError(f"found {hits} of {total} units in {cluster!r}, expected no more than all")
        known = clusters.get(cluster, (0, 0))
        clusters[cluster] = (known[0] + hits, known[1] + total)
    return Counter(clusters.values())
