"""A live match in memory: folded up to its last event, with what the next append needs of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from kifold.core.at_hand import AT_HAND
from kifold.core.codec import DIGEST_SIZE, encode, encode_each, is_table, valid
from kifold.core.events import Event, Undone
from kifold.core.play import Play, no_place

if TYPE_CHECKING:
    from kifold.core.ahead import Ahead

MANY = 16
"""So many events are folded by the compiled rules, where these are at hand: it pays from some ten on."""


class Live:
    """A match that takes events. Its `Play` is one for good: whoever was given it sees what is added."""

    def __init__(self, play: Play) -> None:
        self.ruleset, self.started = play.ruleset, play.started
        self._play = play
        self._is_shown = False
        self._hash: blake2b | None = None
        """Of the log as it is; None where nobody has asked for it."""
        self._ahead: Ahead | None = None

    @property
    def last_seq(self) -> int:
        """The number of the last event."""
        return len(self._play.log) + len(self._ahead.added if self._ahead is not None else ())

    @property
    def is_over(self) -> bool:
        """Whether nothing can follow but notes and taking back."""
        return self._ahead.is_over if self._ahead is not None else self._play.is_over

    @property
    def digest(self) -> bytes:
        """The digest of the log."""
        if self._hash is None:
            log = [encode(self.started), *encode_each(self._log)]
            self._hash = blake2b(b"".join(log), digest_size=DIGEST_SIZE)
        return self._hash.digest()

    @property
    def _log(self) -> list[Event]:
        return self._play.log + (self._ahead.added if self._ahead is not None else [])

    def show(self) -> Play:
        """The match, to look at: from now on each append is in it at once."""
        self._is_shown = True
        self._catch_up()
        return self._play

    def enter(self, events: Iterable[Event]) -> list[bytes]:
        """Append events through the door; their canonical bytes.

        Raises:
            Refused, msgspec.ValidationError: for the first that is wrong. Those before it are there: see `go_back`.
        """
        given: list[Event] = []
        try:
            given.extend(events)
            data = encode_each(given)
            entered = list(map(self.ruleset.decoder.decode, data))
        except Exception:
            # Perhaps the rules refuse an event before the one that cannot enter.
            for event in given:
                self._enter_one(valid(self.ruleset, event))
            raise
        if Undone in map(type, entered):
            return [data for event in entered for data in self._enter_one(event)]
        return self.add(entered, data)

    def _enter_one(self, event: Event) -> list[bytes]:
        self._catch_up()
        if refused := no_place(self._play.log, event):
            raise refused
        return self.add([event])

    def add(self, events: Sequence[Event], data: list[bytes] | None = None) -> list[bytes]:
        """Append valid events; their canonical bytes.

        Args:
            data: the bytes that they were decoded from, if these are at hand.

        Raises:
            Refused: for the first that cannot come next. Those before it are there then: see `go_back`.
        """
        joined = b"".join(data or ())
        # A value can hide bytes that are not canonical, say of a class of its caller's.
        if data is None or not is_table(events, joined):
            data = encode_each(events)
            joined = b"".join(data)
        if not self._add_at_once(events, joined):
            self._catch_up()
            self._ahead = None
            for event in events:
                self._play.add(event)
        if self._hash is not None:
            self._hash.update(joined)
        return data

    def _add_at_once(self, events: Sequence[Event], data: bytes) -> bool:
        """Append events by the compiled rules where these are at hand, if that pays; whether it was done."""
        code = AT_HAND.get(self.ruleset)
        if code is None or len(events) < MANY or not set(self.ruleset.events).issuperset(map(type, events)):
            return False
        if self._ahead is None:
            from kifold.core.ahead import Ahead

            self._ahead = Ahead(self._play, code)
        if not self._ahead.add(events, data):
            return False
        if self._is_shown:
            self._catch_up()
        return True

    def _catch_up(self) -> None:
        if self._ahead is not None:
            self._ahead.catch_up()

    def go_back(self, seq: int) -> None:
        """Forget what an append of events after number `seq` did that failed; the match is as it was before."""
        if self.last_seq == seq and self._ahead is None:
            return
        log, self._hash, self._ahead = self._log, None, None
        before = Play(self.ruleset, self.started)
        for event in log[:seq]:
            before.add(event)
        self._play.__dict__.update(before.__dict__)
