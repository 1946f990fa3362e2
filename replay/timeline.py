"""A match from ply to ply: the state after each decision, and its picture.

A ply is the number of decisions by seats so far: the state at ply N is after decision N and the events of chance that
follow it. What was taken back is left out. An ending that the rules do not force belongs to the ply before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kifold.core.events import ENDINGS, Event, Finished, Resigned, Started
from kifold.core.play import Play, Refused, standing_events
from kifold.core.ruleset import NOBODY, Hidden, Ruleset
from kifold.core.scene import Scene
from kifold.replay.views import seen_log, seen_picture


@dataclass(frozen=True, slots=True)
class Ply:
    """The match at one ply.

    `seq` is the number of the decision in the log and `seat` who made it (0 and None at ply 0); `events` are the
    decision and the events of chance after it, `state` the record after them (a copy), and `ending` what closed the
    match, or None.
    """

    number: int
    seq: int
    seat: int | None
    events: tuple[Event, ...]
    state: Any
    ending: Finished | Resigned | None


def ply_states(ruleset: Ruleset, started: Started, events: Sequence[Event]) -> Iterator[Ply]:
    """Every ply of a match, from 0 on; `events` is the whole log after event 0.

    Raises:
        Refused: at the first event that the rules refuse, once every ply before it was given.
    """
    play = Play(ruleset, started)
    number, first_seq, seat = 0, 0, None
    since: list[Event] = []
    for seq, event in standing_events(events):
        if type(event) in ruleset.actions:
            yield Ply(number, first_seq, seat, tuple(since), play.state.copy(), play.ending)
            _add(play, seq, event)
            number, first_seq, seat, since = number + 1, seq, play.seats[-1], [event]
        else:
            _add(play, seq, event)
            if type(event) in ruleset.chance:
                since.append(event)
    yield Ply(number, first_seq, seat, tuple(since), play.state.copy(), play.ending)


def picture_at(ruleset: Ruleset, started: Started, events: Sequence[Event], ply: int) -> Scene:
    """The picture of a match at a ply. Events after it are not looked at.

    Raises:
        ValueError: when the match has no such ply.
        Refused: when an event up to that ply is against the rules.
    """
    last = -1
    for found in ply_states(ruleset, started, events):
        if found.number == ply:
            return picture_of(ruleset, started, found)
        last = found.number
    raise ValueError(f"ply {ply}: the match has plies 0..{last}")


def picture_of(ruleset: Ruleset, started: Started, ply: Ply, seat: int | None = None) -> Scene:
    """The picture of a ply, or with `seat` what that seat sees of it.

    A resignation or another ending that the rules do not know stands in its last line.
    """
    if seat is None:
        scene = ruleset.picture(started, ply.state)
    else:
        is_over = ply.ending is not None or ruleset.rules.turn(ply.state) == NOBODY
        scene = seen_picture(ruleset, started, ply.state, seat, is_over=is_over)
    if isinstance(ply.ending, Resigned):
        scene.legend.append(f"{ruleset.seat_names(started)[ply.ending.seat]} resigned: the match is over")
    elif ply.ending:
        scene.legend.append(f"the match is over: {ENDINGS[ply.ending.ending]}")
    return scene


def captioned(
    ruleset: Ruleset, started: Started, events: Sequence[Event], seat: int | None = None
) -> Iterator[tuple[str, Scene]]:
    """(caption, picture) of every ply, as `seat` sees it if one is named. Captions: ``ply 3, blue: a20,b20``.

    Raises:
        Refused: as `ply_states`.
    """
    names = ruleset.seat_names(started)
    for ply in ply_states(ruleset, started, events):
        caption = f"ply {ply.number}"
        if ply.seat is not None:
            written, name = _written(ruleset, started, ply.events[0], seat), names[ply.seat]
            caption += f", {written}" if written.startswith(f"{name}:") else f", {name}: {written}"
        yield caption, picture_of(ruleset, started, ply, seat)


def _written(ruleset: Ruleset, started: Started, event: Event, seat: int | None) -> str:
    if seat is not None:
        seen = seen_log(ruleset, started, [event], seat).events[0]
        if isinstance(seen, Hidden):
            return f"{seen.kind} (hidden)"
    return ruleset.notation.write(started, event)


def _add(play: Play, seq: int, event: Event) -> None:
    try:
        play.add(event)
    except Refused as refused:
        # Without what was taken back, the numbers of `play` are not those of the log.
        raise Refused(seq, refused.reason, refused.meaning, event) from None
