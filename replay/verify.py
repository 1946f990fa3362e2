"""Verification of a store or of a folder of archive files: every stored log folded again, in parallel row groups.

What is said of one match stands in `kifold.replay.verdicts`. Of what lies around the matches, the files have to be the
bytes that were written (the journal keeps their hashes) and to hold the matches that are listed, and each match has to
be there once. Whatever cannot be read is said in a line of its own, and the rest is verified all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec
import numpy as np
import pyarrow as pa

from kifold.core.counted import counted
from kifold.core.options import RulesetError
from kifold.core.registry import ruleset, why_not
from kifold.core.ruleset import Ruleset
from kifold.records.archive import paths
from kifold.records.doubles import doubles
from kifold.records.errors import NOT_AS_WRITTEN, StoreError, altered
from kifold.records.ids import id_text
from kifold.records.log import Log
from kifold.records.removing import unlisted
from kifold.records.row_groups import RowGroups
from kifold.records.store import Store
from kifold.records.unlisted import archive_files
from kifold.replay.causes import DAMAGED, UNVERIFIED, Report, Verdict, unread
from kifold.replay.families import family_faults
from kifold.replay.ply_files import damaged_ply_files
from kifold.replay.verdicts import verify_group, verify_live

OnProgress = Callable[[int, int], None]


class Judging(Protocol):
    """What is asked of stored matches: `Verifying`, or a rehearsal of other rules.

    Attributes:
        asks_of_plies: whether the files of plies are looked at too, which follow from the matches.
    """

    asks_of_plies: ClassVar[bool]

    def group(
        self, rules: Ruleset, matches: pa.Table, events: pa.Table, pins: Mapping[int, int], beside: int
    ) -> Sequence[Verdict]:
        """The verdict of each match of a row group; `pins` has the revisions of those that were promoted, `beside` is
        the number of matches in the other row groups of the file.
        """

    def live(self, log: Log, digest: bytes, *, is_over: bool) -> Verdict:
        """The verdict of a live match, beside which this digest is stored, and whether it has ended."""


class Verifying:
    """Every match is folded under the rules that it is pinned to."""

    asks_of_plies: ClassVar[bool] = True

    def group(
        self, rules: Ruleset, matches: pa.Table, events: pa.Table, pins: Mapping[int, int], beside: int
    ) -> Sequence[Verdict]:
        return verify_group(rules, matches, events, pins, beside=beside)

    def live(self, log: Log, digest: bytes, *, is_over: bool) -> Verdict:
        return verify_live(log, digest, is_over=is_over)


VERIFYING = Verifying()


@dataclass(frozen=True, slots=True)
class Work:
    """How to verify.

    Attributes:
        report: is filled as the work goes on, so it is of use also after an interruption.
        only: the name of a ruleset to restrict to.
        workers: so many threads.
        on_progress: called with the numbers of matches and events of each part; it must not write to the store.
        judging: what is asked of each match.
        on_verdicts: called with the verdicts of each part.
    """

    report: Report
    only: str | None = None
    workers: int = 1
    on_progress: OnProgress = lambda matches, events: None
    judging: Judging = VERIFYING
    on_verdicts: Callable[[Sequence[Verdict]], None] = lambda verdicts: None

    def add(self, verdicts: Sequence[Verdict], events: int) -> None:
        """Take the verdicts of some matches with so many events in all."""
        self.report.add(verdicts, events)
        self.on_verdicts(verdicts)
        self.on_progress(len(verdicts), events)


def verify_store(store: Store, work: Work) -> None:
    """Verify a store as it is at one moment: the journal's file, archive files in parallel row groups, live matches."""
    report = work.report
    there = archive_files(store.archive_folder)  # before the list is read, or a file that comes meanwhile is not on it
    with store.journal.reading():
        report.unlisted += unlisted(store, there, work.only)
        report.unreadable += _journal_faults(store)
        for place in damaged_ply_files(store, work.only) if work.judging.asks_of_plies else ():
            report.unreadable.append(
                f"{place}: is damaged (not the bytes that were written); `kifold plies` makes it again"
            )
        with _said(report):
            for name, file in store.files(work.only):
                with _said(report):
                    _verify_listed(store, name, file, work)
        with _said(report):
            for match in store.journal.ids(work.only):
                work.add(*_verify_live(store, match, work.judging))
        with _said(report):
            report.unreadable += family_faults(store, work.only)


