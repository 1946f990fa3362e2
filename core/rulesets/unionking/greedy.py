"""What a greedy player does: the own total after the move, and nothing else."""

from __future__ import annotations

from kifold.core.emit import EventRecord, Out
from kifold.core.rng import Random, below
from kifold.core.rulesets.unionking.board import POINTS, SPOT_OF_POINT
from kifold.core.rulesets.unionking.declaration import State
from kifold.core.rulesets.unionking.pairs import pair_on, partner, piece_of
from kifold.core.rulesets.unionking.rules import DECLINE


def gain(state: State, event: EventRecord) -> int:
    """By how much a move changes the mover's own total."""
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


def greedy(state: State, out: Out, n: int, random: Random) -> int:
    """Any of the moves after which the mover's own total is highest."""
    best, ties, chosen = -1000, 0, 0
    for i in range(n):
        change = gain(state, out[i])
        if change > best:
            best, ties = change, 0
        if change == best:
            ties += 1
            if below(random, ties) == 0:
                chosen = i
    return chosen
