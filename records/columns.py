"""What a file of the archive may lack of what is written today: it may be older than a column, or a wider integer."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import pyarrow as pa

from kifold.core.events import COMMON
from kifold.core.fields import fields_of
from kifold.core.ruleset import Ruleset
from kifold.core.schema import NO_SETUP, events_schema
from kifold.records.tables import matches_schema


@cache
def needed(ruleset: Ruleset) -> tuple[frozenset[str], frozenset[str]]:
    """The columns that every file of matches has, and every file of events.

    A column of a ruleset's event may have come with the event. Where it is missing it reads as null, and an event that
    needs it as damaged.
    """
    common = {field.name for event in COMMON for field in fields_of(event) if field.since == 1}
    return frozenset(matches_schema(ruleset).names), frozenset(events_schema(ruleset).names[:3]) | {"seat"} | common


def misfit(found: pa.Schema, wanted: pa.Schema, needed: Collection[str]) -> str:
    """What keeps a table from being read as `wanted`, in words; empty when nothing does."""
    for name in wanted.names:
        if name in found.names and not fits(found.field(name).type, wanted.field(name).type):
            return f"{name} is {found.field(name).type}"
        if name not in found.names and name in needed:
            return f"{name} is missing"
    return next((f"{name} is unknown" for name in found.names if name not in wanted.names), "")


def fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether what has one type can be read as another: narrower integers, and records without the newer parts."""
    if pa.types.is_integer(found) and pa.types.is_integer(wanted):
        return bool(found.bit_width <= wanted.bit_width)
    if pa.types.is_list(found) and pa.types.is_list(wanted):
        return fits(found.value_type, wanted.value_type)
    if pa.types.is_struct(found) and pa.types.is_struct(wanted):
        known = {NO_SETUP: pa.bool_()} | {part.name: part.type for part in wanted}
        return all(part.name in known and fits(part.type, known[part.name]) for part in found)
    return bool(found == wanted)


def fitted(table: pa.Table, wanted: pa.Schema) -> pa.Table:
    """A table of events that fits, with all columns of `wanted`: those that it lacks are null."""
    there = {name: table.column(at) for at, name in enumerate(table.column_names)}
    columns = [
        there[part.name].cast(part.type) if part.name in there else pa.nulls(len(table), part.type) for part in wanted
    ]
    return pa.table(columns, wanted)
