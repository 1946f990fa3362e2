"""Exploration of a change of the rules: seeded matches, played under one revision and folded under the other.

Stored logs show what people and policies happened to do; what none of them did is looked for here. Matches are spread
over every variant, number of seats and reading, played at random and greedily. Match number n of a seed is the same on
every run and with any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from threading import local

import msgspec
import numpy as np

from kifold.core.compiled import compiled
from kifold.core.corpus import LONGEST_MATCH, Corpus, Folder
from kifold.core.events import Event, OptionValue, Started
from kifold.core.flat import flatten_setup
from kifold.core.options import Option, RulesetError, Variant, option_text
from kifold.core.play import NothingLegal, SetupRefused
from kifold.core.ruleset import Ruleset
from kifold.records.parallel import in_order
from kifold.replay.causes import Cause, cause_of
from kifold.replay.partings import Parting, partings
from kifold.replay.shrinking import shrunk

HOPELESS = 64
"""When so many matches in a row cannot be played, those that follow in their part are not tried."""
PART = 512
"""So many matches are played at a time: few enough that all workers have something to do until the end."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What matches are played under: event 0, its setup a template, and whether seats are greedy."""

    started: Started
    is_greedy: bool

    def __str__(self) -> str:
        chosen = [f"{name}={option_text(value)}" for name, value in self.started.options.items()]
        policy = "greedy" if self.is_greedy else "random"
        return ", ".join([f"{self.started.variant} of {self.started.seats} seats", *chosen, policy])


def settings_of(rules: Ruleset) -> list[Setting]:
    """Each variant with each number of seats, as it is and with each other reading of one option; for both policies."""
    found = []
    for variant in rules.variants:
        readings: list[dict[str, OptionValue]] = [{}]
        readings += [{option.name: value} for option in rules.options for value in _others(option, variant)]
        started = [rules.start(variant.name, reading, seats) for reading in readings for seats in variant.seats]
        found += [Setting(one, is_greedy) for one in started for is_greedy in (False, True)]
    return found


def _others(option: Option, variant: Variant) -> list[OptionValue]:
    """The values of an option that a variant may have instead of its own; of a range its ends."""
    if option.name in variant.fixed:
        return []
    own = variant.options.get(option.name, option.default)
    return [value for value in option.values or (option.low, option.high) if value != own]


def played_revision(target: Ruleset, installed: Ruleset) -> Ruleset:
    """The revision to play under when `target` is explored: the one before it, or if it is the first the newest other.

    Raises:
        RulesetError: when there is no other.
    """
    others = [revision for revision in installed.revisions if revision != target.revision]
    if not others:
        only = f"{target.name}@{target.revision}"
        raise RulesetError(f"{only} is the only revision that is installed: there is nothing to explore it against")
    return installed.at(max((revision for revision in others if revision < target.revision), default=max(others)))


@dataclass(frozen=True, slots=True)
class Kept:
    """A match in which the revisions part: what is kept of those of one cause.

    Attributes:
        setting, number: how it is played again.
        corpus: the match alone.
        found: where they part.
        count: how many there were of its kind.
    """

    setting: Setting
    number: int
    corpus: Corpus
    found: Parting
    count: int

    def or_other(self, other: Kept) -> Kept:
        """The one of the two that parts earlier, with the matches of both counted."""
        first = min(self, other, key=lambda one: (one.found.seq, one.number))
        return Kept(first.setting, first.number, first.corpus, first.found, self.count + other.count)


@dataclass(frozen=True, slots=True)
class Example:
    """The shortest log that was found for a cause.

    Attributes:
        cause: the settings and what parts.
        count: how many of the matches that were played part so.
        started, events: the log, legal under the revision that was played.
        found: where the other parts from it.
    """

    cause: Cause
    count: int
    started: Started
    events: list[Event]
    found: Parting


@dataclass(slots=True)
class Unplayed:
    """How many matches of a setting could not be played, and why not the first of them, or the first with a fault.

    Attributes:
        is_fault: whether the rules left somebody in one of them with the turn and nothing legal, and did not only
            refuse the setup.
    """

    count: int = 0
    why: str = ""
    is_fault: bool = False

    def add(self, other: Unplayed) -> None:
        """Count the matches of another part as well."""
        is_worse = other.is_fault and not self.is_fault
        self.why = other.why if is_worse else self.why or other.why
        self.count, self.is_fault = self.count + other.count, self.is_fault or other.is_fault


@dataclass(slots=True)
class Exploration:
    """What was explored.

    Attributes:
        old, new: the revision that was played, and the one that the matches were folded under.
        games, seed: how many matches were to be played, and their seed.
        matches, events: how many were played; `cut` of the matches came to the limit of `LONGEST_MATCH` events.
        examples: one for each cause, the most frequent first.
        unplayed: for each setting of which matches could not be played, how many, and why not the first of them.
        is_interrupted: whether the rest was not played, since somebody interrupted.
    """

    old: Ruleset
    new: Ruleset
    games: int
    seed: int
    matches: int = 0
    events: int = 0
    cut: int = 0
    examples: list[Example] = field(default_factory=list)
    unplayed: dict[Setting, Unplayed] = field(default_factory=dict)
    is_interrupted: bool = False

    @property
    def is_fine(self) -> bool:
        """Whether the revisions part nowhere, and what was played had no fault."""
        return not self.examples and not any(one.is_fault for one in self.unplayed.values())


