"""Where the pieces stand at the start: data, and a reconstruction. Rule file unionking.md, 3.

The rule text shows the starting positions in figures that are missing. In these ones each side has what the other has,
turned by 180°, and nobody can merge at the first move. Should the figures turn up, they replace the lines below.
"""

from __future__ import annotations

FIGURES = ("A", "B", "C", "D", "E", "F", "G")
"""A circle, B triangle, C square, D pentagon, E hexagon, F octagon, G cross."""

PIECES = 28
SIDE = 7
"""Rows and columns of the board that the layouts are for."""

GAMES_1_AND_2 = (
    "boG boF boE boD boC boB boA",
    "biC biB biA biG biF biE biD",
    "",
    "",
    "",
    "wiD wiE wiF wiG wiA wiB wiC",
    "woA woB woC woD woE woF woG",
)
GAME_3 = (
    "boG boF boE boD boC boB boA",
    "biD biC biB biA biG biF biE",
    "",
    "",
    "",
    "wiE wiF wiG wiA wiB wiC wiD",
    "woA woB woC woD woE woF woG",
)


def points_of(drawing: tuple[str, ...]) -> list[int]:
    """The points of white outer A..G, white inner, black outer and black inner in a drawing, the top row first."""
    at = {}
    for y, row in enumerate(reversed(drawing)):
        for x, piece in enumerate(row.split()):
            at[piece] = y * SIDE + x
    return [at[colour + part + figure] for colour in "wb" for part in "oi" for figure in FIGURES]


LAYOUT_OF = {"game1": points_of(GAMES_1_AND_2), "game2": points_of(GAMES_1_AND_2), "game3": points_of(GAME_3)}
"""The recommended layout of each game, in the order of `points_of`."""
