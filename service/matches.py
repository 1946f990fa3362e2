"""Commands that change single matches: new, append, fork, delete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifold.core.counted import counted
from kifold.service.context import (
    AtOption,
    AtSeqOption,
    MatchArgument,
    SetOption,
    UsageError,
    context_of,
    option_values,
    pairs,
)
from kifold.service.typed_events import NotInNotation, read_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kifold.core.events import Event, Setup, Started
    from kifold.core.play import Play, Refused
    from kifold.core.ruleset import Ruleset
    from kifold.records.journal import Used
    from kifold.records.log import Log
    from kifold.records.lost import LostFile
    from kifold.records.store import Store


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (new, append, fork, rename, delete):
        app.command()(command)


def new(
    context: typer.Context,
    ruleset: Annotated[str, typer.Argument(metavar="RULESET")],
    variant: Annotated[str | None, typer.Option(help="A variant of the ruleset.")] = None,
    set_: SetOption = None,
    seats: Annotated[
        int | None,
        typer.Option(help="How many play; by default the first number that `kifold rulesets` says of the variant."),
    ] = None,
    player: Annotated[list[str] | None, typer.Option(help="A player's name, in the order of seats; repeat.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A tag of the match; repeat.")] = None,
    setup: Annotated[Path | None, typer.Option(help="JSON file with the setup.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draw the chance part of the setup from this seed.")] = None,
) -> None:
    """Begin a match and print its id.

    Example: kifold new blokus --variant duo --player Ada --player Bo
    """
    import secrets

    from kifold.core import registry
    from kifold.core.rng import check_seed
    from kifold.core.samples import started_with_chance

    rules = registry.ruleset(ruleset)
    if seed is not None:
        check_seed(seed)
        if setup is not None:
            raise UsageError("--seed draws what --setup names: give one of them")
        if rules.rules.chance is None:
            raise UsageError(f"--seed is for setups that chance has a part in: {rules.name} draws none")
    started = rules.start(variant, option_values(rules, set_), seats, pairs(tag, "--tag"), _read_setup(rules, setup))
    if len(player or ()) > started.seats:
        raise UsageError(_too_many(rules, started, len(player or ())))
    if setup is None:
        started = started_with_chance(rules, started, secrets.randbits(62) if seed is None else seed)
    with context_of(context).store(create=True) as store:
        from kifold.records.ids import id_text

        typer.echo(id_text(store.new(started, player or ())))


def _too_many(rules: Ruleset, started: Started, players: int) -> str:
    """What to do with more players than seats."""
    said = f"{players} players for {counted(started.seats, 'seat', 'seats')}"
    if players in rules.variant(started.variant).seats:
        return f"{said}: add --seats {players}"
    fitting = " or ".join(f"--variant {one.name}" for one in rules.variants if players in one.seats)
    return f"{said}" + (f": for {players} there is {fitting}" if fitting else "")


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
    except RecursionError:
        raise UsageError(f"{path}: is nested too deeply") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from None


def append(
    context: typer.Context,
    match: MatchArgument,
    event: Annotated[list[str], typer.Argument(metavar="EVENT...", help="Events: short notation or JSON.")],
    expected_seq: Annotated[int | None, typer.Option(help="The number of the last event that you have seen.")] = None,
    key: Annotated[
        str | None,
        typer.Option(help="A name for this append: a second one under it changes nothing, and has to give the same."),
    ] = None,
) -> None:
    """Append events to a match, all or none.

    In every ruleset there are "undone SEQ" (goes back to that event), "resigned SEAT" (its number or colour), "finished
    ENDING" (abandoned, adjudicated or agreed) and "noted NAME TEXT".

    Example: kifold append MATCH a20,b20,b19 yellow:t20 "undone 1"
    """
    from kifold.replay.whose_turn import turn_of

    with context_of(context).store() as store:
        number = store.find(match)
        # Read as they are appended, within the transaction that says whether the key was used.
        events = _read_events(store, number, event, key)
        seq = store.append(number, events, expected_seq=expected_seq, key=key)
        typer.echo(f"event {seq}; {turn_of(store.folded(number))}")


def _read_events(store: Store, match: int, texts: Sequence[str], key: str | None) -> Iterator[Event]:
    """Events as they are typed, each read in the position after those before it."""
    from kifold.core.play import Refused

    if key is not None and (used := store.journal.used(key, match)) is not None:
        yield from _read_again(store.log(match), texts, key, used)
        return
    play = store.folded(match)
    for text in texts:
        try:
            event = read_event(play, text)
        except NotInNotation:
            if play.is_over:  # short notation may depend on who is to move
                raise Refused(len(play.log) + 1, "match_over", "the match is over") from None
            raise
        try:
            play.add(event)
        except Refused as refused:
            raise _with_what_is_near(play, match, refused) from None
        yield event


def _with_what_is_near(play: Play, match: int, refused: Refused) -> Refused:
    """The same refusal; of one of the ruleset's own events it says what could be meant."""
    from kifold.core.play import Refused
    from kifold.records.ids import id_text
    from kifold.service.legal import near

    event = refused.event
    if event is None or type(event) not in play.ruleset.events or not (texts := near(play, event)):
        return refused
    said = f"near it: {', '.join(texts)}; all: kifold legal {id_text(match)}"
    return Refused(refused.seq, refused.reason, f"{refused.meaning}; {said}", event)


