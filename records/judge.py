"""What a fold says of a match, as the archive keeps it beside the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import TYPE_CHECKING

from kifold.core.events import Event, Finished, Resigned, Started, Undone
from kifold.core.play import Play, Refused, fold
from kifold.core.ruleset import CHANCE, NOBODY, SNAPSHOT, Ruleset
from kifold.core.standings import Standing
from kifold.records.log import Log

if TYPE_CHECKING:
    from kifold.core.corpus import Corpus, Folded

FINGERPRINT_SIZE = 4
"""Bytes of one stored fingerprint: enough to tell that a fold went another way, small beside the events."""

MANY = 256
"""From so many logs on, loading and perhaps compiling the fast rules pays."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is kept of a fold.

    Attributes:
        seats: the column `seat`, see `seat_of`.
        fingerprints: one after the other.
        standings: how the seats stand.
        is_over: whether the match has ended.
        effects: the mask of all that the rules forced.
    """

    seats: Sequence[int | None]
    fingerprints: bytes
    standings: Sequence[Standing]
    is_over: bool
    effects: int


def fingerprint(essential: bytes) -> bytes:
    """The fingerprint of a state: BLAKE2b over its essential bytes."""
    return blake2b(essential, digest_size=FINGERPRINT_SIZE).digest()


def seat_of(event: Event, acted: int | None) -> int | None:
    """What the column `seat` says of an event: its own field of that name where it has one, else who acted."""
    own: int | None = getattr(event, "seat", None)
    return own if own is not None else acted


def judge(play: Play) -> Judged:
    """What a folded match says of itself."""
    acted = {seq: None if seat == CHANCE else seat for seq, seat in play.acted.items()}
    lift = play.ruleset.lift
    seats = [seat_of(event, seat_of(lift(event), acted.get(seq))) for seq, event in enumerate(play.log, start=1)]
    prints = [fingerprint(snapshot) for snapshot in play.snapshots]
    if not play.effective or len(play.effective) % SNAPSHOT:
        prints.append(fingerprint(play.state.essential()))
    return Judged(seats, b"".join(prints), play.result(), play.is_over, reduce(or_, play.effects, 0))


def judge_log(ruleset: Ruleset, started: Started, events: Sequence[Event]) -> Judged | Refused:
    """Fold a log: what it says of itself, or the first refusal."""
    try:
        play, refused = fold(ruleset, started, events)
    except Refused as refusal:
        return refusal
    return refused or judge(play)


def judge_logs(logs: Sequence[Log]) -> list[Judged | Refused]:
    """Fold logs, each under its rules: for each what it says of itself, or the first refusal.

    Raises:
        RulesetError: when the rules of one are not installed.
    """
    by_rules: dict[Ruleset, list[int]] = {}
    for i, log in enumerate(logs):
        by_rules.setdefault(log.rules, []).append(i)
    found: dict[int, Judged | Refused] = {}
    for rules, places in by_rules.items():
        found |= zip(places, _judge_logs(rules, [logs[i] for i in places]), strict=True)
    return [found[i] for i in range(len(logs))]


def _judge_logs(ruleset: Ruleset, logs: Sequence[Log]) -> list[Judged | Refused]:
    """Fold logs of one revision, compiled when there are many."""
    if len(logs) < MANY:
        return [judge_log(ruleset, log.started, log.events) for log in logs]
    from kifold.core.compiled import compiled
    from kifold.core.corpus import Corpus, Folder
    from kifold.records.folded import fingerprints, seat_column

    # A log in which something was taken back may hide a refusal in what no longer counts: it is folded event by event.
    plain = [any(isinstance(event, Undone) for event in log.events) for log in logs]
    effective = [[event for event in log.events if type(event) in ruleset.events] for log in logs]
    corpus = Corpus.of(
        ruleset, [(log.started, [] if p else e) for log, e, p in zip(logs, effective, plain, strict=True)]
    )
    folded = Folder(ruleset, compiled(ruleset)).fold(corpus)
    column, (prints, ends) = seat_column(corpus, folded), fingerprints(folded)
    verdicts: list[Judged | Refused] = []
    for m, log in enumerate(logs):
        is_whole = folded.matches["done"][m] == len(effective[m]) and not folded.matches["reason"][m]
        closing = [event for event in log.events if isinstance(event, Finished | Resigned)]
        if plain[m] or not is_whole or len(closing) > 1 or (closing and folded.matches["turn"][m] == NOBODY):
            verdicts.append(judge_log(ruleset, log.started, log.events))
        else:
            acted = column[corpus.starts[m] : corpus.starts[m + 1]].tolist()
            own = prints[ends[m] : ends[m + 1]].tobytes()
            verdicts.append(_judged(corpus, folded, own, m, log, closing, acted))
    return verdicts


def _judged(
    corpus: Corpus, folded: Folded, prints: bytes, m: int, log: Log, closing: Sequence[Event], acted: list[int]
) -> Judged:
    """The verdict on a log from the fold of its own events, with seats for all of them."""
    from kifold.records.folded import judged_match

    judged = judged_match(corpus, folded, prints, m, acted, closing[0] if closing else None)
    of_events = iter(judged.seats)
    own = corpus.ruleset.events
    seats = [next(of_events) if type(event) in own else seat_of(event, None) for event in log.events]
    return replace(judged, seats=seats)
