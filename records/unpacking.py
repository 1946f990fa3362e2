"""Arrow columns into flat records, compiled: one pass over a column, and every value is checked against its range."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from kifold.core.events import tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.kernels import kernels
from kifold.core.records import Record, dtype_of
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of
from kifold.core.wire import bytes_of, read_number
from kifold.records.buffers import is_there, joined, numbers, offsets_of, validity_of

NO_FIELD, READ_ELSEWHERE, FIELD = range(3)
"""What a column is to a kind of record: nothing, so that it has to be null; what others read; one of its fields."""

_COLUMNS = 6
KINDS = 256
"""So many kinds of records a byte tells apart."""

Rules = np.ndarray[Any, Any]
"""Per kind of record a row: what a column is to it, the range, whether null is allowed, the number that it then is, the
greatest length of a list."""


class Unpacker:
    """Fills flat records from columns.

    Attributes:
        records: what is filled.
        good: per record, whether every value was there and in its range.
        strange: per record, whether a column is filled that is nothing to it; of an event also a seat below 0.
    """

    def __init__(self, record: type[Record], kinds: np.ndarray[Any, Any]) -> None:
        """For so many records, zero at first, of these kinds (uint8)."""
        self.records = np.zeros(len(kinds), dtype_of(record))
        self.good = np.ones(len(kinds), bool)
        self.strange = np.zeros(len(kinds), bool)
        self._raw = bytes_of(self.records)
        self._kinds = kinds.view()
        self._kinds.flags.writeable = False
        self._slots = {slot.name: slot for slot in record.slots}
        self._places: Any = self.records.dtype.fields

    def take(self, name: str, column: pa.Array, rules: Rules) -> None:
        """Fill the field `name`."""
        if column.null_count == len(column) and FIELD not in rules[::_COLUMNS]:
            return
        is_list = pa.types.is_list(column.type)
        flat = pa.types.is_integer(column.type) or pa.types.is_boolean(column.type)
        if not flat and not (is_list and name in self._slots):
            _kernels()["_see"](
                validity_of(column), column.offset, column.null_count == 0, self._kinds, rules, self.strange
            )
            return
        values = numbers(column.values if is_list else column)
        place, width, count_place, count_width = 0, 1, 0, 1
        if name in self._slots:
            place, width = self._places[name][1], self._slots[name].width
        if not is_list:
            _kernels()["_fill"](
                values.values, values.width, values.validity, values.first, self._kinds, rules,
                self._raw, place, width, self.good, self.strange,
            )  # fmt: skip
            return
        count_place, count_width = self._places[f"n_{name}"][1], self._slots[f"n_{name}"].width
        _kernels()["_fill_lists"](
            offsets_of(column), validity_of(column), column.offset,
            values.values, values.width, values.validity, values.first, self._kinds, rules,
            self._raw, place, width, count_place, count_width, self.good, self.strange,
        )  # fmt: skip


@cache
def event_rules(ruleset: Ruleset) -> dict[str, Rules]:
    """For each column of events, what it is to each tag."""
    tables = {name: np.zeros((KINDS, _COLUMNS), np.int64) for name in columns_of(ruleset)}
    tables["seat"][:, 0] = READ_ELSEWHERE
    for event in ruleset.known:
        for field in fields_of(event):
            tables[field.name][tag_of(event)] = _rule(field) if event in ruleset.events else _ELSEWHERE
    return {name: table.reshape(-1) for name, table in tables.items()}


@cache
def setup_rules(ruleset: Ruleset) -> dict[str, Rules]:
    """For each field of the setup, what it is to the only kind of setup."""
    return {field.name: np.array(_rule(field), np.int64) for field in fields_of(ruleset.setup)}


_ELSEWHERE = (READ_ELSEWHERE, 0, 0, 0, 0, 0)


def _rule(field: Field) -> tuple[int, ...]:
    optional = field.since > 1
    default = int(field.default) if optional and field.kind != "ints" else 0
    return FIELD, field.low, field.high, int(optional), default, field.length


def unpack_events(ruleset: Ruleset, events: pa.Table) -> Unpacker:
    """The flat records of a table of events; good are those that are the ruleset's own and in range."""
    tags = joined(events["tag"])
    if tags.null_count:
        raise ValueError("a tag is missing")
    tags = tags.to_numpy()
    unpacker = Unpacker(ruleset.event_record, tags.view(np.uint8))
    unpacker.records["tag"] = tags
    unpacker.good = is_one_of(tags, (tag_of(event) for event in ruleset.events))
    for name, rules in event_rules(ruleset).items():
        unpacker.take(name, joined(events[name]), rules)
    # Nobody's event has null there. The number that stands for it in arrays is not another way to write it.
    unpacker.strange |= np.asarray(events["seat"].fill_null(0).to_numpy()) < 0
    return unpacker


