"""Live matches kept folded in memory, so that an append folds its own events only."""

from __future__ import annotations

from kifold.core.play import Play
from kifold.core.registry import pinned
from kifold.records.errors import damaged
from kifold.records.journal import Journal
from kifold.records.live import Live

KEPT = 64
"""So many matches are kept, the ones that were used last."""


class Plays:
    """The folded matches of one journal. The file is the truth: one that is behind is folded on, another one anew."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._lives: dict[int, Live] = {}

    def get(self, match: int) -> Live | None:
        """A live match, folded up to its last event, whoever wrote it; None when it is not in the journal.

        Called inside `reading()` or `writing()`.

        Raises:
            StoreError: when its log is not what was written.
            RulesetError: when the rules that it is pinned to are not installed.
            Refused: when the rules refuse its log.
        """
        live = self._lives.pop(match, None)
        stands = self.journal.stands(match)
        if stands is None:
            return None
        last, digest, promoted = stands
        if live is not None and live.ruleset.revision != (promoted or live.started.revision):
            live = None  # promoted meanwhile
        if live is None or (live.last_seq, live.digest) != (last, digest):
            live = self._folded(match, promoted, live if live is not None and live.last_seq < last else None)
        self.remember(match, live)
        return live

    def _folded(self, match: int, promoted: int | None, live: Live | None) -> Live:
        if why := self.journal.damage(match):
            raise damaged(match, why)
        # Another process may have deleted the match and imported another under its id.
        if live is None or live.digest != self.journal.digest_at(match, live.last_seq):
            started = self.journal.started(match)
            live = Live(Play(pinned(started, promoted), started))
        live.add(self.journal.events(match, after=live.last_seq))
        return live

    def remember(self, match: int, live: Live) -> None:
        """Keep a match that was just folded up to what the file holds."""
        self.forget(match)
        self._lives[match] = live
        if len(self._lives) > KEPT:
            self._lives.pop(next(iter(self._lives)))

    def forget(self, match: int) -> None:
        """Fold a match from the file when it is asked for next."""
        self._lives.pop(match, None)
