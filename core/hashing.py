"""BLAKE2b of many byte strings at once, compiled: what `hashlib.blake2b` says of them one by one (RFC 7693).

A call of hashlib costs more than hashing the few blocks of a match or of a state; and it holds up other threads.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kifold.core.kernels import kernels

BLOCK = 128
ALL, NONE = np.uint64((1 << 64) - 1), np.uint64(0)
_START = np.array([
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
], np.uint64)  # fmt: skip
_ORDER = np.array([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
], np.uint8)  # fmt: skip
"""Which word of a block goes where in each of the twelve rounds."""


def hash_slices(data: np.ndarray[Any, Any], ends: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    """The hash of each part of an array of bytes.

    Args:
        data: uint8, contiguous.
        ends: int64; part i is data[ends[i]:ends[i + 1]].
        size: bytes of a hash, 1 … 64.

    Returns:
        uint8 of shape (parts, size).
    """
    out = np.empty((len(ends) - 1, size), np.uint8)
    block, chained = np.empty(BLOCK, np.uint8), np.empty(8, np.uint64)
    _hasher()(data, ends, out, block, block.view(np.uint64), chained, chained.view(np.uint8))
    return out


def hash_rows(rows: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    """The hash of each row of a table of bytes: uint8 of shape (rows, size)."""
    count, width = rows.shape
    return hash_slices(rows.reshape(-1), np.arange(count + 1, dtype=np.int64) * width, size)


@cache
def _hasher() -> Any:
    return kernels(_turned, _mix, _compress, _hash_all)["_hash_all"]


# Room is made outside, and bytes are copied one by one: Numba takes three seconds to compile an assignment of slices,
# most of them for the text of its error message.
def _hash_all(data: Any, ends: Any, out: Any, block: Any, words: Any, chained: Any, digest: Any) -> None:
    size = out.shape[1]
    for i in range(len(out)):
        begin, end = ends[i], ends[i + 1]
        at = begin
        for k in range(8):
            chained[k] = _START[k]
        chained[0] ^= np.uint64(0x01010000 ^ size)
        last = NONE
        while last == NONE:
            rest = min(end - at, BLOCK)
            for b in range(rest):
                block[b] = data[at + b]
            for b in range(rest, BLOCK):
                block[b] = 0
            at += rest
            last = ALL if at == end else NONE
            _compress(chained, words, np.uint64(at - begin), last)
        for b in range(size):
            out[i, b] = digest[b]


def _compress(chained: Any, words: Any, count: Any, last: Any) -> None:
    """One block: `count` bytes are hashed with it; `last` is all ones in the last block, else 0."""
    a0, a1, a2, a3 = chained[0], chained[1], chained[2], chained[3]
    b0, b1, b2, b3 = chained[4], chained[5], chained[6], chained[7]
    c0, c1, c2, c3 = _START[0], _START[1], _START[2], _START[3]
    d0, d1, d2, d3 = _START[4] ^ count, _START[5], _START[6] ^ last, _START[7]
    for at in range(12):
        s = _ORDER[at]
        a0, b0, c0, d0 = _mix(a0, b0, c0, d0, words[s[0]], words[s[1]])
        a1, b1, c1, d1 = _mix(a1, b1, c1, d1, words[s[2]], words[s[3]])
        a2, b2, c2, d2 = _mix(a2, b2, c2, d2, words[s[4]], words[s[5]])
        a3, b3, c3, d3 = _mix(a3, b3, c3, d3, words[s[6]], words[s[7]])
        a0, b1, c2, d3 = _mix(a0, b1, c2, d3, words[s[8]], words[s[9]])
        a1, b2, c3, d0 = _mix(a1, b2, c3, d0, words[s[10]], words[s[11]])
        a2, b3, c0, d1 = _mix(a2, b3, c0, d1, words[s[12]], words[s[13]])
        a3, b0, c1, d2 = _mix(a3, b0, c1, d2, words[s[14]], words[s[15]])
    chained[0] ^= a0 ^ c0
    chained[1] ^= a1 ^ c1
    chained[2] ^= a2 ^ c2
    chained[3] ^= a3 ^ c3
    chained[4] ^= b0 ^ d0
    chained[5] ^= b1 ^ d1
    chained[6] ^= b2 ^ d2
    chained[7] ^= b3 ^ d3


def _mix(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """The function G of the standard."""
    a = a + b + x
    d = _turned(d ^ a, np.uint64(32))
    c = c + d
    b = _turned(b ^ c, np.uint64(24))
    a = a + b + y
    d = _turned(d ^ a, np.uint64(16))
    c = c + d
    b = _turned(b ^ c, np.uint64(63))
    return a, b, c, d


def _turned(word: Any, by: Any) -> Any:
    """A word turned to the right."""
    return (word >> by) | (word << (np.uint64(64) - by))
