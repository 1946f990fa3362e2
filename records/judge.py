"""What a fold says of a match, as the archive keeps it beside the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import TYPE_CHECKING

from kifold.core.events import Event, Finished, Noted, Resigned, Started
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
    """Fold logs of one revision, those that are straight compiled when there are many of them."""
    straight = [i for i, log in enumerate(logs) if _is_straight(ruleset, log)]
    found: dict[int, Judged | None] = {}
    if len(straight) >= MANY:
        found |= zip(straight, _judge_straight(ruleset, [logs[i] for i in straight]), strict=True)
    return [found.get(i) or judge_log(ruleset, log.started, log.events) for i, log in enumerate(logs)]


def _is_straight(ruleset: Ruleset, log: Log) -> bool:
    """Whether folding the ruleset's own events of a log tells all of it: they are as declared today, nothing was taken
    back, and notes and one ending at most, of a seat that there is, stand beside them, with none of them behind it.
    """
    is_closed = False
    for event in log.events:
        if isinstance(event, Finished | Resigned):
            if is_closed or (isinstance(event, Resigned) and event.seat >= log.started.seats):
                return False
            is_closed = True
        elif not isinstance(event, Noted) and (is_closed or type(event) not in ruleset.events):
            return False
    return True


def _judge_straight(ruleset: Ruleset, logs: Sequence[Log]) -> Iterator[Judged | None]:
    """Fold straight logs compiled; None where one is not legal, for the words on that."""
    from kifold.core.compiled import compiled
    from kifold.core.corpus import Corpus, Folder
    from kifold.records.folded import fingerprints, seat_column

    own = [[event for event in log.events if type(event) in ruleset.events] for log in logs]
    corpus = Corpus.of(ruleset, zip((log.started for log in logs), own, strict=True))
    folded = Folder(ruleset, compiled(ruleset)).fold(corpus)
    column, (prints, ends) = seat_column(corpus, folded), fingerprints(folded)
    for m, log in enumerate(logs):
        closing = next((event for event in log.events if isinstance(event, Finished | Resigned)), None)
        is_legal = folded.matches["done"][m] == len(own[m]) and not folded.matches["reason"][m]
        if not is_legal or (closing and folded.matches["turn"][m] == NOBODY):
            yield None
        else:
            acted = column[corpus.starts[m] : corpus.starts[m + 1]].tolist()
            yield _judged(corpus, folded, prints[ends[m] : ends[m + 1]].tobytes(), m, log, closing, acted)


def _judged(
    corpus: Corpus, folded: Folded, prints: bytes, m: int, log: Log, closing: Event | None, acted: list[int]
) -> Judged:
    """The verdict on a log from the fold of its own events, with seats for all of them."""
    from kifold.records.folded import judged_match

    judged = judged_match(corpus, folded, prints, m, acted, closing)
    of_events = iter(judged.seats)
    own = corpus.ruleset.events
    seats = [next(of_events) if type(event) in own else seat_of(event, None) for event in log.events]
    return replace(judged, seats=seats)
