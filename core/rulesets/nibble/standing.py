"""How a match of nibble stands, and what a greedy player goes by."""

from __future__ import annotations

from kifold.core.emit import EventRecord
from kifold.core.rulesets.nibble.board import N_COLOURS
from kifold.core.rulesets.nibble.declaration import MOST_COLOURS, N_SEATS, STILL_ON, Result, State
from kifold.core.rulesets.nibble.rules import colours_owned


def result(state: State, result: Result) -> None:
    """The winner first, the other second; before the end both share the first rank."""
    for seat in range(N_SEATS):
        for colour in range(N_COLOURS[state.variant]):
            result.tiles_taken[seat] += state.taken[seat * MOST_COLOURS + colour]
        result.colours_owned[seat] = colours_owned(state, seat)
        result.win_type[seat] = state.win_type
        is_over = state.win_type != STILL_ON
        result.rank[seat] = 2 if is_over and seat != state.winner else 1


def gain(state: State, event: EventRecord) -> int:
    """The height of the column that the take makes: the tiles of its colour, with those that the seat had."""
    height: int = state.taken[event.seat * MOST_COLOURS + state.layout[event.tiles[0]]] + event.n_tiles
    return height
