"""How a log outlives its declaration: fields that were added later, and types of events that were retired.

Stored bytes and their digest never change. What a later version adds is read as its default, and is not written while
it has that default: so a log has one digest, whichever version computes it. What cannot be said by adding a field gets
a new type of event under a new tag; the old type stays declared, and an `Upcaster` says how it reads today.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

import msgspec
from msgspec import NODEFAULT

from kifold.core.events import Event
from kifold.core.fields import since_of


@dataclass(frozen=True, slots=True)
class Upcaster:
    """One step: an event of the retired type `old` reads as what `lift` makes of it, an event of type `now`.

    `lift` is pure. `now` may have been retired since; then the next step follows.
    """

    old: type[Event]
    now: type[Event]
    lift: Callable[[Any], Event]


def lifter(upcasters: Sequence[Upcaster]) -> Callable[[Event], Event]:
    """All steps as one function: any event as it is declared today."""
    steps = {one.old: one.lift for one in upcasters}

    def lift(event: Event) -> Event:
        while step := steps.get(type(event)):
            event = step(event)
        return event

    return lift


def written(struct: msgspec.Struct) -> tuple[Any, ...]:
    """The values of the fields that are written: without the last ones that are newer than the first version, as long
    as they have their default.
    """
    values: tuple[Any, ...] = msgspec.structs.astuple(struct)
    for default in newer_defaults(type(struct))[::-1]:
        if values[-1] != default:
            break
        values = values[:-1]
    return values


@cache
def newer_defaults(struct: type[msgspec.Struct]) -> tuple[Any, ...]:
    """The defaults of the fields that are newer than the first version, in order: they are the last ones."""
    hints = get_type_hints(struct, include_extras=True)
    newer = [info for info in msgspec.structs.fields(struct) if since_of(hints[info.name]) > 1]
    return tuple(info.default if info.default is not NODEFAULT else info.default_factory() for info in newer)
