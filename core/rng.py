"""Philox 4×32-10, the counter-based generator of simulations (Salmon et al., "Parallel random numbers: as easy as
1, 2, 3", 2011).

A draw is a pure function of (seed, match, number of the draw): any worker can play any match of a simulation and gets
what every other would. The arithmetic stays right when 64-bit products wrap, so that the compiled rules and plain
Python draw the same numbers.
"""

from __future__ import annotations

from kifold.core.records import I64, Record

MASK = 0xFFFFFFFF
MULTIPLIER_0 = 0xD2511F53
MULTIPLIER_1 = 0xCD9E8D57
WEYL_0 = 0x9E3779B9
WEYL_1 = 0xBB67AE85
SEED_LIMIT = 1 << 62


class Random(Record):
    """The place in one stream: the seed in two words, the match, the stream, the draws so far, a block of words."""

    key_0: I64
    key_1: I64
    match: I64
    stream: I64
    drawn: I64
    word_0: I64
    word_1: I64
    word_2: I64
    word_3: I64


def check_seed(seed: int) -> None:
    """Refuse a seed that is out of range: some of its bits would make no difference.

    Raises:
        ValueError: when it is.
    """
    if not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"a seed is a number from 0 to {SEED_LIMIT - 1}, not {seed}")


def seed_random(random: Random, seed: int, match: int, stream: int) -> None:
    """Go to the start of the stream of one match. `seed` and `match` are in 0 … 2^62."""
    random.key_0 = seed & MASK
    random.key_1 = (seed >> 32) & MASK
    random.match = match
    random.stream = stream
    random.drawn = 0


def next_block(random: Random) -> None:
    """Ten rounds of Philox over the counter (block, stream, match low, match high)."""
    c0, c1 = (random.drawn >> 2) & MASK, random.stream & MASK
    c2, c3 = random.match & MASK, (random.match >> 32) & MASK
    k0, k1 = random.key_0, random.key_1
    for _ in range(10):
        p0 = MULTIPLIER_0 * c0
        p1 = MULTIPLIER_1 * c2
        c0 = ((p1 >> 32) & MASK) ^ c1 ^ k0
        c2 = ((p0 >> 32) & MASK) ^ c3 ^ k1
        c1 = p1 & MASK
        c3 = p0 & MASK
        k0 = (k0 + WEYL_0) & MASK
        k1 = (k1 + WEYL_1) & MASK
    random.word_0, random.word_1, random.word_2, random.word_3 = c0, c1, c2, c3


def next_word(random: Random) -> int:
    """The next 32 random bits."""
    part = random.drawn & 3
    if part == 0:
        next_block(random)
    random.drawn += 1
    if part == 0:
        return random.word_0
    if part == 1:
        return random.word_1
    if part == 2:
        return random.word_2
    return random.word_3


def below(random: Random, n: int) -> int:
    """A number in 0 … n-1, for n up to 2^30; the bias is below n / 2^32."""
    return (next_word(random) * n) >> 32
