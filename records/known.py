"""Which beginnings of matches a store has: to tell a match that is there already, whole or as a part of another.

Tags, players, notes and what was taken back make no difference; variant, options, seats and setup do.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np

from kifold.core.codec import encode
from kifold.core.events import Event, Noted
from kifold.core.play import standing_events
from kifold.core.ruleset import Ruleset
from kifold.records.log import Log
from kifold.records.store import Store

FRESH = 1 << 18
"""So many beginnings are sorted at a time."""


class KnownEvents:
    """The beginnings, of any length, of the matches of one ruleset: 12 bytes for each event of the store, and twice as
    much again while they are sorted.
    """

    def __init__(self, store: Store, rules: Ruleset) -> None:
        """Read the store's matches.

        Raises:
            StoreError: when one of them cannot be read.
        """
        self._rules = rules
        self._matches: array[int] = array("q")
        # (beginnings, ascending; for each the place of its match), each more than twice as long as the next: so a
        # beginning is sorted a few times, and looked for in a few places.
        self._levels: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self._fresh: dict[int, int] = {}
        for log in store.logs(of=rules.name):
            self.add(log)

    def match_of(self, log: Log, inherited: int = 0) -> int | None:
        """The first match that begins with all that was played in another; None where there is none.

        A fork without events of its own, beyond the `inherited` ones, is never told from what it continues, nor a match
        without events from any other.
        """
        counting = self._counting(log)
        if not counting or counting[-1][0] <= inherited:
            return None
        key = self._keys_of(log)[-1]
        for keys, places in self._levels:
            at = np.searchsorted(keys, np.uint64(key))
            if at < len(keys) and keys[at] == key:
                return self._matches[int(places[at])]
        place = self._fresh.get(key)
        return None if place is None else self._matches[place]

    def add(self, log: Log) -> None:
        """Take a match."""
        place = len(self._matches)
        self._matches.append(log.match_id)
        for key in self._keys_of(log):
            self._fresh.setdefault(key, place)
        if len(self._fresh) >= FRESH:
            self._sort()

    def _sort(self) -> None:
        keys = np.fromiter(self._fresh.keys(), np.uint64, len(self._fresh))
        places = np.fromiter(self._fresh.values(), np.uint32, len(self._fresh))
        self._fresh.clear()
        while True:
            keys, first = np.unique(keys, return_index=True)  # of equal ones the first
            places = places[first]
            if not self._levels or len(self._levels[-1][0]) > 2 * len(keys):
                break
            before = self._levels.pop()
            keys, places = np.concatenate((before[0], keys)), np.concatenate((before[1], places))
        self._levels.append((keys, places))

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
