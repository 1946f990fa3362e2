"""Commands on single matches: new, append, log, show, delete."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifold.service.context import (
    Context,
    FormatOption,
    SetOption,
    UsageError,
    choose,
    option_values,
    pairs,
    print_json,
    read_event,
)

if TYPE_CHECKING:
    from kifold.core.events import Setup, Started
    from kifold.core.play import Play
    from kifold.core.ruleset import Ruleset
    from kifold.records.log import Log
    from kifold.records.store import Store

MatchArgument = Annotated[str, typer.Argument(metavar="MATCH", help="Match id, or its beginning.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (new, append, log, show, delete):
        app.command()(command)


def new(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET")],
    variant: Annotated[str | None, typer.Option(help="A variant of the ruleset.")] = None,
    set_: SetOption = None,
    seats: Annotated[int | None, typer.Option(help="How many play.")] = None,
    player: Annotated[list[str] | None, typer.Option(help="A player's name, in the order of seats; repeat.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A tag of the match; repeat.")] = None,
    setup: Annotated[Path | None, typer.Option(help="JSON file with the setup.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draw the chance part of the setup from this seed.")] = None,
) -> None:
    """Begin a match and print its id.

    Example: kifold new blokus --variant duo --player Ada --player Bo
    """
    from kifold.core import registry

    rules = registry.ruleset(ruleset)
    started = rules.start(variant, option_values(rules, set_), seats, pairs(tag, "--tag"), _read_setup(rules, setup))
    if setup is None:
        started = with_chance(rules, started, seed)
    with context_of(context).store(create=True) as store:
        from kifold.records.ids import id_text

        typer.echo(id_text(store.new(started, player or ())))


def context_of(context: typer.Context) -> Context:
    """Our context within Typer's."""
    ours: Context = context.obj
    return ours


def _read_setup(rules: Ruleset, path: Path | None) -> Setup | None:
    if path is None:
        return None
    import json

    import msgspec

    from kifold.core.codec import setup_from_json

    try:
        return setup_from_json(rules, json.loads(path.read_bytes()))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from None


def with_chance(rules: Ruleset, started: Started, seed: int | None) -> Started:
    """Event 0 with the chance part of its setup drawn; as it is where the ruleset has none."""
    if rules.rules.chance is None:
        return started
    import secrets

    import msgspec

    from kifold.core.flat import flatten_setup, unflatten_setup
    from kifold.core.rng import Random, seed_random

    record, random = flatten_setup(rules, started), Random()
    seed_random(random, secrets.randbits(62) if seed is None else seed, 0, 0)
    rules.rules.chance(record, random)
    return msgspec.structs.replace(started, setup=unflatten_setup(rules, record))


def append(
    context: typer.Context,
    match: MatchArgument,
    event: Annotated[list[str], typer.Argument(metavar="EVENT...", help="Events: short notation or JSON.")],
    expected_seq: Annotated[int | None, typer.Option(help="The number of the last event that you have seen.")] = None,
    key: Annotated[
        str | None, typer.Option(help="A name for this append: a second one under it changes nothing.")
    ] = None,
) -> None:
    """Append events to a match, all or none.

    Example: kifold append MATCH a20,b20,b19 yellow:t20
    """
    with context_of(context).store() as store:
        number = store.find(match)
        play = store.play(number).copy()
        events = []
        for text in event:
            events.append(read_event(play, text))
            if play.why_not(events[-1]) is None:
                play.add(events[-1])
        seq = store.append(number, events, expected_seq=expected_seq, key=key)
        typer.echo(f"event {seq}; {_whose_turn(store.play(number))}")


def _rules(log: Log) -> Ruleset:
    from kifold.core import registry

    return registry.ruleset(log.started.ruleset)


def _whose_turn(play: Play) -> str:
    from kifold.core.ruleset import CHANCE

    if play.is_over:
        return f"match over: {_standings(play)}"
    return "chance decides" if play.turn == CHANCE else f"{play.ruleset.seat_names(play.started)[play.turn]} to move"


def _standings(play: Play) -> str:
    names = play.ruleset.seat_names(play.started)
    parts = []
    for one in sorted(play.result(), key=lambda standing: standing.rank):
        score = "" if one.score is None else f" ({one.score})"
        parts.append(f"{one.rank}. {names[one.seat]}{score}")
    return ", ".join(parts)


def log(
    context: typer.Context,
    match: Annotated[str | None, typer.Argument(metavar="[MATCH]", help="Match id, or its beginning.")] = None,
    format_: FormatOption = "table",
) -> None:
    """Print the log of a match; without MATCH list the matches of the store.

    Example: kifold log
    """
    choose(format_, ("table", "json"), "--format")
    with context_of(context).store() as store:
        if match is None:
            _list(store, format_)
        else:
            _print_log(store.log(store.find(match)), format_)


