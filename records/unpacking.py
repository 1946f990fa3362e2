"""Arrow columns into flat records, whole columns at a time: every value is checked against its range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kifold.core.events import tag_of
from kifold.core.fields import Field, fields_of
from kifold.core.kernels import kernels
from kifold.core.once import once
from kifold.core.records import Record, dtype_of
from kifold.core.ruleset import Ruleset
from kifold.core.schema import columns_of
from kifold.core.wire import bytes_of
from kifold.records.buffers import is_there, joined, numbers, offsets_of

NO_FIELD, READ_ELSEWHERE, FIELD = range(3)
"""What a column is to a kind of record: nothing, so that it has to be null; what others read; one of its fields."""

KINDS = 256
"""So many kinds of records a byte tells apart."""

Truths = Any
"""An array of truth values, or one that is that of all: most columns are full, in range, and asked of every record."""

Rules = np.ndarray[Any, Any]
"""Per kind of record a row: what a column is to it, the range, whether null is allowed, the number that it then is, the
greatest length of a list."""

Asked = tuple[tuple[int, ...], Truths]
"""A rule, and the records for which it holds."""


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
        self._kinds = occurring(kinds)

    def take(self, name: str, column: pa.Array, rules: Rules) -> None:
        """Fill the field `name`. Where a value is missing or out of its range there is 0, or an empty list."""
        asked = self._asked(rules)
        if column.null_count == len(column) and all(rule[0] != FIELD for rule in asked):
            return
        there = is_there(column) if column.null_count else np.True_
        for rule, mine in asked.items():
            if rule[0] == NO_FIELD:
                self.strange |= both(mine, there)
        fields = [(rule, mine) for rule, mine in asked.items() if rule[0] == FIELD]
        if fields and pa.types.is_list(column.type):
            self._take_lists(name, Lists(column), there, fields)
        elif fields:
            self._take_numbers(name, numbers(column), there, fields)

    def _asked(self, rules: Rules) -> dict[tuple[int, ...], Truths]:
        """The different rules for the kinds that occur, and the records for which each holds."""
        alike: dict[tuple[int, ...], list[Truths]] = {}
        for kind, mine in self._kinds.items():
            alike.setdefault(tuple(rules[kind].tolist()), []).append(mine)
        return {rule: np.True_ if len(alike) == 1 else reduce(or_, those) for rule, those in alike.items()}

    def _take_numbers(self, name: str, values: np.ndarray[Any, Any], there: Truths, fields: Sequence[Asked]) -> None:
        filled: Any = 0
        for (_, low, high, is_optional, default, _), mine in fields:
            own = np.where(there, values, np.int64(default)) if is_optional else values
            fits = both(np.True_ if is_optional else there, within(own, low, high))
            self._miss(both(mine, ~fits))
            filled = filled + own * both(mine, fits)
        self.records[name] = filled

    def _miss(self, wrong: Truths) -> None:
        if np.any(wrong):
            self.good &= ~wrong

    def _take_lists(self, name: str, lists: Lists, there: Truths, fields: Sequence[Asked]) -> None:
        counts: Any = 0
        for (_, low, high, is_optional, _, length), mine in fields:
            can_be = both(within(lists.counts, 0, length), lists.within(low, high))
            fits = both(np.True_ if is_optional else there, can_be)
            self._miss(both(mine, ~fits))
            counts = counts + lists.counts * both(both(mine, there), fits)
        self.records[f"n_{name}"] = counts
        lists.put(counts, self.records, name)


class Lists:
    """A column of lists of integers.

    Attributes:
        counts: the length of each list.
    """

    def __init__(self, column: pa.Array) -> None:
        self._ends = ends = offsets_of(column)
        self.counts = np.diff(ends)
        part = column.values.slice(ends[0], ends[-1] - ends[0])
        self._values, self._there = numbers(part), is_there(part) if part.null_count else np.True_

    def within(self, low: int, high: int) -> Truths:
        """Per list, whether all its numbers are there and in a range."""
        fits = both(within(self._values, low, high), self._there)
        if np.all(fits):
            return np.True_
        wrong = np.concatenate([np.zeros(1, np.int64), np.cumsum(~fits)])[self._ends - self._ends[0]]
        return wrong[1:] == wrong[:-1]

    def put(self, counts: np.ndarray[Any, Any], records: np.ndarray[Any, Any], name: str) -> None:
        """Put lists into records; in `counts` is 0 for those that are left out."""
        place, count = records[name], int(counts[0])
        values = self._values.astype(place.dtype, copy=False)
        if (counts == count).all() and len(values) == len(counts) * count:
            place[:, :count] = values.reshape(len(counts), count)
            return
        flat = values.view(np.uint8)
        flat.flags.writeable = False
        fields: Any = records.dtype.fields
        kernels_of_columns()["_put"](self._ends, counts, flat, bytes_of(records), fields[name][1], place.dtype.itemsize)


@cache
def event_rules(ruleset: Ruleset) -> dict[str, Rules]:
    """For each column of events, what it is to each tag."""
    tables = {name: np.zeros((KINDS, len(_ELSEWHERE)), np.int64) for name in columns_of(ruleset)}
    tables["seat"][:, 0] = READ_ELSEWHERE
    for event in ruleset.known:
        for field in fields_of(event):
            tables[field.name][tag_of(event)] = _rule(field) if event in ruleset.events else _ELSEWHERE
    return tables


@cache
def setup_rules(ruleset: Ruleset) -> dict[str, Rules]:
    """For each field of the setup, what it is to the only kind of setup."""
    return {field.name: np.array([_rule(field)], np.int64) for field in fields_of(ruleset.setup)}


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
    if (pc.min(events["seat"]).as_py() or 0) < 0:
        unpacker.strange |= np.asarray(events["seat"].fill_null(0)) < 0
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
    found = np.zeros(len(tags), bool)
    for tag in these:
        found |= tags == tag
    return found


def occurring(kinds: np.ndarray[Any, Any]) -> dict[int, Truths]:
    """The different ones of some bytes, and where they are."""
    if not len(kinds):
        return {}
    first, last = int(kinds.min()), int(kinds.max())
    if first == last:
        return {first: np.True_}
    return {kind: where for kind in range(first, last + 1) if (where := kinds == kind).any()}


def both(a: Truths, b: Truths) -> Truths:
    """Where both are true. An `&` of an array and one truth value for all takes ten times as long as one of arrays."""
    if np.ndim(a) == 0:
        return b if a else a
    if np.ndim(b) == 0:
        return a if b else b
    return a & b


def within(values: np.ndarray[Any, Any], low: int, high: int) -> Truths:
    """Which of some numbers are in a range."""
    if not len(values) or (low <= values.min() and values.max() <= high):
        return np.True_
    return (low <= values) & (values <= high)


@once
def kernels_of_columns() -> dict[str, Any]:
    """What is done here value by value, compiled."""
    return kernels(_put)


def _put(ends: Any, counts: Any, values: Any, raw: Any, place: int, width: int) -> None:
    for i in range(len(counts)):
        begin = (ends[i] - ends[0]) * width
        for b in range(counts[i] * width):
            raw[i, place + b] = values[begin + b]