def verify_match(store: Store, match: int, judging: Judging = VERIFYING) -> Verdict:
    """The verdict of one match of a store, wherever it lies.

    Raises:
        NoSuchMatch: when it is not there.
    """
    with store.journal.reading():
        if store.journal.last_seq(match) is not None:
            verdicts, _ = _verify_live(store, match, judging)
            return verdicts[0]
        file = store.file_of(match)
        if file is None:
            raise store.no_such_match(match)
        if why := why_not(file[0]):
            return unread(match, file[0], UNVERIFIED, why)
        place, pin = paths(store.archive_folder, *file)[0], store.journal.promoted(match)
        try:
            tables = store.reader(*file).tables(match)
        except StoreError as error:  # that names the file
            return unread(match, file[0], DAMAGED, str(error), "its file cannot be read")
    if tables is None:
        return unread(match, file[0], DAMAGED, f"it is not in its file {place}", "it is not in its file")
    try:
        return judging.group(ruleset(file[0]), *tables, {match: pin} if pin else {}, 0)[0]
    except StoreError as error:
        return unread(match, file[0], DAMAGED, f"{place}: {error}", str(error))


def file_faults(store: Store, match: int) -> list[str]:
    """A line for each file of an archived match that is not what was written: other matches of it may be the reason,
    or what no digest covers, such as the names of players.
    """
    with store.journal.reading():
        file = store.file_of(match)
        return [altered(place) for place in store.altered(file[1])] if file else []


@contextmanager
def _said(report: Report) -> Iterator[None]:
    """What cannot be read is said, and the rest goes on."""
    try:
        yield
    except StoreError as error:
        report.unreadable.append(str(error))


def verify_files(folder: Path, work: Work) -> None:
    """Verify the archive files below a folder that is no store (a copy, a part of one), and that each match is there
    once.

    No journal says here which matches there should be, and which bytes: a file that is missing whole, or a player's
    name that is another, is not found out. Nor does one say which matches were promoted: each is folded under the
    revision that its log names.
    """
    files: dict[str, list[str]] = {}
    for name, file in archive_files(folder):
        if work.only in (None, name):
            files.setdefault(name, []).append(file)
    for name, of_ruleset in files.items():
        if why := why_not(name):
            work.report.unreadable += [f"{paths(folder, name, file)[0]}: {why}" for file in of_ruleset]
            continue
        for file in of_ruleset:
            with _said(work.report):
                _verify_groups(RowGroups(folder, ruleset(name), file, set()), {}, work)
        with _said(work.report):
            _find_doubles(folder, name, of_ruleset)


def _find_doubles(folder: Path, name: str, files: Sequence[str]) -> None:
    """Say which matches of a ruleset stand in more than one file.

    Raises:
        StoreError: where some do.
    """
    if found := doubles(folder, ruleset(name), files):
        where = " and ".join(str(paths(folder, name, file)[0]) for file in found.files[:2])
        many = counted(
            found.count,
            "match stands in more than one file and is counted in each",
            "matches stand in more than one file and are counted in each",
        )
        raise StoreError(
            f"{many}, one is {id_text(found.first)}, in {where}: take away what is a copy, or restore the journal, "
            "which says what was replaced"
        )


FAULTS = (
    ("live matches are archived too", "SELECT 1 FROM matches WHERE EXISTS (SELECT 1 FROM archived WHERE match = id)"),
    ("matches lie in files that are not listed", "SELECT 1 FROM archived WHERE file NOT IN (SELECT id FROM files)"),
    ("rows of deleted matches name none", "SELECT 1 FROM tombstones WHERE typeof(match) <> 'integer'"),
    ("events belong to no match", "SELECT 1 FROM events WHERE match NOT IN (SELECT id FROM matches)"),
)


