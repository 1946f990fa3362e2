"""The pieces as halves of pairs, and what merged pairs count. Rule file unionking.md, 2 and 4.7."""

from __future__ import annotations

from kifold.core.rulesets.unionking.board import DEGREE, SPOTS
from kifold.core.rulesets.unionking.declaration import (
    AND_MORE,
    GAME1,
    GOAL,
    INNER,
    N_FIGURES,
    N_PARTS,
    OUTER,
    TIMES_LINE_ENDS,
    State,
)


def piece_of(colour: int, part: int, figure: int) -> int:
    """The number of a piece."""
    return (colour * N_PARTS + part) * N_FIGURES + figure


def colour_of(piece: int) -> int:
    """The colour of a piece."""
    return piece // (N_PARTS * N_FIGURES)


def part_of(piece: int) -> int:
    """Which half of its pair a piece is."""
    return piece // N_FIGURES % N_PARTS


def figure_of(piece: int) -> int:
    """The figure of a piece."""
    return piece % N_FIGURES


def partner(piece: int) -> int:
    """The other half of a pair: same colour, same figure (4.4)."""
    return piece + N_FIGURES if part_of(piece) == OUTER else piece - N_FIGURES


def is_at_goal(state: State, colour: int) -> bool:
    """Five pairs in game 1, 70 points in game 2, 100 in game 3 (4.7)."""
    reached = pairs(state, colour) if state.variant == GAME1 else total(state, colour)
    return reached >= GOAL[state.variant]


def pairs(state: State, colour: int) -> int:
    """How many pairs of a colour are merged now."""
    count = 0
    for figure in range(N_FIGURES):
        if is_merged(state, colour, figure):
            count += 1
    return count


def points_sum(state: State, colour: int) -> int:
    """The line ends at the points of a colour's merged pairs, from the position as it is (4.5)."""
    ends = 0
    for figure in range(N_FIGURES):
        if is_merged(state, colour, figure):
            ends += DEGREE[state.number * SPOTS + state.spots[piece_of(colour, OUTER, figure)]]
    return ends


def is_merged(state: State, colour: int, figure: int) -> bool:
    """Whether the two halves of a pair stand on one point."""
    return state.spots[piece_of(colour, OUTER, figure)] == state.spots[piece_of(colour, INNER, figure)]


def total(state: State, colour: int) -> int:
    """The points of a colour by the scale of the game (2)."""
    return TIMES_LINE_ENDS[state.variant] * points_sum(state, colour) + AND_MORE[state.variant] * pairs(state, colour)


def pair_on(state: State, spot: int) -> int:
    """The points of one pair that stands on a spot."""
    return TIMES_LINE_ENDS[state.variant] * DEGREE[state.number * SPOTS + spot] + AND_MORE[state.variant]
