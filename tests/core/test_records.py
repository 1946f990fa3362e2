"""Flat records, plain and as NumPy records."""

from __future__ import annotations

import struct
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.core.records import (
    DERIVED,
    I8,
    I16,
    I32,
    I64,
    SCRATCH,
    Array,
    Record,
    dtype_of,
    essential_size,
    from_numpy,
    to_numpy,
)


class Plain(Record):
    small: I8
    wide: I64
    many: Annotated[list[int], Array("i2", 3)]
    middle: I32
    one: Annotated[list[int], Array("i1", 1)]


class Cached(Record):
    """The same essential fields, declared in another mixture, with a cache and room to work."""

    cache: Annotated[list[int], Array("i8", 2), DERIVED]
    small: I8
    wide: I64
    many: Annotated[list[int], Array("i2", 3)]
    flag: Annotated[I8, DERIVED]
    middle: I32
    one: Annotated[list[int], Array("i1", 1)]
    room: Annotated[list[int], Array("i4", 4), SCRATCH]


@st.composite
def filled(draw: Any, cls: type[Record]) -> Record:
    record = cls()
    for slot in cls.slots:
        limit = 1 << (8 * slot.width - 1)
        number = st.integers(-limit, limit - 1)
        value = draw(st.lists(number, min_size=slot.length, max_size=slot.length) if slot.length else number)
        setattr(record, slot.name, value)
    return record


def test_a_new_record_is_all_zero() -> None:
    record = Cached()
    assert record.many == [0, 0, 0]
    assert record.room == [0, 0, 0, 0]
    assert (record.small, record.flag) == (0, 0)
    assert set(record.essential()) == {0}


def test_essential_fields_come_first_and_wide_ones_before_narrow_ones() -> None:
    assert [slot.name for slot in Cached.slots] == ["wide", "middle", "many", "small", "one", "cache", "room", "flag"]
    assert essential_size(Cached) == essential_size(Plain) == 8 + 4 + 6 + 1 + 1


@pytest.mark.parametrize("record", [Plain, Cached])
def test_numpy_fields_are_aligned_and_the_essential_ones_a_prefix(record: type[Record]) -> None:
    dtype = dtype_of(record)
    assert dtype.names == tuple(slot.name for slot in record.slots)
    for slot in record.slots:
        assert dtype.fields[slot.name][1] % slot.width == 0
    essential = [slot.name for slot in record.slots if slot.role is None]
    last = essential[-1]
    assert dtype.fields[last][1] + dtype.fields[last][0].itemsize == essential_size(record)
    assert dtype.itemsize % 8 == 0


@given(filled(Cached))
def test_there_and_back_through_numpy(record: Cached) -> None:
    row = np.zeros(1, dtype_of(Cached))
    to_numpy(record, row[0])
    back = from_numpy(Cached, row[0])
    assert back == record
    assert back.room == record.room
    assert type(back.small) is int
    assert {type(v) for v in back.many} == {int}
    assert row.view(np.uint8)[: essential_size(Cached)].tobytes() == record.essential()


@given(filled(Cached))
def test_derived_fields_are_in_no_fingerprint(record: Cached) -> None:
    same = Plain()
    for slot in Plain.slots:
        setattr(same, slot.name, getattr(record, slot.name))
    assert record.essential() == same.essential()
    other = record.copy()
    other.cache[0] ^= 1
    assert other.essential() == record.essential()
    assert other != record


@given(filled(Cached))
def test_scratch_is_no_part_of_equality(record: Cached) -> None:
    other = record.copy()
    other.room[1] ^= 1
    assert other == record
    other.many[1] ^= 1
    assert other != record
    assert other.essential() != record.essential()


def test_copies_are_independent() -> None:
    record = Cached()
    other = record.copy()
    other.many[0] = 7
    other.small = 3
    assert (record.many[0], record.small) == (0, 0)
    assert other == other.copy()


def test_records_of_different_kinds_are_different_and_have_no_hash() -> None:
    assert Plain() != Cached()
    assert Plain() != 0
    with pytest.raises(TypeError, match="unhashable"):
        hash(Plain())


def test_a_number_too_wide_for_its_field_has_no_fingerprint() -> None:
    record = Plain()
    record.small = 128
    with pytest.raises(struct.error):
        record.essential()


def test_a_field_that_is_not_declared_cannot_be_written() -> None:
    with pytest.raises(AttributeError):
        Plain().smal = 1


def test_a_field_without_a_width_is_an_error() -> None:
    with pytest.raises(TypeError, match="field bare: annotate it with I8"):
        type("Bad", (Record,), {"__annotations__": {"bare": int}})


def test_a_record_says_what_is_in_it() -> None:
    record = Plain()
    record.middle = 5
    assert repr(record) == "Plain(wide=0, middle=5, many=[0, 0, 0], small=0, one=[0])"


def test_sixteen_bits_and_more() -> None:
    class Widths(Record):
        a: I8
        b: I16
        c: I32
        d: I64

    assert dtype_of(Widths).itemsize == 16
    assert [slot.name for slot in Widths.slots] == ["d", "c", "b", "a"]
