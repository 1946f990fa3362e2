"""What a seat, or a spectator, may know of a match: its log, its state, its legal moves, its picture.

The full log stays the only truth; this is a projection of it. Digests and fingerprints are digests of what is hidden,
too, so a view has none; nor has it the moves of other seats, which would tell what they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from kifold.core.codec import started_to_json, to_json
from kifold.core.events import Event, Noted, Started, kind_of
from kifold.core.play import Play
from kifold.core.records import SCRATCH
from kifold.core.ruleset import SPECTATOR, Hidden, Ruleset
from kifold.core.scene import Scene


@dataclass(frozen=True, slots=True)
class SeenLog:
    """A log as a seat sees it: event 0 with its part of the setup, and for each event the event or what may be told."""

    started: Started
    events: tuple[Event | Hidden, ...]


def check_seat(started: Started, seat: int) -> None:
    """Make sure that a match has a seat.

    Raises:
        ValueError: when it does not; `SPECTATOR` is always there.
    """
    if seat != SPECTATOR and not 0 <= seat < started.seats:
        raise ValueError(f"seat {seat}: the match has seats 0..{started.seats - 1}, and spectator")


def seen_log(ruleset: Ruleset, started: Started, events: Sequence[Event], seat: int) -> SeenLog:
    """The log as a seat sees it.

    Where anything can be secret, what was noted is hidden: nobody knows what a note tells.
    """
    check_seat(started, seat)
    if ruleset.views is None:
        return SeenLog(started, tuple(events))
    setup = ruleset.views.setup(started, started.setup, seat)
    return SeenLog(
        msgspec.structs.replace(started, setup=setup),
        tuple(_seen_event(ruleset, started, event, seat) for event in events),
    )


def _seen_event(ruleset: Ruleset, started: Started, event: Event, seat: int) -> Event | Hidden:
    if isinstance(event, Noted):
        return Hidden(kind_of(Noted), None)
    event = ruleset.lift(event)
    if type(event) not in ruleset.events or ruleset.views is None:
        return event
    return ruleset.views.event(started, event, seat)


def seen_state(ruleset: Ruleset, started: Started, state: Any, seat: int, *, is_over: bool) -> Any:
    """The state as a seat sees it (a copy where anything is hidden)."""
    check_seat(started, seat)
    if ruleset.views is None:
        return state
    seen = ruleset.views.state(started, state, seat, is_over)
    for slot in seen.slots:
        if slot.role is SCRATCH:
            # What the rules last worked out there may tell of anybody's hand.
            setattr(seen, slot.name, [0] * slot.length if slot.length else 0)
    return seen


def seen_legal(play: Play, seat: int) -> list[Event]:
    """The legal events of a seat, which it may know; a spectator has none."""
    check_seat(play.started, seat)
    return [] if seat == SPECTATOR else play.legal(seat)


def seen_picture(ruleset: Ruleset, started: Started, state: Any, seat: int, *, is_over: bool) -> Scene:
    """The picture for a seat."""
    check_seat(started, seat)
    if ruleset.views is not None and ruleset.views.picture is not None:
        return ruleset.views.picture(started, state, seat, is_over)
    return ruleset.picture(started, seen_state(ruleset, started, state, seat, is_over=is_over))


def seen_json(seen: SeenLog) -> dict[str, Any]:
    """A seen log as plain data, for JSON."""
    events: list[dict[str, Any]] = []
    for seq, event in enumerate(seen.events, start=1):
        told = (
            {"event": event.kind, "seat": event.seat, "hidden": True} if isinstance(event, Hidden) else to_json(event)
        )
        events.append({"seq": seq, **told})
    return {"events": [{"seq": 0, "event": "started", **started_to_json(seen.started)}, *events]}
