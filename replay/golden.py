"""Golden logs: matches in a file, and in a file beside it what folding them gave when somebody last looked.

`NAME.kifold.jsonl` holds matches, one a line, as `kifold export` writes them; the tag `case` names a match, else its id
does. `NAME.folded.json` holds a `Fold` for each. Logs are history and stay as they are; folds are rewritten when what
they say is meant to be another.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kifold.core.codec import digest, from_json
from kifold.core.events import Event, Started
from kifold.core.play import Play, Refused, fold, refusal
from kifold.core.ruleset import Ruleset
from kifold.records.judge import judge
from kifold.replay.difference import essential
from kifold.replay.timeline import Timeline

LOGS = ".kifold.jsonl"
FOLDS = ".folded.json"
UPDATE = "--kifold-update"


Count = Annotated[int, Meta(ge=0)]


class Mistaken(ValueError):
    """What somebody asked a fold to say cannot be told of its match. The message is one line."""


class Illegal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The event of a log that the rules refuse, and why: what follows it is not folded. Number 0 is the setup."""

    seq: Count
    reason: str


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event that is tried after event `after`, as JSON or in short notation, and why it is refused, if it is.

    Somebody who adds one need not know the reason: until that is filled in it is unset.
    """

    after: Count
    event: dict[str, Any] | str
    reason: str | msgspec.UnsetType | None = msgspec.UNSET


class Fold(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What folding a match gives.

    Attributes:
        case: the name of the match in its file.
        digest: of the log.
        illegal: where the fold stops, if the rules refuse an event.
        over: whether the match has ended.
        fingerprints: of the state after every 16 events that count, and at the end.
        effects: for each effect the numbers of the events that had it.
        standings: how the seats stand.
        states: the essential fields of the state at some plies. The last ply is there by default; whoever adds a ply
            with an empty state has it filled in.
        refused: events that are tried on the way. Whoever adds one has its reason filled in.
    """

    case: str
    digest: str = ""
    illegal: Illegal | None = None
    over: bool = False
    fingerprints: str = ""
    effects: dict[str, list[Annotated[int, Meta(ge=1)]]] = {}
    standings: list[dict[str, Any]] = []
    states: dict[Count, dict[str, int | list[int]]] = {}
    refused: list[Probe] = []


def fold_of(ruleset: Ruleset, started: Started, events: Sequence[Event], case: str, asked: Fold | None = None) -> Fold:
    """What folding a match gives now.

    Args:
        case: its name.
        asked: names the plies whose states are wanted, and what is to be tried.

    Raises:
        Mistaken: when an event that is to be tried cannot be read, or the match has no such ply or event, and neither
            the log nor where it is refused has changed.
    """
    asked = asked or Fold(case)
    written = digest(started, events).hex()
    try:
        play, refused = fold(ruleset, started, events)
    except Refused as refusal_of_setup:
        nothing = Fold(case, written, Illegal(0, refusal_of_setup.reason))
        _check(asked, nothing, -1, -1)
        return nothing
    timeline = Timeline(ruleset, started, events[: len(play.log)])
    judged = judge(play)
    found = Fold(
        case,
        written,
        Illegal(refused.seq, refused.reason) if refused else None,
        judged.is_over,
        judged.fingerprints.hex(),
        _effects(play),
        [standing.as_row() for standing in judged.standings],
    )
    _check(asked, found, timeline.last_ply, timeline.last_seq)
    plies = [ply for ply in asked.states if ply <= timeline.last_ply] or [timeline.last_ply]
    return msgspec.structs.replace(
        found,
        states={ply: essential(timeline.at(ply).state) for ply in plies},
        refused=[_tried(timeline, probe) for probe in asked.refused if probe.after <= timeline.last_seq],
    )


def _check(asked: Fold, found: Fold, last_ply: int, last_seq: int) -> None:
    """Refuse what is asked of plies and events that are not there, unless it was right when it was written."""
    if asked.digest not in ("", found.digest) or asked.illegal != found.illegal:
        return
    why = f": event {found.illegal.seq} is refused" if found.illegal else ""
    for ply in asked.states:
        if ply > last_ply:
            raise Mistaken(f"states: ply {ply}: the match has no such ply; its last is {max(last_ply, 0)}{why}")
    for probe in asked.refused:
        if probe.after > last_seq:
            last = f"the last one to try something after is {max(last_seq, 0)}{why}"
            raise Mistaken(f"refused: {said_of(probe)} after event {probe.after}: {last}")


