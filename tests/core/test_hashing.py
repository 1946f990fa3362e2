"""BLAKE2b in bulk says what `hashlib` says."""

from __future__ import annotations

from hashlib import blake2b
from itertools import accumulate

import numpy as np
import pytest

from kifold.core.hashing import hash_rows, hash_slices

LENGTHS = [0, 1, 0, 5, 127, 128, 129, 255, 256, 257, 383, 384, 385, 1000, 4096, 0]


@pytest.mark.parametrize("size", [1, 4, 16, 33, 64])
def test_each_slice_has_the_hash_that_hashlib_computes(size: int) -> None:
    data = np.random.default_rng(size).integers(0, 256, sum(LENGTHS) + 7).astype(np.uint8)
    ends = np.array(list(accumulate(LENGTHS, initial=7)), np.int64)
    found = hash_slices(data, ends, size)
    assert found.shape == (len(LENGTHS), size)
    for i, row in enumerate(found):
        assert row.tobytes() == blake2b(data[ends[i] : ends[i + 1]].tobytes(), digest_size=size).digest(), LENGTHS[i]


@pytest.mark.parametrize("width", [1, 127, 128, 129, 349, 692])
def test_each_row_has_the_hash_that_hashlib_computes(width: int) -> None:
    rows = np.random.default_rng(width).integers(0, 256, (5, width)).astype(np.uint8)
    assert [row.tobytes() for row in hash_rows(rows, 4)] == [
        blake2b(row.tobytes(), digest_size=4).digest() for row in rows
    ]


def test_nothing_has_no_hash() -> None:
    assert hash_slices(np.zeros(3, np.uint8), np.zeros(1, np.int64), 16).shape == (0, 16)
    assert hash_rows(np.zeros((0, 349), np.uint8), 4).shape == (0, 4)
