"""blokus-rl (PyPI), the machine's yardstick: its `step` and its full action mask, on the games that kifold folds.

An action is orientation · 400 + row · 20 + column, in the frame of the seat: its own start corner is the top left, and
each next seat's frame is turned by a quarter.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks.promises import MISSING
from kifold.core.corpus import Corpus
from kifold.core.events import Event
from kifold.core.rulesets.blokus.declaration import Place
from kifold.core.rulesets.blokus.pieces import cells_of

SIDE = 20
Cells = frozenset[tuple[int, int]]


def engine() -> Any:
    """A game of blokus-rl at its start; the benchmark is skipped where it is not installed."""
    blokus = pytest.importorskip("blokus_rl._blokus", reason=f"blokus-rl is missing: {MISSING}")
    game = blokus.PyBlokus()
    game.reset()
    return game


def seat_board(game: Any, seat: int) -> Cells:
    """(row, column) of the squares of a seat, in that seat's own frame."""
    boards = np.frombuffer(game.observe(seat).observation, dtype=bool).reshape(4, SIDE, SIDE)
    return frozenset((int(r), int(c)) for r, c in np.argwhere(boards[0]))


def mask(game: Any) -> bytes:
    """The full action mask of the seat to move, one byte per action."""
    full: bytes = game.observe(game.agent_selection).action_mask
    return full


def legal_actions(game: Any) -> np.ndarray[Any, Any]:
    """The numbers of the legal actions of the seat to move."""
    return np.flatnonzero(np.frombuffer(mask(game), dtype=bool))


def to_table(cells: Cells, seat: int) -> Cells:
    """Squares (row, column) of a seat's frame as (x, y) of kifold's board, where blue (seat 0) starts at a20."""
    turned = cells
    for _ in range(seat):
        turned = frozenset((c, SIDE - 1 - r) for r, c in turned)
    return frozenset((c, SIDE - 1 - r) for r, c in turned)


def to_frame(cells: Sequence[tuple[int, int]], seat: int) -> Cells:
    """The inverse of `to_table`."""
    turned = frozenset((SIDE - 1 - y, x) for x, y in cells)
    for _ in range(seat):
        turned = frozenset((SIDE - 1 - c, r) for r, c in turned)
    return turned


@cache
def orientations() -> dict[Cells, tuple[int, int, int]]:
    """What each of the 91 orientations covers from its top left square, learnt by playing at random."""
    rng = random.Random(1)
    known: dict[Cells, tuple[int, int, int]] = {}
    while len(known) < 91:
        game = engine()
        while not game.is_over:
            seat = game.agent_selection
            if game.terminations[seat]:
                game.step(None)
                continue
            actions = legal_actions(game)
            action = int(rng.choice(list(actions)))
            before = seat_board(game, seat)
            game.step(action)
            placed = seat_board(game, seat) - before
            top, left = min(r for r, _ in placed), min(c for _, c in placed)
            shape = frozenset((r - top, c - left) for r, c in placed)
            orientation, row, column = action // 400, action % 400 // SIDE, action % SIDE
            known[shape] = orientation, row - top, column - left
    return known


def action_of(event: Event) -> int:
    """The action that a placement is."""
    assert isinstance(event, Place)
    cells = to_frame(cells_of(event.piece, event.orientation, event.x, event.y), event.colour)
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    orientation, down, right = orientations()[frozenset((r - top, c - left) for r, c in cells)]
    return orientation * 400 + (top + down) * SIDE + left + right


def actions_of(corpora: Sequence[Corpus]) -> list[list[int]]:
    """Matches as actions of blokus-rl."""
    return [[action_of(event) for event in corpus.log(match)] for corpus in corpora for match in range(len(corpus))]


def step_all(matches: Sequence[Sequence[int]], *, with_mask: bool = False) -> list[Any]:
    """Step blokus-rl through matches; the final scores. A seat that cannot move has to pass first."""
    scores = []
    for match in matches:
        game = engine()
        for action in match:
            while game.terminations[game.agent_selection]:
                game.step(None)
            if with_mask:
                mask(game)
            game.step(action)
        scores.append(game.scores)
    return scores
