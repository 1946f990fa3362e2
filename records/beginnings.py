"""Event 0 of many matches from the columns of `matches`: what is equal from row to row is worked out once."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from kifold.core.beginnings import Beginnings
from kifold.core.codec import around
from kifold.core.corpus import array_of
from kifold.core.flat import flatten_setup
from kifold.core.kernels import kernels
from kifold.core.once import once
from kifold.core.options import RulesetError
from kifold.core.records import Record
from kifold.core.ruleset import Ruleset
from kifold.records.buffers import coded, is_there, joined, offsets_of, plain, texts
from kifold.records.tables import row_started
from kifold.records.unpacking import unpack_setups

NUMBERS = ("revision", "schema", "seats")
SETTINGS = ("variant", *NUMBERS, "options")
"""The columns that event 0 is made of beside tags and setup. They are mostly equal in all matches of a row group."""

Settings = tuple[Record, tuple[bytes, bytes]] | None
"""What is worked out once: the setup record without the fields of the setup, and the bytes around tags and setup."""


def read_beginnings(
    ruleset: Ruleset, matches: pa.Table
) -> tuple[np.ndarray[Any, Any], Beginnings, np.ndarray[Any, Any]]:
    """The setup records and event 0 of each match as bytes; and whether the row can be one. Else the rest of it means
    nothing.
    """
    found, which = _settings(ruleset, matches)
    tags, tag_ends, can_be = _tags(joined(matches["tags"]))
    can_be &= np.array([one is not None for one in found], bool)[which]
    unpacked = unpack_setups(ruleset, joined(matches["setup"]))
    setups = unpacked.records
    chosen = array_of(ruleset.setup_record, [ruleset.setup_record() if one is None else one[0] for one in found])
    for name in ("variant", "seats", *(option.name for option in ruleset.options)):
        setups[name] = chosen[name][which]
    parts = [(b"", b"") if one is None else one[1] for one in found]
    return setups, Beginnings.of(parts, which, tags, tag_ends), can_be & unpacked.good


def _settings(ruleset: Ruleset, matches: pa.Table) -> tuple[list[Settings], np.ndarray[Any, Any]]:
    """The settings that occur, and per match which it has."""
    firsts = np.flatnonzero(~_as_before(matches))
    numbers: dict[str, int] = {}
    found: list[Settings] = []
    of_runs = []
    for row in matches.select(SETTINGS).take(pa.array(firsts)).to_pylist():
        key = repr(row)
        if key not in numbers:
            numbers[key] = len(found)
            found.append(_one(ruleset, row))
        of_runs.append(numbers[key])
    lengths = np.diff(np.append(firsts, len(matches)))
    return found, np.repeat(np.array(of_runs, np.int64), lengths)


def _one(ruleset: Ruleset, row: dict[str, Any]) -> Settings:
    try:
        started = row_started(ruleset, row | {"tags": {}, "setup": msgspec.structs.asdict(ruleset.setup())})
        if started.seats not in ruleset.variant(started.variant).seats:
            raise RulesetError(f"{started.seats} seats")
        return flatten_setup(ruleset, started), around(started)
    except (ValueError, LookupError, TypeError, AttributeError, msgspec.MsgspecError):
        return None


def _as_before(matches: pa.Table) -> np.ndarray[Any, Any]:
    """Per match, whether all settings are those of the match before it."""
    same = np.ones(len(matches), bool)
    same[:1] = False
    for name in SETTINGS:
        if matches[name].null_count:
            there = is_there(joined(matches[name]))
            same &= there
            same[1:] &= there[:-1]
    numbers = [np.asarray(matches[name].fill_null(0)) for name in NUMBERS]
    for values in (*numbers, coded(joined(matches["variant"]))):
        same[1:] &= values[1:] == values[:-1]
    options = joined(matches["options"])
    for part in (options.keys, options.items):
        kernels_of_beginnings()["_compare"](offsets_of(options), coded(part), same)
    if options.items.null_count:
        same[:] = False
    return same


def _tags(column: pa.Array) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The canonical bytes of the tags, where those of each match begin and the last end, and which can be read."""
    keys, items = texts(plain(column.keys)), texts(plain(column.items))
    ends = offsets_of(column)
    room = 5 * len(column) + sum(len(of.data) + 5 * (len(of.ends) - 1) for of in (keys, items))
    out, out_ends = np.zeros(room, np.uint8), np.zeros(len(column) + 1, np.int64)
    can_be = np.ones(len(column), bool)
    if column.null_count or column.items.null_count:
        can_be &= np.array([tags is not None and all(v is not None for _, v in tags) for tags in column.to_pylist()])
    kernels_of_beginnings()["_unset_doubles"](ends, keys.data, keys.ends, can_be)
    kernels_of_beginnings()["_put_maps"](ends, keys.data, keys.ends, items.data, items.ends, out, out_ends)
    return out, out_ends, can_be


@once
def kernels_of_beginnings() -> dict[str, Any]:
    """What is done here match by match, compiled."""
    return kernels(_put_head, _put_text, _put_maps, _compare, _unset_doubles)


def _compare(ends: Any, numbers: Any, same: Any) -> None:
    """Unset where the numbers of a row are not those of the row before it."""
    for i in range(1, len(ends) - 1):
        before, first = ends[i - 1], ends[i]
        length = ends[i + 1] - first
        if length != first - before:
            same[i] = False
            continue
        for k in range(length):
            if numbers[first + k] != numbers[before + k]:
                same[i] = False


def _unset_doubles(ends: Any, keys: Any, key_ends: Any, once: Any) -> None:
    """Unset where a key of a map is there twice."""
    for m in range(len(ends) - 1):
        for i in range(ends[m] + 1, ends[m + 1]):
            length = key_ends[i + 1] - key_ends[i]
            for j in range(ends[m], i):
                b = 0 if key_ends[j + 1] - key_ends[j] == length else length + 1
                while b < length and keys[key_ends[i] + b] == keys[key_ends[j] + b]:
                    b += 1
                if b == length:
                    once[m] = False


def _put_maps(ends: Any, keys: Any, key_ends: Any, items: Any, item_ends: Any, out: Any, out_ends: Any) -> None:
    at = 0
    for m in range(len(ends) - 1):
        out_ends[m] = at
        at = _put_head(out, at, ends[m + 1] - ends[m], 0x80, 16, 0, 0xDE)
        for i in range(ends[m], ends[m + 1]):
            at = _put_text(out, at, keys, key_ends[i], key_ends[i + 1])
            at = _put_text(out, at, items, item_ends[i], item_ends[i + 1])
    out_ends[len(ends) - 1] = at


def _put_text(out: Any, at: int, data: Any, begin: int, end: int) -> int:
    at = _put_head(out, at, end - begin, 0xA0, 32, 0xD9, 0xDA)
    for i in range(begin, end):
        out[at + i - begin] = data[i]
    return at + end - begin


def _put_head(out: Any, at: int, length: int, short: int, limit: int, one: int, two: int) -> int:
    """The head of a map or a text in its shortest form; `one` is 0 where none has its length in one byte."""
    size, head = 4, two + 1
    if length < limit:
        size, head = 0, short | length
    elif one and length < 1 << 8:
        size, head = 1, one
    elif length < 1 << 16:
        size, head = 2, two
    out[at] = head
    for byte in range(size):
        out[at + 1 + byte] = length >> 8 * (size - 1 - byte) & 255
    return at + 1 + size
