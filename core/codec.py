"""Events as bytes and as JSON, both derived from the declarations.

Bytes are the canonical MessagePack of a log: each event an array of its tag and fields, integers in their shortest
form. JSON is for people: an object with the event's word, its fields by name, and words for numbers that have them.
Neither says the last fields that were added later and have their default, see `kifold.core.evolution`. Nothing enters
through a constructor: msgspec validates when it decodes, so every door encodes and decodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from kifold.core.events import COMMON, Event, Setup, Started, kind_of, tag_of
from kifold.core.evolution import newer_defaults, written
from kifold.core.fields import Field, fields_of

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset

DIGEST_SIZE = 16
_NUMBERS = bytes(range(128))
_SHORT = 16
"""An array of fewer elements has a head of one byte."""

_encoder = msgspec.msgpack.Encoder()
_started_decoder = msgspec.msgpack.Decoder(Started)


def encode(event: Event | Started) -> bytes:
    """The canonical bytes of one event."""
    if newer_defaults(type(event)):
        return _encoder.encode((tag_of(type(event)), *written(event)))
    if isinstance(event, Started) and isinstance(event.setup, Setup) and newer_defaults(type(event.setup)):
        event = msgspec.structs.replace(event, setup=written(event.setup))
    return _encoder.encode(event)


def around(started: Started) -> tuple[bytes, bytes]:
    """The bytes of event 0 before its tags, and after its setup; those two lie between."""
    fields = Started.__struct_fields__
    at, after = fields.index("tags"), fields.index("setup") + 1
    values = msgspec.structs.astuple(started)
    before = b"".join(map(_encoder.encode, (tag_of(Started), *values[:at])))
    return bytes([0x90 | len(fields) + 1]) + before, b"".join(map(_encoder.encode, values[after:]))


def encode_each(events: Sequence[Event]) -> list[bytes]:
    """The canonical bytes of each event, faster than one by one."""
    one_by_one = any(newer_defaults(kind) for kind in set(map(type, events)))
    return list(map(encode if one_by_one else _encoder.encode, events))


def is_table(events: Sequence[Event], data: bytes) -> bool:
    """Whether events of one type are nothing but numbers of one byte, from 0 to 127.

    Then the bytes that they were decoded from, one after the other, are canonical whoever wrote them, and a table: each
    row is a head, the tag and the fields.
    """
    kinds = set(map(type, events))
    if len(kinds) != 1 or newer_defaults(kind := kinds.pop()):
        return False
    width = 2 + len(fields_of(kind))
    # Nothing but heads is beyond 127, and each event begins with one: so that is all that they have.
    heads = bytes([0x90 | width - 1]) * len(events)
    return width <= _SHORT and len(data) == width * len(events) and data.translate(None, _NUMBERS) == heads


def decode(ruleset: Ruleset, data: bytes) -> Event:
    """The event that the bytes say, validated.

    Raises:
        msgspec.ValidationError: for an unknown tag, a missing field, a value out of its range.
        msgspec.DecodeError: for bytes that are no MessagePack.
    """
    event: Event = ruleset.decoder.decode(data)
    return event


def decode_started(data: bytes) -> Started:
    """Event 0 from its bytes, its setup still plain data: see `with_setup`."""
    return _started_decoder.decode(data)


def with_setup(ruleset: Ruleset, started: Started) -> Started:
    """Event 0 with its setup as the ruleset's own, validated `Setup`."""
    return msgspec.structs.replace(started, setup=ruleset.make_setup(started.setup))


def valid(ruleset: Ruleset, event: Event) -> Event:
    """The event after the door: encoded and decoded, so that its ranges are checked.

    Raises:
        msgspec.ValidationError: for a value out of its declared range, or of another type.
    """
    return decode(ruleset, _entering(event))


def _entering(event: Event | Started) -> bytes:
    """The bytes of what nobody has looked at yet.

    Raises:
        msgspec.ValidationError: for a text that is no UTF-8, a number beyond 64 bits, a value that has no bytes.
    """
    try:
        return encode(event)
    except UnicodeEncodeError:
        raise msgspec.ValidationError("a text that is no UTF-8 cannot be written: it has half a character") from None
    except (OverflowError, TypeError) as error:
        raise msgspec.ValidationError(f"a value cannot be written ({error})") from None


def lifted(ruleset: Ruleset, event: Event) -> Event:
    """The event after the door, as it is declared today."""
    event = ruleset.decoder.decode(_entering(event))
    now = ruleset.lift(event)
    return event if now is event else valid(ruleset, now)


def valid_started(ruleset: Ruleset, started: Started) -> Started:
    """Event 0 after the door: every name and value one that the installed ruleset has, and in its range.

    The revision stays, installed or not: a match may have been promoted to another.

    Raises:
        RulesetError: for a variant, option or number of seats that it does not have.
        msgspec.ValidationError: for a value out of its declared range.
    """
    complete = ruleset.start(
        started.variant, started.options, started.seats, started.tags, started.setup, started.schema
    )
    complete = msgspec.structs.replace(complete, revision=started.revision)
    return with_setup(ruleset, decode_started(_entering(complete)))


