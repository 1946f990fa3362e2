"""Flat records of events and setups, derived from their declarations."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from kifold.core.events import Event, Setup, Started, tag_of
from kifold.core.fields import Field, fields_of, narrowest
from kifold.core.options import Option
from kifold.core.records import Record, Slot, make_record

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset


def event_record(events: tuple[type[Event], ...]) -> type[Record]:
    """The union record of event types: `tag`, every field in its widest form, and `n_<field>` beside each list.

    Raises:
        TypeError: when two events share a tag, or use one name for a number and a list.
    """
    slots = {"tag": Slot("tag", "i1", 0)}
    tags = [tag_of(event) for event in events]
    if len(set(tags)) != len(tags):
        raise TypeError(f"two events share a tag: {sorted(tags)}")
    for event in events:
        for field in fields_of(event):
            for slot in _slots(field):
                slots[slot.name] = _wider(slots.get(slot.name, slot), slot)
    return make_record("EventRecord", list(slots.values()))


def setup_record(setup: type[Setup], options: tuple[Option, ...]) -> type[Record]:
    """The record of a match's beginning: `variant`, `seats`, each option by name, then the setup's fields."""
    slots = [Slot("variant", "i1", 0), Slot("seats", "i1", 0)]
    slots += [Slot(o.name, narrowest(min(o.low, 0), max(o.high, len(o.values))), 0) for o in options]
    for field in fields_of(setup):
        slots += _slots(field)
    return make_record("SetupRecord", slots)


def flatten(ruleset: Ruleset, event: Event) -> Record:
    """The flat record of one event of the ruleset (not of a common one)."""
    blank, zeros, fields = _form(ruleset, type(event))
    record = object.__new__(ruleset.event_record)
    values = record.__dict__
    values.update(blank)
    values.update(zip(event.__struct_fields__, msgspec.structs.astuple(event), strict=True))
    for name, length in zeros:
        values[name] = [0] * length
    for field in fields:
        _set(values, field, getattr(event, field.name))
    return record


@cache
def _form(
    ruleset: Ruleset, event: type[Event]
) -> tuple[dict[str, int], tuple[tuple[str, int], ...], tuple[Field, ...]]:
    """How an event of a type is flattened: what its record begins with, the lists in it with their lengths, and the
    fields that are not taken as they are.
    """
    slots = ruleset.event_record.slots
    blank = {slot.name: 0 for slot in slots if not slot.length} | {"tag": tag_of(event)}
    zeros = tuple((slot.name, slot.length) for slot in slots if slot.length)
    return blank, zeros, tuple(field for field in fields_of(event) if field.kind != "int")


def unflatten(ruleset: Ruleset, record: Any) -> Event:
    """The event that a flat record is."""
    event = next(e for e in ruleset.events if tag_of(e) == record.tag)
    return event(*(_value(field, record) for field in fields_of(event)))


def flatten_setup(ruleset: Ruleset, started: Started) -> Record:
    """What `set_up` reads of event 0.

    Raises:
        RulesetError: for a variant or an option value that the ruleset does not have.
    """
    record: Any = ruleset.setup_record()
    record.variant = ruleset.variants.index(ruleset.variant(started.variant))
    record.seats = started.seats
    for option in ruleset.options:
        value = option.resolve(started.options.get(option.name, option.default))
        setattr(record, option.name, option.number(value))
    _fill(record, started.setup)
    return record  # type: ignore[no-any-return]


def unflatten_setup(ruleset: Ruleset, record: Any) -> Setup:
    """The setup that a setup record holds."""
    return ruleset.setup(*(_value(field, record) for field in fields_of(ruleset.setup)))


def _slots(field: Field) -> list[Slot]:
    if field.kind == "text":
        raise TypeError(f"field {field.name}: the rules read numbers only")
    if field.kind != "ints":
        return [Slot(field.name, field.code, 0)]
    count = Slot(f"n_{field.name}", narrowest(0, field.length), 0)
    return [count, Slot(field.name, field.code, field.length)]


def _wider(a: Slot, b: Slot) -> Slot:
    if bool(a.length) != bool(b.length):
        raise TypeError(f"field {a.name} is a number in one event and a list in another")
    return Slot(a.name, max(a.code, b.code), max(a.length, b.length))


def _fill(record: Record, source: Event | Setup) -> None:
    for field in fields_of(type(source)):
        _set(record.__dict__, field, getattr(source, field.name))


def _set(values: dict[str, Any], field: Field, value: Any) -> None:
    if field.kind == "ints":
        values[field.name][: len(value)] = value
        values[f"n_{field.name}"] = len(value)
    else:
        values[field.name] = int(value)


def _value(field: Field, record: Any) -> Any:
    value = getattr(record, field.name)
    if field.kind == "ints":
        return tuple(value[: getattr(record, f"n_{field.name}")])
    return bool(value) if field.kind == "bool" else value
