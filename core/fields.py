"""What a field of an event or a setup is: read once from the declaration, used by every derived form.

A declaration is a `msgspec.Struct` whose fields are annotated with their ranges. Four kinds exist:

=========  ==========================================================  ==================================
kind       declared as                                                 in the flat record of the rules
=========  ==========================================================  ==================================
``int``    ``Annotated[int, Meta(ge=…, le=…)]``                        one integer of the narrowest width
``bool``   ``bool``                                                    one byte, 0 or 1
``ints``   ``Annotated[tuple[…int…, ...], Meta(max_length=…)]``        a fixed array and ``n_<field>``
``text``   ``str``, ``tuple[str, ...]`` (common events only)           not in the record
=========  ==========================================================  ==================================

``Annotated[int, between(0, 5)]`` says the same shorter. An integer whose values have names (a colour, a piece) carries
them: ``Annotated[int, named(COLOURS)]``. A field that was added later says since when: `since`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

WIDTHS = (("i1", 1 << 7), ("i2", 1 << 15), ("i4", 1 << 31), ("i8", 1 << 63))


def between(low: int, high: int, description: str | None = None) -> Meta:
    """The range low … high, both allowed."""
    return Meta(ge=low, le=high, description=description)


def named(words: Sequence[str], description: str | None = None) -> Meta:
    """The range 0 … len(words)-1 with a word for each number. Words are append-only: their place is stored."""
    return Meta(ge=0, le=len(words) - 1, description=description, extra={"words": tuple(words)})


def since(version: int) -> Meta:
    """The version of the declaration that added a field. It comes last and has a default, which older logs read."""
    return Meta(extra={"since": version})


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its kind, the range of its numbers, the greatest length of a list, the words of its numbers, the value
    that is taken where none is said, and the version of the declaration that added it.
    """

    name: str
    kind: str
    low: int = 0
    high: int = 0
    length: int = 0
    words: tuple[str, ...] = ()
    description: str = ""
    default: Any = msgspec.NODEFAULT
    since: int = 1

    @property
    def code(self) -> str:
        """The narrowest little-endian NumPy code that holds every value of the range."""
        return narrowest(self.low, self.high)


def narrowest(low: int, high: int) -> str:
    """The narrowest signed integer code ('i1' … 'i8') that holds both bounds."""
    for code, limit in WIDTHS:
        if -limit <= low and high < limit:
            return code
    raise ValueError(f"no integer of 64 bits holds {low}..{high}")


@cache
def fields_of(struct: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The fields of a declaration, in order.

    Raises:
        TypeError: for a field that has no bounds or is of no kind named above.
    """
    hints = get_type_hints(struct, include_extras=True)
    return tuple(_field(struct, info.name, hints[info.name], info.default) for info in msgspec.structs.fields(struct))


def _field(struct: type[msgspec.Struct], name: str, hint: Any, default: Any) -> Field:
    bare, meta = _unwrap(hint)
    where = f"{struct.__name__}.{name}"
    description, added = meta.get("description", ""), since_of(hint)
    if bare is bool:
        return Field(name, "bool", 0, 1, 0, ("false", "true"), description, default, added)
    if bare is int:
        low, high, words = _range(where, meta)
        return Field(name, "int", low, high, 0, words, description, default, added)
    if bare is str:
        return Field(name, "text", description=description, default=default, since=added)
    if get_origin(bare) is tuple and get_args(bare)[1:] == (...,):
        inner, inner_meta = _unwrap(get_args(bare)[0])
        if inner is str:
            return Field(name, "text", length=-1, description=description, default=default, since=added)
        if inner is int and "max_length" in meta:
            low, high, words = _range(where, inner_meta)
            description = description or inner_meta.get("description", "")
            return Field(name, "ints", low, high, meta["max_length"], words, description, default, added)
        raise TypeError(f"{where}: a list needs integers and Meta(max_length=…)")
    raise TypeError(f"{where}: {bare!r} is no kind of field; see kifold.core.fields")


def since_of(hint: Any) -> int:
    """The version of the declaration that added a field with this annotation."""
    added: int = _unwrap(hint)[1]["extra"].get("since", 1)
    return added


def _unwrap(hint: Any) -> tuple[Any, dict[str, Any]]:
    """A hint without `Annotated`, and what its `Meta`s say, the outer ones last."""
    said: dict[str, Any] = {"extra": {}}
    if get_origin(hint) is Annotated:
        hint, *metas = get_args(hint)
        for meta in metas:
            if isinstance(meta, Meta):
                for key in ("ge", "le", "max_length", "description"):
                    if getattr(meta, key) is not None:
                        said[key] = getattr(meta, key)
                said["extra"] |= meta.extra or {}
    return hint, said


def _range(where: str, meta: dict[str, Any]) -> tuple[int, int, tuple[str, ...]]:
    if "ge" not in meta or "le" not in meta:
        raise TypeError(f"{where}: an integer needs Meta(ge=…, le=…)")
    return meta["ge"], meta["le"], tuple(meta["extra"].get("words", ()))
