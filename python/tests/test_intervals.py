"""Intervals of shares."""

from __future__ import annotations

import math

import pytest

import crawlprefs


def test_clusters_of_one_unit_give_the_interval_of_independent_units() -> None:
    found = crawlprefs.clustered_interval((number, number % 20 == 0, 1) for number in range(10_000))
    assert (found.share, found.units, found.clusters) == (0.05, 10_000, 10_000)
    margin = 1.96 * math.sqrt(0.05 * 0.95 / 10_000)
    assert found.low == pytest.approx(0.05 - margin, abs=margin / 8)
    assert found.high == pytest.approx(0.05 + margin, abs=margin / 8)
    assert found.design_effect == pytest.approx(1, abs=0.15)


def test_clusters_that_decide_together_have_their_size_as_design_effect() -> None:
    rows = [(host // 10, host // 10 % 4 == 0, 1) for host in range(4_000)]
    found = crawlprefs.clustered_interval(rows)
    assert (found.share, found.units, found.clusters) == (0.25, 4_000, 400)
    assert found.design_effect == pytest.approx(10, rel=0.15)


def test_the_order_of_rows_does_not_matter_and_the_seed_does() -> None:
    rows = [(f"{number}.example", number % 3 == 0, 1 + number % 2) for number in range(300)]
    assert crawlprefs.clustered_interval(rows) == crawlprefs.clustered_interval(reversed(rows))
    assert crawlprefs.clustered_interval(rows) != crawlprefs.clustered_interval(rows, seed=1)


def test_a_share_of_none_has_no_design_effect() -> None:
    found = crawlprefs.clustered_interval((number, 0, 1) for number in range(50))
    assert (found.share, found.low, found.high) == (0, 0, 0)
    assert math.isnan(found.design_effect)


@pytest.mark.parametrize("rows", [[], [("a", 0, 0)], [("a", 2, 1)], [("a", -1, 1)]])
def test_counts_that_cannot_be_are_refused(rows: list[tuple[str, int, int]]) -> None:
    with pytest.raises(ValueError, match="found"):
        crawlprefs.clustered_interval(rows)


def test_a_level_or_number_of_replicates_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        crawlprefs.clustered_interval([("a", 1, 2)], level=1)
    with pytest.raises(ValueError, match="replicates"):
        crawlprefs.clustered_interval([("a", 1, 2)], replicates=1)