def _effects(play: Play) -> dict[str, list[int]]:
    found = defaultdict(list)
    for (seq, _), mask in zip(play.effective, play.effects, strict=True):
        for name in play.ruleset.effects.of(mask):
            found[name].append(seq)
    return {name.name: found[name.name] for name in play.ruleset.effects if name.name in found}


def probe_event(timeline: Timeline, probe: Probe) -> Event:
    """The event that a probe tries.

    Raises:
        Mistaken: when it cannot be read, or there is no event to try it after.
    """
    try:
        state = timeline.at_seq(probe.after).state
        if isinstance(probe.event, str):
            return timeline.ruleset.notation.read(timeline.started, state, probe.event)
        return from_json(timeline.ruleset, probe.event)
    except ValueError as error:
        raise Mistaken(f"refused: {said_of(probe)} after event {probe.after}: {error}") from None


def said_of(probe: Probe) -> str:
    """The event that is tried, as it would be typed."""
    return probe.event if isinstance(probe.event, str) else json.dumps(probe.event, ensure_ascii=False)


def _tried(timeline: Timeline, probe: Probe) -> Probe:
    event, ply = probe_event(timeline, probe), timeline.at_seq(probe.after)
    refused = refusal(timeline.ruleset, timeline.started, ply.state, ply.ending, probe.after + 1, event)
    return Probe(probe.after, probe.event, refused.reason if refused else None)


class _Head(msgspec.Struct):
    """What names a match in its line."""

    match: str = ""
    tags: dict[str, str] = {}


def case_names(logs: Path) -> dict[int, str]:
    """The names of the matches of a file, by the numbers of their lines; no two have the same."""
    names: dict[int, str] = {}
    for number, line in enumerate(logs.read_bytes().split(b"\n"), start=1):
        if line.strip():
            try:
                head = msgspec.json.decode(line, type=_Head)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                head = _Head()
            name = head.tags.get("case") or head.match or f"line {number}"
            names[number] = f"{name}, line {number}" if name in names.values() else name
    return names


def folds_path(logs: Path) -> Path:
    """Where the folds of a file of logs are."""
    return logs.with_name(logs.name.removesuffix(LOGS) + FOLDS)


def logs_path(folds: Path) -> Path:
    """Where the logs of a file of folds are."""
    return folds.with_name(folds.name.removesuffix(FOLDS) + LOGS)


def read_folds(path: Path) -> dict[str, Fold]:
    """The folds of a file by the names of their matches; none where there is no file.

    Raises:
        ValueError: when it is not what `write_folds` writes.
    """
    try:
        folds = msgspec.json.decode(path.read_bytes(), type=list[Fold])
    except FileNotFoundError:
        return {}
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not what {UPDATE} writes: {error}") from None
    found = {fold.case: fold for fold in folds}
    if len(found) < len(folds):
        twice = next(fold.case for fold in folds if found[fold.case] is not fold)
        raise ValueError(f"{path}: {twice!r} stands there twice; remove one")
    return found


def write_folds(path: Path, folds: Mapping[str, Fold]) -> None:
    """Write folds in a form in which a change of one number is a change of one line."""
    rows = [msgspec.to_builtins(fold, str_keys=True) for fold in folds.values()]
    path.write_text(_pretty(rows, "") + "\n", encoding="utf-8")


def _pretty(value: Any, indent: str) -> str:
    """JSON with a line for each member, but for short rows: lists of numbers, the last objects."""
    inner = indent + " "
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(part, dict | list) for part in parts):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        lines = [f"{inner}{json.dumps(key, ensure_ascii=False)}: {_pretty(v, inner)}" for key, v in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + indent + "}"
    return "[\n" + ",\n".join(inner + _pretty(part, inner) for part in value) + "\n" + indent + "]"
