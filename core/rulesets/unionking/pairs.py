"""The pieces as halves of pairs, and what merged pairs count. Rule file unionking.md, 2 and 4.7."""

from __future__ import annotations

from kifold.core.rulesets.unionking.board import DEGREE, SPOTS
from kifold.core.rulesets.unionking.declaration import (
    AND_MORE,
    GAME1,
    GOAL,
    N_FIGURES,
    N_PARTS,
    OUTER,
    TIMES_LINE_ENDS,
    State,
)
from kifold.core.rulesets.unionking.layouts import PIECES


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


PARTNER = [piece + N_FIGURES if part_of(piece) == OUTER else piece - N_FIGURES for piece in range(PIECES)]


def partner(piece: int) -> int:
    """The other half of a pair: same colour, same figure (4.4)."""
    return PARTNER[piece]


def is_at_goal(state: State, colour: int) -> bool:
    """Five pairs in game 1, 70 points in game 2, 100 in game 3 (4.7)."""
    reached = pairs(state, colour) if state.variant == GAME1 else total(state, colour)
    return reached >= GOAL[state.variant]


def pairs(state: State, colour: int) -> int:
    """How many pairs of a colour are merged now."""
    count, first = 0, piece_of(colour, OUTER, 0)
    for outer in range(first, first + N_FIGURES):
        if is_merged(state, outer):
            count += 1
    return count


def points_sum(state: State, colour: int) -> int:
    """The line ends at the points of a colour's merged pairs, from the position as it is (4.5)."""
    ends, first = 0, piece_of(colour, OUTER, 0)
    for outer in range(first, first + N_FIGURES):
        if is_merged(state, outer):
            ends += DEGREE[state.number * SPOTS + state.spots[outer]]
    return ends


def total(state: State, colour: int) -> int:
    """The points of a colour by the scale of the game (2)."""
    points, first = 0, piece_of(colour, OUTER, 0)
    for outer in range(first, first + N_FIGURES):
        if is_merged(state, outer):
            points += pair_on(state, state.spots[outer])
    return points


def is_merged(state: State, outer: int) -> bool:
    """Whether the two halves of a pair, given by the outer one, stand on one point."""
    return state.spots[outer] == state.spots[outer + N_FIGURES]


def pair_on(state: State, spot: int) -> int:
    """The points of one pair that stands on a spot."""
    return TIMES_LINE_ENDS[state.variant] * DEGREE[state.number * SPOTS + spot] + AND_MORE[state.variant]
