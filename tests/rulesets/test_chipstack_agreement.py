"""Chipstack beside its oracle, in both ways of running, and played in bulk."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kifold.core.corpus import array_of
from kifold.core.flat import flatten_setup
from kifold.core.records import dtype_of, from_numpy
from kifold.core.rng import Random
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.chipstack import CHIPSTACK
from kifold.core.rulesets.chipstack.declaration import State
from tests.rulesets.chipstack_cases import ADAPTER, conserves
from tests.rulesets.harness import (
    Seen,
    assert_agrees_with_oracle,
    assert_covers,
    assert_plays_alike,
    assert_two_ways,
    folder,
    logs_of,
    random_logs,
)

WORST = {"zero_colours": "worst"}


@pytest.mark.parametrize(
    ("seats", "options", "greedy"), [(2, {}, False), (3, WORST, True), (4, {}, True), (5, WORST, False)]
)
def test_agrees_with_the_oracle(seats, options, greedy):
    logs = random_logs(CHIPSTACK, options=options, seats=seats, count=2, seed=10 + seats, greedy=greedy)
    assert_agrees_with_oracle(ADAPTER, logs, every=4, seed=seats, folder=folder(CHIPSTACK))


def bulk(seats: int, count: int, seed: int, options=None, greedy=False):
    template = flatten_setup(CHIPSTACK, CHIPSTACK.start(options=options, seats=seats))
    return list(folder(CHIPSTACK).play(template, seed, 0, count, greedy=greedy))


def test_every_reason_and_effect_is_seen():
    seen, started = Seen(), CHIPSTACK.start(seats=2)
    logs = [log for corpus in bulk(2, 130, 20) for log in logs_of(corpus, started)]
    seen += assert_agrees_with_oracle(ADAPTER, logs, every=23, probes=120)
    assert_covers(CHIPSTACK, seen, never=["no_such_seat"])


def test_two_ways():
    logs = random_logs(CHIPSTACK, seats=3, count=3, seed=30) + random_logs(
        CHIPSTACK, options=WORST, seats=5, count=2, seed=31
    )
    logs += random_logs(CHIPSTACK, seats=2, count=1, seed=32, greedy=True)
    assert_two_ways(CHIPSTACK, logs, folder(CHIPSTACK))
    for greedy in (False, True):
        assert_plays_alike(CHIPSTACK, CHIPSTACK.start(seats=4), folder(CHIPSTACK), seed=33, count=3, greedy=greedy)


def test_chips_are_conserved_in_bulk():
    """000.8: 8,000 random matches, at every snapshot of the fold (every 16 events and at the end)."""
    fold = folder(CHIPSTACK)
    for seats, corpora in ((2, bulk(2, 4000, 40)), (5, bulk(5, 4000, 41))):
        for corpus in corpora:
            folded = fold.fold(corpus)
            assert (folded.matches["turn"] == NOBODY).all()
            width = dtype_of(State).itemsize - folded.snapshots.shape[1]
            padded = np.ascontiguousarray(np.pad(folded.snapshots, ((0, 0), (0, width))))
            states = padded.view(dtype_of(State))[:, 0]
            chips = states["supply"].sum(1) + states["held"].sum(1) + states["heights"].sum(1)
            assert (chips == 100).all()
            held = states["held"].reshape(len(states), 5, 5).sum(1)
            assert ((held + states["supply"] + of_each_colour(states)) == 20).all()
            assert (states["held"][:, 5 * seats :] == 0).all()


def of_each_colour(states) -> np.ndarray:
    """How many chips of each colour lie on the board, per state."""
    counts = np.zeros((len(states), 5), np.int64)
    for height in range(40):
        words = states["chips"][:, height // 20 :: 2]
        colours = words >> (3 * (height % 20)) & 7
        for colour in range(5):
            counts[:, colour] += ((states["heights"] > height) & (colours == colour)).sum(1)
    return counts


def test_states_between_snapshots_conserve_chips_compiled():
    fold = folder(CHIPSTACK)
    (corpus,) = bulk(3, 4, 42)
    for match in range(len(corpus)):
        for ply in range(int(corpus.starts[match + 1] - corpus.starts[match]) + 1):
            assert fold.position(corpus, match, ply) == ply
            assert conserves(from_numpy(State, fold.state[0]))


def test_few_first_places_are_shared_and_nobody_ends_without_chips():
    """000.8, statistics of random play."""
    shared = 0
    for corpus in bulk(4, 3000, 50):
        results = folder(CHIPSTACK).fold(corpus).results
        shared += np.count_nonzero((results["rank"][:, :4] == 1).sum(1) > 1)
        assert (results["chips"][:, :4] > 0).all()
    assert shared / 3000 < 0.015


def test_statistics_of_phase_1():
    """000.8: 13..30 turns, 26 on average; 61 % end with a full board; some supply runs out in over 90 % of matches.

    The figures are those of a random piece on a random cell. Any event of the list would prefer what has many outcomes.
    """
    count, rng = 400, random.Random(51)
    lengths, full, dry = [], 0, 0
    for _ in range(count):
        turns, effects, supply = stack_at_random(4, rng)
        lengths.append(turns)
        full += "phase_ended_full" in effects
        dry += 0 in supply
    assert min(lengths) >= 13
    assert max(lengths) <= 30
    assert 25.5 < np.mean(lengths) < 26.7
    assert 0.55 < full / count < 0.66
    assert dry / count > 0.88


def stack_at_random(seats: int, rng: random.Random) -> tuple[int, list[str], list[int]]:
    """Phase 1 with random pieces on random cells: its turns, the effects of the last one, the supply left."""
    fold, turns = folder(CHIPSTACK), 0
    rules, state = fold.code.rules, fold.state[0]
    fold.state_bytes[:] = 0
    rules["set_up"](
        state, array_of(CHIPSTACK.setup_record, [flatten_setup(CHIPSTACK, CHIPSTACK.start(seats=seats))])[0]
    )
    while state["phase"] == 0:
        events = fold.legal(rules["turn"](state))
        pieces = (events["cell"].astype(int) * 5 + events["colour"]) * 2 + events["shape"]
        outcomes = np.flatnonzero(pieces == rng.choice(np.unique(pieces)))
        effects = rules["apply"](state, events[rng.choice(outcomes)])
        turns += 1
    return turns, CHIPSTACK.effects.of(effects), state["supply"].tolist()


@pytest.mark.parametrize(("seats", "least"), [(2, 120), (4, 150)])
def test_greedy_beats_random(seats, least):
    """Of 200 matches, one seat greedy and the others random, the greedy one wins far more than its share."""
    wins = sum(greedy_wins(seats, match % seats, match) for match in range(200))
    assert wins >= least


def greedy_wins(seats: int, greedy: int, match: int) -> bool:
    fold, rng = folder(CHIPSTACK), random.Random(match)
    rules, state, source = fold.code.rules, fold.state, np.zeros(1, dtype_of(Random))
    started = CHIPSTACK.start(seats=seats)
    setup = array_of(CHIPSTACK.setup_record, [flatten_setup(CHIPSTACK, started)])
    setup[0]["first"] = rng.randrange(seats)
    fold.state_bytes[:] = 0
    source[0]["match"] = match
    rules["set_up"](state[0], setup[0])
    while (seat := rules["turn"](state[0])) != NOBODY:
        events = fold.legal(seat)
        n = len(events)
        i = rules["greedy"](state[0], events, n, source[0]) if seat == greedy else rng.randrange(n)
        rules["apply"](state[0], events[i])
    result = np.zeros(1, dtype_of(CHIPSTACK.result))
    rules["result"](state[0], result[0])
    return bool(result[0]["rank"][greedy] == 1)
