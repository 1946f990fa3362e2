"""Fixed-width records: what the rules read and write, as plain objects and as NumPy records.

A state, a result, an event and a setup are each one flat record. As plain Python, a record is an object whose fields
are integers and lists of integers; compiled, it is an element of a structured array with the same field names. The
fields that a revision declares essential come first in memory, so that a fingerprint is a digest of a prefix.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import numpy as np


_STRUCT_CODES = {"i1": "b", "i2": "h", "i4": "i", "i8": "q"}


@dataclass(frozen=True, slots=True)
class Array:
    """A field of `length` integers of the width `code` ('i1', 'i2', 'i4', 'i8')."""

    code: str
    length: int

    def __post_init__(self) -> None:
        if self.code not in _STRUCT_CODES or self.length < 0:
            widths = ", ".join(_STRUCT_CODES)
            raise TypeError(f"Array({self.code!r}, {self.length}): widths are {widths}, a length is not negative")


class Role(Enum):
    """What a field is for, where it is not essential: such fields are no part of a fingerprint."""

    DERIVED = "follows from the essential fields: a cache"
    HISTORY = "what came before, as far as the rules look back: kept and compared"
    SCRATCH = (
        "room for working out an answer, or an answer kept: may be forgotten at any time, no part of equality either"
    )


DERIVED = Role.DERIVED
HISTORY = Role.HISTORY
SCRATCH = Role.SCRATCH

I8 = Annotated[int, Array("i1", 0)]
I16 = Annotated[int, Array("i2", 0)]
I32 = Annotated[int, Array("i4", 0)]
I64 = Annotated[int, Array("i8", 0)]

R = TypeVar("R", bound="Record")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of a record. `length` 0 is a single integer."""

    name: str
    code: str
    length: int
    role: Role | None = None

    @property
    def width(self) -> int:
        """Bytes of one integer."""
        return int(self.code[1])

    @property
    def size(self) -> int:
        """Bytes of the field."""
        return self.width * max(self.length, 1)


