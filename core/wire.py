"""The canonical bytes of many logs at once, from flat records: what `kifold.core.codec.encode` writes one by one.

The layout of each event type, and of the setup, is a row of numbers, so one compiled loop serves all rulesets. Format:
MessagePack, integers in their shortest form (https://github.com/msgpack/msgpack/blob/master/spec.md).
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import msgspec
import numpy as np

from kifold.core.beginnings import NO_BYTES, Beginnings
from kifold.core.events import tag_of
from kifold.core.evolution import newer_defaults
from kifold.core.fields import fields_of
from kifold.core.kernels import kernels
from kifold.core.once import once
from kifold.core.records import Record, dtype_of
from kifold.core.ruleset import Ruleset

NUMBER, TRUTH, LIST, BYTE = range(4)
"""Kinds of fields; `BYTE` is a number that lies in one byte."""
_HEAD, _ENTRY = 4, 6
_WORD = 8
_LONGEST = {"i1": 2, "i2": 3, "i4": 5, "i8": 9}


def encode_corpus(ruleset: Ruleset, events: np.ndarray[Any, Any], starts: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Encode the events of matches, without event 0.

    Args:
        events: flat records; `starts`: match m has events[starts[m]:starts[m + 1]].

    Returns:
        bytes as a uint8 array, and where in it each match begins (int64, matches + 1).
    """
    none = np.zeros(0, np.int64)
    nothing = Beginnings.of([], none, NO_BYTES, np.zeros(1, np.int64))
    return encode_logs(ruleset, nothing, np.zeros(0, dtype_of(ruleset.setup_record)), events, starts)


def encode_logs(
    ruleset: Ruleset,
    beginnings: Beginnings,
    setups: np.ndarray[Any, Any],
    events: np.ndarray[Any, Any],
    starts: np.ndarray[Any, Any],
) -> tuple[Any, Any]:
    """Encode whole logs, event 0 first.

    Args:
        setups: flat records, one for each match; `events`, `starts`: as in `encode_corpus`.

    Returns:
        bytes as a uint8 array, and where in it each match begins (int64, matches + 1).
    """
    layout, longest = _layout(ruleset)
    of_setup, longest_setup = _setup_layout(ruleset)
    out = np.empty(len(events) * longest + len(setups) * longest_setup + beginnings.size + _WORD, np.uint8)
    ends = np.zeros(len(starts), np.int64)
    one = beginnings
    data = bytes_of(events).reshape(-1)
    used = _encoder()(
        one.fronts, one.front_ends, one.backs, one.back_ends, one.which, one.tags, one.tag_begins, one.tag_ends,
        bytes_of(setups).reshape(-1), setups.dtype.itemsize, of_setup,
        data, data.view(np.int64), events.dtype.itemsize, _tag_at(ruleset), layout.reshape(-1), layout.shape[1],
        starts, out, ends,
    )  # fmt: skip
    return out[:used], ends


