"""The columns of an archive file. It has those that its events fill, and may be older than a column or a wider integer.

A column that is empty in every row, as most are that come from another ruleset's needs or from corrections, takes no
room but a quarter of the time of reading; and whether a number is there at all is read as long as the number itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from mmap import mmap

import pyarrow as pa

from kifold.core.ruleset import Ruleset
from kifold.core.schema import NO_SETUP, events_schema
from kifold.records.tables import matches_schema

Layout = tuple[pa.Schema, pa.Schema]
"""The columns of the two files, matches and events."""


@cache
def needed(ruleset: Ruleset) -> tuple[frozenset[str], frozenset[str]]:
    """The columns that every file of matches has, and every file of events.

    A column of events is missing where nothing filled it, or where it is newer. It reads as null, and an event that
    needs it as damaged.
    """
    return frozenset(matches_schema(ruleset).names), frozenset(events_schema(ruleset).names[:3])


def misfit(found: pa.Schema, wanted: pa.Schema, needed: Collection[str]) -> str:
    """What keeps a table from being read as `wanted`, in words; empty when nothing does."""
    for name in wanted.names:
        if found.names.count(name) > 1:
            return f"{name} is there {found.names.count(name)} times"
        if name in found.names and not fits(found.field(name).type, wanted.field(name).type):
            return f"{name} is {found.field(name).type}"
        if name not in found.names and name in needed:
            return f"{name} is missing"
    return next((f"{name} is unknown" for name in found.names if name not in wanted.names), "")


def fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether what has one type can be read as another: narrower integers, and records without the newer parts."""
    if pa.types.is_signed_integer(found) and pa.types.is_signed_integer(wanted):
        return bool(found.bit_width <= wanted.bit_width)
    if pa.types.is_list(found) and pa.types.is_list(wanted):
        return fits(found.value_type, wanted.value_type)
    if pa.types.is_struct(found) and pa.types.is_struct(wanted):
        known = {NO_SETUP: pa.bool_()} | {part.name: part.type for part in wanted}
        is_once = len({part.name for part in found}) == found.num_fields
        return is_once and all(part.name in known and fits(part.type, known[part.name]) for part in found)
    return bool(found == wanted)


def filled(events: pa.Table) -> pa.Schema:
    """The columns for a file of these events, and of others like them."""
    parts = [part for part in events.schema if not part.nullable or events[part.name].null_count < len(events)]
    return pa.schema([part.with_nullable(events[part.name].null_count > 0) for part in parts])


def holds(columns: pa.Schema, events: pa.Table) -> bool:
    """Whether a file of these columns has room for all that events say."""
    return all(
        events[part.name].null_count == len(events) if part.name not in columns.names
        else columns.field(part.name).nullable or not events[part.name].null_count
        for part in events.schema
    )  # fmt: skip


def together(columns: Sequence[pa.Schema], wanted: pa.Schema) -> pa.Schema:
    """The columns for the rows of several files, as they are written today."""

    def is_full(name: str) -> bool:
        return all(name in one.names and not one.field(name).nullable for one in columns)

    parts = [part for part in wanted if any(part.name in one.names for one in columns)]
    return pa.schema([part.with_nullable(not is_full(part.name)) for part in parts])


def fitted(table: pa.Table, wanted: pa.Schema) -> pa.Table:
    """A table of events that fits, in the columns of `wanted`: those that it lacks are null."""
    there = {name: table.column(at) for at, name in enumerate(table.column_names)}
    columns = [
        there[part.name].cast(part.type) if part.name in there else _nulls(len(table), part.type) for part in wanted
    ]
    return pa.table(columns, wanted)


def _nulls(length: int, kind: pa.DataType) -> pa.Array:
    """What `pa.nulls` makes, of memory that nobody touches as long as nobody reads it."""
    # What NumPy or Arrow call zeros may be memory that was used before, and then is zeroed now.
    zeros = pa.py_buffer(mmap(-1, 8 * (length + 1)))
    parts = [pa.nulls(0, kind.field(at).type) for at in range(kind.num_fields)]
    return pa.Array.from_buffers(kind, length, [zeros] * kind.num_buffers, length, children=parts)
