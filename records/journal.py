"""The journal: live matches in SQLite, appended event by event.

One file, `journal.sqlite`, in write-ahead mode. An append is one transaction: it is there whole after a crash, or not
at all.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from kifold.core.codec import DIGEST_SIZE, decode, decode_started, encode, encode_each, with_setup
from kifold.core.events import Event, Started
from kifold.core.registry import ruleset
from kifold.records.database import Database
from kifold.records.errors import NOT_AS_WRITTEN, Conflict, NoSuchMatch, StoreError, damaged
from kifold.records.ids import id_text
from kifold.records.log import Fork, Log

ADD_EVENT = "INSERT INTO events VALUES (?, ?, ?, NULL)"
ADD_EVENTS = "INSERT INTO events SELECT ?, ? + key, substr(?, 1 + key * ?, value), NULL FROM json_each(?)"
"""One statement for all events of an append, in a quarter of the time of one for each: the match, the number of the
first event, the bytes of all, each made as long as the longest, that length, and a JSON list of the lengths they had.
"""
LONGEST = 255
"""Events of more bytes are added one by one: a single long note would make all the others as long."""


@dataclass(frozen=True, slots=True)
class Used:
    """What an append under a key added.

    Attributes:
        first: the number of its first event, one more than the last where it had none; None where only the last is
            known, of an append to a store of a format before 3.
        last: the number of its last event.
    """

    first: int | None
    last: int

    def before(self, given: int) -> int:
        """The number of the event before. Where the first is not known, so many events as are `given` are believed."""
        return max(self.last - given, 0) if self.first is None else self.first - 1


class Journal(Database):
    """The SQLite file of a store: live matches, and the list of what else the store holds."""

    def insert(self, log: Log, *, is_over: bool) -> None:
        """Add a match, event 0 first. Called inside `writing()`."""
        self.db.execute(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?)",
            (log.match_id, log.started.ruleset, encode(log.started), len(log.events), log.digest, is_over),
        )
        self._add_events(log.match_id, 1, encode_each(log.events))
        self.name_players(log.match_id, log.players)

    def name_players(self, match: int, names: Sequence[str]) -> None:
        """Give the first seats of a match these names. Called inside `writing()`.

        Raises:
            StoreError: when one is no UTF-8.
        """
        for seat, name in enumerate(names):
            self.rows("INSERT OR REPLACE INTO players VALUES (?, ?, ?)", (match, seat, name))

    def extend(self, match: int, first: int, data: Sequence[bytes], digest: bytes, *, is_over: bool) -> None:
        """Add encoded events `first` … to a match. Called inside `writing()`."""
        self._add_events(match, first, data)
        self.db.execute(
            "UPDATE matches SET last_seq = ?, digest = ?, is_over = ? WHERE id = ?",
            (first + len(data) - 1, digest, is_over, match),
        )

    def _add_events(self, match: int, first: int, data: Sequence[bytes]) -> None:
        lengths = list(map(len, data))
        longest = max(lengths, default=0)
        if len(data) == 1 or longest > LONGEST:
            self.db.executemany(ADD_EVENT, [(match, seq, one) for seq, one in enumerate(data, first)])
            return
        padded = b"".join([one.ljust(longest) for one in data])
        self.db.execute(ADD_EVENTS, (match, first, padded, longest, str(lengths)))

    def stands(self, match: int) -> tuple[int, bytes, int | None] | None:
        """The number of the last event of a live match, the digest of its log and the revision that it was promoted to,
        if it was; None when it is not in the journal.
        """
        row = self.row(
            "SELECT last_seq, digest, revision FROM matches LEFT JOIN pins ON pins.match = matches.id WHERE id = ?",
            (match,),
        )
        return (row[0], row[1], row[2]) if row else None

    def digest_at(self, match: int, seq: int) -> bytes:
        """The digest of the log of a live match up to event `seq`, by what is stored."""
        log = self.column("SELECT started FROM matches WHERE id = ?", (match,))
        log += self.column("SELECT data FROM events WHERE match = ? AND seq <= ? ORDER BY seq", (match, seq))
        return blake2b(b"".join(log), digest_size=DIGEST_SIZE).digest()

    def last_seq(self, match: int) -> int | None:
        """The number of the last event of a live match; None when it is not in the journal."""
        row = self.row("SELECT last_seq FROM matches WHERE id = ?", (match,))
        return row[0] if row else None

    def expect(self, match: int, expected_seq: int | None, present: int) -> None:
        """Refuse an append that was written against another state of the log.

        Raises:
            Conflict: when `expected_seq` is given and is not the number of the last event.
        """
        if expected_seq is not None and expected_seq != present:
            text = f"match {id_text(match)} is at event {present}, not {expected_seq}: read it again, then append"
            raise Conflict(text, present)

    def used(self, key: str, match: int) -> Used | None:
        """What was appended to a match under a key; None when the key was not used.

        Raises:
            StoreError: when it was used for another match.
        """
        row = self.row("SELECT match, first_seq, last_seq FROM keys WHERE key = ?", (key,))
        if row is not None and row[0] != match:
            raise StoreError(f"key {key!r} was used for match {id_text(row[0])}; choose another")
        return None if row is None else Used(row[1], row[2])

    def use(self, key: str, match: int, first: int, last: int) -> None:
        """Take note that events `first` … `last` of a match were appended under a key. Called inside `writing()`."""
        self.db.execute("INSERT INTO keys VALUES (?, ?, ?, ?)", (key, match, last, first))

    def started(self, match: int) -> Started:
        """Event 0 of a live match.

        Raises:
            NoSuchMatch: when the match is not in the journal.
            RulesetError: when its ruleset is not installed, or not as new as the log.
            StoreError: when its bytes say no event 0.
        """
        row = self.row("SELECT started FROM matches WHERE id = ?", (match,))
        if row is None:
            raise NoSuchMatch(f"match {id_text(match)} is not in the journal")
        with _readable(match, 0):
            started = decode_started(row[0])
        rules = ruleset(started.ruleset)
        rules.expect_schema(started)
        with _readable(match, 0):
            return with_setup(rules, started)

    def events(self, match: int, after: int = 0) -> list[Event]:
        """The events of a live match that follow number `after`.

        Raises:
            StoreError: when the bytes of one say no event.
        """
        row = self.row("SELECT ruleset FROM matches WHERE id = ?", (match,))
        rules = ruleset(row[0] if row else "")
        found = []
        query = "SELECT seq, data FROM events WHERE match = ? AND seq > ? ORDER BY seq"
        for seq, data in self.rows(query, (match, after)):
            with _readable(match, seq):
                found.append(decode(rules, data))
        return found

    def log(self, match: int) -> Log:
        """A live match, as it was at one moment. Raises what `started` and `events` raise."""
        with self.reading():
            started, events = self.started(match), self.events(match)
            return Log(match, started, events, self.players(match), self.promoted(match), self.fork_of(match))

    def damage(self, match: int) -> str | None:
        """In what the bytes of a live match are not those that were written: an event is missing, or the digest is
        another; None where they are.

        Whoever writes a new digest asks first. Else the damage would be signed, and never be found again.
        """
        with self.reading():
            row = self.row("SELECT started, last_seq, digest FROM matches WHERE id = ?", (match,))
            events = self.rows("SELECT seq, data FROM events WHERE match = ? ORDER BY seq", (match,))
        if row is None:
            return NOT_AS_WRITTEN
        there = [seq for seq, _ in events]
        if isinstance(row[1], int) and len(there) < row[1]:
            first = next(seq for at, seq in enumerate(range(1, row[1] + 1)) if there[at : at + 1] != [seq])
            more = row[1] - len(there) - 1
            return f"event {first} is missing" + (f" (and {more:,} more)" if more else "")
        if there != list(range(1, len(there) + 1)) or row[1] != len(there):
            return NOT_AS_WRITTEN
        log = [row[0], *(data for _, data in events)]
        if not all(isinstance(data, bytes) for data in log):
            return NOT_AS_WRITTEN
        return None if blake2b(b"".join(log), digest_size=DIGEST_SIZE).digest() == row[2] else NOT_AS_WRITTEN

    def promoted(self, match: int) -> int | None:
        """The revision that a match was promoted to; None where it is played under the one that its log names."""
        row = self.row("SELECT revision FROM pins WHERE match = ?", (match,))
        return row[0] if row else None

    def fork_of(self, match: int) -> Fork | None:
        """Where a match, live or archived, left the one that it continues; None when it was begun by itself."""
        row = self.row("SELECT parent, at_seq, inherited FROM forks WHERE match = ?", (match,))
        return Fork(*row) if row else None

    def add_forks(self, forks: Iterable[tuple[int, Fork]]) -> None:
        """Say of matches where they left which others, in the order in which they did. Called inside `writing()`."""
        rows = [(match, fork.parent, fork.at_seq, fork.inherited) for match, fork in forks]
        self.db.executemany("INSERT INTO forks (match, parent, at_seq, inherited) VALUES (?, ?, ?, ?)", rows)

    def completed(self, log: Log) -> Log:
        """A log out of the archive with what stands here of its match."""
        log.promoted, log.fork = self.promoted(log.match_id), self.fork_of(log.match_id)
        return log

    def players(self, match: int) -> tuple[str, ...]:
        """The names beside a match, one per seat, or none."""
        return tuple(self.column("SELECT name FROM players WHERE match = ? ORDER BY seat", (match,)))

    def remove(self, match: int) -> None:
        """Take a match out of the journal: deleted, or gone to the archive. Called inside `writing()`."""
        for table, column in (("matches", "id"), ("events", "match"), ("players", "match")):
            self.db.execute(f"DELETE FROM {table} WHERE {column} = ?", (match,))

    def ids(self, ruleset_name: str | None = None, *, only_over: bool = False) -> array[int]:
        """The ids of live matches, ascending; of one ruleset, and with `only_over` only those that have ended."""
        query = "SELECT id FROM matches WHERE (? IS NULL OR ruleset = ?) AND (NOT ? OR is_over = 1) ORDER BY id"
        return self.numbers(query, (ruleset_name, ruleset_name, only_over))


@contextmanager
def _readable(match: int, seq: int) -> Iterator[None]:
    try:
        yield
    except (msgspec.MsgspecError, TypeError, UnicodeError) as error:
        raise damaged(match, f"event {seq} cannot be read ({error})") from None