def _print_log(found: Log, format_: str) -> None:
    from kifold.core.codec import setup_to_json, to_json
    from kifold.core.events import Noted
    from kifold.records.ids import id_text

    rules, started = _rules(found), found.started
    events = [{"seq": seq, **to_json(event)} for seq, event in enumerate(found.events, start=1)]
    if format_ == "json":
        head = {
            "seq": 0,
            "event": "started",
            "ruleset": started.ruleset,
            "variant": started.variant,
            "revision": started.revision,
            "options": started.options,
            "seats": started.seats,
            "tags": started.tags,
            "setup": setup_to_json(started.setup),
        }
        print_json(
            {
                "match": id_text(found.match_id),
                "players": found.players,
                "digest": found.digest.hex(),
                "events": [head, *events],
            }
        )
        return
    options = ", ".join(f"{name}={str(value).lower()}" for name, value in started.options.items())
    typer.echo(
        f"match {id_text(found.match_id)}: {started.ruleset} {started.variant}, revision {started.revision}, {options}"
    )
    for name, player in zip(rules.seat_names(started), found.players, strict=False):
        typer.echo(f"  {name}: {player}")
    for name, value in started.tags.items():
        typer.echo(f"  {name}: {value}")
    for seq, event in enumerate(found.events, start=1):
        if isinstance(event, Noted):
            typer.echo(f"{seq:5}  {event.name}: {'; '.join(event.values)}")
        elif type(event) in rules.events:
            typer.echo(f"{seq:5}  {rules.notation.write(started, event)}")
        else:
            said = ", ".join(f"{k} {v}" for k, v in events[seq - 1].items() if k not in ("seq", "event"))
            typer.echo(f"{seq:5}  {events[seq - 1]['event']} {said}")


def _list(store: Store, format_: str) -> None:
    from kifold.records.ids import id_text

    live = [store.journal.log(match) for match in store.journal.ids()]
    rows = [
        {
            "match": id_text(one.match_id),
            "ruleset": one.started.ruleset,
            "variant": one.started.variant,
            "events": len(one.events),
            "players": list(one.players),
            "turn": _whose_turn(store.play(one.match_id)),
        }
        for one in live
    ]
    archived = {name: many for name, (_, many) in store.counts().items() if many}
    if format_ == "json":
        print_json({"live": rows, "archived": archived})
        return
    for row in rows:
        typer.echo(f"{row['match']}  {row['ruleset']} {row['variant']}, {row['events']} events, {row['turn']}")
    for name, many in archived.items():
        typer.echo(f'{many:,} archived matches of {name} (list them with: kifold sql "select * from matches")')
    if not rows and not archived:
        typer.echo("no matches yet; begin one with: kifold new blokus")


def show(
    context: typer.Context,
    match: MatchArgument,
    at: Annotated[int | None, typer.Option(metavar="PLY", help="After so many decisions; by default the end.")] = None,
    as_: Annotated[str, typer.Option("--as", help="text, svg, html or json.")] = "text",
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Show a position as a picture.

    Example: kifold show MATCH --at 12 --as svg --out position.svg
    """
    from kifold.records.ids import id_text
    from kifold.replay import timeline

    choose(as_, ("text", "svg", "html", "json"), "--as")
    with context_of(context).store() as store:
        found = store.log(store.find(match))
    rules = _rules(found)
    plies = list(timeline.ply_states(rules, found.started, found.events))
    ply = plies[-1].number if at is None else at
    if not 0 <= ply < len(plies):
        raise UsageError(f"ply {ply}: the match has plies 0..{len(plies) - 1}")
    title = f"{rules.title} {id_text(found.match_id)}, ply {ply}"
    if as_ == "json":
        _write(out, _position_json(rules, found, plies[ply]))
    elif as_ == "html":
        from kifold.replay.html import draw_html

        _write(out, draw_html(list(timeline.captioned(rules, found.started, found.events)), title))
    else:
        from kifold.replay.svg import draw_svg
        from kifold.replay.text import draw_text

        scene = timeline.picture_of(rules, found.started, plies[ply])
        _write(out, draw_svg(scene, title) if as_ == "svg" else draw_text(scene, colour=_wants_colour(out)))


def _wants_colour(out: Path | None) -> bool:
    import os

    return out is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _write(out: Path | None, text: str) -> None:
    if out is None:
        typer.echo(text)
        return
    try:
        out.write_text(text + ("" if text.endswith("\n") else "\n"), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror})") from None


def _position_json(rules: Ruleset, found: Log, ply: Any) -> str:
    import json

    from kifold.core.codec import to_json
    from kifold.core.play import standings
    from kifold.records.ids import id_text

    result: Any = rules.result()
    rules.rules.result(ply.state, result)
    return json.dumps(
        {
            "match": id_text(found.match_id),
            "ply": ply.number,
            "events": [to_json(event) for event in ply.events],
            "turn": -1 if ply.ending else rules.rules.turn(ply.state),
            "state": {slot.name: getattr(ply.state, slot.name) for slot in ply.state.slots if slot.role is None},
            "standings": [
                {"seat": s.seat, "rank": s.rank, "shared": s.shared, "score": s.score, **s.components}
                for s in standings(rules, found.started.seats, result, ply.ending)
            ],
        },
        indent=2,
    )


def delete(
    context: typer.Context,
    match: MatchArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a match.

    Example: kifold delete MATCH --yes
    """
    from kifold.records.ids import id_text

    with context_of(context).store() as store:
        number = store.find(match)
        if not yes and not typer.confirm(f"delete match {id_text(number)} ({len(store.log(number).events)} events)?"):
            raise typer.Exit(1)
        store.delete(number)
        typer.echo(f"deleted {id_text(number)}")
