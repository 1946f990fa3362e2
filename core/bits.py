"""Sets of small numbers as the bits of an integer, for rules: which is the lowest, how many are there.

Words have at most 63 bits, so that they stay positive compiled as well.
"""

from __future__ import annotations

DE_BRUIJN = 0x03F79D71B4CB0A89
BIT_OF_PRODUCT = [0] * 64
for _bit in range(64):
    BIT_OF_PRODUCT[((1 << _bit) * DE_BRUIJN >> 58) & 63] = _bit


def lowest_bit(word: int) -> int:
    """The number of the lowest bit of a word that is not 0, by de Bruijn multiplication."""
    return BIT_OF_PRODUCT[((word & -word) * DE_BRUIJN >> 58) & 63]


def count_bits(word: int) -> int:
    """How many bits of a word are set."""
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count


def nth_bit(word: int, n: int) -> int:
    """The number of bit n of those that are set, the lowest being n = 0."""
    for _ in range(n):
        word &= word - 1
    return lowest_bit(word)
