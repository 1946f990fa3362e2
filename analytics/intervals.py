"""Rates with their uncertainty."""

from __future__ import annotations

from math import sqrt

Z = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def wilson(successes: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a rate (Wilson, "Probable inference", 1927); (0, 1) where nothing was seen.

    `successes` may be a sum of shares, such as a first place shared by two counting one half to each.
    """
    if n == 0:
        return 0.0, 1.0
    p = min(successes / n, 1.0)  # a sum of thirds may be a little too much
    middle = p + Z * Z / (2 * n)
    half = Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    # In theory the rate lies between; rounding would leave 0.9999… above ten of ten.
    return max(0.0, min(p, (middle - half) / scale)), min(1.0, max(p, (middle + half) / scale))
