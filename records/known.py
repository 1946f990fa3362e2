"""Which beginnings of matches a store has: to tell a match that is there already, whole or as a part of another.

Tags, players, notes and what was taken back make no difference; variant, options, seats and setup do.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec
import numpy as np

from kifold.core.codec import encode
from kifold.core.events import Event, Noted
from kifold.core.play import standing_events
from kifold.core.ruleset import Ruleset
from kifold.records.log import Log
from kifold.records.store import Store

FRESH = 1 << 18


class KnownEvents:
    """The beginnings, of any length, of the matches of one ruleset: 8 bytes for each event of the store."""

    def __init__(self, store: Store, rules: Ruleset) -> None:
        """Read the store's matches.

        Raises:
            StoreError: when one of them cannot be read.
        """
        self._rules = rules
        self._keys = np.empty(0, np.uint64)
        self._fresh: set[int] = set()
        for log in store.logs(of=rules.name):
            self.add(log)

    def has(self, log: Log) -> bool:
        """Whether another match begins with all that was played here. A fork without events of its own is never told
        from what it continues, nor a match without events from any other.
        """
        counting = self._counting(log)
        if not counting or (log.fork and counting[-1][0] <= log.fork.inherited):
            return False
        key = self._keys_of(log)[-1]
        at = np.searchsorted(self._keys, np.uint64(key))
        return key in self._fresh or bool(at < len(self._keys) and self._keys[at] == key)

    def add(self, log: Log) -> None:
        """Take a match."""
        self._fresh.update(self._keys_of(log))
        if len(self._fresh) >= FRESH:
            fresh = np.fromiter(self._fresh, np.uint64, len(self._fresh))
            self._keys = np.union1d(self._keys, fresh)
            self._fresh.clear()

    def _counting(self, log: Log) -> list[tuple[int, Event]]:
        return [pair for pair in standing_events(log.events) if not isinstance(pair[1], Noted)]

    def _keys_of(self, log: Log) -> list[int]:
        """For each event that counts a number that follows from all up to there."""
        # What a match is played from, without what is only said of it.
        beginning = msgspec.structs.replace(log.started, tags={}, revision=1, schema=1)
        hashed = blake2b(encode(beginning), digest_size=8)
        keys = []
        for _, event in self._counting(log):
            hashed.update(encode(self._rules.lift(event)))
            keys.append(int.from_bytes(hashed.copy().digest(), "big"))
        return keys
