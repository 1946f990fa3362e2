"""The memory of Arrow columns as NumPy arrays, for compiled loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts: number i is data[ends[i]:ends[i + 1]], UTF-8."""

    data: np.ndarray[Any, Any]
    ends: np.ndarray[Any, Any]


def joined(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def numbers(array: pa.Array) -> np.ndarray[Any, Any]:
    """An array of integers or truth values; what null is, is any.

    Raises:
        ValueError: when its memory is shorter than it says.
    """
    if array.null_count == len(array):
        return np.zeros(len(array), np.int8)
    if pa.types.is_boolean(array.type):
        return truths(array).view(np.int8)
    width, memory = array.type.bit_width // 8, _memory(array.buffers()[1])
    count = array.offset + len(array)
    if len(memory) < count * width:
        raise ValueError(f"{count} values of {array.type} in {len(memory)} bytes")
    return memory[array.offset * width : count * width].view(f"<i{width}")


def validity_of(array: pa.Array) -> np.ndarray[Any, Any]:
    """One bit for each value, from `array.offset` on; empty when none is null."""
    part = array.buffers()[0]
    return _memory(part if array.null_count else None)


def truths(array: pa.Array) -> np.ndarray[Any, Any]:
    """The values of an array of truth values; those of null are any."""
    if not len(array):
        return np.zeros(0, bool)
    return _bits(_memory(array.buffers()[1]), array)


def is_there(array: pa.Array) -> np.ndarray[Any, Any]:
    """Which values of an array are not null."""
    return _bits(validity_of(array), array) if array.null_count else np.ones(len(array), bool)


def _bits(memory: np.ndarray[Any, Any], array: pa.Array) -> np.ndarray[Any, Any]:
    bits = np.unpackbits(memory, count=array.offset + len(array), bitorder="little")
    return bits[array.offset :].view(bool)


def offsets_of(array: pa.Array) -> np.ndarray[Any, Any]:
    """Where the parts of an array of lists, maps, texts or bytes begin, and the last one ends: int32."""
    part = array.buffers()[1]
    if part is None or not len(array):
        return _memory(bytes(4 * (len(array) + 1)), np.int32)
    return _memory(part, np.int32)[array.offset : array.offset + len(array) + 1]


def texts(array: pa.Array) -> Texts:
    """An array of texts or bytes; null is empty."""
    part = array.buffers()[2]
    return Texts(_memory(part), offsets_of(array))


def plain(array: pa.Array) -> pa.Array:
    """Texts as they are, whether they are read as numbers of a dictionary or not."""
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def coded(array: pa.Array) -> np.ndarray[Any, Any]:
    """Texts as numbers (int32) that are equal only where the texts are; those of null are any."""
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    return _memory(array.indices.buffers()[1], np.int32)[array.offset : array.offset + len(array)]


def _memory(part: Any, kind: Any = np.uint8) -> np.ndarray[Any, Any]:
    """Memory as numbers, never to be written: loops would be compiled once more for arrays that can be."""
    view = np.frombuffer(b"" if part is None else part, kind)
    view.flags.writeable = False
    return view
