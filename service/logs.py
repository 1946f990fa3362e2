"""The command that prints the log of a match, or lists what there is. With --seat it tells what that seat may know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kifold.service.context import FormatOption, choose, context_of, print_json
from kifold.service.listing import list_matches
from kifold.service.looking import SeatOption, beside, say_damage, seat_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kifold.core.events import Started
    from kifold.core.ruleset import Ruleset
    from kifold.records.log import Log
    from kifold.replay.views import SeenLog

LONGEST_SHOWN = 24
"""Lists of a setup are shown up to so many values; a picture says more than longer ones."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(log)


def log(
    context: typer.Context,
    match: Annotated[str | None, typer.Argument(metavar="[MATCH]", help="Match id, or its beginning.")] = None,
    seat: SeatOption = None,
    format_: FormatOption = "table",
) -> None:
    """Print the log of a match; without MATCH list the live matches, and count the archived ones.

    Example: kifold log
    """
    from kifold.replay.views import SeenLog, seen_log

    choose(format_, ("table", "json"), "--format")
    with context_of(context).store() as store:
        if match is None:
            list_matches(store, format_)
            return
        with store.journal.reading():
            found = store.log(store.find(match))
            is_parent_there = found.fork is not None and store.holds(found.fork.parent)
    say_damage(found)
    rules, number = found.rules, seat_of(found, seat)
    if number is None:
        seen = SeenLog(found.started, tuple(found.events))
    else:
        seen = seen_log(rules, found.started, found.events, number)
    if format_ == "json":
        _print_json(found, seen, is_full=number is None)
    else:
        _print_log(rules, found, seen, is_parent_there=is_parent_there)


def _print_log(rules: Ruleset, found: Log, seen: SeenLog, *, is_parent_there: bool) -> None:
    from textwrap import fill

    from kifold.records.ids import id_text
    from kifold.replay.frames import event_line
    from kifold.replay.printable import printable
    from kifold.replay.whose_turn import turn_of_log

    started = seen.started
    options = ", ".join(f"{name}={str(value).lower()}" for name, value in started.options.items())
    head = f"{started.ruleset} {started.variant}, revision {started.revision}"
    if found.is_promoted:
        head += f", promoted to {found.promoted}"
    whole = f"match {id_text(found.match_id)}: {head}" + (f", {options}" if options else "")
    typer.echo(fill(whole, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
    if found.fork:
        gone = "" if is_parent_there else " (deleted since)"
        typer.echo(f"  forked from {id_text(found.fork.parent)}{gone} after event {found.fork.at_seq}")
    for name, player in zip(rules.seat_names(started), found.players, strict=False):
        if player:
            typer.echo(f"  {name}: {printable(player)}")
    for name, value in started.tags.items():
        typer.echo(printable(f"  {name}: {value}"))
    for line in _setup_lines(rules, started):
        typer.echo(line)
    taken_back = _taken_back(found)
    for seq, event in enumerate(seen.events, start=1):
        mark = "  (taken back)" if seq in taken_back else ""
        typer.echo(printable(f"{seq:5}  {event_line(rules, started, event)}{mark}"))
    typer.echo(turn_of_log(found))


def _setup_lines(rules: Ruleset, started: Started) -> Iterator[str]:
    """What a match starts from beyond variant and options, where it is not what every match of the ruleset has."""
    from kifold.core.codec import setup_to_json

    usual = setup_to_json(rules.setup())
    for name, value in setup_to_json(started.setup).items():
        if value == usual.get(name):
            continue
        values = value if isinstance(value, list) else [value]
        said = " ".join(map(str, values[:LONGEST_SHOWN]))
        if len(values) > LONGEST_SHOWN:
            said += f" … ({len(values)} in all, as `show --at 0` draws and `--format json` lists them)"
        yield f"  begins with {name}: {said}"


def _print_json(found: Log, seen: SeenLog, *, is_full: bool) -> None:
    from kifold.records.ids import id_text
    from kifold.replay.views import seen_json
    from kifold.replay.whose_turn import turn_of_log

    data = {"match": id_text(found.match_id), "players": list(found.players), "turn": turn_of_log(found)}
    # The digest is of the full log: it would let a seat try out what the others hold.
    digest = {"digest": found.digest.hex()} if is_full else {}
    log, taken_back = seen_json(seen), _taken_back(found)
    for event in log["events"]:
        if event["seq"] in taken_back:
            event["undone"] = True  # as the view `events` of SQL calls it
    print_json(data | beside(found) | digest | log)


def _taken_back(found: Log) -> set[int]:
    """The numbers of the events that no longer count since they were taken back."""
    from kifold.core.events import Undone
    from kifold.core.play import standing_events

    numbers = {seq for seq, event in enumerate(found.events, start=1) if not isinstance(event, Undone)}
    return numbers - {seq for seq, _ in standing_events(found.events)}
