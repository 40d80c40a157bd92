"""How certain a share is, where what was counted is not independent."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import NamedTuple


class Interval(NamedTuple):
    """A share with its interval, each from 0 to 1."""

    share: float
    low: float
    high: float
    design_effect: float
    """The variance by that of as many independent units; NaN where none or all have it."""
    units: int
    clusters: int


def clustered_interval(
    counts: Iterable[tuple[Hashable, int, int]], *, level: float = 0.95, replicates: int = 2000, seed: int = 0
) -> Interval:
    """Returns a share and its interval by a bootstrap of whole clusters, such as registered domains.

    Each row of `counts` has a cluster, how many of its units have something, and how many units it has; rows of one cluster
    are added. In each replicate a cluster counts as often as a Poisson number with mean 1. Do not use it for fewer than 30
    clusters. docs/sampling.md says what no interval shows.

    >>> rows = tables.duckdb().sql("SELECT url_host_registered_domain, closed, hosts FROM ...").fetchall()
    >>> crawlprefs.clustered_interval(rows)

    Raises ValueError where no unit is counted, or a cluster has more of them than units.
    """
    if not 0 < level < 1 or replicates < 2:
        raise ValueError(f"found level {level} and {replicates} replicates, expected 0 < level < 1 and two or more")
    return interval_of(_kinds(counts), level=level, replicates=replicates, seed=seed)


def interval_of(kinds: Counter[tuple[int, int]], *, level: float, replicates: int, seed: int) -> Interval:
    """Returns the interval of clusters, by how many of them have the same counts."""
    units = sum(clusters * total for (_, total), clusters in kinds.items())
    if units == 0:
        raise ValueError("found no unit, expected one or more")
    share = sum(clusters * hits for (hits, _), clusters in kinds.items()) / units
    draw = random.Random(seed)
    shares = sorted(drawn for _ in range(replicates) if (drawn := _replicate(kinds, draw)) is not None)
    if len(shares) < 2:
        raise ValueError("found too few units in the replicates, expected more clusters")
    outside = int(len(shares) * (1 - level) / 2)
    independent = share * (1 - share) / units
    mean = sum(shares) / len(shares)
    variance = sum((each - mean) ** 2 for each in shares) / (len(shares) - 1)
    return Interval(
        share=share,
        low=shares[outside],
        high=shares[-1 - outside],
        design_effect=variance / independent if independent else math.nan,
        units=units,
        clusters=sum(kinds.values()),
    )


def _kinds(counts: Iterable[tuple[Hashable, int, int]]) -> Counter[tuple[int, int]]:
    """Returns how many clusters have the same counts: they need one draw together."""
    clusters: dict[Hashable, tuple[int, int]] = {}
    for cluster, hits, total in counts:
        if not 0 <= hits <= total:
            raise ValueError(f"found {hits} of {total} units in {cluster!r}, expected no more than all")
        known = clusters.get(cluster, (0, 0))
        clusters[cluster] = (known[0] + hits, known[1] + total)
    # In one order, so that a seed draws the same whatever the order of the rows.
    return Counter(dict(sorted(Counter(clusters.values()).items())))


def _replicate(kinds: Counter[tuple[int, int]], draw: random.Random) -> float | None:
    hits = units = 0
    for (with_it, total), clusters in kinds.items():
        times = _poisson(clusters, draw)
        hits += times * with_it
        units += times * total
    return hits / units if units else None


def _poisson(mean: int, draw: random.Random) -> int:
    """Returns a Poisson number: by Knuth's products, and for a large mean by the normal distribution."""
    if mean > 200:
        return max(0, round(draw.gauss(mean, math.sqrt(mean))))
    number, product, limit = -1, 1.0, math.exp(-mean)
    while product > limit:
        number += 1
        product *= draw.random()
    return number
