"""What `verify --explore` found: told, as plain data, and kept as golden logs."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kifold.core.counted import counted
from kifold.core.processors import processors
from kifold.service.compiling import PLAY, STATES, compile_rules
from kifold.service.context import UsageError
from kifold.service.out_file import written
from kifold.service.playing import cut_short
from kifold.service.progress import Progress

if TYPE_CHECKING:
    from kifold.core.ruleset import Ruleset
    from kifold.records.log import Log
    from kifold.replay.causes import Cause
    from kifold.replay.exploring import Example, Exploration

SHOWN = 10


def explored(target: Ruleset, games: int, seed: int, workers: int | None) -> tuple[Exploration, str]:
    """Explore what a revision changes; what was found, and how much was done how fast."""
    from kifold.core.registry import ruleset
    from kifold.replay.exploring import explore, played_revision

    old = played_revision(target, ruleset(target.name))
    compile_rules({f"{old.name}@{old.revision}": (*PLAY, *STATES), f"{old.name}@{target.revision}": STATES})
    with Progress("exploring", games) as progress:
        done = explore(old, target, games, seed, workers or processors(), progress)
    return done, f"{progress.summary()}{', then interrupted' if done.is_interrupted else ''}"


def check(target: Ruleset | None, seed: int, match: str | None, out: Path | None) -> None:
    """Refuse before anything is done what cannot be explored.

    Raises:
        UsageError: for what does not go together with `--explore`, a wrong seed or ending of a file.
        RulesetError: when there is no other revision.
    """
    from kifold.core.registry import ruleset
    from kifold.core.rng import check_seed
    from kifold.replay.exploring import played_revision

    if target is None:
        raise UsageError("--explore needs to know what has changed: name it with --ruleset NAME@REVISION")
    if match is not None:
        raise UsageError("--match tells of one stored match, --explore plays others: choose one of them")
    if out is not None and not out.name.endswith(".kifold.jsonl"):
        raise UsageError(
            f"{out}: pytest finds golden logs by their ending; call it {out.name.removesuffix('.jsonl')}.kifold.jsonl"
        )
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"{out}: there is no folder {out.parent}; make it first")
    check_seed(seed)
    played_revision(target, ruleset(target.name))


def print_exploration(done: Exploration, summary: str, stored: Collection[Cause]) -> None:
    """Print what was found as a person reads it: each cause with its shortest log and the board before.

    `stored` are the causes that stored logs show.
    """
    from kifold.replay.frames import event_line
    from kifold.replay.telling import parting_text

    typer.echo(
        f"explored {summary}: {_title(done)}, seed {done.seed}: {counted(len(done.examples), 'cause', 'causes')}"
    )
    for one in done.examples[:SHOWN]:
        is_new = "" if one.cause in stored else ", in no stored log"
        log = " ".join(event_line(done.old, one.started, event) for event in one.events)
        text = parting_text(done.old, done.new, one.started, one.events, one.found)
        typer.echo(f"\n{one.count:>9,} × {one.cause}{is_new}")
        typer.echo(f"{'':11} the shortest log, {counted(len(one.events), 'event', 'events')}: {log}".rstrip())
        typer.echo("\n".join(f"{'':11} {line}".rstrip() for line in text.splitlines()))
    if len(done.examples) > SHOWN:
        typer.echo(f"\n… and {len(done.examples) - SHOWN:,} more causes (all with --format json)")
    for line in _unplayed(done):
        typer.echo(line)
    if done.cut:
        typer.echo(cut_short(done.cut, done.old))
    if done.examples:
        again = f"--ruleset {done.new.name}@{done.new.revision} --explore {done.games} --seed {done.seed}"
        typer.echo(f"\nagain: kifold verify {again}")


def _unplayed(done: Exploration) -> list[str]:
    return [
        f"{counted(one.count, f'match of {s} is', f'matches of {s} are')} not played: {one.why}"
        for s, one in done.unplayed.items()
    ]


def _title(done: Exploration) -> str:
    return f"{done.old.name}@{done.old.revision} → @{done.new.revision}"


def as_json(done: Exploration, stored: Collection[Cause]) -> dict[str, Any]:
    """What was found as plain data, each log as a line of the format `jsonl` has it."""
    return {
        "played": done.old.revision,
        "folded": done.new.revision,
        "seed": done.seed,
        "matches": done.matches,
        "events": done.events,
        "interrupted": done.is_interrupted,
        "cut": done.cut,
        "unplayed": _unplayed(done),
        "causes": [_example_as_json(one, is_stored=one.cause in stored) for one in done.examples],
    }


def _example_as_json(one: Example, *, is_stored: bool) -> dict[str, Any]:
    from io import BytesIO

    import msgspec

    from kifold.records.formats import jsonl
    from kifold.replay.causes import cause_as_json

    line = BytesIO()
    jsonl.write([_golden(one)], line)
    return {
        **cause_as_json(one.cause),
        "count": one.count,
        "stored": is_stored,
        "seq": one.found.seq,
        "said": str(one.found),
        "log": msgspec.json.decode(line.getvalue()),
    }


def keep(done: Exploration, file: Path) -> str:
    """Add the logs to a file of golden logs, but for those of causes that it has one of; what was done, in words.

    Raises:
        UsageError: when the file cannot be written.
    """
    from kifold.records.formats import jsonl
    from kifold.replay.golden import case_names

    with written(file) as out:
        text = file.read_bytes() if file.is_file() else b""
        known = set(case_names(file).values()) if text else set()
        new = [log for log in map(_golden, done.examples) if log.started.tags["case"] not in known]
        out.write(text if not text or text.endswith(b"\n") else text + b"\n")
        jsonl.write(new, out)
    added = counted(len(new), "log", "logs")
    return f"{file}: {added} added, {len(done.examples) - len(new):,} of the causes have one there"


def _golden(one: Example) -> Log:
    """A log as it is kept: pinned to the revision under which it is legal, named after its cause."""
    import msgspec

    from kifold.core.codec import digest
    from kifold.records.ids import derived_id
    from kifold.records.log import Log

    started = msgspec.structs.replace(one.started, tags={"case": str(one.cause)})
    return Log(derived_id(digest(started, one.events)), started, one.events)
