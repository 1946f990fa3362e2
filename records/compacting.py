"""Compacting a store: what was corrected goes back to the archive, what was deleted leaves the disk, and files that are
small or have holes become whole ones.

Files are replaced as they are added: the new one is written beside, flushed and renamed, and one transaction lists it
and strikes out those that it replaces, with their tombstones. So each match is there once, whenever the process ends.
A match that was deleted or went on meanwhile is covered in the new file. What was replaced is removed when nobody reads
it any more, see `kifold.records.removing`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from kifold.core.counted import counted
from kifold.core.registry import ruleset, why_not
from kifold.core.schema import events_schema
from kifold.records.archive import ROWS_PER_FILE, FileWriter, file_hash, paths
from kifold.records.archiving import move
from kifold.records.columns import Layout, together
from kifold.records.errors import RESTORE, StoreError, altered, missing
from kifold.records.merging import Part, merged, parts_of
from kifold.records.removing import note_replaced, remove_old_drafts, remove_replaced
from kifold.records.store import Store
from kifold.records.uninterrupted import uninterrupted

SMALL = ROWS_PER_FILE // 2
"""Files with fewer events than this are put together. Of two such files the sum fits into one."""

OnProgress = Callable[[int, int], None]


@dataclass(slots=True)
class Report:
    """What compacting did.

    Attributes:
        returned: matches that went back to the archive.
        dropped: matches that were deleted or replaced, whose rows are gone.
        files: how many archive files there were, and are.
        size: bytes of archive and journal, before and after.
        left: one line for each file or match that stays as it is, and why.
        is_waiting: whether replaced files are still there, since another process reads them.
    """

    returned: int = 0
    dropped: int = 0
    files: tuple[int, int] = (0, 0)
    size: tuple[int, int] = (0, 0)
    left: list[str] = field(default_factory=list)
    is_waiting: bool = False

    @property
    def is_idle(self) -> bool:
        """Whether there was nothing to do."""
        return not self.returned and not self.dropped and self.files[0] == self.files[1]


@dataclass(frozen=True, slots=True)
class Old:
    """A file that may be replaced.

    Attributes:
        number, ruleset, name: of the list.
        layout: the columns of its two files.
        parts: its row groups, with the matches that are kept.
        events: how many events are kept.
        dropped: how many matches are not.
    """

    number: int
    ruleset: str
    name: str
    layout: Layout
    parts: Sequence[Part]
    events: int
    dropped: int


def compact(store: Store, on_progress: OnProgress) -> Report:
    """Compact a store.

    What cannot be read, or is not what was written, is left alone and said; the rest goes on. Memory holds two row
    groups, `merging.HELD` rows, and 12 bytes for each match of the files that may be replaced.

    Args:
        on_progress: called with the numbers of matches and events of each part.

    Raises:
        StoreError: when the journal cannot be read or written.
    """
    report = Report()
    before = _files_and_size(store)
    report.returned, report.left = move(store, store.returned, on_progress)
    for name in store.journal.column("SELECT DISTINCT ruleset FROM files ORDER BY 1"):
        for olds in _bins(_candidates(store, name, report)):
            try:
                report.dropped += _replace(store, olds, on_progress)
            except StoreError as error:
                report.left.append(f"{error} ({', '.join(old.name for old in olds)} stay as they are)")
    try:
        report.is_waiting = not remove_replaced(store)
        remove_old_drafts(store)
        store.journal.tidy()
    except StoreError as error:
        report.left.append(str(error))
    after = _files_and_size(store)
    report.files, report.size = (before[0], after[0]), (before[1], after[1])
    return report


def _files_and_size(store: Store) -> tuple[int, int]:
    """How many files the archive lists; bytes of archive and journal, without what is derived from them."""
    size = 0
    for place in (*store.folder.glob("journal.sqlite*"), *store.archive_folder.rglob("*.parquet")):
        with suppress(FileNotFoundError):  # another process may remove it meanwhile
            size += place.stat().st_size
    return len(store.files()), size


DROPPED = """
SELECT file, match FROM tombstones AS t WHERE
    match NOT IN (SELECT id FROM matches)
    OR EXISTS (SELECT 1 FROM tombstones AS later WHERE later.match = t.match AND later.file > t.file)
