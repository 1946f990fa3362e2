"""A store: one folder with a journal of live matches and an archive of the others.

store = Store("matches")
match = store.new(BLOKUS.start("duo"))
store.append(match, [Place(0, piece, orientation, x, y)], expected_seq=0)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from kifold.core.codec import encode, valid
from kifold.core.events import Event, Started
from kifold.core.play import Play, fold
from kifold.core.registry import ruleset
from kifold.records.errors import NoSuchMatch, StoreError
from kifold.records.ids import id_text, new_id, parse_id
from kifold.records.journal import Journal
from kifold.records.log import Log

if TYPE_CHECKING:
    from kifold.records.archive import FileReader


class Store:
    """A folder of matches.

    Attributes:
        folder: the folder.
        journal: its SQLite file, which also lists what the archive holds.
    """

    def __init__(self, folder: str | Path, *, durability: str = "full", create: bool = True) -> None:
        """Open a store, making it if it is not there.

        Args:
            folder: where it lies.
            durability: `full`, `normal` or `off`, see `kifold.records.journal.DURABILITY`.
            create: make the folder if it is missing.

        Raises:
            StoreError: when the folder is no store, is of a newer format, or cannot be read or made.
        """
        self.folder = Path(folder)
        if create:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"{self.folder}: cannot be made a store ({error.strerror})") from None
        self.journal = Journal(self.folder / "journal.sqlite", durability=durability, create=create)
        self._plays: dict[int, Play] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store's files."""
        self.journal.close()

    @property
    def archive_folder(self) -> Path:
        """Where the Parquet files lie."""
        return self.folder / "archive"

    def new(self, started: Started, players: Sequence[str] = (), events: Sequence[Event] = ()) -> int:
        """Begin a match; its id.

        Raises:
            Refused: when the rules refuse the setup or one of the events.
            msgspec.ValidationError: when a value is out of its declared range.
            StoreError: when there is a name too many, or the store cannot be written.
        """
        rules = ruleset(started.ruleset)
        if len(players) > started.seats:
            raise StoreError(f"{len(players)} players for {started.seats} seats")
        play, refused = fold(rules, started, [valid(rules, event) for event in events])
        if refused:
            raise refused
        match = new_id()
        with self.journal.writing():
            self.journal.insert(Log(match, started, play.log, tuple(players)), is_over=play.is_over)
        self._remember(match, play)
        return match

    def append(
        self,
        match: int,
        events: Iterable[Event],
        *,
        expected_seq: int | None = None,
        key: str | None = None,
        at_ms: int | None = None,
    ) -> int:
        """Append events to a match, all or none; the number of its last event afterwards.

        Args:
            match: its id.
            events: what happened, in order. Each is validated and checked by the rules before anything is written.
            expected_seq: the number of the last event that the caller has seen; None to append whatever it is.
            key: a name for this append. A second append under the same key changes nothing and returns what the first
            did.
            at_ms: wall-clock time in milliseconds, if it is to be kept.

        Raises:
            Conflict: when the log has moved on from `expected_seq`.
            Refused: when the rules or the log refuse an event.
            NoSuchMatch: when the match is not in the journal.
        """
        with self.journal.writing() as db:
            if key is not None:
                row = db.execute("SELECT match, last_seq FROM keys WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    if row[0] != match:
                        raise StoreError(f"key {key!r} was used for match {id_text(row[0])}; choose another")
                    return int(row[1])
            play = self.play(match)
            before = len(play.log)
            self.journal.expect(match, expected_seq, before)
            try:
                for event in events:
                    play.add(valid(play.ruleset, event))
                self._write(match, play, before, at_ms)
                if key is not None:
                    db.execute("INSERT INTO keys VALUES (?, ?, ?)", (key, match, len(play.log)))
            except BaseException:
                self._plays.pop(match, None)
                raise
        return len(play.log)

    def _write(self, match: int, play: Play, before: int, at_ms: int | None) -> None:
        data = [encode(event) for event in play.log[before:]]
        if data:
            log = Log(match, play.started, play.log)
            self.journal.extend(match, before + 1, data, log.digest, is_over=play.is_over, at_ms=at_ms)

    def play(self, match: int) -> Play:
        """A live match, folded up to its last event, whoever wrote it. It is the store's own: append through the store.

        Raises:
            NoSuchMatch: when the match is not in the journal.
        """
        last = self.journal.last_seq(match)
        if last is None:
            self._plays.pop(match, None)
            raise self._not_live(match)
        play = self._plays.get(match)
        if play is None or len(play.log) > last:
            started = self.journal.started(match)
            play = Play(ruleset(started.ruleset), started)
        for event in self.journal.events(match, after=len(play.log)) if len(play.log) < last else ():
            play.add(event)
        self._remember(match, play)
        return play

    def _remember(self, match: int, play: Play) -> None:
        self._plays.pop(match, None)
        self._plays[match] = play
        if len(self._plays) > 64:
            self._plays.pop(next(iter(self._plays)))

    def _not_live(self, match: int) -> NoSuchMatch:
        if self._file_of(match) is not None:
            return NoSuchMatch(f"match {id_text(match)} is archived; nothing can be appended to it")
        return NoSuchMatch(f"there is no match {id_text(match)} in {self.folder}; `kifold log` lists what there is")

    def find(self, text: str) -> int:
        """The id that a person means: in full, its beginning, or the decimal form of SQL.

        Raises:
            NoSuchMatch: when no match, or more than one, begins so.
            ValueError: when the text cannot be the beginning of an id.
        """
        first, last = parse_id(text)
        query = "SELECT id FROM (SELECT id FROM matches UNION ALL SELECT match FROM archived) WHERE id BETWEEN ? AND ?"
        found = [row[0] for row in self.journal.db.execute(query + " LIMIT 2", (first, last))]
        if len(found) > 1:
            raise NoSuchMatch(f"{text} could be {' or '.join(id_text(i) for i in found)}: write more of it")
        if not found:
            raise NoSuchMatch(f"there is no match {text} in {self.folder}; `kifold log` lists what there is")
        return int(found[0])

    def log(self, match: int) -> Log:
        """A match, wherever it lies.

        Raises:
            NoSuchMatch: when the store has none of that id.
        """
        if self.journal.last_seq(match) is not None:
            return self.journal.log(match)
        file = self._file_of(match)
        log = self.reader(*file).log(match) if file else None
        if log is None:
            raise self._not_live(match)
        return log

    def logs(self, only: Iterable[int] | None = None) -> Iterator[Log]:
        """All matches in order of their ids, or those named, in the order given."""
        if only is not None:
            for match in only:
                yield self.log(match)
            return
        for match in self.journal.ids():
            yield self.journal.log(match)
        for ruleset_name, name in self.files():
            gone = self.tombstones(name)
            yield from (log for log in self.reader(ruleset_name, name).logs() if log.match_id not in gone)

    def delete(self, match: int) -> None:
        """Take a match away. An archived one is covered by a tombstone until `compact` drops its rows."""
        with self.journal.writing() as db:
            if self.journal.last_seq(match) is not None:
                self.journal.remove(match)
            elif self._file_of(match) is not None:
                db.execute("INSERT INTO tombstones SELECT match, file FROM archived WHERE match = ?", (match,))
                db.execute("DELETE FROM archived WHERE match = ?", (match,))
            else:
                raise self._not_live(match)
        self._plays.pop(match, None)

    def files(self, ruleset_name: str | None = None) -> list[tuple[str, str]]:
        """(ruleset, name) of the live archive files, in the order in which they were added."""
        rows = self.journal.db.execute("SELECT ruleset, name FROM files ORDER BY id")
        return [(r, name) for r, name in rows if ruleset_name in (None, r)]

    def tombstones(self, file: str) -> set[int]:
        """Ids of the matches in an archive file that were deleted or replaced."""
        query = "SELECT match FROM tombstones JOIN files ON files.id = file WHERE name = ?"
        return {row[0] for row in self.journal.db.execute(query, (file,))}

    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Per ruleset, the numbers of live and of archived matches."""
        counts: dict[str, tuple[int, int]] = {}
        for name, live in self.journal.db.execute("SELECT ruleset, count(*) FROM matches GROUP BY 1"):
            counts[name] = (live, 0)
        archived = "SELECT ruleset, count(*) FROM archived JOIN files ON files.id = file GROUP BY 1"
        for name, many in self.journal.db.execute(archived):
            counts[name] = (counts.get(name, (0, 0))[0], many)
        return counts

    def holds(self, match: int) -> bool:
        """Whether the store has a match of that id."""
        return self.journal.last_seq(match) is not None or self._file_of(match) is not None

    def _file_of(self, match: int) -> tuple[str, str] | None:
        row = self.journal.db.execute(
            "SELECT ruleset, name FROM archived JOIN files ON files.id = file WHERE match = ?", (match,)
        ).fetchone()
        return (row[0], row[1]) if row else None

    def reader(self, ruleset_name: str, name: str) -> FileReader:
        """An archive file, opened."""
        from kifold.records.archive import FileReader

        return FileReader(self.archive_folder, ruleset(ruleset_name), name)