def unpack_setups(ruleset: Ruleset, column: pa.Array) -> Unpacker:
    """The flat records of a column of setups, with nothing but the fields of the setup filled."""
    unpacker = Unpacker(ruleset.setup_record, np.zeros(len(column), np.uint8))
    if column.null_count:
        unpacker.good &= is_there(column)
    parts = dict(zip((part.name for part in column.type), column.flatten(), strict=True))
    for name, rules in setup_rules(ruleset).items():
        field = next(f for f in fields_of(ruleset.setup) if f.name == name)
        missing = pa.nulls(len(column), pa.list_(pa.int8()) if field.kind == "ints" else pa.int8())
        unpacker.take(name, parts.get(name, missing), rules)
    return unpacker


def is_one_of(tags: np.ndarray[Any, Any], these: Iterable[int]) -> np.ndarray[Any, Any]:
    """Per event, whether its tag (int8) is one of some."""
    table = np.zeros(KINDS, bool)
    table[list(these)] = True
    found: np.ndarray[Any, Any] = table[tags.view(np.uint8)]
    return found


@cache
def _kernels() -> dict[str, Any]:
    return kernels(read_number, _bit, _put, _number, _fill, _fill_lists, _see)


def _bit(bits: Any, at: int) -> bool:
    return (bits[at >> 3] >> (at & 7) & 1) != 0  # type: ignore[no-any-return]  # a truth value


def _number(values: Any, at: int, width: int) -> Any:
    if width == 1:
        n = np.int64(values[at])
        return n - 256 if n > 127 else n
    if width == 0:
        return 1 if _bit(values, at) else 0
    return read_number(values, at * width, width)


def _put(raw: Any, i: int, place: int, width: int, n: int) -> None:
    raw[i, place] = n & 255
    for k in range(1, width):
        raw[i, place + k] = n >> 8 * k & 255


def _fill(
    values: Any,
    from_width: int,
    validity: Any,
    first: int,
    kinds: Any,
    rules: Any,
    raw: Any,
    place: int,
    width: int,
    good: Any,
    strange: Any,
) -> None:
    all_there = len(validity) == 0
    are_bytes = from_width == width == 1
    for i in range(len(kinds)):
        rule = kinds[i] * _COLUMNS
        is_there = all_there or _bit(validity, first + i)
        if rules[rule] != FIELD:
            if is_there and rules[rule] == NO_FIELD:
                strange[i] = True
            continue
        if are_bytes and is_there:
            n: Any = np.int64(np.int8(values[first + i]))
            if rules[rule + 1] <= n <= rules[rule + 2]:
                raw[i, place] = values[first + i]
            else:
                good[i] = False
            continue
        n = rules[rule + 4]
        if is_there:
            n = _number(values, first + i, from_width)
        elif not rules[rule + 3]:
            good[i] = False
            continue
        if rules[rule + 1] <= n <= rules[rule + 2]:
            _put(raw, i, place, width, n)
        else:
            good[i] = False


def _fill_lists(
    offsets: Any,
    validity: Any,
    first: int,
    values: Any,
    from_width: int,
    of_values: Any,
    first_value: int,
    kinds: Any,
    rules: Any,
    raw: Any,
    place: int,
    width: int,
    count_place: int,
    count_width: int,
    good: Any,
    strange: Any,
) -> None:
    for i in range(len(kinds)):
        rule = kinds[i] * _COLUMNS
        is_there = len(validity) == 0 or _bit(validity, first + i)
        if rules[rule] != FIELD:
            if is_there and rules[rule] == NO_FIELD:
                strange[i] = True
            continue
        if not is_there:
            if not rules[rule + 3]:
                good[i] = False
            continue
        count = offsets[i + 1] - offsets[i]
        if count > rules[rule + 5]:
            good[i] = False
            continue
        _put(raw, i, count_place, count_width, count)
        for k in range(count):
            at = first_value + offsets[i] + k
            n = _number(values, at, from_width)
            if (len(of_values) == 0 or _bit(of_values, at)) and rules[rule + 1] <= n <= rules[rule + 2]:
                _put(raw, i, place + k * width, width, n)
            else:
                good[i] = False


def _see(validity: Any, first: int, all_there: bool, kinds: Any, rules: Any, strange: Any) -> None:
    """Of a column that no record has: only where it is filled."""
    for i in range(len(kinds)):
        if rules[kinds[i] * _COLUMNS] == NO_FIELD and (all_there or _bit(validity, first + i)):
            strange[i] = True
