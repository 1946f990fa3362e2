"""The symmetries of boards, for keys of openings: the 8 of the square and the 12 of the hexagon.

They are numbered in one way for all games, so that "the half turn" or "the diagonal" is the same number everywhere.
"""

from __future__ import annotations

SQUARE = range(8)
"""The symmetries of the square: bit 0 mirrors columns, bit 1 mirrors rows, then bit 2 swaps columns and rows."""
IDENTITY, HALF_TURN, ANTIDIAGONAL = 0, 3, 7
"""Those that some games keep: nothing, a turn by 180°, and the reflection that swaps (0, 0) with the corner across."""

HEXAGON = range(12)
"""The symmetries of the hexagon, around (0, 0) in axial coordinates: k // 2 + 1 turns by 60°, then odd k mirrors."""


def square_image(x: int, y: int, k: int, width: int, height: int) -> tuple[int, int]:
    """Where symmetry k takes the square in column x and row y of a board; with bit 2 the board is height × width."""
    u = width - 1 - x if k & 1 else x
    v = height - 1 - y if k & 2 else y
    return (v, u) if k & 4 else (u, v)


def hexagon_image(q: int, r: int, k: int) -> tuple[int, int]:
    """Where symmetry k takes the hexagon at (q, r)."""
    for _ in range(k // 2 + 1):
        q, r = -r, q + r
    return (r, q) if k & 1 else (q, r)
