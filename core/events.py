"""The base of every event, and the events that all rulesets share.

An event is written as a MessagePack (or JSON) array: its tag, then its fields. Tags 0–15 belong to the common events,
16–127 to the rulesets. Tags, fields and their order are append-only: stored logs carry them.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kifold.core.fields import named

FIRST_RULESET_TAG = 16

ENDINGS = ("abandoned", "adjudicated", "agreed")

Seat = Annotated[int, Meta(ge=0, le=15, description="seat at the table, 0-based")]
Seq = Annotated[int, Meta(ge=0, le=(1 << 31) - 1, description="number of an event in its log, from 0")]
OptionValue = bool | int | str


class Event(msgspec.Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """One fact in a log. Subclasses give `tag=` and annotate every field with its range.

    An array with more fields than are declared is of a later schema and refused, not cut short.
    """


class Setup(msgspec.Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a match starts from beyond variant and options: chance results and positions set up by hand."""


class Started(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True, tag=0):
    """Event 0 of every log: which rules it is played under, and from what.

    `options` holds the resolved value of every option, in the ruleset's order. `setup` is the ruleset's `Setup`.
    `schema` is the version of the ruleset's declaration that the match was begun under.
    """

    ruleset: str
    variant: str
    revision: Annotated[int, Meta(ge=1, le=1 << 15)]
    options: dict[str, OptionValue]
    seats: Annotated[int, Meta(ge=1, le=16)]
    tags: dict[str, str]
    setup: Any
    schema: Annotated[int, Meta(ge=1, le=1 << 15)] = 1


class Finished(Event, frozen=True, tag=1):
    """The match ended in a way that its rules do not force."""

    ending: Annotated[int, named(ENDINGS, "why it ended")]


class Resigned(Event, frozen=True, tag=2):
    """A seat gave up: the match ends, with the resigner last."""

    seat: Seat


class Undone(Event, frozen=True, tag=3):
    """Everything after event `back_to` is taken back: it counts no longer. Nothing is deleted.

    What was taken back stays so. In a log in which another `Undone` goes back to it, what counts after that are the
    events up to `back_to` that still did; no such `Undone` is appended any more (`kifold.core.play.no_place`).
    """

    back_to: Seq


class Noted(Event, frozen=True, tag=4):
    """A named remark on the event before it: a comment, a property of an imported record."""

    name: Annotated[str, Meta(description="what a note is called")]
    values: Annotated[tuple[str, ...], Meta(description="what a note says")] = ()


COMMON: tuple[type[Event], ...] = (Finished, Resigned, Undone, Noted)


def tag_of(event: type[msgspec.Struct]) -> int:
    """The integer tag of an event type."""
    tag = event.__struct_config__.tag
    if not isinstance(tag, int):
        raise TypeError(f"{event.__name__} needs an integer tag")
    return tag


def kind_of(event: type[msgspec.Struct]) -> str:
    """The word for an event type in JSON, SQL and pages: `BlockerSetup` -> ``blocker_setup``."""
    name = event.__name__
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name))
