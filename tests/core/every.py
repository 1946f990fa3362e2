"""A test-only event with every kind of field, a ruleset that knows it, and Hypothesis strategies from declarations."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from hypothesis import strategies as st
from msgspec import Meta

from kifold.core.events import Event, Setup
from kifold.core.fields import Field, fields_of, named
from tests.core.toy import Step, race

SUITS = ("clubs", "hearts", "spades")


class Every(Event, tag=20):
    """One field of every kind that an event can have."""

    suit: Annotated[int, named(SUITS, "its suit")]
    small: Annotated[int, Meta(ge=-5, le=5, description="around nothing")]
    middle: Annotated[int, Meta(ge=0, le=1000)]
    wide: Annotated[int, Meta(ge=-(1 << 40), le=1 << 40)]
    widest: Annotated[int, Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
    flag: bool
    numbers: Annotated[tuple[Annotated[int, Meta(ge=0, le=300)], ...], Meta(max_length=4, description="up to four")]
    suits: Annotated[tuple[Annotated[int, named(SUITS)], ...], Meta(min_length=1, max_length=3)] = (0,)
    late: Annotated[int, Meta(ge=0, le=9)] = 7


class EverySetup(Setup):
    """The same kinds in a setup."""

    suit: Annotated[int, named(SUITS)] = 0
    flag: bool = False
    numbers: Annotated[tuple[Annotated[int, Meta(ge=0, le=300)], ...], Meta(max_length=4)] = ()


EVERY = race("every", actions=(Step, Every), setup=EverySetup)


def values_of(struct: type[msgspec.Struct], field: Field) -> st.SearchStrategy[Any]:
    """Values of a field within its declared range."""
    if field.kind == "bool":
        return st.booleans()
    if field.kind == "int":
        return st.integers(field.low, field.high)
    if field.kind == "ints":
        return st.lists(st.integers(field.low, field.high), max_size=field.length).map(tuple)
    text = st.text(st.characters(exclude_categories=["Cs"]))
    return st.lists(text, max_size=4).map(tuple) if field.length else text


def any_of(struct: type[Any]) -> st.SearchStrategy[Any]:
    """Valid instances of a declaration."""
    parts = [values_of(struct, field) for field in fields_of(struct)]
    return st.tuples(*parts).map(lambda values: struct(*values)).filter(_is_valid)


def _is_valid(made: Any) -> bool:
    try:
        msgspec.convert(msgspec.to_builtins(made), type(made))
    except msgspec.ValidationError:
        return False
    return True