def digest(started: Started, events: Sequence[Event]) -> bytes:
    """The digest of a log: BLAKE2b-128 over the canonical bytes of its events, one after the other."""
    return blake2b(b"".join([encode(started), *encode_each(events)]), digest_size=DIGEST_SIZE).digest()


def to_json(event: Event) -> dict[str, Any]:
    """The readable form: `{"event": "place", "colour": "blue", …}`."""
    return {"event": kind_of(type(event))} | _said(event)


def from_json(ruleset: Ruleset, data: object) -> Event:
    """The event that a decoded JSON object says, validated. Words and numbers are both accepted.

    Raises:
        ValueError: one line that names the field and what it may be.
    """
    if not isinstance(data, Mapping):
        raise ValueError('an event is an object such as {"event": "…", …}')
    kind, current = data.get("event"), ruleset.events + COMMON
    if not isinstance(kind, str) or kind not in ruleset.kinds:
        raise ValueError(f"no event {kind!r} in {ruleset.name}: choose from {', '.join(map(kind_of, current))}")
    event = ruleset.kinds[kind]
    fields = fields_of(event)
    values = _values(f"event {kind}", fields, {key: value for key, value in data.items() if key != "event"})
    try:
        return valid(ruleset, msgspec.convert([event.__struct_config__.tag, *values], ruleset.event_union))
    except msgspec.ValidationError as error:
        raise ValueError(f"event {kind}: {error_in_words(error, fields)}") from None


def setup_to_json(setup: Setup) -> dict[str, Any]:
    """The readable form of a setup: its fields by name, with words."""
    return _said(setup)


def started_to_json(started: Started) -> dict[str, Any]:
    """The readable form of event 0; its `schema` is said above 1 only."""
    return {
        "ruleset": started.ruleset,
        "variant": started.variant,
        "revision": started.revision,
        **({"schema": started.schema} if started.schema > 1 else {}),
        "options": started.options,
        "seats": started.seats,
        "tags": started.tags,
        "setup": setup_to_json(started.setup),
    }


def setup_from_json(ruleset: Ruleset, data: object) -> Setup:
    """The setup that a decoded JSON object says, validated. Words and numbers are both accepted.

    Raises:
        ValueError: one line that names the field and what it may be.
    """
    if not isinstance(data, Mapping):
        raise ValueError("a setup is an object with its fields by name")
    fields = fields_of(ruleset.setup)
    try:
        return ruleset.make_setup(_values("setup", fields, data))
    except msgspec.ValidationError as error:
        raise ValueError(f"setup: {error_in_words(error, fields, first=0)}") from None


def error_in_words(error: msgspec.ValidationError, fields: tuple[Field, ...], first: int = 1) -> str:
    """A validation error with the field's name where msgspec gives its place in the array, counted from `first`."""
    said = str(error)
    for place, field in enumerate(fields, start=first):
        said = said.replace(f"`$[{place}]", f"`{field.name}")
    return said


def _said(struct: Event | Setup) -> dict[str, Any]:
    pairs = zip(fields_of(type(struct)), written(struct), strict=False)
    return {field.name: _word(field, value) for field, value in pairs}


def _word(field: Field, value: Any) -> Any:
    if field.kind == "ints":
        return [field.words[v] for v in value] if field.words else list(value)
    if field.kind == "int" and field.words:
        return field.words[value]
    return list(value) if isinstance(value, tuple) else value


def _values(what: str, fields: tuple[Field, ...], data: Mapping[Any, Any]) -> list[Any]:
    """The values of the fields in their order, as numbers; not yet validated."""
    unknown = [key for key in data if key not in {f.name for f in fields}]
    if unknown:
        known = ", ".join(f.name for f in fields) or "none"
        raise ValueError(f"{what} has no field {unknown[0]!r}; fields: {known}")
    values = []
    for field in fields:
        if field.name in data:
            values.append(_number(what, field, data[field.name]))
        elif field.default is not msgspec.NODEFAULT:
            values.append(field.default)
        else:
            raise ValueError(f"{what} needs field {field.name!r}")
    return values


def _number(what: str, field: Field, value: Any) -> Any:
    if field.kind == "ints" and isinstance(value, list):
        return [_number_of_word(what, field, v) for v in value]
    return _number_of_word(what, field, value) if field.kind == "int" else value


def _number_of_word(what: str, field: Field, value: Any) -> Any:
    if isinstance(value, str) and field.words:
        if value not in field.words:
            raise ValueError(f"{what}: {field.name} cannot be {value!r}: choose from {', '.join(field.words)}")
        return field.words.index(value)
    return value
