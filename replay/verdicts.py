"""The verdict of one stored match, and of the matches of a row group: nothing that is stored is trusted.

A match gets the first verdict that holds: `damaged` (its digest, or its rows, are not what was written), `illegal` (the
rules refuse an event), `diverged` (the fold is legal and arrives elsewhere), `unverified` (the rules it is pinned to
are not installed), `exact`. Unfinished is a label and no failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pyarrow as pa

from kifold.core.codec import valid, valid_started
from kifold.core.compiled import compiled
from kifold.core.corpus import Folded, Folder
from kifold.core.events import Started
from kifold.core.play import Refused, standing_events
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.records.archive import UNREADABLE
from kifold.records.errors import NOT_AS_WRITTEN, StoreError
from kifold.records.folded import judged_match, seat_column
from kifold.records.ids import id_text
from kifold.records.judge import FINGERPRINT_SIZE, MANY, Judged, judge_log
from kifold.records.log import Log
from kifold.records.reading import Group, digests, read_group
from kifold.records.tables import agrees, ending_text, rows_to_logs

DAMAGED, ILLEGAL, DIVERGED, UNVERIFIED, EXACT = "damaged", "illegal", "diverged", "unverified", "exact"
VERDICTS = (DAMAGED, ILLEGAL, DIVERGED, UNVERIFIED, EXACT)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification says of one match: the verdict, and for a failure where and why."""

    match_id: int
    ruleset: str
    verdict: str
    cause: str = ""
    is_unfinished: bool = False

    def __str__(self) -> str:
        return f"match {id_text(self.match_id)} ({self.ruleset}): {self.verdict} {self.cause}".rstrip()


def verify_group(rules: Ruleset, matches: pa.Table, events: pa.Table) -> Iterator[Verdict]:
    """The verdict of each match of a row group.

    A group of few matches is folded in plain Python: compiling rules for the first time takes longer.

    Raises:
        StoreError: when the tables do not belong together, or hold what no writer wrote.
    """
    try:
        group = read_group(rules, matches, events)
    except UNREADABLE as error:
        raise StoreError(f"is damaged ({type(error).__name__}: {error}); restore it from a copy") from None
    if len(matches) < MANY:
        group.is_plain[:] = False
    fast = _plain_verdicts(rules, group.only(group.is_plain)) if group.is_plain.any() else iter(())
    for m, (row, started) in enumerate(zip(group.rows, group.started, strict=True)):
        verdict = next(fast) if group.is_plain[m] else None
        if group.is_strange[m]:
            yield Verdict(row["match_id"], rules.name, DAMAGED, "a column is filled that its event does not have")
        elif verdict is not None:
            yield verdict
        elif isinstance(started, str):
            yield Verdict(row["match_id"], rules.name, DAMAGED, f"its beginning cannot be read: {started}")
        else:
            first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
            seats = group.seats[first:last].tolist()
            yield _verify_slowly(rules, row, matches.slice(m, 1), events.slice(first, last - first), seats)


def _plain_verdicts(rules: Ruleset, group: Group) -> Iterator[Verdict]:
    """The verdicts of a group of plain matches, by the compiled rules."""
    found = digests(group)
    folded = Folder(rules, compiled(rules)).fold(group.corpus)
    column = seat_column(group.corpus, folded)
    for m, row in enumerate(group.rows):
        if found[m] != row["digest"]:
            yield Verdict(row["match_id"], rules.name, DAMAGED, NOT_AS_WRITTEN)
        elif row["revision"] != rules.revision:
            yield Verdict(row["match_id"], rules.name, UNVERIFIED, f"revision {row['revision']} is not installed")
        else:
            yield _folded_verdict(rules, group, folded, column, m)


