"""The canonical bytes of many events at once, from flat records: what `kifold.core.codec.encode` writes one by one.

The layout of each event type is a row of numbers, so one compiled loop serves all rulesets. Format: MessagePack,
integers in their shortest form (https://github.com/msgpack/msgpack/blob/master/spec.md).
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import numba
import numpy as np

from kifold.core.compiled import cache_folder, user_cache
from kifold.core.events import tag_of
from kifold.core.evolution import newer_defaults
from kifold.core.fields import fields_of
from kifold.core.ruleset import Ruleset

NUMBER, TRUTH, LIST = range(3)
_HEAD, _ENTRY = 2, 4
_LONGEST = {"i1": 2, "i2": 3, "i4": 5, "i8": 9}


def encode_corpus(ruleset: Ruleset, events: np.ndarray[Any, Any], starts: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Encode the events of matches.

    Args:
        events: flat records; `starts`: match m has events[starts[m]:starts[m + 1]].

    Returns:
        bytes as a uint8 array, and where in it each match begins (int64, matches + 1).
    """
    layout, columns, longest = _layout(ruleset)
    matrix = np.empty((len(events), len(columns)), np.int64)
    for at, (name, part) in enumerate(columns):
        matrix[:, at] = events[name] if part is None else events[name][:, part]
    out = np.empty(len(events) * longest, np.uint8)
    ends = np.zeros(len(starts), np.int64)
    used = _encoder()(matrix, layout, starts, out, ends)
    return out[:used], ends


@cache
def _layout(ruleset: Ruleset) -> tuple[Any, list[tuple[str, int | None]], int]:
    """Per tag a row: the number of fields, and of those that are always written; then for each its kind, its column,
    the column of its count, and its default (of a list that is newer than the first version: no element).
    """
    columns: list[tuple[str, int | None]] = [("tag", None)]
    place: dict[str, int] = {}
    for slot in ruleset.event_record.slots:
        if slot.name != "tag":
            place[slot.name] = len(columns)
            columns += [(slot.name, part) for part in range(slot.length)] if slot.length else [(slot.name, None)]
    most = max(len(fields_of(event)) for event in ruleset.events)
    layout = np.zeros((128, _HEAD + _ENTRY * most), np.int64)
    for event in ruleset.events:
        row = layout[tag_of(event)]
        row[0] = len(fields_of(event))
        row[1] = row[0] - len(newer_defaults(event))
        for i, field in enumerate(fields_of(event)):
            kind = {"int": NUMBER, "bool": TRUTH, "ints": LIST}[field.kind]
            count = place[f"n_{field.name}"] if kind == LIST else 0
            default = int(field.default) if field.since > 1 and kind != LIST else 0
            at = _HEAD + _ENTRY * i
            row[at : at + _ENTRY] = kind, place[field.name], count, default
    longest = 3 + sum(3 + max(slot.length, 1) * _LONGEST[slot.code] for slot in ruleset.event_record.slots)
    return layout, columns, longest


@cache
def _encoder() -> Any:
    with cache_folder(user_cache() / "compiled" / f"wire-{numba.__version__}"):
        number, length = (numba.njit(cache=True, nogil=True)(f) for f in (_put_number, _put_length))
        scope = _encode.__globals__ | {"_put_number": number, "_put_length": length}
        bound = FunctionType(_encode.__code__, scope, _encode.__name__)
        bound.__module__, bound.__qualname__ = _encode.__module__, _encode.__qualname__
        return numba.njit(cache=True, nogil=True)(bound)


def _encode(matrix: Any, layout: Any, starts: Any, out: Any, ends: Any) -> int:
    at = 0
    for m in range(len(starts) - 1):
        ends[m] = at
        for i in range(starts[m], starts[m + 1]):
            row = layout[matrix[i, 0]]
            fields = row[0]
            while fields > row[1]:
                last = _HEAD + _ENTRY * (fields - 1)
                if matrix[i, row[last + 2 if row[last] == LIST else last + 1]] != row[last + 3]:
                    break
                fields -= 1
            at = _put_length(out, at, fields + 1)
            at = _put_number(out, at, matrix[i, 0])
            for f in range(fields):
                entry = _HEAD + _ENTRY * f
                kind, column, count = row[entry], row[entry + 1], row[entry + 2]
                if kind == LIST:
                    at = _put_length(out, at, matrix[i, count])
                    for k in range(matrix[i, count]):
                        at = _put_number(out, at, matrix[i, column + k])
                elif kind == TRUTH:
                    out[at] = 0xC3 if matrix[i, column] else 0xC2
                    at += 1
                else:
                    at = _put_number(out, at, matrix[i, column])
    ends[len(starts) - 1] = at
    return at


def _put_length(out: Any, at: int, length: int) -> int:
    if length < 16:
        out[at] = 0x90 | length
        return at + 1
    out[at] = 0xDC
    out[at + 1] = length >> 8 & 255
    out[at + 2] = length & 255
    return at + 3


def _put_number(out: Any, at: int, n: int) -> int:
    if -32 <= n < 128:
        out[at] = n & 255
        return at + 1
    if n >= 0:
        size, head = 8, 0xCF
        if n < 1 << 8:
            size, head = 1, 0xCC
        elif n < 1 << 16:
            size, head = 2, 0xCD
        elif n < 1 << 32:
            size, head = 4, 0xCE
    else:
        size, head = 8, 0xD3
        if n >= -(1 << 7):
            size, head = 1, 0xD0
        elif n >= -(1 << 15):
            size, head = 2, 0xD1
        elif n >= -(1 << 31):
            size, head = 4, 0xD2
    out[at] = head
    for byte in range(size):
        out[at + 1 + byte] = n >> 8 * (size - 1 - byte) & 255
    return at + 1 + size
