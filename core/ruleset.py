"""What a ruleset is: its declarations, its rules, and the pure functions around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from kifold.core.declared import RulesFault, check_declaration
from kifold.core.emit import EventRecord
from kifold.core.events import COMMON, FIRST_RULESET_TAG, Event, OptionValue, Setup, Started, kind_of, tag_of
from kifold.core.evolution import Upcaster, lifter
from kifold.core.flat import event_record, flattener, setup_record
from kifold.core.names import Effects, Name, Reasons
from kifold.core.numbering import Numbering
from kifold.core.options import Option, RulesetError, Variant, resolve_options
from kifold.core.records import Record, Slot
from kifold.core.revisions import Earlier, as_it_was
from kifold.core.rules import Rules
from kifold.core.scene import Scene

NOBODY = -1
"""What `turn` returns when the match is over."""
CHANCE = -2
"""What `turn` returns while an event of chance is due, and `actor` for such an event."""

SNAPSHOT = 16
"""A fingerprint is taken after every so many events of a match, and at its end."""


@dataclass(frozen=True)
class Notation:
    """Short notation of a ruleset's events: one word each, as a player would write it.

    ``write(started, event) -> text``; ``read(started, state, text) -> event`` raises ValueError with what is wrong.
    """

    write: Callable[[Started, Event], str]
    read: Callable[[Started, Any, str], Event]
    example: str


SPECTATOR = -3
"""The seat of somebody who looks on, and knows what is open to all."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What may be told of an event instead of the event: its word, and whose it was."""

    kind: str
    seat: int | None


def open_setup(started: Started, setup: Setup, seat: int) -> Setup:
    """The setup, where nothing in it is secret."""
    return setup


def open_event(started: Started, event: Event, seat: int) -> Event | Hidden:
    """The event, where events are public."""
    return event