def _folded_verdict(rules: Ruleset, group: Group, folded: Folded, column: Any, m: int) -> Verdict:
    row, match = group.rows[m], folded.matches[m]
    started = group.started[m]
    assert isinstance(started, Started)
    if match["reason"]:
        name = rules.reasons[int(match["reason"])]
        return Verdict(
            row["match_id"], rules.name, ILLEGAL, f"at event {int(match['done']) + 1} ({name.name}: {name.meaning})"
        )
    first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
    judged = judged_match(group.corpus, folded, m, column[first:last].tolist())
    return compare(
        rules,
        row,
        judged,
        "rules" if judged.is_over else None,
        group.seats[first:last].tolist(),
        range(1, last - first + 1),
    )


def compare(
    rules: Ruleset,
    row: dict[str, Any],
    judged: Judged,
    ending: str | None,
    seats: Sequence[int] | None,
    numbers: Sequence[int],
) -> Verdict:
    """The verdict of a legal match: does the fold arrive where the writer's did?

    Args:
        row: what the writer stored.
        judged, ending, seats: what the fold says.
        numbers: the number in the log of each event that counts.
    """

    def verdict(kind: str, cause: str = "") -> Verdict:
        return Verdict(row["match_id"], rules.name, kind, cause, not judged.is_over)

    if judged.fingerprints != row["fingerprints"]:
        return verdict(DIVERGED, diverged_where(row["fingerprints"] or b"", judged.fingerprints, numbers))
    if not agrees(judged.standings, row["result"]):
        return verdict(DIVERGED, "at the end (result)")
    if (judged.is_over, ending) != (row["finished"], row["ending"]):
        return verdict(DIVERGED, "at the end (whether and how it ended)")
    if seats is not None and [s if s is not None else -1 for s in judged.seats] != list(seats):
        return verdict(DIVERGED, "in who acted (seat)")
    return verdict(EXACT)


def diverged_where(stored: bytes, found: bytes, numbers: Sequence[int]) -> str:
    """Between which events the first fingerprint that differs lies."""
    size = FINGERPRINT_SIZE
    count = max(len(stored), len(found)) // size
    k = next((k for k in range(count) if stored[k * size : (k + 1) * size] != found[k * size : (k + 1) * size]), count)
    first, last = (
        numbers[min(n, len(numbers)) - 1] if numbers and n else 0 for n in (k * SNAPSHOT, (k + 1) * SNAPSHOT)
    )
    return f"between events {first} and {last}"


def _verify_slowly(
    rules: Ruleset, row: dict[str, Any], match: pa.Table, events: pa.Table, seats: Sequence[int]
) -> Verdict:
    try:
        log = next(rows_to_logs(rules, match, events))
    except (LookupError, TypeError, ValueError) as error:
        return Verdict(row["match_id"], rules.name, DAMAGED, f"an event cannot be read: {error}")
    return verify_log(rules, row, log, seats)


def verify_log(rules: Ruleset, row: dict[str, Any], log: Log, seats: Sequence[int] | None = None) -> Verdict:
    """The verdict of one match, folded in plain Python.

    Args:
        row: what was stored beside it: `digest`, and for an archived match the other columns too.
        seats: who acted at each event, −1 for nobody, where that was stored.
    """
    try:
        if log.digest != row["digest"]:
            return Verdict(log.match_id, rules.name, DAMAGED, NOT_AS_WRITTEN)
        for event in log.events:
            valid(rules, event)
        if log.started.revision != rules.revision:
            return Verdict(log.match_id, rules.name, UNVERIFIED, f"revision {log.started.revision} is not installed")
        valid_started(rules, log.started)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
        return Verdict(log.match_id, rules.name, DAMAGED, f"an event is out of its range: {error}")
    judged = judge_log(rules, log.started, log.events)
    if isinstance(judged, Refused):
        return Verdict(log.match_id, rules.name, ILLEGAL, f"at event {judged.seq} ({judged.reason}: {judged.meaning})")
    if "fingerprints" not in row:
        return Verdict(log.match_id, rules.name, EXACT, is_unfinished=not judged.is_over)
    numbers = [seq for seq, event in standing_events(log.events) if type(rules.lift(event)) in rules.events]
    return compare(rules, row, judged, ending_text(log.events, is_over=judged.is_over), seats, numbers)
