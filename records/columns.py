"""What a file of the archive may lack that this kifold writes: it may be older than a column, or than a wider integer."""

from __future__ import annotations

import pyarrow as pa

REQUIRED = frozenset({"match_id", "seq", "tag", "seat"})
"""What `events` always had. The other columns are those of single events; `null` is not the value of a field that needs
one, so a column that was taken away is missed when its events are read.
"""


def misfit(found: pa.Schema, wanted: pa.Schema, required: frozenset[str]) -> str:
    """What keeps a table from being read as `wanted`, in words; empty when nothing does."""
    for name in wanted.names:
        if name in found.names and not fits(found.field(name).type, wanted.field(name).type):
            return f"column {name} is {found.field(name).type}, not {wanted.field(name).type}"
        if name not in found.names and name in required:
            return f"column {name} is missing"
    unknown = [name for name in found.names if name not in wanted.names]
    return f"column {unknown[0]} is not known here: a newer kifold may have written it" if unknown else ""


def fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether what has one type can be read as another: narrower integers, and records without the newer parts."""
    if pa.types.is_integer(found) and pa.types.is_integer(wanted):
        return bool(found.bit_width <= wanted.bit_width)
    if pa.types.is_list(found) and pa.types.is_list(wanted):
        return fits(found.value_type, wanted.value_type)
    if pa.types.is_struct(found) and pa.types.is_struct(wanted):
        known = {part.name: part.type for part in wanted}
        return all(part.name in known and fits(part.type, known[part.name]) for part in found)
    return bool(found == wanted)


def fitted(table: pa.Table, wanted: pa.Schema) -> pa.Table:
    """A table that fits with the columns of `wanted`; one that is missing is null."""
    columns = [
        table[part.name].cast(part.type) if part.name in table.column_names else pa.nulls(len(table), part.type)
        for part in wanted
    ]
    return pa.table(columns, wanted)