def _read_again(log: Log, texts: Sequence[str], key: str, used: Used) -> Iterator[Event]:
    """The same under a key that was used, in the positions of then."""
    from kifold.core.play import fold
    from kifold.records.errors import KeyUsed

    before = used.before(len(texts))
    stand = log.events[before : used.last]
    if not len(texts) == len(stand) == used.last - before:
        raise KeyUsed(key, log.match_id, used.last)
    play, _ = fold(log.rules, log.started, log.events[:before])
    for text, stored in zip(texts, stand, strict=True):
        try:
            event = read_event(play, text)
        except ValueError:  # then it means another event
            raise KeyUsed(key, log.match_id, used.last) from None
        yield event
        play.add(stored)


def rename(
    context: typer.Context,
    match: MatchArgument,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="The number or the colour of the player's seat.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name; an empty one takes it away.")],
) -> None:
    """Correct a player's name. It is no part of the log: the match stays what it is, under its id.

    Forks of the match keep the names that they have.

    Example: kifold rename MATCH yellow Eva
    """
    from kifold.core.seats import seat_named
    from kifold.records.ids import id_text
    from kifold.replay.printable import printable

    with context_of(context).store() as store:
        number = store.find(match)
        log = store.log(number)
        which = seat_named(log.rules, log.started, seat)
        store.rename(number, which, name)
        typer.echo(f"match {id_text(number)}, {log.rules.seat_names(log.started)[which]}: {printable(name)}")


def fork(
    context: typer.Context,
    match: MatchArgument,
    at: AtOption = None,
    at_seq: AtSeqOption = None,
) -> None:
    """Begin a match that shares the log of another so far, and print its id.

    What had been taken back by then is left out, and so is an ending such as a resignation: the new match goes on.
    Example: kifold fork MATCH --at 12
    """
    from kifold.records import forking
    from kifold.records.ids import id_text

    if at is not None and at_seq is not None:
        raise UsageError("--at and --at-seq exclude each other")
    with context_of(context).store() as store:
        number = store.find(match)
        seq = forking.end_of_ply(store.log(number), at) if at_seq is None else at_seq
        typer.echo(id_text(forking.fork(store, number, seq)))


def delete(
    context: typer.Context,
    match: Annotated[str | None, typer.Argument(metavar="[MATCH]", help="Match id, or its beginning.")] = None,
    lost: Annotated[
        bool, typer.Option("--lost", help="All matches of the archive files that are missing, listed by file.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a match. What an archive file says of it leaves the disk with `kifold compact`.

    Its forks stay. What they shared with it goes to one of them, and the others are forks of that one from then on.

    A damaged file of which no copy is left is there, and not lost: move it away, then its matches are given up with
    --lost. Before that, `kifold export` saves those that can be read.

    Example: kifold delete MATCH --yes
    """
    from kifold.records.ids import id_text

    if (match is not None) == lost:
        raise UsageError("name the match to delete, or give up those of missing archive files with --lost")
    with context_of(context).store() as store:
        if match is None:
            _delete_lost(store, yes=yes)
            return
        number = store.find(match)
        if not yes and not typer.confirm(f"delete match {id_text(number)}?"):
            raise typer.Exit(1)
        store.delete(number)
        typer.echo(f"deleted {id_text(number)}")


def _delete_lost(store: Store, *, yes: bool) -> None:
    from kifold.records.lost import give_up, lost_files

    files = lost_files(store)
    for file in files:
        matches = counted(file.matches, f"match of {file.ruleset} lies", f"matches of {file.ruleset} lie")
        typer.echo(f"{file.place}: is missing; {matches} in it")
    if not files:
        typer.echo("no archive file is missing; move a damaged one away first (`kifold verify` names it)")
        return
    if not yes and not typer.confirm(f"give up {_in_all(files)}?"):
        raise typer.Exit(1)
    typer.echo(f"gave up {_in_all(give_up(store, files))}")


def _in_all(files: Sequence[LostFile]) -> str:
    matches = counted(sum(file.matches for file in files), "match", "matches")
    return f"{matches} of {counted(len(files), 'archive file', 'archive files')}"
