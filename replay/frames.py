"""Plies as pictures, and events as lines: what a match looks like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kifold.core.codec import to_json
from kifold.core.declared import RulesFault
from kifold.core.events import Event, Noted, Started
from kifold.core.ruleset import NOBODY, Hidden, Ruleset
from kifold.core.scene import Scene
from kifold.replay.timeline import Ply, Timeline, turn_at
from kifold.replay.views import seen_log, seen_picture
from kifold.replay.whose_turn import turn_line

PROPERTY = ":"
"""Notes with this in their names are what a record file says of itself, such as ``blksgf:AP``, and no remarks."""


def picture_at(
    ruleset: Ruleset, started: Started, events: Sequence[Event], ply: int, players: Sequence[str] = ()
) -> Scene:
    """The picture of a match at a ply.

    Raises:
        ValueError, Refused: as `Timeline.at`.
    """
    return picture_of(ruleset, started, Timeline(ruleset, started, events).at(ply), players=players)


def picture_of(
    ruleset: Ruleset, started: Started, ply: Ply, seat: int | None = None, players: Sequence[str] = ()
) -> Scene:
    """The picture of a ply, or with `seat` what that seat sees of it.

    Its first line says who the `players` are, if they have names; its last one whose turn it is, or how the match ended
    and how the seats stand. Between them stands what was noted, but where anything can be secret not for a seat.
    """
    if seat is None:
        scene = ruleset.picture(started, ply.state)
    else:
        is_over = turn_at(ruleset, ply) == NOBODY
        scene = seen_picture(ruleset, started, ply.state, seat, is_over=is_over)
    if not isinstance(scene, Scene):
        raise RulesFault(ruleset.picture, f"returns {scene!r:.40} and no Scene")
    if said := players_line(ruleset, started, players):
        scene.legend.insert(0, said)
    if seat is None or ruleset.views is None:
        scene.legend += [event_line(ruleset, started, note) for note in ply.notes if PROPERTY not in note.name]
    scene.legend.append(turn_line(ruleset, started, ply.state, ply.ending, scene.turn))
    return scene


def players_line(ruleset: Ruleset, started: Started, players: Sequence[str]) -> str:
    """``blue: Ada, yellow: Bo``, without those that have no name."""
    named = zip(ruleset.seat_names(started), players, strict=False)
    return ", ".join(f"{seat}: {name}" for seat, name in named if name)


def captioned(
    ruleset: Ruleset,
    started: Started,
    events: Sequence[Event],
    seat: int | None = None,
    players: Sequence[str] = (),
) -> Iterator[tuple[str, Scene]]:
    """(caption, picture) of every ply, as `seat` sees it if one is named. Captions: ``ply 3, blue: a20,b20``.

    Raises:
        Refused: at the first event that the rules refuse, once every ply before it was given.
    """
    names = ruleset.seat_names(started)
    for ply in Timeline(ruleset, started, events):
        caption = f"ply {ply.number}"
        if ply.seat is not None:
            written, name = _written(ruleset, started, ply.events[0], seat), names[ply.seat]
            caption += f", {written}" if written.startswith(f"{name}:") else f", {name}: {written}"
        yield caption, picture_of(ruleset, started, ply, seat, players)


def _written(ruleset: Ruleset, started: Started, event: Event, seat: int | None) -> str:
    if seat is not None:
        seen = seen_log(ruleset, started, [event], seat).events[0]
        if isinstance(seen, Hidden):
            return f"{seen.kind} (hidden)"
    return ruleset.written(started, event)


def event_line(ruleset: Ruleset, started: Started, event: Event | Hidden) -> str:
    """An event, or what may be told of it, in one line: in short notation, a note as its name and text."""
    if isinstance(event, Hidden):
        return f"{event.kind} (hidden)" if event.seat is None else f"{event.seat}:{event.kind} (hidden)"
    if isinstance(event, Noted):
        return f"{event.name}: {'; '.join(event.values)}"
    event = ruleset.lift(event)
    if type(event) in ruleset.events:
        return ruleset.written(started, event)
    return " ".join(str(value) for value in to_json(event).values())
