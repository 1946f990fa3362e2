"""What nibble declares: its events, setup, state, result, reasons, effects, options and variants.

Rule file nibble.md. Colours are numbered 0 … 8 (13 colours: … 12); a tile bears the number of the cell it lies on, rows
from the top, in a row from the left (004.3).
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kifold.core.events import Event, Setup
from kifold.core.fields import named
from kifold.core.names import Effects, Reasons
from kifold.core.options import Option, Variant, variant_number
from kifold.core.records import DERIVED, I8, I16, SCRATCH, Array, Record

COLOURS = (
    "red",
    "orange",
    "yellow",
    "green",
    "cyan",
    "blue",
    "purple",
    "brown",
    "black",
    "white",
    "lime",
    "teal",
    "pink",
)
MOST_COLOURS = len(COLOURS)
MOST_CELLS = MOST_COLOURS * MOST_COLOURS
MOST_ROWS = 15

N_SEATS = 2

Seat = Annotated[int, Meta(ge=0, le=N_SEATS - 1, description="seat that takes")]
Colour = Annotated[int, named(COLOURS, "colour of a tile; square9 is played with the first nine")]
Tile = Annotated[int, Meta(ge=0, le=MOST_CELLS - 1, description="number of the tile's cell, row by row from the top")]


class Take(Event, frozen=True, tag=16):
    """A player takes tiles of one colour from the board (004.4)."""

    seat: Seat
    tiles: Annotated[
        tuple[Tile, ...], Meta(min_length=1, max_length=MOST_COLOURS, description="the tiles, in ascending order")
    ]


class NibbleSetup(Setup, frozen=True):
    """What chance decided before the first turn (004.3); a match needs all of it."""

    layout: Annotated[tuple[Colour, ...], Meta(max_length=MOST_CELLS, description="colour of each cell's tile")] = ()
    table: Annotated[tuple[Colour, ...], Meta(max_length=MOST_COLOURS, description="colour table, from one end")] = ()
    first: Annotated[int, Meta(ge=0, le=N_SEATS - 1, description="seat that begins")] = 0


class State(Record):
    """A position."""

    variant: I8
    early_stop: I8
    to_move: I8
    """The seat whose turn it is; after the end the one whose turn would have come."""
    win_type: I8
    """How the match was won: see `WIN_TYPES`; `STILL_ON` before the end."""
    winner: I8
    """The seat that has won, where `win_type` says that one has."""
    layout: Annotated[list[int], Array("i1", MOST_CELLS)]
    """The colour of each cell's tile, whether or not it still lies there."""
    table: Annotated[list[int], Array("i1", MOST_COLOURS)]
    """The colour at each place of the colour table."""
    taken: Annotated[list[int], Array("i1", 2 * MOST_COLOURS)]
    """How many tiles of a colour a seat has taken: at seat·13 + colour."""
    rows: Annotated[list[int], Array("i2", MOST_ROWS + 2)]
    """Where tiles lie: bit x of row y + 1 for column x; an empty guard row at each end."""

    place: Annotated[list[int], Array("i1", MOST_COLOURS), DERIVED]
    """The place of each colour in the colour table."""
    tiles_left: Annotated[I16, DERIVED]
    loose: Annotated[list[int], Array("i2", MOST_CELLS), SCRATCH]
    """The tiles that can be taken, by colour: see `board.sort_loose_tiles`."""
    n_loose: Annotated[list[int], Array("i1", MOST_COLOURS), SCRATCH]
    apart: Annotated[list[int], Array("i2", MOST_COLOURS), SCRATCH]
    """Which loose tiles of one colour cannot go together: see `board.find_bridges`."""
    count: Annotated[list[int], Array("i2", MOST_COLOURS), SCRATCH]


class Result(Record):
    """Who won and how (004.5). There are no points: before the end both seats share the first rank."""

    rank: Annotated[list[int], Array("i1", 2)]
    tiles_taken: Annotated[list[int], Array("i2", 2)]
    colours_owned: Annotated[list[int], Array("i1", 2)]
    win_type: Annotated[list[int], Array("i1", 2)]


STILL_ON, BY_COLOUR, BY_THREE, BY_MAJORITY = range(4)
WIN_TYPES = ("still on", "all tiles of one colour", "three neighbouring colours", "majority")

REASONS = Reasons()
MATCH_OVER = REASONS.name("match_over", "004.5", "the match has been won")
NOT_ASCENDING = REASONS.name("not_ascending", "004.3", "tiles are named in ascending order, at least one, none twice")
OFF_BOARD = REASONS.name("off_board", "004.3", "the board has no cell of that number")
TILE_GONE = REASONS.name("tile_gone", "004.4", "a tile named has been taken before")
MIXED_COLOURS = REASONS.name("mixed_colours", "004.4", "the tiles are not all of one colour")
NOT_EXPOSED = REASONS.name("not_exposed", "004-1", "a tile has fewer than 2 (hexagons: 3) adjacent sides free")
DISCONNECTS = REASONS.name("disconnects", "004-3", "the tiles that remain would not be one connected group")
NOT_YOUR_TURN = REASONS.name("not_your_turn", "004.4", "players take turns")
WRONG_QUOTA = REASONS.name("wrong_quota", "004.3", "the layout has not each colour as often as there are colours")
EQUAL_NEIGHBOURS = REASONS.name("equal_neighbours", "004.3", "two tiles of one colour lie side by side in the layout")
TABLE_NO_PERMUTATION = REASONS.name("table_no_permutation", "004.3", "the colour table does not name every colour once")
TABLE_NOT_IDENTITY = REASONS.name(
    "table_not_identity", "004-5", "the colour table is fixed: the colours in the order of their numbers"
)

EFFECTS = Effects()
WON_BY_COLOUR = EFFECTS.name("won_by_colour", "004.5", "the player has all tiles of one colour and wins")
WON_BY_THREE = EFFECTS.name(
    "won_by_three", "004.5", "the player has 7 (13 colours: 10) tiles in each of three neighbouring colours and wins"
)
WON_BY_MAJORITY = EFFECTS.name(
    "won_by_majority", "004.5", "a player has the majority in most colours, and wins as nothing else can decide"
)
DECIDED_EARLY = EFFECTS.name("decided_early", "004-6", "the match ends with tiles left: the other player cannot win")
BOARD_EMPTIED = EFFECTS.name("board_emptied", "004.5", "the last tile was taken")

TABLE_ORDER = Option(
    "table_order",
    "004-5",
    "the order of the colour table, in which three neighbouring colours count",
    ("random", "fixed"),
    ("drawn for each match", "the colours in the order of their numbers"),
)
EARLY_STOP = Option(
    "early_stop",
    "004-6",
    "whether a match ends as soon as it is decided; the winner is the same",
    (False, True),
    ("it is played until somebody has won", "it ends when the player has won by majority whatever follows"),
)
OPTIONS = (TABLE_ORDER, EARLY_STOP)

VARIANTS = (
    Variant("square9", "9×9 squares, nine colours", (N_SEATS,)),
    Variant("square13", "13×13 squares, thirteen colours", (N_SEATS,)),
    Variant("hex13", "a hexagon of side 8, 169 cells, thirteen colours", (N_SEATS,)),
)
SQUARE9, SQUARE13, HEX13 = (variant_number(VARIANTS, name) for name in ("square9", "square13", "hex13"))