class Slotted(type):
    """Makes slots of the fields that a record's class annotates: rules spend much of their time reading and writing
    them, and without a dictionary that takes a fifth.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Slotted:
        annotate = body.get("__annotate_func__")  # where Python 3.14 has them
        fields = annotate(1) if annotate else body.get("__annotations__", {})
        return super().__new__(cls, name, bases, {"__slots__": tuple(fields)} | body)


class Record(metaclass=Slotted):
    """Base of flat records. Subclasses annotate fields with `I8` … `I64` or `Annotated[list[int], Array(…)]`."""

    __slots__ = ()
    slots: ClassVar[tuple[Slot, ...]] = ()

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        hints.pop("slots")
        taken = [name for name in hints if hasattr(Record, name)]
        if taken or "slots" in cls.__annotations__:
            raise TypeError(
                f"{cls.__name__}: a field cannot be called {(*taken, 'slots')[0]}, records have that themselves"
            )
        cls.slots = in_memory_order([_slot(name, hint) for name, hint in hints.items()])

    def __init__(self) -> None:
        for slot in self.slots:
            setattr(self, slot.name, [0] * slot.length if slot.length else 0)

    def copy(self) -> Self:
        """An independent copy."""
        other = object.__new__(type(self))
        for slot in self.slots:
            value = getattr(self, slot.name)
            setattr(other, slot.name, value[:] if slot.length else value)
        return other

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        return all(getattr(self, s.name) == getattr(other, s.name) for s in self.slots if s.role is not SCRATCH)

    __hash__ = None  # type: ignore[assignment]  # records change

    def __repr__(self) -> str:
        inside = ", ".join(f"{slot.name}={getattr(self, slot.name)!r}" for slot in self.slots)
        return f"{type(self).__name__}({inside})"

    def essential(self) -> bytes:
        """The essential fields, little-endian, in memory order: the bytes that a fingerprint digests."""
        return b"".join([pack(*read(self)) for read, pack in _essential_parts(type(self))])


Part = tuple[Callable[[Any], Any], Callable[..., bytes]]


@cache
def _essential_parts(record: type[Record]) -> list[Part]:
    """The essential bytes in parts, each a list or all numbers between two lists: what reads it, and what packs it."""
    parts: list[Part] = []
    for is_list, run in groupby((s for s in record.slots if not s.role), key=lambda slot: slot.length > 0):
        slots = list(run)
        for part in [[slot] for slot in slots] if is_list else [slots]:
            read: Callable[[Any], Any] = attrgetter(*(slot.name for slot in part))
            one = not is_list and len(part) == 1
            code = "".join(f"{max(slot.length, 1)}{_STRUCT_CODES[slot.code]}" for slot in part)
            parts.append((_alone(read) if one else read, struct.Struct("<" + code).pack))
    return parts


def _alone(read: Callable[[Any], int]) -> Callable[[Any], tuple[int]]:
    return lambda record: (read(record),)


def _slot(name: str, hint: Any) -> Slot:
    metas = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    array = next((m for m in metas if isinstance(m, Array)), None)
    if array is None:
        raise TypeError(f"field {name}: annotate it with I8 … I64 or Annotated[list[int], Array(code, length)]")
    return Slot(name, array.code, array.length, next((m for m in metas if isinstance(m, Role)), None))


def in_memory_order(slots: list[Slot]) -> tuple[Slot, ...]:
    """Essential fields first, wide before narrow in each part (so every field is aligned), else as declared."""
    return tuple(sorted(slots, key=lambda slot: (slot.role is not None, -slot.width)))


def _once(function: Callable[[type[Record]], T]) -> Callable[[type[Record]], T]:
    """Ask a function about each class of records once."""
    # mypy takes the classes for unhashable, since their instances are.
    return cast("Callable[[type[Record]], T]", cache(function))


@_once
def essential_size(record: type[Record]) -> int:
    """Bytes of the essential prefix."""
    return sum(slot.size for slot in record.slots if slot.role is None)


def make_record(name: str, slots: list[Slot]) -> type[Record]:
    """A record class from slots that follow from a declaration (an event union, a setup)."""
    made = cast("type[Record]", Slotted(name, (Record,), {"__slots__": tuple(slot.name for slot in slots)}))
    made.slots = in_memory_order(slots)
    return made


@_once
def dtype_of(record: type[Record]) -> np.dtype[Any]:
    """The NumPy dtype of a record: essential prefix, then derived fields, each part aligned to eight bytes."""
    import numpy as np

    names, formats, offsets, at, essential = [], [], [], 0, True
    for slot in record.slots:
        if slot.role and essential:
            at, essential = -(-at // 8) * 8, False
        names.append(slot.name)
        formats.append((f"<{slot.code}", (slot.length,)) if slot.length else f"<{slot.code}")
        offsets.append(at)
        at += slot.size
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": max(-(-at // 8) * 8, 8)})


def essential_dtype(record: type[Record]) -> np.dtype[Any]:
    """The NumPy dtype of the essential prefix of a record."""
    import numpy as np

    whole = dtype_of(record)
    names = [slot.name for slot in record.slots if slot.role is None]
    fields = [whole.fields[name] for name in names] if whole.fields else []
    formats, offsets = [field[0] for field in fields], [field[1] for field in fields]
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": essential_size(record)})


def to_numpy(plain: Record, out: Any) -> None:
    """Write a plain record into a NumPy record (an element of a structured array)."""
    for slot in plain.slots:
        out[slot.name] = getattr(plain, slot.name)


def from_numpy(cls: type[R], row: Any) -> R:
    """A plain record with the values of a NumPy record."""
    plain = cls()
    for slot in cls.slots:
        value = row[slot.name]
        setattr(plain, slot.name, value.tolist() if slot.length else int(value))
    return plain
