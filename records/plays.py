"""Live matches kept folded in memory, so that an append folds its own events only."""

from __future__ import annotations

from kifold.core.play import Play
from kifold.core.registry import pinned
from kifold.records.errors import damaged
from kifold.records.journal import Journal

KEPT = 64
"""So many matches are kept, the ones that were used last."""


class Plays:
    """The folded matches of one journal. The file is the truth: one that is behind is folded on, one ahead anew."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._plays: dict[int, Play] = {}

    def get(self, match: int) -> Play | None:
        """A live match, folded up to its last event, whoever wrote it; None when it is not in the journal.

        Raises:
            StoreError: when its log is not what was written.
            RulesetError: when the rules that it is pinned to are not installed.
            Refused: when the rules refuse its log.
        """
        with self.journal.reading():
            last = self.journal.last_seq(match)
            play = self._plays.pop(match, None)
            if last is None:
                return None
            if play is not None and play.ruleset.revision != (self.journal.promoted(match) or play.started.revision):
                play = None  # promoted meanwhile
            if play is None or len(play.log) != last:
                play = self._folded(match, play if play is not None and len(play.log) < last else None)
        self.remember(match, play)
        return play

    def _folded(self, match: int, play: Play | None) -> Play:
        if why := self.journal.damage(match):
            raise damaged(match, why)
        if play is None:
            started = self.journal.started(match)
            play = Play(pinned(started, self.journal.promoted(match)), started)
        for event in self.journal.events(match, after=len(play.log)):
            play.add(event)
        return play

    def remember(self, match: int, play: Play) -> None:
        """Keep a match that was just folded up to what the file holds."""
        self.forget(match)
        self._plays[match] = play
        if len(self._plays) > KEPT:
            self._plays.pop(next(iter(self._plays)))

    def forget(self, match: int) -> None:
        """Fold a match from the file when it is asked for next."""
        self._plays.pop(match, None)
