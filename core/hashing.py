"""BLAKE2b of many byte strings at once, compiled: what `hashlib.blake2b` says of them one by one (RFC 7693).

A call of hashlib costs more than hashing the few blocks of a match or of a state; and it holds up other threads. Eight
strings are hashed side by side, each in a lane of its own: where a word of one would go there goes a vector of eight.
"""

from __future__ import annotations

from typing import Any

import numba.extending
import numpy as np

from kifold.core.kernels import kernels
from kifold.core.once import once

# Numba has no types that a strict check can live with.
intrinsic: Any = vars(numba.extending)["intrinsic"]

BLOCK, LANES = 128, 8
CHAINED, WORDS, COUNT, LAST, ROWS = 0, 8, 24, 25, 26
"""Where in the vectors lie the eight words that go from block to block, the sixteen of a block, how many bytes are
hashed with it, all ones if it is the last, and how many that makes.
"""
ALL, NONE = np.uint64((1 << 64) - 1), np.uint64(0)
_START = np.array([
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
], np.uint64)  # fmt: skip
_ORDER = [
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
]  # fmt: skip
"""Which word of a block goes where in each of the twelve rounds."""
_MIXED = [
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
]  # fmt: skip
"""Which words of the state are mixed in a round: first its columns, then its diagonals."""


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
    block = np.empty(BLOCK, np.uint8)
    part, at = np.empty((2, LANES), np.int64)
    _hasher()(data, ends, out, block, block.view(np.uint64), part, at, np.empty((ROWS, LANES), np.uint64))
    return out


def hash_rows(rows: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    """The hash of each row of a table of bytes: uint8 of shape (rows, size)."""
    count, width = rows.shape
    return hash_slices(rows.reshape(-1), np.arange(count + 1, dtype=np.int64) * width, size)


@once
def _hasher() -> Any:
    return kernels(_hash_all)["_hash_all"]


# Room is made outside, and bytes are copied one by one: Numba takes three seconds to compile an assignment of slices,
# most of them for the text of its error message.
def _hash_all(data: Any, ends: Any, out: Any, block: Any, words: Any, part: Any, at: Any, vectors: Any) -> None:
    """Hash the parts in lanes. `part` says which is in each (−1: none), and `at` how far it was read; `words` is the
    memory of `block`.
    """
    size = out.shape[1]
    begun = done = 0
    for lane in range(LANES):
        part[lane] = -1
    while done < len(out):
        for lane in range(LANES):
            if part[lane] < 0:
                if begun == len(out):
                    continue
                part[lane] = begun
                at[lane] = ends[begun]
                begun += 1
                for k in range(8):
                    vectors[CHAINED + k, lane] = _START[k]
                vectors[CHAINED, lane] ^= np.uint64(0x01010000 ^ size)
            begin, end = at[lane], ends[part[lane] + 1]
            rest = min(end - begin, BLOCK)
            for b in range(rest):
                block[b] = data[begin + b]
            for b in range(rest, BLOCK):
                block[b] = 0
            for k in range(16):
                vectors[WORDS + k, lane] = words[k]
            at[lane] = begin + rest
            vectors[COUNT, lane] = np.uint64(at[lane] - ends[part[lane]])
            vectors[LAST, lane] = ALL if at[lane] == end else NONE
        _compress(vectors)
        for lane in range(LANES):
            if part[lane] >= 0 and vectors[LAST, lane] == ALL:
                for k in range(8):
                    words[k] = vectors[CHAINED + k, lane]
                for b in range(size):
                    out[part[lane], b] = block[b]
                part[lane] = -1
                done += 1


# In a loop over lanes Numba's compiler does not see that words lie apart, and takes one lane after the other.
@intrinsic  # type: ignore[untyped-decorator]  # of Numba, see above
def _compress(_context: Any, vectors: Any) -> Any:
    """One block in each lane: `vectors` is a uint64 array of ROWS × LANES, whose first eight rows are changed."""
    from llvmlite import ir
    from numba.core import types

    vector = ir.VectorType(ir.IntType(64), LANES)

    def constant(word: int) -> Any:
        return ir.Constant(vector, [word] * LANES)

    def code(context: Any, build: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, build, arguments[0])
        first = build.bitcast(array.data, vector.as_pointer())

        def row(k: int) -> Any:
            return build.gep(first, [ir.Constant(ir.IntType(32), k)])

        def load(k: int) -> Any:
            found = build.load(row(k))
            found.align = 8
            return found

        def turned(word: Any, by: int) -> Any:
            return build.or_(build.lshr(word, constant(by)), build.shl(word, constant(64 - by)))

        def mix(a: int, b: int, c: int, d: int, x: int, y: int) -> None:
            for word, by_d, by_b in ((x, 32, 24), (y, 16, 63)):
                v[a] = build.add(build.add(v[a], v[b]), load(WORDS + word))
                v[d] = turned(build.xor(v[d], v[a]), by_d)
                v[c] = build.add(v[c], v[d])
                v[b] = turned(build.xor(v[b], v[c]), by_b)

        before = [load(CHAINED + k) for k in range(8)]
        v = before + [constant(int(word)) for word in _START]
        v[12] = build.xor(v[12], load(COUNT))
        v[14] = build.xor(v[14], load(LAST))
        for order in _ORDER:
            for at, mixed in enumerate(_MIXED):
                mix(*mixed, *order[2 * at : 2 * at + 2])
        for k in range(8):
            build.store(build.xor(before[k], build.xor(v[k], v[k + 8])), row(CHAINED + k)).align = 8
        return context.get_dummy_value()

    return types.void(vectors), code
