"""Flat records of events and setups, derived from their declarations."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from kifold.core.codec import lifted
from kifold.core.emit import EventRecord
from kifold.core.events import Event, Setup, Started, tag_of
from kifold.core.fields import Field, fields_of, narrowest
from kifold.core.options import Option, variant_number
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
    # The longest first: its fields, and most others', lie side by side as they are written.
    for event in sorted(events, key=lambda event: -len(fields_of(event))):
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


def flattener(ruleset: Ruleset) -> Callable[[Event], EventRecord]:
    """``flatten(event) -> record``, see `Ruleset.flatten`: bytes decoded right into what the rules read."""
    current = frozenset(ruleset.events)
    forms: Any = [_form(event, ruleset.event_record) for event in ruleset.events]
    write, read = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(reduce(or_, forms)).decode

    def flatten(event: Event) -> EventRecord:
        return read(write(event if type(event) in current else lifted(ruleset, event)))

    return flatten


def _form(event: type[Event], record: type[Record]) -> type[msgspec.Struct]:
    """An event type with the fields of others at zero, its tag, and lists with their lengths beside them."""
    fields, hints = fields_of(event), get_type_hints(event, include_extras=True)
    own = {field.name for field in fields}
    declared = [(field.name, hints[field.name], field.default) for field in fields]
    zeros = [(s.name, Any, (0,) * s.length if s.length else 0) for s in record.slots if s.name not in {*own, "tag"}]
    return msgspec.defstruct(
        event.__name__,
        [*declared, ("tag", int, tag_of(event)), *zeros],
        namespace=_afterwards(fields),
        array_like=True,
        tag=tag_of(event),
        gc=False,
    )


def _afterwards(fields: tuple[Field, ...]) -> dict[str, Any]:
    """What is left to do when the fields of an event are decoded: lists get zeros up to their width and their length
    beside them, truth values become numbers.
    """
    lists = [(field.name, f"n_{field.name}", (0,) * field.length) for field in fields if field.kind == "ints"]
    truths = [field.name for field in fields if field.kind == "bool"]

    def finish(self: Any) -> None:
        for name, count, zeros in lists:
            values = getattr(self, name)
            n = len(values)
            setattr(self, count, n)
            setattr(self, name, values + zeros[n:])
        for name in truths:
            setattr(self, name, int(getattr(self, name)))

    return {"__post_init__": finish} if lists or truths else {}


def unflatten(ruleset: Ruleset, record: Any) -> Event:
    """The event that a flat record is."""
    event = next(e for e in ruleset.events if tag_of(e) == record.tag)
    return event(*(_value(field, record) for field in fields_of(event)))


def flatten_setup(ruleset: Ruleset, started: Started) -> Record:
    """What `set_up` reads of event 0.

    Raises:
        RulesetError: for a variant or an option value that the ruleset does not have.
    """
    options = msgspec.msgpack.encode(started.options)
    record = _settings(ruleset, started.variant, started.seats, options).copy()
    setup: Setup = started.setup
    for field in fields_of(type(setup)):
        value = getattr(setup, field.name)
        if field.kind == "ints":
            getattr(record, field.name)[: len(value)] = value
            setattr(record, f"n_{field.name}", len(value))
        else:
            setattr(record, field.name, int(value))
    return record


@lru_cache(maxsize=64)
def _settings(ruleset: Ruleset, variant: str, seats: int, options: bytes) -> Record:
    """A setup record with what all matches under the same settings share; options are encoded: 1 is not true."""
    record: Any = ruleset.setup_record()
    record.variant = variant_number(ruleset.variants, ruleset.variant(variant).name)
    record.seats = seats
    said = msgspec.msgpack.decode(options)
    for option in ruleset.options:
        setattr(record, option.name, option.number(option.resolve(said.get(option.name, option.default))))
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


def _value(field: Field, record: Any) -> Any:
    value = getattr(record, field.name)
    if field.kind == "ints":
        return tuple(value[: getattr(record, f"n_{field.name}")])
    return bool(value) if field.kind == "bool" else value
