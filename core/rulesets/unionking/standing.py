"""How a match of Union King stands, and what a greedy player goes by."""

from __future__ import annotations

from kifold.core.emit import EventRecord
from kifold.core.ranking import rank_by_score
from kifold.core.rulesets.unionking.board import POINTS, SPOT_OF_POINT
from kifold.core.rulesets.unionking.declaration import N_COLOURS, Result, State
from kifold.core.rulesets.unionking.pairs import pair_on, pairs, partner, piece_of, points_sum, total
from kifold.core.rulesets.unionking.rules import DECLINE


def result(state: State, result: Result) -> None:
    """The higher total wins, whoever ended the match; equal totals are a draw (4.8, 4.9)."""
    for colour in range(N_COLOURS):
        result.pairs[colour] = pairs(state, colour)
        result.points_sum[colour] = points_sum(state, colour)
        result.score[colour] = total(state, colour)
    rank_by_score(result, N_COLOURS)


def gain(state: State, event: EventRecord) -> int:
    """By how much the move changes the mover's own total."""
    if event.tag == DECLINE:
        return 0
    piece = piece_of(event.colour, event.part, event.figure)
    mate, target = state.spots[partner(piece)], SPOT_OF_POINT[state.width * POINTS + event.to]
    change = 0
    if state.spots[piece] == mate:
        change -= pair_on(state, mate)
    if target == mate:
        change += pair_on(state, mate)
    return change
