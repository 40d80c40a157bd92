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


def test_the_order_of_rows_does_not_matter() -> None:
    rows = [(f"{number}.example", number % 3 == 0, 1 + number % 2) for number in range(300)]
    assert crawlprefs.clustered_interval(rows) == crawlprefs.clustered_interval(reversed(rows))


def test_a_share_of_none_has_an_upper_bound_and_of_all_a_lower_one() -> None:
    none = crawlprefs.clustered_interval((number, 0, 1) for number in range(500))
    assert (none.share, none.low, none.design_effect) == (0, 0, 1) and 0.006 < none.high < 0.009
    every = crawlprefs.clustered_interval((number, 1, 1) for number in range(500))
    assert (every.share, every.high) == (1, 1) and every.low == pytest.approx(1 - none.high)
    together = crawlprefs.clustered_interval((number // 10, 0, 1) for number in range(500))
    assert together.design_effect == 10 and together.high > 8 * none.high


def test_few_clusters_that_have_it_are_taken_to_decide_together() -> None:
    rows = [(number // 5, number < 5, 1) for number in range(500)]
    found = crawlprefs.clustered_interval(rows)
    assert found.design_effect >= 5 and found.low < 0.001 and found.high > 0.05


def test_a_difference_over_the_same_units_is_shorter_than_two_intervals_and_none_is_not_certain() -> None:
    rows = [(number, number < 30, number == 30, 1) for number in range(1_000)]
    changed = crawlprefs.clustered_difference(rows)
    assert changed.difference == pytest.approx(0.029) and 0.017 < changed.low < 0.02 and 0.04 < changed.high < 0.043
    # 40 % before and 42.9 % after: these intervals overlap, and there is a change.
    before = crawlprefs.clustered_interval((number, number < 400, 1) for number in range(1_000))
    after = crawlprefs.clustered_interval((number, number < 429, 1) for number in range(1_000))
    assert before.high > after.low and changed.low > 0
    same = crawlprefs.clustered_difference((number, 0, 0, 1) for number in range(500))
    assert same.difference == 0 and same.low == -same.high and 0.006 < same.high < 0.02


@pytest.mark.parametrize("rows", [[], [("a", 0, 0)], [("a", 2, 1)], [("a", -1, 1)]])
def test_counts_that_cannot_be_are_refused(rows: list[tuple[str, int, int]]) -> None:
    with pytest.raises(ValueError, match="found"):
        crawlprefs.clustered_interval(rows)


def test_a_level_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        crawlprefs.clustered_interval([("a", 1, 2)], level=1)