def explore(
    old: Ruleset, new: Ruleset, games: int, seed: int, workers: int, on_progress: Callable[[int, int], None]
) -> Exploration:
    """Play `games` matches under `old`, and find where `new` parts from it, with a short log of each cause.

    Interrupted, it plays no more and gives what was found by then.

    Args:
        on_progress: called with the numbers of matches and events of each part.
    """
    done = Exploration(old, new, games, seed)
    playing = _Playing(old, new, seed)
    kept: dict[Cause, Kept] = {}
    try:
        for part in in_order(playing.play, _parts(settings_of(old), games), workers):
            done.matches, done.events = done.matches + part.matches, done.events + part.events
            done.cut += part.cut
            if part.unplayed.count:
                done.unplayed.setdefault(part.setting, Unplayed()).add(part.unplayed)
            for one in part.kept.values():
                cause = playing.cause(one)
                kept[cause] = kept[cause].or_other(one) if cause in kept else one
            on_progress(part.matches, part.events)
    except KeyboardInterrupt:
        done.is_interrupted = True
    causes = sorted(kept, key=lambda cause: (-kept[cause].count, str(cause)))
    done.examples = list(in_order(playing.example, (kept[cause] for cause in causes), workers))
    return done


@dataclass(frozen=True, slots=True)
class _Part:
    """Matches to be played: number `first` … `first + count - 1` of the exploration, under one setting."""

    setting: Setting
    first: int
    count: int


@dataclass(slots=True)
class _Played:
    """What became of a part: how many were played and how many could not be, and for each kind of parting a match."""

    setting: Setting
    matches: int = 0
    events: int = 0
    cut: int = 0
    unplayed: Unplayed = field(default_factory=Unplayed)
    kept: dict[tuple[str, str, tuple[str, ...]], Kept] = field(default_factory=dict)


def _parts(settings: list[Setting], games: int) -> Iterator[_Part]:
    for i, setting in enumerate(settings):
        begin, end = (games * k // len(settings) for k in (i, i + 1))
        for first in range(begin, end, PART):
            yield _Part(setting, first, min(PART, end - first))


class _Playing:
    """Plays under one revision, compares with the other; used by several threads."""

    def __init__(self, old: Ruleset, new: Ruleset, seed: int) -> None:
        self.old, self.new, self.seed = old, new, seed
        self._scratch = local()

    @property
    def folder(self) -> Folder:
        """The thread's own."""
        if not hasattr(self._scratch, "folder"):
            self._scratch.folder = Folder(self.old, compiled(self.old))
        folder: Folder = self._scratch.folder
        return folder

    def play(self, part: _Part) -> _Played:
        """Play a part, and compare."""
        done = _Played(part.setting)
        template = flatten_setup(self.old, part.setting.started)
        at, end, refused = part.first, part.first + part.count, 0
        while at < end and refused < HOPELESS:
            try:
                corpus = next(self.folder.play(template, self.seed, at, end - at, greedy=part.setting.is_greedy))
            except (SetupRefused, NothingLegal) as error:
                # A setup that chance has drawn may be refused, and the next one not.
                at, refused = at + 1, refused + 1
                done.unplayed.add(Unplayed(0, str(error), isinstance(error, NothingLegal)))
            else:
                self._compare(part.setting, at, corpus, done)
                at, refused = at + len(corpus), 0
        done.unplayed.count = part.count - done.matches
        return done

    def _compare(self, setting: Setting, first: int, corpus: Corpus, done: _Played) -> None:
        done.matches, done.events = done.matches + len(corpus), done.events + len(corpus.events)
        done.cut += int((np.diff(corpus.starts) >= LONGEST_MATCH).sum())
        corpus.clear()
        for m, found in enumerate(partings(self.old, self.new, corpus)):
            if found is not None:
                kind = (found.outcome, found.event, found.what)
                before = done.kept.get(kind)
                if before is None or found.seq < before.found.seq:
                    # A copy: a part of the corpus would hold all of it in memory.
                    alone = corpus.only(np.arange(len(corpus)) == m)
                    count = 1 + (before.count if before else 0)
                    done.kept[kind] = Kept(setting, first + m, alone, found, count)
                else:
                    done.kept[kind] = replace(before, count=before.count + 1)

    def cause(self, one: Kept) -> Cause:
        """The cause that a match is kept for."""
        started, found = one.setting.started, one.found
        return cause_of(self.old, started, found.outcome, found.what, found.event, to=self.new.revision)

    def example(self, one: Kept) -> Example:
        """The shortest log for it, as plain events."""
        corpus = shrunk(self.old, self.new, one.corpus, one.found)
        started, events = msgspec.structs.replace(one.setting.started, setup=corpus.setup(0)), corpus.log(0)
        (found,) = partings(self.old, self.new, corpus)
        return Example(self.cause(one), one.count, started, events, found or one.found)