"""
"""The matches of each file whose rows are to go. Where a match is live, since it is damaged there or changed on its way
back, the newest rows stay under their tombstone until it is archived again: they may be needed."""


def _candidates(store: Store, name: str, report: Report) -> list[Old]:
    """The files of a ruleset that have rows to drop, or are small; of all its files those that are damaged are said."""
    found = []
    with store.journal.reading():
        gone: dict[int, set[int]] = {}
        for number, match in store.journal.rows(DROPPED):
            gone.setdefault(number, set()).add(match)
        wanted = [row for row in _as_written(store, name, report) if row[0] in gone or row[2] < SMALL]
        if not (len(wanted) > 1 or any(row[0] in gone for row in wanted)):
            return []
        counts = {table: dict(store.journal.rows(f"SELECT file, count(*) FROM {table} GROUP BY 1")) for table in LISTS}
        if why := why_not(name):
            many = counted(len(wanted), f"file of {name} stays as it is", f"files of {name} stay as they are")
            report.left.append(f"{many}: {why}")
            return []
        for number, file, _ in wanted:
            try:
                old = _examined(store, number, name, file, gone.get(number, set()))
                _expect_listed(store, old, *(counts[table].get(number, 0) for table in LISTS))
                found.append(old)
            except StoreError as error:
                report.left.append(f"{error} (it stays as it is)")
    return found


def _as_written(store: Store, name: str, report: Report) -> list[tuple[int, str, int]]:
    """Number, name and events of those files of a ruleset that are what was written; the others are said.

    What is copied from them would pass for sound.
    """
    found = []
    query = "SELECT id, name, events, matches_hash, events_hash FROM files WHERE ruleset = ? ORDER BY id"
    for number, file, events, *hashes in store.journal.rows(query, (name,)):
        try:
            for place, written in zip(paths(store.archive_folder, name, file), hashes, strict=True):
                _expect_bytes(place, written)
            found.append((number, file, events))
        except StoreError as error:
            report.left.append(f"{error} (it stays as it is)")
    return found


def _expect_bytes(place: Path, written: bytes) -> None:
    """Refuse a file that is not what was written, by its hash."""
    try:
        found = file_hash(place)
    except FileNotFoundError:
        raise StoreError(missing(place)) from None
    except OSError as error:
        raise StoreError(f"{place}: cannot be read ({error.strerror}); {RESTORE}") from None
    if found != written:
        raise StoreError(altered(place))


def _examined(store: Store, number: int, name: str, file: str, gone: set[int]) -> Old:
    """What lies in a file.

    Raises:
        StoreError: when it cannot be read.
    """
    reader = store.reader(name, file)
    parts = parts_of(store, (name, file), reader, gone)
    events = sum(int(part.lengths.sum()) for part in parts)
    return Old(number, name, file, reader.layout, parts, events, len(gone))


LISTS = ("archived", "tombstones")


def _expect_listed(store: Store, old: Old, archived: int, covered: int) -> None:
    """Refuse a file that lacks a match that is listed for it, or has another.

    Args:
        archived, covered: how many matches the journal lists as archived in the file, and as covered there.
    """
    query = "SELECT count(*) FROM json_each(?) JOIN archived ON match = value WHERE file = ?"
    [(found,)] = store.journal.rows(query, (_ids(old.parts), old.number))
    if found != archived or sum(len(part.ids) for part in old.parts) != archived + covered - old.dropped:
        place = paths(store.archive_folder, old.ruleset, old.name)[0]
        raise StoreError(f"{place}: does not hold the matches that the journal lists for it; restore both")


def _ids(parts: Sequence[Part]) -> str:
    """The ids of the matches that are kept, as JSON."""
    return "[" + ",".join(str(match) for part in parts for match in part.ids.tolist()) + "]"


def _bins(olds: Sequence[Old]) -> Iterator[Sequence[Old]]:
    """What is put together: files with the same columns of matches, each where there is room first. At most one remains
    small.
    """
    lots: list[list[Old]] = []
    sizes: list[int] = []
    for old in olds:
        for at, lot in enumerate(lots):
            if lot[0].layout[0] == old.layout[0] and sizes[at] + old.events <= ROWS_PER_FILE:
                lot.append(old)
                sizes[at] += old.events
                break
        else:
            lots.append([old])
            sizes.append(old.events)
    return (lot for lot in lots if len(lot) > 1 or lot[0].dropped)


def _replace(store: Store, olds: Sequence[Old], on_progress: OnProgress) -> int:
    """Replace files by one; how many matches were dropped.

    Raises:
        StoreError: when a file cannot be read or written, or the journal cannot be written.
    """
    rules = ruleset(olds[0].ruleset)
    columns = together([old.layout[1] for old in olds], events_schema(rules))
    file = FileWriter(store.archive_folder, rules, (olds[0].layout[0], columns))
    try:
        with store.journal.reading():
            if not _are_listed(store, olds):
                return 0  # another process was faster
            for matches, events in merged([part for old in olds for part in old.parts], columns):
                file.write(matches, events)
                on_progress(len(matches), len(events))
        with uninterrupted():
            return sum(old.dropped for old in olds) if _list(store, olds, file) else 0
    finally:
        file.abandon()  # the drafts, if they are still there


def _list(store: Store, olds: Sequence[Old], file: FileWriter) -> bool:
    """Put the file in place and list it instead of the old ones, unless another process was faster."""
    hashes = file.close()
    with store.journal.writing() as db:
        if not _are_listed(store, olds):
            return False
        new = None
        if file.matches:
            name = f"{olds[0].ruleset}-{secrets.token_hex(6)}"
            new = store.list_file(olds[0].ruleset, name, file.matches, file.events, *hashes)
            file.place(name)
        numbers = str([old.number for old in olds])
        db.execute("UPDATE archived SET file = ? WHERE file IN (SELECT value FROM json_each(?))", (new, numbers))
        db.execute("DELETE FROM tombstones WHERE file IN (SELECT value FROM json_each(?))", (numbers,))
        db.execute("DELETE FROM files WHERE id IN (SELECT value FROM json_each(?))", (numbers,))
        note_replaced(store, [(old.ruleset, old.name) for old in olds])
        if new is not None:
            db.execute(COVER, (new, _ids([part for old in olds for part in old.parts]), new))
    return True


COVER = """
INSERT INTO tombstones SELECT value, ? FROM json_each(?)
WHERE NOT EXISTS (SELECT 1 FROM archived WHERE match = value AND file = ?)
"""
"""Covers those matches of the new file that were deleted or went on meanwhile."""


def _are_listed(store: Store, olds: Sequence[Old]) -> bool:
    listed = set(store.journal.rows("SELECT id, name FROM files"))
    return all((old.number, old.name) in listed for old in olds)
