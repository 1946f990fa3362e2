"""How rules hand out lists of events: `slot` gives the next free record of a list.

Plain, a list grows by appending. Compiled, the list is an array: past its end the last record is overwritten, and
whoever asked sees from the count that it has to come again with a longer one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

EventRecord = Any
"""The flat record of a ruleset's events: `tag`, the union of their fields, and `n_<field>` beside each list."""


class Out(list[EventRecord]):
    """A growing list of event records, for the plain way."""

    def __init__(self, blank: Callable[[], EventRecord]) -> None:
        super().__init__()
        self.blank = blank


def slot(out: Out, n: int) -> EventRecord:
    """The record number `n` of the list `out`, to be filled. Numbers come in order.

    Compiled, the record may hold an earlier event: every field of the event's type has to be written, zeros too.
    """
    record = out.blank()
    out.append(record)
    return record


def slot_compiled(out: Any, n: int) -> EventRecord:
    """`slot` where `out` is a structured array."""
    if n < len(out):
        return out[n]
    return out[len(out) - 1]
