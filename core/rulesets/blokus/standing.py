"""How a match of Blokus stands, and what a greedy player goes by."""

from __future__ import annotations

from kifold.core.emit import EventRecord
from kifold.core.ranking import rank_by_score
from kifold.core.rulesets.blokus.board import pieces_left, squares_left
from kifold.core.rulesets.blokus.declaration import GREEN, THREE_PLAYER, Result, State
from kifold.core.rulesets.blokus.pieces import SQUARES
from kifold.core.rulesets.blokus.rules import PLACE, seat_of


def result(state: State, result: Result) -> None:
    """−1 for each square left, or the bonus for having placed everything; highest score first, ties share (001-6)."""
    for colour in range(state.colours):
        if state.variant == THREE_PLAYER and colour == GREEN:
            continue
        seat = seat_of(state, colour)
        left = squares_left(state, colour)
        result.squares_left[seat] += left
        result.pieces_left[seat] += pieces_left(state, colour)
        result.bonus[seat] += state.bonus[colour]
        result.score[seat] += state.bonus[colour] - left
    rank_by_score(result, state.seats)


def gain(state: State, event: EventRecord) -> int:
    """How many squares the placement covers; a pass covers none."""
    return SQUARES[event.piece] if event.tag == PLACE else 0
