"""A store: one folder with a journal of live matches and an archive of the others.

store = Store("matches")
match = store.new(BLOKUS.start("duo"))
store.append(match, [Place(0, piece, orientation, x, y)], expected_seq=0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from kifold.core.codec import valid, valid_started
from kifold.core.counted import counted
from kifold.core.events import Event, Started
from kifold.core.options import RulesetError
from kifold.core.play import Play, fold
from kifold.core.registry import pinned, ruleset
from kifold.records.errors import KeyUsed, NoSuchMatch, StoreError, altered, damaged, expect_text
from kifold.records.heirs import leave_to_forks
from kifold.records.ids import id_text, new_id
from kifold.records.journal import Journal, Used
from kifold.records.listing import Listing
from kifold.records.live import Live
from kifold.records.log import Log, batches
from kifold.records.plays import Plays

if TYPE_CHECKING:
    from kifold.records.archive import FileReader


class Store(Listing):
    """A folder of matches.

    Attributes:
        folder: the folder.
        journal: its SQLite file.
    """

    def __init__(self, folder: str | Path, *, durability: str = "full", create: bool = True) -> None:
        """Open a store, making it if it is not there.

        Args:
            folder: where it lies.
            durability: `full`, `normal` or `off`, see `kifold.records.sqlite.DURABILITY`.
            create: make the folder if it is missing.

        Raises:
            StoreError: when the folder is no store, is of a newer format, or cannot be read or made, or where it lies
                is no UTF-8 text.
        """
        self.folder = Path(folder)
        expect_text(self.folder)
        if create:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"{self.folder}: cannot be made a store ({error.strerror})") from None
        super().__init__(Journal(self.folder / "journal.sqlite", durability=durability, create=create))
        self._plays = Plays(self.journal)

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
            RulesetError: for a ruleset, variant, option, revision or number of seats that is not installed.
            msgspec.ValidationError: when a value is out of its declared range.
            StoreError: when there is a name too many or one that is no UTF-8, or the store cannot be written.
        """
        rules = pinned(started)
        started = valid_started(rules, started)
        if len(players) > started.seats:
            raise StoreError(f"{len(players)} players for {counted(started.seats, 'seat', 'seats')}")
        play, refused = fold(rules, started, [valid(rules, event) for event in events])
        if refused:
            raise refused
        match = new_id()
        with self.journal.writing():
            self.journal.insert(Log(match, started, play.log, tuple(players)), is_over=play.is_over)
        self._plays.remember(match, Live(play))
        return match

    def append(
        self,
        match: int,
        events: Iterable[Event],
        *,
        expected_seq: int | None = None,
        key: str | None = None,
    ) -> int:
        """Append events to a match, all or none; the number of its last event afterwards.

        Args:
            match: its id.
            events: what happened, in order. Each is validated and checked by the rules before anything is written. They
                are asked for when the match is at hand.
            expected_seq: the number of the last event that the caller has seen; None to append whatever it is.
            key: a name for this append. A second append under the same key changes nothing and returns what the first
            did, for the same events; of a match that was deleted meanwhile they are not asked for. A key that was used
            before the store had format 3 stands for any events that end where its own did.

        An archived match comes back to the journal with its first new event. A batch of 16 events and more is folded by
        the compiled rules where this process has folded with them before, see `kifold.core.at_hand`.

        Raises:
            Conflict: when the log has moved on from `expected_seq`.
            KeyUsed: when the key was used for other events.
            Refused: when the rules or the log refuse an event.
            msgspec.ValidationError: when a value of an event is out of its declared range.
            RulesetError: when the rules that the match is pinned to are not installed.
            NoSuchMatch: when there is no such match.
            StoreError: when the key is empty, no UTF-8 or was used for another match, the id is no number of 64 bits,
                the match is damaged, or the store cannot be written.
            Whatever asking for `events` raises.
        """
        if key == "":
            raise StoreError("a key cannot be empty: choose another, or append without one")
        live: Live | None = None
        try:
            with self.journal.writing():
                if key is not None and (used := self.journal.used(key, match)) is not None:
                    if self.holds(match):
                        self._expect_same(match, key, used, events)
                    return used.last
                found = self._plays.get(match) or self._bring_back(match)
                self.journal.expect(match, expected_seq, found.last_seq)
                live, seq = found, found.last_seq
                data = live.enter(events)
                if data:
                    self.journal.extend(match, seq + 1, data, live.digest, is_over=live.is_over)
                if key is not None:
                    self.journal.use(key, match, seq + 1, live.last_seq)
        except BaseException:
            # Nothing was written. The caller may hold this match in his hands: it must not be ahead of the file.
            if live is not None:
                live.go_back(seq)
            raise
        return live.last_seq

    def rename(self, match: int, seat: int, name: str) -> None:
        """Correct the name of a player. It is no part of the log: there is no event, and digest and id stay.

        An archived match comes back to the journal. Forks keep the names that they have.

        Raises:
            NoSuchMatch: when there is no such match.
            StoreError: when it has no such seat or is damaged, the name is no UTF-8, or the store cannot be written.
        """
        with self.journal.writing():
            seats = (self._plays.get(match) or self._bring_back(match)).started.seats
            if not 0 <= seat < seats:
                raise StoreError(f"seat {seat}: the match has seats 0..{seats - 1}")
            names = [*self.journal.players(match)]
            names += [""] * (seat + 1 - len(names))
            names[seat] = name
            self.journal.name_players(match, names)

    def _expect_same(self, match: int, key: str, used: Used, events: Iterable[Event]) -> None:
        """Refuse other events than those that were appended to a match under a key."""
        log = self.log(match)
        given = [valid(log.rules, event) for event in events]
        before = used.before(len(given))
        if len(given) != used.last - before or given != list(log.events[before : used.last]):
            raise KeyUsed(key, match, used.last)

    def _bring_back(self, match: int) -> Live:
        """Move an archived match to the journal; its rows in the archive are covered. Called inside `writing()`."""
        log = self.log(match, intact=True)
        play = self._folded(log)
        self._cover(match)
        self.journal.insert(log, is_over=play.is_over)
        live = Live(play)
        self._plays.remember(match, live)
        return live

    def _cover(self, match: int) -> None:
        self.journal.db.execute("INSERT INTO tombstones SELECT match, file FROM archived WHERE match = ?", (match,))
        self.journal.db.execute("DELETE FROM archived WHERE match = ?", (match,))

    def play(self, match: int) -> Play:
        """A live match, folded up to its last event, whoever wrote it. It is the store's own: append through the store.

        Raises:
            NoSuchMatch: when the match is not in the journal.
            StoreError: when its log is not what was written.
            RulesetError: when the rules that it is pinned to are not installed.
            Refused: when the rules refuse its log.
        """
        with self.journal.reading():
            live = self._plays.get(match)
        if live is None:
            raise self.no_such_match(match)
        return live.show()

    def folded(self, match: int) -> Play:
        """A match of one's own, wherever it lies, folded up to its last event: to look at, or to try events on.

        Raises:
            NoSuchMatch, StoreError, RulesetError, Refused: when it is not there, or cannot be read or folded.
        """
        with self.journal.reading():
            live = self._plays.get(match)
        if live is not None:
            return live.show().copy()
        return self._folded(self.log(match))

    def _folded(self, log: Log) -> Play:
        play, refused = fold(log.rules, log.started, log.events)
        if refused:
            raise refused
        return play

    def log(self, match: int, *, intact: bool = False) -> Log:
        """A match, wherever it lies.

        Raises:
            NoSuchMatch: when the store has none of that id.
            StoreError: when it cannot be read, or is a live one that is not what was written; with `intact` also when
                an archived one is not, or lies in a file that is not.
            RulesetError: when its ruleset is not installed, or not as new as the log.
        """
        with self.journal.reading():
            if self.journal.last_seq(match) is not None:
                if why := self.journal.damage(match):
                    raise damaged(match, why)
                return self.journal.log(match)
            file = self.file_of(match)
            if file is None:
                raise self.no_such_match(match)
            log = self.reader(*file).log(match)
            if log is None:
                raise StoreError(f"match {id_text(match)} is not in its archive file {file[1]}; see `kifold verify`")
            if intact and not log.is_intact:
                raise damaged(match)
            # No digest covers the players' names.
            for place in self.altered(file[1]) if intact else ():
                raise StoreError(f"match {id_text(match)} lies in {altered(place)}")
            return self.journal.completed(log)

    def logs(self, only: Iterable[int] | None = None, *, of: str | None = None) -> Iterator[Log]:
        """All matches that there are now, or those of one ruleset, first the live ones; or those named, in that order.

        Raises:
            NoSuchMatch: when one of those named is not there.
            StoreError: when one cannot be read.
            RulesetError: when the ruleset of one is not installed, or not as new as the log.
        """
        if only is not None:
            for batch in batches(iter(only)):
                archived = self._archived(batch)
                for match in batch:
                    yield archived[match] if match in archived else self.log(match)
            return
        # A connection of its own holds the moment, so that the files of then stay, and the caller may write meanwhile.
        with closing(Journal(self.journal.path, create=False)) as journal, journal.reading():
            then = Listing(journal)
            for match in journal.ids(of):
                # Another process may have archived it meanwhile, or deleted it.
                with suppress(NoSuchMatch):
                    yield self.log(match)
            for ruleset_name, name in then.files(of):
                gone, pins, forks = then.tombstones(name), then.pins(name), then.forks(name)
                for log in self.reader(ruleset_name, name).logs():
                    if log.match_id not in gone:
                        log.promoted, log.fork = pins.get(log.match_id), forks.get(log.match_id)
                        yield log

    def _archived(self, matches: Iterable[int]) -> dict[int, Log]:
        """Those of the matches that lie in the archive, by their ids."""
        files: dict[tuple[str, str], list[int]] = {}
        with self.journal.reading():
            for match in matches:
                if file := self.file_of(match):
                    files.setdefault(file, []).append(match)
            found = (log for file, some in files.items() for log in self.reader(*file).some(some))
            return {log.match_id: self.journal.completed(log) for log in found}

    def live_logs(self, matches: Iterable[int], on_bad: Callable[[int, str], None]) -> Iterator[Log]:
        """The logs of live matches. One that cannot be read, or not by what is installed, does not hide the others.

        Args:
            matches: their ids; those that are not live are passed over.
            on_bad: called with the id of a match that cannot be read, and why.
        """
        for match in matches:
            log, why = None, None
            try:
                # At one moment, or a match that is deleted or archived meanwhile would be told as damaged.
                with self.journal.reading():
                    if self.journal.last_seq(match) is not None:
                        why = self.journal.damage(match)
                        log = None if why else self.journal.log(match)
                if log is not None:
                    log.rules  # noqa: B018  # a match whose rules are not installed is a bad one here
            except (StoreError, RulesetError) as error:
                why = str(error)
            if why:
                on_bad(match, why)
            elif log is not None:
                yield log

    def delete(self, match: int) -> None:
        """Take a match away. An archived one is covered by a tombstone; its rows stay until the store is compacted.

        Matches that were forked from it are whole logs and stay; see `kifold.records.heirs`.

        Raises:
            NoSuchMatch: when there is no such match.
            StoreError: when the store cannot be written.
        """
        with self.journal.writing():
            leave_to_forks(self, match)
            if self.journal.last_seq(match) is not None:
                self.journal.remove(match)
            elif self.file_of(match) is not None:
                self._cover(match)
            else:
                raise self.no_such_match(match)
            for table in ("pins", "forks"):
                self.journal.db.execute(f"DELETE FROM {table} WHERE match = ?", (match,))
        self._plays.forget(match)

    def altered(self, name: str) -> Iterator[Path]:
        """Those of the two files of an archive file that are other bytes than were written. What cannot be read is a
        matter of reading it.
        """
        from kifold.records.archive import file_hash, paths

        query = "SELECT ruleset, matches_hash, events_hash FROM files WHERE name = ?"
        for ruleset_name, *hashes in self.journal.rows(query, (name,)):
            for place, written in zip(paths(self.archive_folder, ruleset_name, name), hashes, strict=True):
                with suppress(OSError):
                    if file_hash(place) != written:
                        yield place

    def reader(self, ruleset_name: str, name: str) -> FileReader:
        """An archive file, opened."""
        from kifold.records.archive import FileReader

        return FileReader(self.archive_folder, ruleset(ruleset_name), name)
