"""The two ways of running, plain and compiled, held to the same states, effects, lists, results and refusals."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from kifold.core.corpus import Corpus, Folded, Folder
from kifold.core.events import Event, Started
from kifold.core.flat import flatten_setup
from kifold.core.loops import SETUP_REFUSED
from kifold.core.names import LEGAL
from kifold.core.play import Play, Refused
from kifold.core.records import from_numpy
from kifold.core.ruleset import CHANCE, SNAPSHOT, Ruleset
from kifold.core.standings import standings
from tests.rulesets.matches import Log, events_of, logs_of, random_log
from tests.rulesets.mutants import mutants


def assert_two_ways(
    ruleset: Ruleset, logs: Sequence[Log], folder: Folder, *, mutations: int = 14, lists: int = 4, seed: int = 0
) -> None:
    """Plain and compiled give the same for these logs and for `mutations` changed ones of each, and list the same.

    Args:
        ruleset: the ruleset.
        logs: matches; they need not be legal.
        folder: the compiled rules, with bounds checking.
        mutations: how many changed logs are made of each.
        lists: at how many random plies of each legal log legal events are listed, beside the first and the last.
        seed: for the choice of changes and plies.
    """
    rng = random.Random(seed)
    tried: list[Log] = []
    for started, events in logs:
        tried += [(started, events), *((started, mutant) for mutant in mutants(ruleset, events, mutations, rng))]
    corpus = Corpus.of(ruleset, tried)
    folded = folder.fold(corpus)
    for m, (started, events) in enumerate(tried):
        _compare_fold(ruleset, started, events, folded, m, int(corpus.starts[m]))
    for m in range(0, len(tried), mutations + 1):
        started, events = tried[m]
        done = int(folded.matches[m]["done"])
        if done != SETUP_REFUSED:
            for ply in {0, done, *(rng.randint(0, done) for _ in range(lists))}:
                _compare_lists(ruleset, started, events[:ply], folder, corpus, m)


def assert_plays_alike(
    ruleset: Ruleset, started: Started, folder: Folder, *, seed: int, count: int, greedy: bool = False
) -> list[Log]:
    """A simulation plays the same matches plain and compiled, so both draw the same numbers; returns the matches."""
    plain = [random_log(ruleset, started, seed, m, greedy=greedy) for m in range(count)]
    corpora = folder.play(flatten_setup(ruleset, started), seed, 0, count, greedy=greedy)
    assert [log for corpus in corpora for log in logs_of(corpus, started)] == plain
    return plain


def _compare_fold(ruleset: Ruleset, started: Started, events: list[Event], folded: Folded, m: int, first: int) -> None:
    match = folded.matches[m]
    play = _play(ruleset, started)
    if isinstance(play, Refused):
        assert match["done"] == SETUP_REFUSED
        assert ruleset.reasons[match["reason"]].name == play.reason
        return
    row, union = int(match["snapshot"]), 0
    for i, event in enumerate(events):
        if refused_event := play.why_not(event):
            assert match["done"] == i, (started, events)
            assert ruleset.reasons[match["reason"]].name == refused_event.reason, (started, events[: i + 1])
            break
        assert folded.per_event[first + i]["seat"] == ruleset.rules.actor(play.state, ruleset.flatten(event))
        union |= play.add(event)
        assert folded.per_event[first + i]["effects"] == play.effects[-1], (started, events[: i + 1])
        if (i + 1) % SNAPSHOT == 0:
            assert folded.snapshots[row].tobytes() == play.state.essential(), (started, events[: i + 1])
            row += 1
    else:
        assert (match["done"], match["reason"]) == (len(events), LEGAL), (started, events)
    if len(play.log) % SNAPSHOT or not play.log:
        assert folded.snapshots[row].tobytes() == play.state.essential(), (started, play.log)
    assert (match["effects"], match["turn"]) == (union, play.turn)
    assert standings(ruleset, started.seats, folded.results.view(np.recarray)[m]) == play.result(), (started, play.log)


def _compare_lists(
    ruleset: Ruleset, started: Started, events: list[Event], folder: Folder, corpus: Corpus, m: int
) -> None:
    play = Play(ruleset, started)
    for event in events:
        play.add(event)
    assert folder.position(corpus, m, len(events)) == len(events)
    assert from_numpy(ruleset.state, folder.state[0]) == play.state, (started, events)
    for seat in [*range(started.seats), *([CHANCE] if play.turn == CHANCE else [])]:
        # A list may be written over an older one: whatever the rules leave unwritten shows.
        folder.out.view("u1")[:] = 0x55
        assert events_of(ruleset, folder.legal(seat)) == play.legal(seat), (started, events, seat)


def _play(ruleset: Ruleset, started: Started) -> Play | Refused:
    try:
        return Play(ruleset, started)
    except Refused as refused:
        return refused