def bytes_of(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Records as rows of bytes."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), records.dtype.itemsize)


def _tag_at(ruleset: Ruleset) -> int:
    return int(dtype_of(ruleset.event_record).fields["tag"][1])  # type: ignore[index]  # it has fields


@cache
def _layout(ruleset: Ruleset) -> tuple[Any, int]:
    """Per tag a row, see `_row`; and the most bytes of an event."""
    most = max(len(fields_of(event)) for event in ruleset.events)
    layout = np.zeros((128, _HEAD + _ENTRY * most), np.int64)
    for event in ruleset.events:
        row = _row(event, ruleset.event_record)
        layout[tag_of(event), : len(row)] = row
    return layout, 3 + _longest(ruleset.event_record)


@cache
def _setup_layout(ruleset: Ruleset) -> tuple[Any, int]:
    """The row of the setup, and the most bytes of one."""
    return np.array(_row(ruleset.setup, ruleset.setup_record), np.int64), 3 + _longest(ruleset.setup_record)


def _row(struct: type[msgspec.Struct], record: type[Record]) -> list[int]:
    """The number of fields, of those that are always written; `_run`; then for each its kind, its place in the record
    and its bytes there, those of its count, and its default (of a newer list: no element).
    """
    places: Any = dtype_of(record).fields
    widths = {slot.name: slot.width for slot in record.slots}
    fields = fields_of(struct)
    row = []
    for field in fields:
        kind = {"int": NUMBER, "bool": TRUTH, "ints": LIST}[field.kind]
        count = f"n_{field.name}"
        default = int(field.default) if field.since > 1 and kind != LIST else 0
        if kind == NUMBER and widths[field.name] == 1:
            kind = BYTE
        row += [kind, places[field.name][1], widths[field.name]]
        row += [places[count][1], widths[count], default] if kind == LIST else [0, 1, default]
    always = len(fields) - len(newer_defaults(struct))
    is_small = "tag" in places and always == len(fields) and set(row[::_ENTRY]) <= {BYTE}
    run = _run([places["tag"][1], *row[1::_ENTRY]]) if is_small else (0, 0)
    return [len(fields), always, *run, *row]


def _run(places: list[int]) -> tuple[int, int]:
    """Of an event whose tag and fields lie in a record one after the other and in one word, the highest bits of their
    bytes in the word, and where in it the tag begins; else 0.
    """
    first = places[0] % _WORD
    if places != list(range(places[0], places[0] + len(places))) or first + len(places) > _WORD:
        return 0, 0
    mask = sum(0x80 << 8 * (first + at) for at in range(len(places)))
    return mask - (mask >> 63 << 64), 8 * first


def _longest(record: type[Record]) -> int:
    return sum(3 + max(slot.length, 1) * _LONGEST[slot.code] for slot in record.slots)


@once
def _encoder() -> Any:
    assert sys.byteorder == "little", "flat records are little-endian"
    parts = (read_number, _put_byte, _put_number, _put_length, _put_run, _put_fields, _put_bytes)
    return kernels(*parts, _encode)["_encode"]


def _encode(
    fronts: Any,
    front_ends: Any,
    backs: Any,
    back_ends: Any,
    which: Any,
    tags: Any,
    tag_begins: Any,
    tag_ends: Any,
    setups: Any,
    setup_size: int,
    of_setup: Any,
    events: Any,
    words: Any,
    event_size: int,
    tag_at: int,
    layout: Any,
    row_size: int,
    starts: Any,
    out: Any,
    ends: Any,
) -> int:
    at = 0
    for m in range(len(starts) - 1):
        ends[m] = at
        if len(which):
            w = which[m]
            at = _put_bytes(out, at, fronts, front_ends[w], front_ends[w + 1])
            at = _put_bytes(out, at, tags, tag_begins[m], tag_ends[m])
            at = _put_fields(out, at, setups, m * setup_size, of_setup, 0, -1)
            at = _put_bytes(out, at, backs, back_ends[w], back_ends[w + 1])
        for i in range(starts[m], starts[m + 1]):
            begin = i * event_size
            tag: Any = np.int64(events[begin + tag_at])
            row = tag * row_size
            word, mask = words[begin + tag_at >> 3], layout[row + 2]
            if mask != 0 and word & mask == 0:
                at = _put_run(out, at, word >> layout[row + 3], layout[row])
            else:
                at = _put_fields(out, at, events, begin, layout, row, tag)
    ends[len(starts) - 1] = at
    return at


def _put_bytes(out: Any, at: int, data: Any, begin: int, end: int) -> int:
    for i in range(begin, end):
        out[at + i - begin] = data[i]
    return at + end - begin


def _put_run(out: Any, at: int, word: int, fields: int) -> int:
    """Write an event that is the lowest bytes of a word, all below 128: most are. What is written beyond its end is
    written over by what follows.
    """
    out[at] = 0x91 + fields
    for b in range(_WORD):
        out[at + 1 + b] = word >> 8 * b & 255
    return at + 2 + fields


def _put_fields(out: Any, at: int, data: Any, begin: int, layout: Any, row: int, tag: int) -> int:
    """Write the record that begins in `data` at `begin`, laid out as the row of `layout` that begins at `row` says.

    With tag −1 it is a setup, written without one. A last field that is newer and has its default is left out.
    """
    fields = layout[row]
    while fields > layout[row + 1]:
        e = row + _HEAD + _ENTRY * (fields - 1)
        f = e + 3 if layout[e] == LIST else e + 1
        if read_number(data, begin + layout[f], layout[f + 1]) != layout[e + 5]:
            break
        fields -= 1
    if tag >= 0:
        at = _put_length(out, at, fields + 1)
        at = _put_number(out, at, tag)
    else:
        at = _put_length(out, at, fields)
    for f in range(fields):
        e = row + _HEAD + _ENTRY * f
        kind, place, width = layout[e], begin + layout[e + 1], layout[e + 2]
        if kind == BYTE:
            at = _put_byte(out, at, data[place])
        elif kind == LIST:
            count = read_number(data, begin + layout[e + 3], layout[e + 4])
            at = _put_length(out, at, count)
            end = place + count * width
            if width == 1:
                for k in range(place, end):
                    at = _put_byte(out, at, data[k])
            elif width == 2:
                for k in range(place, end, 2):
                    n: Any = np.int64(data[k]) | np.int64(np.int8(data[k + 1])) << 8
                    at = _put_number(out, at, n)
            else:
                for k in range(place, end, width):
                    at = _put_number(out, at, read_number(data, k, width))
        elif kind == TRUTH:
            out[at] = 0xC3 if data[place] else 0xC2
            at += 1
        else:
            at = _put_number(out, at, read_number(data, place, width))
    return at


def read_number(data: Any, at: int, width: int) -> Any:
    """The signed little-endian number of `width` bytes at a place of an array of bytes."""
    top = np.int64(data[at + width - 1])
    n = top - 256 if top > 127 else top
    for k in range(width - 2, -1, -1):
        n = n << 8 | np.int64(data[at + k])
    return n


def _put_byte(out: Any, at: int, byte: int) -> int:
    """Write the number of one byte; from −32 to 127 that is its shortest form itself."""
    if 128 <= byte < 224:
        out[at] = 0xD0
        at += 1
    out[at] = byte
    return at + 1


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
