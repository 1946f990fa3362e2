"""The names that `.blksgf` records use: games, colours, setup, players, headers, and those that only kifold writes.

Source: the public description of the format and probes of what Pentobi 31 reads and writes; game information as in SGF
FF[4] (https://www.red-bean.com/sgf/proplist_t.html).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from kifold.core.events import Noted, OptionValue
from kifold.core.rulesets.blokus import BLOKUS

GAME_OF = {
    "classic": "Blokus",
    "two_player": "Blokus Two-Player",
    "three_player": "Blokus Three-Player",
    "duo": "Blokus Duo",
}
"""`GM` of each variant."""
_VARIANT_OF = {game.lower(): variant for variant, game in GAME_OF.items()}

TAG_OF = {
    "DT": "date",
    "EV": "event",
    "RO": "round",
    "PC": "place",
    "GN": "game",
    "AP": "application",
    "TM": "time",
    "SO": "source",
    "US": "recorder",
    "AN": "annotator",
    "CP": "copyright",
    "ON": "opening",
    "GC": "about",
}
"""Headers that are tags under a word; any other header is a tag under its own name."""
HEADER_OF = {tag: name for name, tag in TAG_OF.items()}

OPTION, TAG, EVENT, ORDER, SHARED = "KFOPTION", "KFTAG", "KFEVENT", "KFSETUP", "KFSHARED"
"""Ours: `KFOPTION[start_corner=any_free]` where the reading is not the format's own; `KFTAG[{"club":"north"}]`, tags
that are no header; `KFEVENT[{"event":"resigned","seat":1}]`, an event that no other property says; `KFSETUP[1,2,1]`,
the colours of the pieces set up where they do not follow one another by colour; `KFSHARED[12]`, at the beginning of a
variation that repeats what it shares with the line that it leaves: the last event of that line that it shares."""

DEFAULTS: dict[str, OptionValue] = {o.name: o.default for o in BLOKUS.options} | {"start_corner": "by_colour"}
"""The readings under which a record is meant that says nothing: the format gives every colour its corner."""

COMMENT = "comment"
PREFIX = "blksgf:"
NODE = Noted(PREFIX + "node")
"""Says that a node without a move begins."""

_REMARK = re.compile("AR|B|BL|BM|C|CR|DD|DM|DO|FG|GB|GW|HO|IT|KO|LB|LN|MA|MN|N|OB|OW|PM|SL|SQ|TB|TE|TR|TW|UC|V|VW|W|WL")
"""Properties that SGF and Pentobi have in any node, so also in a root they are remarks and no headers."""
_HEADER = re.compile(r"[A-Z][A-Z0-9]*")
PROPERTY = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Names:
    """What depends on the variant.

    Attributes:
        moves: the colour of each move property, in the order in which a node is searched for its one move.
        written: the move property that is written, by colour.
        setup: the colour of each setup property; `set_up`: the one that is written, by colour.
        players: the property of each seat's name.
        side: rows and columns of the board.
    """

    moves: dict[str, int]
    written: tuple[str, ...]
    setup: dict[str, int]
    set_up: tuple[str, ...]
    players: tuple[str, ...]
    side: int

    def rank(self, move: str) -> int:
        """Where a move property stands in the order of search."""
        return list(self.moves).index(move)

    def tag(self, name: str) -> str | None:
        """The tag that a root's property is, None if it is no header."""
        if name in TAG_OF:
            return TAG_OF[name]
        used = {"GM", "PL", "AE", OPTION, TAG, EVENT, ORDER, SHARED, *self.moves, *self.setup, *self.players}
        is_header = _HEADER.fullmatch(name) and not _REMARK.fullmatch(name) and name not in used
        return name if is_header else None

    def header(self, tag: str) -> str | None:
        """The property that a tag is written as, None if there is none."""
        name = HEADER_OF.get(tag, tag)
        return name if self.tag(name) == tag else None


@cache
def names_of(variant: str) -> Names:
    """The names of a variant's records. Old and foreign colours: those that Pentobi 31 reads."""
    if variant == "duo":
        moves = {"B": 0, "W": 1, "1": 0, "2": 1, "BLUE": 0, "GREEN": 1}
        return Names(moves, ("B", "W"), {"AB": 0, "AW": 1, "A1": 0, "A2": 1}, ("AB", "AW"), ("PB", "PW"), 14)
    moves = {"1": 0, "2": 1, "3": 2, "4": 3, "BLUE": 0, "YELLOW": 1, "RED": 2, "GREEN": 3}
    setup = ("A1", "A2", "A3", "A4")
    seats = BLOKUS.variant(variant).default_seats
    players = ("PB", "PW") if seats == 2 else tuple(f"P{seat + 1}" for seat in range(seats))
    return Names(moves, ("1", "2", "3", "4"), {name: c for c, name in enumerate(setup)}, setup, players, 20)


def variant_of(game: str) -> str | None:
    """The variant that a value of `GM` names, in capitals or not, with blanks round it or not."""
    return _VARIANT_OF.get(game.strip().lower())
