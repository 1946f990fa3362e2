"""The command that lists what may be played, and what of it is near to something that may not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from kifold.service.context import AtOption, AtSeqOption, FormatOption, MatchArgument, choose, print_json
from kifold.service.looking import SeatOption, opened, ply_of, seat_of

if TYPE_CHECKING:
    from kifold.core.events import Event
    from kifold.core.play import Play


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(legal)


def legal(
    context: typer.Context,
    match: MatchArgument,
    at: AtOption = None,
    at_seq: AtSeqOption = None,
    seat: SeatOption = None,
    format_: FormatOption = "table",
) -> None:
    """List what may be played, one event in a line, as `kifold append` takes it.

    It is what the seat whose turn it is may play, or chance; with --seat what that seat could play if it were its turn,
    and nothing of what the others may.

    Example: kifold legal MATCH --at 12
    """
    from kifold.core.codec import to_json
    from kifold.core.play import Play
    from kifold.core.ruleset import NOBODY
    from kifold.records.ids import id_text
    from kifold.replay.views import seen_legal
    from kifold.replay.whose_turn import turn_of

    choose(format_, ("table", "json"), "--format")
    rules, found, timeline = opened(context, match)
    number = seat_of(found, seat)
    ply = ply_of(timeline, at, at_seq)
    play = Play(rules, found.started)
    play.take((), (), (), (), ply.state)
    play.ending = ply.ending
    events = play.legal() if number is None else seen_legal(play, number)
    if format_ == "json":
        rows = [{"short": rules.written(found.started, event), **to_json(event)} for event in events]
        print_json({"match": id_text(found.match_id), "ply": ply.number, "turn": play.turn, "legal": rows})
        return
    for event in events:
        typer.echo(rules.written(found.started, event))
    if play.turn == NOBODY or number not in (None, play.turn):
        typer.echo(f"kifold: {turn_of(play)}", err=True)


def near(play: Play, event: Event, most: int = 3) -> list[str]:
    """Of what may be played that which is nearest to an event that may not, in short notation: as many fields as
    possible are the same, then as much of the text.
    """
    from difflib import SequenceMatcher
    from heapq import nsmallest

    write, matcher = play.ruleset.notation.write, SequenceMatcher(autojunk=False)
    matcher.set_seq2(write(play.started, event))
    ranked = []
    for other in play.legal():
        matcher.set_seq1(text := write(play.started, other))
        ranked.append((_distance(event, other), -matcher.ratio(), text))
    return [text for *_, text in nsmallest(most, ranked)]


def _distance(event: Event, other: Event) -> float:
    if type(event) is not type(other):
        return 1000
    from msgspec.structs import astuple

    return sum(map(_difference, astuple(event), astuple(other)))


def _difference(one: Any, other: Any) -> float:
    """0 … 1: how much of two values of a field is not the same."""
    if isinstance(one, tuple) and one != other:
        return len({*one} ^ {*other}) / len({*one} | {*other})
    return float(one != other)