@dataclass(frozen=True)
class Views:
    """What a seat (or `SPECTATOR`) may know, as pure functions. Two matches that differ only in what a seat cannot know
    must give that seat the same.

    * ``state(started, state, seat, is_over) -> state``: a copy without what the seat does not know.
    * ``setup(started, setup, seat) -> setup``: the same of the setup.
    * ``event(started, event, seat) -> event or Hidden``.
    * ``picture(started, state, seat, is_over) -> Scene``: a picture for the seat; by default that of its state.
    """

    state: Callable[[Started, Any, int, bool], Any]
    setup: Callable[[Started, Any, int], Any] = open_setup
    event: Callable[[Started, Event, int], Event | Hidden] = open_event
    picture: Callable[[Started, Any, int, bool], Scene] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Ruleset:
    """One game: everything that kifold knows of it."""

    name: str
    revision: int
    title: str
    variants: tuple[Variant, ...]
    options: tuple[Option, ...] = ()
    actions: tuple[type[Event], ...]
    setup: type[Setup] = Setup
    state: type[Record]
    result: type[Record]
    reasons: Reasons
    effects: Effects
    rules: Rules
    notation: Notation
    picture: Callable[[Started, Any], Scene]
    opening: Callable[[Started, Sequence[Event]], str] | None = None
    """The key of the opening that these first events are: the same for symmetric ones. See `opening_key`."""
    chance: tuple[type[Event], ...] = ()
    views: Views | None = None
    """What each seat may know; None where everything lies open."""
    schema: int = 1
    """The version of the events' declaration; what is added or retired makes a new one. See `kifold.core.evolution`."""
    upcasters: tuple[Upcaster, ...] = ()
    """How events of types that were retired read today. The types stay here: logs hold them."""
    earlier: tuple[Earlier, ...] = ()
    """The revisions before this one, the newest first: old matches are pinned to them. See `kifold.core.revisions`."""
    notes: str = ""
    """What a reader must know of this ruleset's data, for example that a table is a reconstruction."""
    units: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each component of the result, beyond `rank` and `score`."""
    phases: tuple[str, ...] = ()
    """The word for each number that `Rules.phase` gives: 0, 1, …."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For a component whose numbers are no amounts the word for each number: 0, 1, …."""
    numberings: Callable[[], Sequence[Numbering]] = tuple
    """What numbers of events and setup stand for, where they have no words: tables for the reference page."""

    def __post_init__(self) -> None:
        check_declaration(self)
        # A page that is still being imported, and imports this ruleset itself, is checked when it is first asked for.
        if not any(getattr(one.page.__spec__, "_initializing", False) for one in self.earlier):
            _ = self.revisions

    @cached_property
    def events(self) -> tuple[type[Event], ...]:
        """The ruleset's own events: actions, then chance."""
        for event in self.actions + self.chance:
            if not FIRST_RULESET_TAG <= tag_of(event) < 128:
                raise TypeError(f"{event.__name__}: a ruleset's tags are {FIRST_RULESET_TAG}..127")
        return self.actions + self.chance

    @cached_property
    def known(self) -> tuple[type[Event], ...]:
        """Every type of event that a log can hold: the ruleset's own, the common ones, those that were retired."""
        return self.events + COMMON + tuple(one.old for one in self.upcasters)

    @cached_property
    def lift(self) -> Callable[[Event], Event]:
        """``lift(event) -> event``: the event as it is declared today; itself, unless its type was retired."""
        return lifter(self.upcasters)

    @cached_property
    def components(self) -> tuple[Slot, ...]:
        """The named components of the result, beyond `rank` and `score`."""
        return tuple(slot for slot in self.result.slots if slot.name not in ("rank", "score"))

    @property
    def has_score(self) -> bool:
        """Whether the rule book counts points; else ranks and components say how a match ended."""
        return any(slot.name == "score" for slot in self.result.slots)

    @cached_property
    def most_seats(self) -> int:
        """The greatest number of seats of any variant: the result's per-seat fields have so many parts."""
        return max(count for variant in self.variants for count in variant.seats)

    @cached_property
    def kinds(self) -> dict[str, type[Event]]:
        """All that are known, by their word."""
        return {kind_of(event): event for event in self.known}

    @cached_property
    def event_record(self) -> type[Record]:
        """The flat record that the rules read: `tag` and the narrow union of the fields of all events."""
        return event_record(self.events)

    @cached_property
    def flatten(self) -> Callable[[Event], EventRecord]:
        """``flatten(event) -> record``: the flat record of one of the ruleset's events, after the door and as it is
        declared today. It raises `msgspec.ValidationError` for what the ruleset does not have.
        """
        return flattener(self)

    @cached_property
    def setup_record(self) -> type[Record]:
        """The flat record that `set_up` reads: variant, seats, every option's number, the fields of the setup."""
        return setup_record(self.setup, self.options)

    def variant(self, name: str) -> Variant:
        """A variant by its name.

        Raises:
            RulesetError: when there is none.
        """
        for variant in self.variants:
            if variant.name == name:
                return variant
        known = ", ".join(v.name for v in self.variants)
        raise RulesetError(f"no variant {name!r} of {self.name}: choose from {known}")

    @cached_property
    def revisions(self) -> dict[int, Ruleset]:
        """Every revision that stands here by its number, this one first and each after the one that followed it."""
        found = {self.revision: self}
        for n, earlier in enumerate(self.earlier, start=1):
            found[earlier.revision] = as_it_was(self, self.earlier[:n])
        return found

    def at(self, revision: int) -> Ruleset:
        """This ruleset in one of its revisions.

        Raises:
            RulesetError: when that is not installed.
        """
        if revision in self.revisions:
            return self.revisions[revision]
        there = ", ".join(map(str, self.revisions))
        raise RulesetError(f"revision {revision} of {self.name} is not installed; there is {there}")

    def expect_schema(self, started: Started) -> None:
        """Refuse a match that may say what is not declared here yet.

        Raises:
            RulesetError: when it was begun under a later version of the declaration.
        """
        if started.schema > self.schema:
            known = f"here it is known up to schema {self.schema}"
            raise RulesetError(f"the match is of schema {started.schema} of {self.name}, {known}: install a newer one")

    def start(
        self,
        variant: str | None = None,
        options: Mapping[str, OptionValue] | None = None,
        seats: int | None = None,
        tags: Mapping[str, str] | None = None,
        setup: Setup | None = None,
        schema: int | None = None,
    ) -> Started:
        """Event 0 of a match, every name and value resolved. Its setup is not yet checked by the rules.

        With `schema`, as that earlier version of the declaration would have begun it.

        Raises:
            RulesetError: for an unknown variant or option, or a number of seats that the variant does not have.
        """
        chosen = self.variant(self.variants[0].name if variant is None else variant)
        count = chosen.default_seats if seats is None else seats
        if count not in chosen.seats:
            fitting = ", ".join(one.name for one in self.variants if count in one.seats)
            there = f"; for {count} there is {fitting}" if fitting else ""
            raise RulesetError(f"{self.name} {chosen.name} is for {chosen.seats_text}, not {count}{there}")
        version = self.schema if schema is None else schema
        return Started(
            self.name,
            chosen.name,
            self.revision,
            resolve_options(self.options, chosen, options or {}, version),
            count,
            dict(tags or {}),
            self.setup() if setup is None else setup,
            version,
        )

    def seat_names(self, started: Started) -> tuple[str, ...]:
        """What the seats of a match are called: by their colours, or by number."""
        names = self.variant(started.variant).seat_names
        return names if len(names) == started.seats else tuple(f"seat {i}" for i in range(started.seats))

    @cached_property
    def event_union(self) -> Any:
        """The union of all known events, for msgspec decoders."""
        union: Any = self.known[0]
        for event in self.known[1:]:
            union = union | event
        return union

    def opening_key(self, started: Started, events: Sequence[Event]) -> str:
        """What openings are counted by: the key that the ruleset declares, or the events as they are written."""
        if self.opening is not None:
            return self.opening(started, events)
        return " ".join(self.written(started, event) for event in events)

    def written(self, started: Started, event: Event) -> str:
        """One of the ruleset's own events in its short notation.

        Raises:
            RulesFault: when the notation writes no text.
        """
        text = self.notation.write(started, event)
        if not isinstance(text, str):
            raise RulesFault(self.notation.write, f"returns {text!r:.40} and no text")
        return text

    def reason(self, number: int) -> Name:
        """What a number means that `check` or `set_up` returned.

        Raises:
            RulesFault: when it means nothing.
        """
        try:
            return self.reasons[number]
        except (IndexError, TypeError) as error:
            raise RulesFault(self.rules.check, f"it, or set_up, returns {number!r:.40} ({error})") from None

    @cached_property
    def decoder(self) -> msgspec.msgpack.Decoder[Any]:
        """Decodes and validates every event after event 0."""
        return msgspec.msgpack.Decoder(self.event_union)

    def make_setup(self, data: Any) -> Setup:
        """A setup from plain data (a mapping of fields, or the array of a stored log), validated.

        Raises:
            msgspec.ValidationError: when a field is missing, unknown or out of its range.
        """
        if isinstance(data, Mapping):
            known = self.setup.__struct_fields__
            unknown = [key for key in data if key not in known]
            if unknown:
                fields = ", ".join(known) or "none"
                raise msgspec.ValidationError(f"no field {unknown[0]!r} in a setup of {self.name}; fields: {fields}")
            blank = self.setup()
            data = [data.get(key, getattr(blank, key)) for key in known]
        return msgspec.convert(msgspec.to_builtins(data), self.setup)
