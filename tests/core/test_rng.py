"""Philox 4×32-10 against its published vectors, and the stream of draws, plain and compiled."""

from __future__ import annotations

import numpy as np
import pytest

from kifold.core.compiled import Binder
from kifold.core.records import dtype_of, to_numpy
from kifold.core.rng import Random, below, next_block, next_word, seed_random


def stream(seed: int = 1, match: int = 2, number: int = 0) -> Random:
    random = Random()
    seed_random(random, seed, match, number)
    return random


def words(random: Random, count: int) -> list[int]:
    return [next_word(random) for _ in range(count)]


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_known_answers(counter: str, key: str, expected: str) -> None:
    """The vectors of the Random123 distribution (kat_vectors, philox4x32 10)."""
    c0, c1, c2, c3 = (int(word, 16) for word in counter.split())
    random = Random()
    random.key_0, random.key_1 = (int(word, 16) for word in key.split())
    random.drawn, random.stream, random.match = c0 << 2, c1, c3 << 32 | c2
    next_block(random)
    assert [random.word_0, random.word_1, random.word_2, random.word_3] == [int(w, 16) for w in expected.split()]


def test_the_first_draws_are_the_words_of_the_first_block() -> None:
    random = stream(0, 0, 0)
    assert words(random, 4) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert next_word(random) not in (0x6627E8D5, 0)
    assert random.drawn == 5


def test_a_draw_depends_on_seed_match_stream_and_number_only() -> None:
    assert words(stream(), 9) == words(stream(), 9)
    settings = [(1, 2, 0), (1, 2, 1), (1, 3, 0), (2, 2, 0), (1 << 40 | 1, 2, 0), (1, 1 << 40 | 2, 0), (2, 1, 0)]
    assert len({tuple(words(stream(*setting), 4)) for setting in settings}) == len(settings)
    used = stream(9, 9, 9)
    words(used, 7)
    seed_random(used, 1, 2, 0)
    assert words(used, 9) == words(stream(), 9)


def test_below_is_even() -> None:
    random = stream(5)
    counts = np.bincount([below(random, 6) for _ in range(6000)])
    assert counts.size == 6
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5  # 0.1 % of even dice give more
    assert {below(random, 1) for _ in range(10)} == {0}
    assert all(0 <= below(random, 1 << 30) < 1 << 30 for _ in range(100))


@pytest.mark.parametrize(("seed", "match"), [(0, 0), (1 << 62, 12345), ((1 << 62) - 1, 1 << 61)])
def test_compiled_draws_are_the_same(seed: int, match: int, compiled_draws: tuple) -> None:
    draw, roll = compiled_draws
    plain, row = stream(seed, match, 1), np.zeros(1, dtype_of(Random))
    to_numpy(plain, row[0])
    assert [draw(row[0]) for _ in range(50)] == words(plain, 50)
    assert [roll(row[0], 1000) for _ in range(50)] == [below(plain, 1000) for _ in range(50)]
    assert row[0]["drawn"] == plain.drawn == 100


@pytest.fixture(scope="module")
def compiled_draws() -> tuple:
    binder = Binder("tests", [next_word, below], {}, {}, boundscheck=True)
    return binder.compiled(next_word), binder.compiled(below)
