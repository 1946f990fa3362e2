"""Unionking compiled: how many sequences of moves there are."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from kifold.core.compiled import Binder
from kifold.core.corpus import array_of
from kifold.core.emit import slot, slot_compiled
from kifold.core.flat import flatten_setup
from kifold.core.records import dtype_of
from kifold.core.rulesets.unionking import UNIONKING
from kifold.core.rulesets.unionking.rules import apply, legal, set_up, turn

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


@cache
def loops() -> dict[str, Any]:
    """The loop above, compiled with the rules that it calls."""
    functions = (count_sequences,)
    binder = Binder("unionking_loops", functions, {}, {slot: slot_compiled}, boundscheck=False)
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
