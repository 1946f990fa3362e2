"""Columns and schemas, derived from the declarations: Arrow for the archive, JSON Schema for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kifold.core.events import COMMON, Event, kind_of
from kifold.core.fields import Field, fields_of
from kifold.core.ruleset import Ruleset

if TYPE_CHECKING:
    import pyarrow as pa


NO_SETUP = "nothing"


def columns_of(ruleset: Ruleset) -> dict[str, Field]:
    """The fields of all known events by column name: `seat`, the ruleset's own as declared, the common ones, those of
    types that were retired.

    A name that several events use is one column; its range is the union of theirs, its words the longest list. Column
    `seat` is the field of that name where an event has one, else the seat that acted, null for chance.

    Raises:
        TypeError: when two events use one name for different kinds of field.
    """
    columns = {"seat": Field("seat", "int", 0, 15, description="the seat that acted or is concerned; null for chance")}
    for event in ruleset.known:
        for field in fields_of(event):
            columns[field.name] = _joined(columns.get(field.name, field), field)
    return columns


def _joined(a: Field, b: Field) -> Field:
    if a.kind != b.kind:
        raise TypeError(f"column {a.name} would be {a.kind} and {b.kind}: rename one of the fields")
    if a.words[: len(b.words)] != b.words[: len(a.words)]:
        raise TypeError(f"column {a.name} would have two vocabularies: rename one of the fields")
    words = max(a.words, b.words, key=len)
    return Field(a.name, a.kind, min(a.low, b.low), max(a.high, b.high), max(a.length, b.length), words, a.description)


def arrow_type(field: Field) -> pa.DataType:
    """The Arrow type of a field's column: the narrowest integer, a list of it, a Boolean or text."""
    import pyarrow as pa

    if field.kind == "bool":
        return pa.bool_()
    if field.kind == "text":
        return pa.list_(pa.string()) if field.length else pa.string()
    number = {"i1": pa.int8(), "i2": pa.int16(), "i4": pa.int32(), "i8": pa.int64()}[field.code]
    return pa.list_(number) if field.kind == "ints" else number


def sql_type(field: Field) -> str:
    """The type of a field's column in the views of SQL, where numbers that have words are words."""
    one = {"i1": "TINYINT", "i2": "SMALLINT", "i4": "INTEGER", "i8": "BIGINT"}[field.code]
    if field.kind == "bool":
        return "BOOLEAN"
    if field.kind == "text" or field.words:
        one = "VARCHAR"
    return f"{one}[]" if field.length else one


def events_schema(ruleset: Ruleset) -> pa.Schema:
    """The `events` table of a ruleset: match, number and tag, then the columns of `columns_of`."""
    import pyarrow as pa

    first = [
        pa.field("match_id", pa.int64(), nullable=False),
        pa.field("seq", pa.int32(), nullable=False),
        pa.field("tag", pa.int8(), nullable=False),
    ]
    return pa.schema(first + [pa.field(f.name, arrow_type(f)) for f in columns_of(ruleset).values()])


def setup_type(ruleset: Ruleset) -> pa.DataType:
    """The struct that holds a match's setup in the `matches` table.

    Parquet has no struct without fields; where a setup has none, the struct has one that is always null, `NO_SETUP`.
    """
    import pyarrow as pa

    fields = [pa.field(f.name, arrow_type(f)) for f in fields_of(ruleset.setup)]
    return pa.struct(fields or [pa.field(NO_SETUP, pa.bool_())])


def json_schema(ruleset: Ruleset) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the readable form of every event of a ruleset, see `kifold.core.codec.to_json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"events of {ruleset.name}",
        "oneOf": [
            _object_schema(event) | ({} if event in ruleset.events + COMMON else {"deprecated": True})
            for event in ruleset.known
        ],
    }


def _object_schema(event: type[Event]) -> dict[str, Any]:
    fields = fields_of(event)
    properties: dict[str, Any] = {"event": {"const": kind_of(event)}}
    properties |= {field.name: _field_schema(field) for field in fields}
    required = [field.name for field in fields if field.default is msgspec.NODEFAULT]
    return {
        "type": "object",
        "description": (event.__doc__ or "").strip().splitlines()[0],
        "properties": properties,
        "required": ["event", *required],
        "additionalProperties": False,
    }


def _field_schema(field: Field) -> dict[str, Any]:
    if field.kind == "bool":
        one: dict[str, Any] = {"type": "boolean"}
    elif field.kind == "text":
        one = {"type": "string"}
    elif field.words:
        one = {"enum": [*field.words, *range(len(field.words))]}
    else:
        one = {"type": "integer", "minimum": field.low, "maximum": field.high}
    if field.kind == "ints":
        one = {"type": "array", "items": one, "maxItems": field.length}
    elif field.kind == "text" and field.length:
        one = {"type": "array", "items": one}
    return one | ({"description": field.description} if field.description else {})
