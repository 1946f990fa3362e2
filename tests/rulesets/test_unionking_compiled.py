"""Unionking compiled: how many sequences of moves there are, and greedy against random play."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from kifold.core.compiled import Binder, cache_folder
from kifold.core.corpus import array_of
from kifold.core.emit import slot, slot_compiled
from kifold.core.flat import flatten_setup
from kifold.core.records import dtype_of
from kifold.core.rng import Random, below, seed_random
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking import UNIONKING
from kifold.core.rulesets.unionking.greedy import greedy
from kifold.core.rulesets.unionking.rules import apply, legal, result, set_up, turn

pytestmark = pytest.mark.xdist_group("unionking_compiled")

MOST_MOVES = 14 * 9
"""A piece has at most eight directions, and one of them may hold its partner beside a free point."""


def count_sequences(setup: Any, states: Any, lists: Any, listed: Any, taken: Any, depth: int) -> int:
    """How many sequences of `depth` moves there are. `states`, `lists`, `listed` and `taken` have one entry per ply."""
    set_up(states[0], setup[0])
    listed[0], taken[0] = legal(states[0], turn(states[0]), lists[0]), 0
    ply, count = 0, 0
    while ply >= 0:
        if ply == depth - 1:
            count += listed[ply]
            ply -= 1
        elif taken[ply] == listed[ply]:
            ply -= 1
        else:
            states[ply + 1] = states[ply]
            apply(states[ply + 1], lists[ply][taken[ply]])
            taken[ply] += 1
            ply += 1
            listed[ply], taken[ply] = legal(states[ply], turn(states[ply]), lists[ply]), 0
    return count


def play_against(
    setup: Any, seed: int, count: int, limit: int, state: Any, state_bytes: Any, out: Any, random: Any, results: Any
) -> None:
    """Match m: side m % 2 takes the greedy choice, the other any move."""
    for m in range(count):
        for b in range(len(state_bytes)):
            state_bytes[b] = 0
        set_up(state[0], setup[0])
        seed_random(random[0], seed, m, 1)
        plies = 0
        while turn(state[0]) != NOBODY and plies < limit:
            n = legal(state[0], turn(state[0]), out)
            takes_best = turn(state[0]) == m % 2
            i = greedy(state[0], out, n, random[0]) if takes_best else below(random[0], n)
            apply(state[0], out[i])
            plies += 1
        result(state[0], results[m])


@cache
def loops() -> dict[str, Any]:
    """The two loops above, compiled with the rules that they call."""
    functions = (count_sequences, play_against)
    binder = Binder("unionking_loops", {}, {slot: slot_compiled}, boundscheck=False)
    with cache_folder(binder.folder(list(functions))):
        return {function.__name__: binder.compiled(function) for function in functions}


def sequences(variant: str, jump_merge: bool, depth: int) -> int:
    started = UNIONKING.start(variant, {"jump_merge": jump_merge, "repetition": 0})
    return int(
        loops()["count_sequences"](
            array_of(UNIONKING.setup_record, [flatten_setup(UNIONKING, started)]),
            np.zeros(depth, dtype_of(UNIONKING.state)),
            np.zeros((depth, MOST_MOVES), dtype_of(UNIONKING.event_record)),
            np.zeros(depth, np.int64),
            np.zeros(depth, np.int64),
            depth,
        )
    )


@pytest.mark.parametrize("variant", ["game1", "game2", "game3"])
@pytest.mark.parametrize(
    ("jump_merge", "counts"), [(True, [26, 676, 24102, 859329]), (False, [26, 676, 23998, 851929])]
)
def test_numbers_of_move_sequences(variant: str, jump_merge: bool, counts: list[int]) -> None:
    assert [sequences(variant, jump_merge, depth) for depth in range(1, 5)] == counts


@pytest.mark.slow
@pytest.mark.parametrize(("jump_merge", "count"), [(True, 34487705), (False, 33938674)])
def test_sequences_of_five_moves(jump_merge: bool, count: int) -> None:
    assert sequences("game1", jump_merge, 5) == count


def points_of_greedy(variant: str, count: int) -> float:
    """Matches won by the greedy side, draws as halves."""
    started = UNIONKING.start(variant)
    state = np.zeros(1, dtype_of(UNIONKING.state))
    results = np.zeros(count, dtype_of(UNIONKING.result))
    loops()["play_against"](
        array_of(UNIONKING.setup_record, [flatten_setup(UNIONKING, started)]),
        1,
        count,
        2000,
        state,
        state.view(np.uint8),
        np.zeros(MOST_MOVES, dtype_of(UNIONKING.event_record)),
        np.zeros(1, dtype_of(Random)),
        results,
    )
    mine = np.arange(count) % 2
    score = results["score"].astype(int)
    own, other = score[np.arange(count), mine], score[np.arange(count), 1 - mine]
    return float((own > other).sum() + (own == other).sum() / 2)


@pytest.mark.parametrize("variant", ["game1", "game2", "game3"])
@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_greedy_beats_random(variant: str, count: int) -> None:
    assert points_of_greedy(variant, count) >= 0.95 * count
