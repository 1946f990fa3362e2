"""Simulated matches in memory, and what is measured of them: a validated fold with its fingerprints."""

from __future__ import annotations

from functools import cache
from typing import Any

from kifold.core.compiled import compiled
from kifold.core.corpus import Corpus, Folded, Folder
from kifold.core.events import Event, Started
from kifold.core.flat import flatten_setup
from kifold.core.play import Play
from kifold.core.registry import names, ruleset
from kifold.records.folded import fingerprints

SEED = 7
VARIANTS = [(name, variant.name) for name in names() for variant in ruleset(name).variants]

PlainLog = tuple[Started, list[Event]]


@cache
def folder(name: str) -> Folder:
    """The compiled loops of a ruleset."""
    return Folder(ruleset(name), compiled(ruleset(name)))


def played(started: Started, matches: int, *, greedy: bool = False) -> list[Corpus]:
    """Simulated matches, in corpora of some tens of thousands of events; chance fills the setup of `started`."""
    loops = folder(started.ruleset)
    return list(loops.play(flatten_setup(loops.ruleset, started), SEED, 0, matches, greedy=greedy))


def played_events(started: Started, events: int) -> list[Corpus]:
    """Simulated matches that have about so many events in all."""
    few = played(started, 50)
    return played(started, max(1, events * 50 // events_of(few)))


def validated(loops: Folder, corpora: list[Corpus]) -> list[tuple[Folded, Any]]:
    """Fold and validate matches, and take the fingerprint of each snapshot."""
    return [(folded, fingerprints(folded)) for folded in (loops.fold(corpus) for corpus in corpora)]


def events_of(corpora: list[Corpus]) -> int:
    """How many events matches have."""
    return sum(len(corpus.events) for corpus in corpora)


def plain_logs(name: str, variant: str, events: int) -> list[PlainLog]:
    """Simulated matches as event 0 and the events after it, for what takes them one by one."""
    rules = ruleset(name)
    corpora = played_events(rules.start(variant), events)
    return [
        (rules.start(variant, setup=corpus.setup(match)), corpus.log(match))
        for corpus in corpora
        for match in range(len(corpus))
    ]


def fold_plainly(name: str, logs: list[PlainLog]) -> list[Play]:
    """Fold matches as a live one is: event by event, each checked by the rules as plain Python."""
    rules = ruleset(name)
    plays = []
    for started, events in logs:
        play = Play(rules, started)
        for event in events:
            play.add(event)
        plays.append(play)
    return plays
