"""Wilson's interval: published values, and what holds for every rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.analytics.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (81, 263, 0.2553, 0.3662),  # Newcombe, "Two-sided confidence intervals for the single proportion", 1998
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (0, 0, 0.0, 1.0),
    ],
)
def test_known_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=0.00006)


@given(st.data(), st.integers(1, 10**9))
def test_the_rate_lies_in_its_interval(data: st.DataObject, n: int) -> None:
    successes = data.draw(st.integers(0, n) | st.floats(0, n))
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert (low == 0) == (successes == 0) or low < 1e-9
    more_low, more_high = wilson(10 * successes, 10 * n)
    assert more_high - more_low <= high - low + 1e-12


@given(st.integers(0, 100), st.integers(1, 100))
def test_failures_are_the_mirror_of_successes(successes: int, more: int) -> None:
    n = successes + more
    low, high = wilson(successes, n)
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low))


def test_a_sum_of_shares_may_be_a_little_too_much() -> None:
    assert wilson(10 + 1e-9, 10) == pytest.approx(wilson(10, 10))
