"""What the tests of blokus share: its oracle, the independent engine's games, and positions set up by hand."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kifold.core.events import Event, Started
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import BlokusSetup, Pass, Place
from kifold.core.rulesets.blokus.pieces import ORIENTATIONS, PIECES, cells_of, piece_of
from tests.rulesets.harness import Adapter, load_oracle

DATA = Path(__file__).parents[1] / "data" / "blokus"
ORACLE: Any = load_oracle("blokus")
BLUE, YELLOW, RED, GREEN = range(4)
BY_ORDER = 4

Cells = frozenset[tuple[int, int]]


@cache
def to_oracle(event: Event) -> tuple[Any, ...]:
    """An orientation that the piece does not have becomes no cells at all, which is no piece either."""
    if isinstance(event, Pass):
        return ("pass", event.colour)
    assert isinstance(event, Place)
    if event.orientation >= ORIENTATIONS[event.piece]:
        return ("place", event.colour, frozenset())
    return ("place", event.colour, frozenset(cells_of(event.piece, event.orientation, event.x, event.y)))


class Remembering(ORACLE.Oracle):  # a module loaded by its path
    """The oracle, which searches once per colour and board: it is asked hundreds of questions about each."""

    def __init__(self, *args: Any) -> None:
        self._able: dict[int, bool] = {}
        super().__init__(*args)

    def can_place(self, colour: int) -> bool:
        if colour not in self._able:
            self._able[colour] = super().can_place(colour)
        return self._able[colour]

    def _put(self, colour: int, cells: Cells) -> str:
        self._able.clear()
        return super()._put(colour, cells)


def build(started: Started) -> Any:
    placed = [to_oracle(event)[1:] for event in placed_in(started.setup)]
    to_move = None if started.setup.to_move == BY_ORDER else started.setup.to_move
    return Remembering(started.variant, started.options, started.seats, {"pieces": placed, "to_move": to_move})


def position(state: Any) -> dict[str, Any]:
    rows = [[-1] * state.side for _ in range(state.side)]
    for colour in range(state.colours):
        for y in range(state.side):
            for x in range(state.side):
                if state.own[20 * colour + y] >> x & 1:
                    rows[y][x] = colour
    left = [[name for i, name in enumerate(PIECES) if state.left[c] >> i & 1] for c in range(state.colours)]
    return {
        "board": rows,
        "left": left,
        "bonus": state.bonus[: state.colours],
        "turn": (state.last + 1) % state.colours,
        "passes": [colour for colour in range(state.colours) if state.passes >> colour & 1],
    }


ADAPTER = Adapter(BLOKUS, build, to_oracle, position)


# Cells, placements, setups


def cells(text: str) -> Cells:
    """``a1,b1`` as cells."""
    return frozenset((ord(name[0]) - ord("a"), int(name[1:]) - 1) for name in text.split(","))


def place(colour: int, squares: str | Iterable[tuple[int, int]]) -> Place:
    """The placement that covers these squares."""
    covered = cells(squares) if isinstance(squares, str) else frozenset(squares)
    found = piece_of(set(covered))
    assert found is not None, f"{squares} is no piece"
    return Place(colour, *found)


def setup_of(placed: Sequence[Place], to_move: int = BY_ORDER) -> BlokusSetup:
    """The setup that these placements lie on the board."""
    columns = zip(*((p.colour, p.piece, p.orientation, p.x, p.y) for p in placed), strict=True)
    return BlokusSetup(*columns, to_move=to_move) if placed else BlokusSetup(to_move=to_move)


def placed_in(setup: BlokusSetup) -> list[Place]:
    """The placements of a setup."""
    columns = (setup.colours, setup.pieces, setup.orientations, setup.xs, setup.ys)
    return [Place(*row) for row in zip(*columns, strict=True)]


def all_but(colour: int, *names: str) -> list[tuple[int, str]]:
    """Every piece of a colour except the named ones."""
    assert set(names) <= set(PIECES)
    return [(colour, name) for name in PIECES if name not in names]


@cache
def spots_of(size: int) -> dict[str, list[Cells]]:
    """By piece all placements on an empty board."""
    spots: dict[str, list[Cells]] = {name: [] for name in PIECES}
    for name, covered in ORACLE.all_placements(size):
        spots[name].append(covered)
    return spots


def packed(pieces: Sequence[tuple[int, str]], size: int = 20, keep_free: Cells = frozenset()) -> list[Place]:
    """Pieces put wherever there is room, the largest first; they need not keep the rules."""
    taken, put = set(keep_free), []
    for colour, name in sorted(pieces, key=lambda piece: -ORACLE.PIECE_SIZE[piece[1]]):
        spot = next(spot for spot in spots_of(size)[name] if taken.isdisjoint(spot))
        taken |= spot
        put.append(place(colour, spot))
    return put


def scattered(variant: str, left: int, seed: int) -> BlokusSetup:
    """Colours with about `left` pieces each still to place, the others somewhere on the board, any colour to move."""
    rng = random.Random(seed)
    size, colours = ORACLE.BOARD_SIZE[variant], ORACLE.COLOUR_COUNT[variant]
    pieces = []
    for colour in range(colours):
        names = rng.sample(PIECES, min(21, max(0, left + rng.randint(-1, 2))))
        pieces += all_but(colour, *names)
    taken: set[tuple[int, int]] = set()
    put = []
    for colour, name in sorted(pieces, key=lambda piece: (-ORACLE.PIECE_SIZE[piece[1]], rng.random())):
        spots = [spot for spot in spots_of(size)[name] if taken.isdisjoint(spot)]
        if spots:
            spot = rng.choice(spots)
            taken |= spot
            put.append(place(colour, spot))
    return setup_of(put, rng.choice([*range(colours), BY_ORDER]))


# Games and verdicts of an independent engine

VARIANT_OF = {
    "classic_l1_nobook": "classic",
    "classic_random_uniform": "classic",
    "classic_edgecases": "classic",
    "classic2_l1_book": "two_player",
    "classic2_random_uniform": "two_player",
    "classic3_l1_book": "three_player",
    "classic3_random_uniform": "three_player",
    "duo_l1_book": "duo",
    "duo_random_uniform": "duo",
}
MOVE = re.compile(r";([1-4BW])\[([a-t0-9,]+)\]")
COLOUR_OF = {"1": BLUE, "2": YELLOW, "3": RED, "4": GREEN, "B": 0, "W": 1}


def games(source: str) -> list[tuple[Started, list[Event]]]:
    """Every game of a file as a log."""
    started = BLOKUS.start(VARIANT_OF[source], {"start_corner": "by_colour"})
    logs = []
    for line in (DATA / f"{source}.blksgf").read_text("utf-8").splitlines():
        log: list[Event] = [place(COLOUR_OF[colour], text) for colour, text in MOVE.findall(line)]
        assert line.count(";") == 1 + len(log)
        logs.append((started, log))
    return logs


def verdicts(name: str) -> list[dict[str, Any]]:
    """The objects of a file of the engine's answers."""
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
