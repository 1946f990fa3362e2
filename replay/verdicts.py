"""The verdict of one stored match, and of the matches of a row group: nothing that is stored is trusted.

A match gets the first verdict that holds: `damaged` (its digest, or its rows, are not what was written), `illegal` (the
rules refuse an event), `diverged` (the fold is legal and arrives elsewhere), `unverified` (the rules it is pinned to
are not installed), `exact`. Unfinished is a label and no failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from kifold.core.codec import valid, valid_started
from kifold.core.compiled import compiled
from kifold.core.corpus import Folded, Folder
from kifold.core.events import Started, kind_of, tag_of
from kifold.core.play import Refused, standing_events
from kifold.core.registry import ruleset
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.records.errors import NOT_AS_WRITTEN, StoreError
from kifold.records.folded import fingerprints, judged_match, seat_column
from kifold.records.judge import FINGERPRINT_SIZE, MANY, Judged, judge_log
from kifold.records.log import Log
from kifold.records.reading import Group, digests, prepare, read_group
from kifold.records.row_groups import revisions_of
from kifold.records.tables import ending_text, rows_to_logs, unlike
from kifold.records.unreadable import UNREADABLE
from kifold.replay.agreement import confirmed
from kifold.replay.causes import DAMAGED, DIVERGED, EXACT, ILLEGAL, UNVERIFIED, Verdict, Verdicts, cause_of

EVENTS_OF_A_MATCH = 64
"""Fewer matches than `MANY` pay as well when they are long: when they have as many events as that many usual ones."""

STRANGE = "a column is filled that its event does not have"


@dataclass(frozen=True, slots=True)
class Subject:
    """The match of which something is said.

    Attributes:
        match_id, events: its id, and how many events it has after event 0.
        rules: what it is folded under; of a revision that is not installed, the newest.
        started: event 0, None where that cannot be read.
        revision: what it is pinned to.
    """

    match_id: int
    events: int
    rules: Ruleset
    started: Started | None
    revision: int | None = None

    def failed(
        self,
        verdict: str,
        said: str,
        what: Sequence[str],
        event: str = "",
        seq: int | None = None,
        *,
        is_unfinished: bool = False,
    ) -> Verdict:
        """That it failed."""
        cause = cause_of(self.rules, self.started, verdict, what, event, revision=self.revision)
        return Verdict(self.match_id, self.rules.name, verdict, said, is_unfinished, seq, self.events, cause)

    def damaged(self, said: str, what: str = "") -> Verdict:
        """That it is not what was written; `what` is the kind of damage where `said` tells more than that."""
        return self.failed(DAMAGED, said, [what or said])

    def not_installed(self) -> Verdict:
        """That nothing can be verified."""
        said = f"revision {self.revision} is not installed"
        return self.failed(UNVERIFIED, said, [said])

    def illegal(self, seq: int, reason: str, meaning: str, event: str) -> Verdict:
        """That the rules refuse an event, or the setup."""
        return self.failed(ILLEGAL, f"at event {seq} ({reason}: {meaning})", [reason], event, seq)


def verify_group(
    rules: Ruleset,
    matches: pa.Table,
    events: pa.Table,
    pins: Mapping[int, int] | None = None,
    beside: int = 0,
) -> Verdicts:
    """The verdict of each match of a row group, in their order.

    A group of few matches is folded in plain Python: compiling rules for the first time takes longer.

    Args:
        rules: the ruleset, of any revision.
        pins: the revision of each match that was promoted to another than its log names.
        beside: how many matches are verified in the same way anyway.

    Raises:
        StoreError: when the tables do not belong together, or hold what no writer wrote.
    """
    prepare()
    try:
        group = read_group(rules, matches, events)
    except UNREADABLE as error:
        raise StoreError(f"is damaged ({type(error).__name__}: {error}); restore it from a copy") from None
    if not pays_to_compile(len(matches), len(events), beside):
        group.is_plain[:] = False
    revisions = revisions_of(matches, pins or {})
    fine, is_over = np.zeros(len(matches), bool), np.zeros(len(matches), bool)
    others: dict[int, Verdict] = {}
    for revision in sorted(rules.revisions.keys() & set(revisions.tolist())):
        wanted = group.is_plain & ~group.is_strange & (revisions == revision)
        if wanted.any():
            part = group.only(wanted)
            fine[wanted], is_over[wanted] = confirmed(rules.at(revision), part)
            failed = wanted & ~fine
            if failed.any():
                found = _plain_verdicts(rules.at(revision), part.only(~fine[wanted]))
                others |= zip(np.flatnonzero(failed).tolist(), found, strict=True)
    for m in np.flatnonzero(~fine).tolist():
        if m not in others:
            others[m] = _one_verdict(rules, group, m, revisions[m], matches, events)
    return Verdicts(rules.name, matches["match_id"].to_numpy(), np.diff(group.corpus.starts), ~is_over, others)


def pays_to_compile(matches: int, events: int, beside: int) -> bool:
    """Whether so many matches are folded by the compiled rules: with those `beside` them, or by their length."""
    return matches + beside >= MANY or events >= MANY * EVENTS_OF_A_MATCH


def _one_verdict(rules: Ruleset, group: Group, m: int, revision: int, matches: pa.Table, events: pa.Table) -> Verdict:
    """The verdict of match number m of a group, folded by itself."""
    row, started = group.rows[m], group.started[m]
    known = started if isinstance(started, Started) else None
    subject = Subject(row["match_id"], row["n_events"], rules, known, int(revision) or None)
    if group.is_strange[m]:
        return subject.damaged(STRANGE)
    if isinstance(started, str):
        return subject.damaged(f"its beginning cannot be read: {started}", "its beginning cannot be read")
    first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
    seats = group.seats[first:last].tolist()
    return _verify_slowly(subject, row, matches.slice(m, 1), events.slice(first, last - first), seats)


def _plain_verdicts(rules: Ruleset, group: Group) -> Iterator[Verdict]:
    """The verdicts of a group of plain matches, all under one revision, match by match: what failed and where."""
    found = digests(group)
    folded = Folder(rules, compiled(rules)).fold(group.corpus)
    column, (prints, ends) = seat_column(group.corpus, folded), fingerprints(folded)
    for m, (row, started) in enumerate(zip(group.rows, group.started, strict=True)):
        assert isinstance(started, Started)
        subject = Subject(row["match_id"], row["n_events"], rules, started, rules.revision)
        if found[m].tobytes() != row["digest"]:
            yield subject.damaged(NOT_AS_WRITTEN)
        else:
            own = prints[ends[m] : ends[m + 1]].tobytes()
            yield _folded_verdict(subject, group, folded, own, column, m)


def _folded_verdict(subject: Subject, group: Group, folded: Folded, prints: bytes, column: Any, m: int) -> Verdict:
    row, match, rules = group.rows[m], folded.matches[m], subject.rules
    first, last = group.corpus.starts[m], group.corpus.starts[m + 1]
    tags = group.corpus.events["tag"][first:last].tolist()
    if match["reason"]:
        name, seq = rules.reason(int(match["reason"])), int(match["done"]) + 1
        return subject.illegal(seq, name.name, name.meaning, words_of(rules, tags[seq - 1 : seq]) if seq else "")
    judged = judged_match(group.corpus, folded, prints, m, column[first:last].tolist())
    ending = "rules" if judged.is_over else None
    seats = group.seats[first:last].tolist()
    return compare(subject, row, judged, ending, seats, list(enumerate(tags, start=1)))


def words_of(rules: Ruleset, tags: Sequence[int]) -> str:
    """The words of the kinds of events that there are among these tags."""
    words = {tag_of(event): kind_of(event) for event in rules.known}
    return "/".join(sorted({words[tag] for tag in tags}))


def compare(
    subject: Subject,
    row: dict[str, Any],
    judged: Judged,
    ending: str | None,
    seats: Sequence[int] | None,
    counting: Sequence[tuple[int, int]],
) -> Verdict:
    """The verdict of a legal match: does the fold arrive where the writer's did?

    Args:
        subject: the match.
        row: what the writer stored.
        judged, ending, seats: what the fold says.
        counting: the number in the log and the tag of each event that counts.
    """
    is_unfinished = not judged.is_over

    def diverged(said: str, what: Sequence[str], event: str = "", seq: int | None = None) -> Verdict:
        return subject.failed(DIVERGED, said, what, event, seq, is_unfinished=is_unfinished)

    result = [f"result.{name}" for name in unlike(judged.standings, row["result"])]
    if judged.fingerprints != row["fingerprints"]:
        first, last = stretch(row["fingerprints"] or b"", judged.fingerprints, len(counting))
        numbers = [0, *(number for number, _ in counting)]
        event = words_of(subject.rules, [tag for _, tag in counting[first:last]])
        said = f"between events {numbers[first]} and {numbers[last]}"
        return diverged(said, ["state", *result], event, numbers[last])
    if result:
        return diverged("at the end (result)", result)
    if (judged.is_over, ending) != (row["finished"], row["ending"]):
        return diverged("at the end (whether and how it ended)", ["ending"])
    if seats is not None and [s if s is not None else -1 for s in judged.seats] != list(seats):
        return diverged("in who acted (seat)", ["seat"])
    return Verdict(subject.match_id, subject.rules.name, EXACT, "", is_unfinished, None, subject.events)


def stretch(stored: bytes, found: bytes, count: int) -> tuple[int, int]:
    """After how many of the `count` events that count the first fingerprint that differs begins, and is taken."""
    size = FINGERPRINT_SIZE
    prints = max(len(stored), len(found)) // size
    parts = ((stored[at : at + size], found[at : at + size]) for at in range(0, prints * size, size))
    k = next((k for k, (then, now) in enumerate(parts) if then != now), prints)
    return min(k * SNAPSHOT, count), min((k + 1) * SNAPSHOT, count)


def _verify_slowly(
    subject: Subject, row: dict[str, Any], match: pa.Table, events: pa.Table, seats: Sequence[int]
) -> Verdict:
    try:
        log = next(rows_to_logs(subject.rules, match, events))
    except (LookupError, TypeError, ValueError) as error:
        return subject.damaged(f"an event cannot be read: {error}", "an event cannot be read")
    return verify_log(subject, row, log, seats)


def verify_log(subject: Subject, row: dict[str, Any], log: Log, seats: Sequence[int] | None = None) -> Verdict:
    """The verdict of one match, folded in plain Python.

    Args:
        subject: the match; its log is folded under its revision.
        row: what was stored beside it: `digest`, and for an archived match the other columns too.
        seats: who acted at each event, −1 for nobody, where that was stored.
    """
    rules = subject.rules
    try:
        if log.digest != row["digest"]:
            return subject.damaged(NOT_AS_WRITTEN)
        for event in log.events:
            valid(rules, event)
        if subject.revision not in rules.revisions:
            return subject.not_installed()
        rules = rules.at(subject.revision)
        valid_started(rules, log.started)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
        return subject.damaged(f"an event is out of its range: {error}", "an event is out of its range")
    judged = judge_log(rules, log.started, log.events)
    if isinstance(judged, Refused):
        word = kind_of(type(log.events[judged.seq - 1])) if judged.seq else ""
        return subject.illegal(judged.seq, judged.reason, judged.meaning, word)
    if "fingerprints" not in row:
        return Verdict(log.match_id, rules.name, EXACT, "", not judged.is_over, None, len(log.events))
    return compare(subject, row, judged, ending_text(log.events, is_over=judged.is_over), seats, counting(rules, log))


def verify_live(log: Log, digest: bytes, *, is_over: bool) -> Verdict:
    """The verdict of a live match, beside which this digest is stored, and whether it has ended."""
    subject = Subject(log.match_id, len(log.events), ruleset(log.started.ruleset), log.started, log.revision)
    verdict = verify_log(subject, {"digest": digest}, log)
    if verdict.verdict == EXACT and verdict.is_unfinished == is_over:
        said = "at the end (whether it ended)"
        return subject.failed(DIVERGED, said, ["ending"], is_unfinished=verdict.is_unfinished)
    return verdict


def counting(rules: Ruleset, log: Log) -> list[tuple[int, int]]:
    """The number and the tag of each of the ruleset's own events that stand, as they are declared today."""
    lifted = [(seq, type(rules.lift(event))) for seq, event in standing_events(log.events)]
    return [(seq, tag_of(kind)) for seq, kind in lifted if kind in rules.events]
