"""Which id an imported match gets: the one that its record names, where that is free, or one that follows from it.

A record may name any id, so an id is never taken for a match: a record is there already when the match of that id
begins with its log, and an id that another log has is not given again.
"""

from __future__ import annotations

from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from kifold.core.codec import digest
from kifold.records.errors import StoreError
from kifold.records.ids import derived_id
from kifold.records.log import Fork, Log
from kifold.records.store import Store
from kifold.records.taken import Taken

DELETED_PARENTS = """SELECT DISTINCT parent FROM forks
WHERE parent NOT IN (SELECT id FROM matches) AND parent NOT IN (SELECT match FROM archived)"""

FILES = 4
"""Of so many archive files the digests are kept, 28 bytes a match, and the players' names."""


class Stored(NamedTuple):
    """What is stored beside the log of a match: how many events that has and its digest, None where that is damaged."""

    length: int | None
    digest: bytes | None
    players: tuple[str, ...]


class Naming:
    """Gives the matches of one import their ids."""

    def __init__(self, store: Store, taken: Taken) -> None:
        """For one import, which takes note in `taken`."""
        self._store = store
        self._taken = taken
        # Another match of such an id would be taken for the parent.
        self._deleted_parents = set(store.journal.column(DELETED_PARENTS))
        # What is stored of the matches of a file: ids, ascending, and a table with lengths, digests and names.
        self._files: dict[tuple[str, str], tuple[np.ndarray[Any, Any], pa.Table]] = {}

    def id_of(self, log: Log, named: int | None) -> tuple[int, bool]:
        """The id of a match, and whether the match is there already.

        Args:
            log: the match; `log.fork` says where it leaves another one of the store, or of this import.
            named: the id that its record names.
        """
        content = log.digest + repr(log.players).encode() + _said(log.fork)
        place = self._taken.place(content)
        if named is not None and self._has(named, log):
            return named, True
        for again in count():
            derived = derived_id(content + str(place).encode() + (f" {again}".encode() if again else b""))
            if self._is_free(derived):
                break
            if self._taken.added(derived) is None and self._has(derived, log):
                return derived, True
        if named is None or named in self._deleted_parents or not self._is_free(named):
            return derived, False
        return named, False

    def add(self, log: Log) -> None:
        """Take note of a match that is added under its id: the store may not list it yet."""
        self._taken.add_match(log.match_id, log.digest, log.players)

    def has_other_names(self, log: Log) -> bool:
        """Whether the match that is there already is one of other players. Of one that cannot be read nobody knows."""
        if (added := self._taken.added(log.match_id)) is not None:
            return added[1] != log.players
        try:
            with self._store.journal.reading():
                return self._stored(log.match_id).players != log.players
        except (StoreError, ValueError):
            return False

    def _is_free(self, match: int) -> bool:
        return self._taken.added(match) is None and not self._store.holds(match)

    def _has(self, match: int, log: Log) -> bool:
        """Whether the match of an id, if there is one, begins with a log. Of one that cannot be read it is believed."""
        if (added := self._taken.added(match)) is not None:
            return added[0] == log.digest
        with self._store.journal.reading():
            if not self._store.holds(match):
                return False
            try:
                stored = self._stored(match)
                if stored.length is None or stored.length <= len(log.events):
                    return stored.digest == log.digest
                there = self._store.log(match)
            except (StoreError, ValueError):
                return True
        return digest(there.started, there.events[: len(log.events)]) == log.digest

    def _stored(self, match: int) -> Stored:
        """What is stored of a match. Called inside `reading()`.

        Raises:
            StoreError, ValueError: when it is not there, or its file cannot be read.
        """
        row = self._store.journal.row("SELECT last_seq, digest FROM matches WHERE id = ?", (match,))
        if row is not None:
            return Stored(row[0], row[1], self._store.journal.players(match))
        file = self._store.file_of(match)
        if file is None:
            raise self._store.no_such_match(match)
        if file not in self._files:
            table = self._store.reader(*file).digests()
            if len(self._files) == FILES:
                self._files.pop(next(iter(self._files)))
            self._files[file] = table["match_id"].to_numpy(), table
        ids, table = self._files[file]
        at = int(np.searchsorted(ids, match))
        if at == len(ids) or ids[at] != match:
            raise self._store.no_such_match(match)
        length, digest_, players = (table[name][at].as_py() for name in ("n_events", "digest", "players"))
        return Stored(length, digest_, tuple(players or ()))


def _said(fork: Fork | None) -> bytes:
    return f"{fork.parent} {fork.at_seq} {fork.inherited}".encode() if fork else b""
