"""Every way to grow a piece from one square, as a tree: where a piece is cut off, so is all that would grow from it.

A node is a set of squares with the first in it; it adds one square to its parent's. A node is followed by all that grow
from it. Searching whether a blocked colour can place takes a tenth of trying every form everywhere.
"""

from __future__ import annotations

from kifold.core.rulesets.blokus.declaration import LANE, ROWS
from kifold.core.rulesets.blokus.pieces import MOST_SQUARES, piece_of

Square = tuple[int, int]


def _tree() -> list[tuple[Square, int, int]]:
    """For each node the square that it adds, the piece that it is, and the first node that does not grow from it."""
    nodes: list[tuple[Square, int, int]] = []

    def grow(squares: list[Square], border: list[Square], seen: set[Square]) -> None:
        found = piece_of(set(squares))
        assert found is not None
        number = len(nodes)
        nodes.append((squares[-1], found[0], 0))
        if len(squares) < MOST_SQUARES:
            for i, square in enumerate(border):
                # What comes before in the border is left out from here on: so each set is reached in one way only.
                beyond = [one for one in _beside(square) if one not in seen]
                grow([*squares, square], border[i + 1 :] + beyond, seen | set(beyond))
        nodes[number] = squares[-1], found[0], len(nodes)

    first = (0, 0)
    grow([first], _beside(first), {first, *_beside(first)})
    return nodes


def _beside(square: Square) -> list[Square]:
    x, y = square
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


_TREE = _tree()
NODES = len(_TREE)
NODE_PIECE = [piece for _, piece, _ in _TREE]
NODE_AFTER = [after for _, _, after in _TREE]
"""The first node that does not grow from this one."""
NODE_STEP = [
    64 * ((row + y) // ROWS) + LANE * ((row + y) % ROWS - row) + x for row in range(ROWS) for (x, y), _, _ in _TREE
]
"""From a first square in row r of its word to the square that node n adds, at `NODES`·r + n: 64·words + bits."""
