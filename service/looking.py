"""Commands that look at a position: show, diff. With --seat they tell what that seat may know."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifold.service.context import (
    AtOption,
    AtSeqOption,
    FormatOption,
    MatchArgument,
    UsageError,
    choose,
    context_of,
    print_json,
)
from kifold.service.out_file import written
from kifold.service.out_format import out_format

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset
    from kifold.records.log import Log
    from kifold.replay.timeline import Ply, Timeline

SeatOption = Annotated[
    str | None,
    typer.Option(
        metavar="SEAT",
        help="Only what that seat (its number or colour) may know, or `spectator`; by default everything.",
    ),
]


ENDINGS = {"txt": "text", "svg": "svg", "html": "html", "json": "json"}


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(show)
    # So that a ply below 0 is one that no match has, and no unknown option.
    app.command(context_settings={"ignore_unknown_options": True})(diff)


def say_damage(found: Log) -> None:
    """Say on standard error that what is shown is not what was written."""
    from kifold.records.errors import damaged

    if not found.is_intact:
        typer.echo(f"kifold: {damaged(found.match_id)}", err=True)


def seat_of(found: Log, text: str | None) -> int | None:
    """The seat that `--seat` names; None for the full log."""
    from kifold.core.ruleset import SPECTATOR
    from kifold.core.seats import seat_named

    if text is None:
        return None
    if text == "spectator":
        return SPECTATOR
    try:
        return seat_named(found.rules, found.started, text)
    except ValueError as error:
        raise UsageError(f"--seat: {error}, or spectator") from None


def beside(found: Log) -> dict[str, Any]:
    """Where a fork comes from, and the revision that a match was promoted to, as JSON says it; of others nothing."""
    from kifold.records.ids import id_text

    fork = {"parent": id_text(found.fork.parent), "forked_at": found.fork.at_seq} if found.fork else {}
    return fork | ({"promoted": found.promoted} if found.is_promoted else {})


def show(
    context: typer.Context,
    match: MatchArgument,
    at: AtOption = None,
    at_seq: AtSeqOption = None,
    seat: SeatOption = None,
    as_: Annotated[
        str | None,
        typer.Option("--as", metavar="FORMAT", help="text, svg, html or json; by default the ending of --out says."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Show a position, who plays, and whose turn it is or how it ended; as html, a page with all positions up to it.

    Example: kifold show MATCH --at 12 --out position.svg
    """
    from itertools import islice

    from kifold.records.ids import id_text
    from kifold.replay import frames

    form = out_format(as_, out, ENDINGS, "--as")
    rules, found, timeline = opened(context, match)
    number = seat_of(found, seat)
    ply = ply_of(timeline, at, at_seq)
    place = f", ply {ply.number}" if at_seq is None else f", event {at_seq}"
    title = f"{rules.title} {id_text(found.match_id)}{'' if form == 'html' else place}"
    if who := frames.players_line(rules, found.started, found.players):
        title += f" – {who}"
    if form == "json":
        import json

        _write(out, json.dumps(_position(rules, found, ply, number), indent=2))
    elif form == "html":
        from kifold.replay.html import draw_html

        pages = frames.captioned(rules, found.started, found.events[:at_seq], number, found.players)
        about = [f"{name}: {value}" for name, value in found.started.tags.items()]
        _write(out, draw_html(list(islice(pages, ply.number + 1)), title, about))
    else:
        from kifold.replay.svg import draw_svg
        from kifold.replay.text import draw_text

        scene = frames.picture_of(rules, found.started, ply, number, found.players)
        _write(out, draw_svg(scene, title) if form == "svg" else draw_text(scene, colour=_wants_colour(out)))


def diff(
    context: typer.Context,
    match: MatchArgument,
    was: Annotated[int, typer.Argument(metavar="PLY", min=0, help="After so many decisions.")],
    now: Annotated[int, typer.Argument(metavar="PLY", min=0, help="And after so many.")],
    seat: SeatOption = None,
    derived: Annotated[bool, typer.Option("--derived", help="Also fields that follow from the others.")] = False,
    format_: FormatOption = "table",
) -> None:
    """Compare the states at two plies, field by field.

    Example: kifold diff MATCH 11 12
    """
    from kifold.records.ids import id_text
    from kifold.replay.difference import changes

    choose(format_, ("table", "json"), "--format")
    rules, found, timeline = opened(context, match)
    number = seat_of(found, seat)
    states = [_seen(rules, found, timeline.at(ply), number) for ply in (was, now)]
    found_changes = changes(*states, derived=derived)
    if format_ == "json":
        rows = [{"field": c.field, "index": c.index, "was": c.was, "is": c.now} for c in found_changes]
        print_json({"match": id_text(found.match_id), "from": was, "to": now, "changes": rows})
        return
    for change in found_changes:
        typer.echo(str(change))
    if not found_changes:
        typer.echo("nothing differs")


def opened(context: typer.Context, match: str) -> tuple[Ruleset, Log, Timeline]:
    """A match to look at, with its rules. That it is damaged is said."""
    from kifold.replay.timeline import Timeline

    with context_of(context).store() as store:
        found = store.log(store.find(match))
    say_damage(found)
    rules = found.rules
    return rules, found, Timeline(rules, found.started, found.events)


def ply_of(timeline: Timeline, at: int | None, at_seq: int | None) -> Ply:
    """What `--at` or `--at-seq` asks for, by default the end.

    Raises:
        UsageError, ValueError, Refused: for both, for what the match does not have, for what cannot be folded.
    """
    if at is not None and at_seq is not None:
        raise UsageError("--at and --at-seq exclude each other")
    return timeline.at_seq(at_seq) if at_seq is not None else timeline.at(timeline.last_ply if at is None else at)


def _seen(rules: Ruleset, found: Log, ply: Ply, seat: int | None) -> Any:
    """The state at a ply, or what a seat may know of it."""
    from kifold.core.ruleset import NOBODY
    from kifold.replay.timeline import turn_at
    from kifold.replay.views import seen_state

    if seat is None:
        return ply.state
    return seen_state(rules, found.started, ply.state, seat, is_over=turn_at(rules, ply) == NOBODY)


def _wants_colour(out: Path | None) -> bool:
    import os

    return out is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _write(out: Path | None, text: str) -> None:
    if out is None:
        typer.echo(text.rstrip("\n"))
        return
    with written(out) as file:
        file.write((text.rstrip("\n") + "\n").encode())


def _position(rules: Ruleset, found: Log, ply: Ply, seat: int | None) -> dict[str, Any]:
    from kifold.core.ruleset import NOBODY
    from kifold.core.standings import standings
    from kifold.records.ids import id_text
    from kifold.replay.difference import essential
    from kifold.replay.timeline import turn_at
    from kifold.replay.views import SeenLog, seen_json, seen_log

    turn = turn_at(rules, ply)
    state = _seen(rules, found, ply, seat)
    seen = SeenLog(found.started, ply.events)
    if seat is not None:
        seen = seen_log(rules, found.started, ply.events, seat)
    data = {
        "match": id_text(found.match_id),
        "players": list(found.players),
        **beside(found),
        "ply": ply.number,
        "events": [{k: v for k, v in event.items() if k != "seq"} for event in seen_json(seen)["events"][1:]],
        "turn": turn,
        "state": essential(state),
    }
    if seat is not None and rules.views is not None and turn != NOBODY:
        # How seats stand may follow from what lies behind their screens.
        return data
    result: Any = rules.result()
    rules.rules.result(ply.state, result)
    return data | {"standings": [one.as_row() for one in standings(rules, found.started.seats, result, ply.ending)]}