def _journal_faults(store: Store) -> Iterator[str]:
    """What is wrong with the journal beyond single matches."""
    try:
        faults = [str(said) for said in store.journal.column("PRAGMA integrity_check(3)") if said != "ok"]
        for fault, query in FAULTS if not faults else ():
            ((count,),) = store.journal.rows(f"SELECT count(*) FROM ({query})")
            if count:
                faults.append(f"{count:,} {fault}")
        for fault in faults:
            yield f"{store.journal.path}: is damaged ({' '.join(fault.split())}); restore it from a copy"
    except StoreError as error:
        yield str(error)


def _verify_listed(store: Store, name: str, file: str, work: Work) -> None:
    """Verify a file of the archive, and that it is the one that is listed."""
    report = work.report
    [(said,)] = store.journal.rows(LISTED, (file,))
    listed = np.sort(np.array(msgspec.json.decode(said, type=list[int]), np.int64))
    if why := why_not(name):
        work.add([unread(match, name, UNVERIFIED, why) for match in listed.tolist()], 0)
        return
    before = len(report.unreadable)
    places = paths(store.archive_folder, name, file)
    [(matches, events)] = store.journal.rows("SELECT matches, events FROM files WHERE name = ?", (file,))
    report.unreadable += map(altered, store.altered(file))
    gone, pins = store.tombstones(file), store.pins(file)
    try:
        groups = RowGroups(store.archive_folder, ruleset(name), file, gone)
    except StoreError as error:
        report.unreadable.append(str(error))
        report.miss(len(listed))
        return
    found = _verify_groups(groups, pins, work)
    if is_other := not np.array_equal(found, listed):
        report.miss(len(np.setdiff1d(listed, found)))
    if len(report.unreadable) > before:
        return
    if is_other:
        report.unreadable.append(f"{places[0]}: does not hold the matches that the journal lists for it; restore both")
    elif (matches, events) != (groups.matches, groups.events):
        report.unreadable.append(f"{places[0]}: does not hold as many rows as the journal says of it; restore both")


NO_TRUTH = "whether it has ended is no truth value"
LISTED = "SELECT json_group_array(match) FROM archived WHERE file = (SELECT id FROM files WHERE name = ?)"
"""The matches of a file as one text: to take row after row from SQLite costs twice as much as to read it."""


def _verify_groups(groups: RowGroups, pins: Mapping[int, int], work: Work) -> np.ndarray[Any, Any]:
    """Verify the matches of a file, but for those that are gone; the ids of those that were found."""

    def verify(matches: pa.Table, events: pa.Table) -> tuple[Sequence[Verdict], int, np.ndarray[Any, Any]]:
        verdicts = work.judging.group(groups.rules, matches, events, pins, groups.matches - len(matches))
        return verdicts, len(events), matches["match_id"].to_numpy()

    found = [np.zeros(0, np.int64)]
    for outcome in groups.each(verify, work.workers):
        if isinstance(outcome, StoreError):
            work.report.unreadable.append(str(outcome))
            continue
        verdicts, events, ids = outcome
        found.append(ids)
        work.add(verdicts, events)
    return np.concatenate(found)


def _verify_live(store: Store, match: int, judging: Judging) -> tuple[list[Verdict], int]:
    """The verdict of a live match, and how many events were folded."""
    ((name, digest, is_over),) = store.journal.rows(
        "SELECT ruleset, digest, is_over FROM matches WHERE id = ?", (match,)
    )
    try:
        if why := store.journal.damage(match):
            return [unread(match, name, DAMAGED, why, why if why == NOT_AS_WRITTEN else "an event is missing")], 0
        log = store.journal.log(match)
    except RulesetError as error:
        return [unread(match, name, UNVERIFIED, str(error))], 0
    except StoreError as error:
        return [unread(match, name, DAMAGED, str(error))], 0
    if log.started.ruleset != name:
        return [unread(match, name, DAMAGED, f"its log is one of {log.started.ruleset}")], len(log.events)
    if is_over not in (0, 1):
        return [unread(match, name, DAMAGED, NO_TRUTH)], len(log.events)
    return [judging.live(log, digest, is_over=bool(is_over))], len(log.events)
