"""What the root of a `.blksgf` record says of the match: event 0 and the players. And what is said when it cannot be.

Taken from the root are `GM`, the players' names, the pieces and the turn that are set up, kifold's own properties, and
every header: a property with one value that SGF has in roots only, or that is unknown. The rest stays for notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from kifold.core.events import OptionValue, Setup, Started
from kifold.core.options import RulesetError
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import BY_ORDER
from kifold.core.rulesets.blokus.pieces import piece_of
from kifold.records.formats import one_line
from kifold.records.formats.blksgf_names import DEFAULTS, GAME_OF, OPTION, ORDER, TAG, Names, names_of, variant_of
from kifold.records.formats.sgf import Node, Property, cells

Placed = tuple[int, int, int, int]
_SHOWN = 60


def shown(one: Property, value: str | None = None) -> str:
    """A property, or one value of it, as a message names it."""
    said = "][".join(one.values) if value is None else value
    return one_line(f"{one.name}[{said if len(said) <= _SHOWN else said[:_SHOWN] + '…'}]")


@lru_cache(maxsize=1 << 16)
def placement(value: str, side: int) -> Placed:
    """(piece, orientation, x, y) of a piece's cells such as ``a20,b20``.

    Raises:
        ValueError: when they are not all cells of the board, or no piece.
    """
    found = cells(value, side, side)
    placed = piece_of(set(found)) if len(set(found)) == len(found) else None
    if placed is None:
        raise ValueError("these squares are no piece")
    return placed


class Unreadable(ValueError):
    """Why a record is no match, in one line; `ply` is the number of the move, None when it is not a matter of one."""

    def __init__(self, reason: str, ply: int | None = None) -> None:
        super().__init__(reason)
        self.ply = ply


@dataclass(frozen=True, slots=True)
class Head:
    """What the root says; `rest` is what it leaves for notes and the first move."""

    names: Names
    started: Started
    players: tuple[str, ...]
    rest: list[Property]


def read_head(root: Node, given: Mapping[str, OptionValue]) -> Head:
    """Read a root. Options that are `given` count, then what the record says, then the format's own.

    Raises:
        Unreadable: when it says no match of blokus.
    """
    game = root.first("GM")
    if game is None:
        raise Unreadable("no GM: a record says which game it is, such as GM[Blokus]")
    variant = variant_of(game)
    if variant is None:
        raise Unreadable(f"{shown(Property('GM', (game,)))}: no game that is read here ({', '.join(GAME_OF.values())})")
    reader = _Root(names_of(variant))
    if game != GAME_OF[variant]:
        reader.tags["GM"] = game
    for one in root.properties:
        reader.take(one)
    try:
        started = BLOKUS.start(variant, {**DEFAULTS, **reader.options, **given}, None, reader.tags, reader.set_up())
    except RulesetError as error:
        raise Unreadable(str(error)) from None
    players = tuple(reader.players.get(name, "") for name in reader.names.players)
    return Head(reader.names, started, players if any(players) else (), reader.rest)


class _Root:
    """The properties of a root, sorted."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.tags: dict[str, str] = {}
        self.options: dict[str, OptionValue] = {}
        self.players: dict[str, str] = {}
        self.pieces: list[tuple[int, Placed]] = []
        self.order: list[int] | None = None
        self.to_move = BY_ORDER
        self.has_game = False
        self.rest: list[Property] = []
        self._erased: list[Property] = []
        self._takers: dict[str, Callable[[Property], None]] = {
            "GM": self._game,
            "PL": self._turn,
            "AE": self._erased.append,  # Done when all have been added.
            OPTION: self._option,
            TAG: self._tags,
            ORDER: self._order,
            **dict.fromkeys(names.players, self._player),
            **dict.fromkeys(names.setup, self._add),
        }

    def take(self, one: Property) -> None:
        taker = self._takers.get(one.name)
        tag = self.names.tag(one.name)
        if taker:
            taker(one)
        elif tag is not None and len(one.values) == 1 and tag not in self.tags:
            self.tags[tag] = one.values[0]
        else:
            self.rest.append(one)

    def _game(self, one: Property) -> None:
        self._first(one, is_known=self.has_game)
        self.has_game = True

    def _player(self, one: Property) -> None:
        self._first(one, is_known=one.name in self.players)
        self.players.setdefault(one.name, one.values[0])

    def _first(self, one: Property, *, is_known: bool) -> None:
        """The first value of the first property of a name is used; the others stay."""
        values = one.values if is_known else one.values[1:]
        if values:
            self.rest.append(Property(one.name, values))

    def _turn(self, one: Property) -> None:
        colours = {**self.names.moves, **{name.lower(): colour for name, colour in self.names.moves.items()}}
        if len(one.values) > 1 or one.values[0].strip() not in colours or self.to_move != BY_ORDER:
            raise Unreadable(f"{shown(one)}: one colour is to move, such as PL[{self.names.written[0]}]")
        self.to_move = colours[one.values[0].strip()]

    def _option(self, one: Property) -> None:
        for value in one.values:
            name, _, text = value.partition("=")
            known = {option.name: option for option in BLOKUS.options}
            if name not in known or name in self.options:
                raise Unreadable(f"{shown(one)}: one value for each of {', '.join(known)}, such as {name}=…")
            try:
                self.options[name] = known[name].parse(text)
            except RulesetError as error:
                raise Unreadable(f"{shown(one)}: {one_line(str(error))}") from None

    def _tags(self, one: Property) -> None:
        for value in one.values:
            try:
                tags = msgspec.json.decode(value, type=dict[str, str])
            except (msgspec.DecodeError, RecursionError) as error:
                raise Unreadable(f"{shown(one)}: {one_line(str(error))}") from None
            for tag in tags:
                if tag in self.tags:
                    raise Unreadable(f"{shown(one)}: tag {tag!r} is given twice")
            self.tags |= tags

    def _order(self, one: Property) -> None:
        texts = ",".join(one.values).split(",")
        if self.order is not None or any(text not in self.names.written for text in texts):
            raise Unreadable(f"{shown(one)}: the colours of the pieces set up, in their order")
        self.order = [self.names.written.index(text) for text in texts]

    def _add(self, one: Property) -> None:
        for value in one.values:
            self.pieces.append((self.names.setup[one.name], self._piece(one, value)))

    def _standing(self) -> list[tuple[int, Placed]]:
        """The pieces without those that `AE` names by their cells."""
        there, gone = {placed for _, placed in self.pieces}, set()
        for one in self._erased:
            for value in one.values:
                piece = self._piece(one, value)
                if piece not in there:
                    raise Unreadable(f"{shown(one, value)}: no such piece is set up")
                gone.add(piece)
        return [(colour, placed) for colour, placed in self.pieces if placed not in gone]

    def _piece(self, one: Property, value: str) -> Placed:
        try:
            return placement(value, self.names.side)
        except ValueError as error:
            raise Unreadable(f"{shown(one, value)}: {error}") from None

    def set_up(self) -> Setup:
        """The setup: pieces in the order of the text, or as `KFSETUP` says."""
        pieces = self._standing()
        if self.order is not None:
            if sorted(self.order) != sorted(colour for colour, _ in pieces):
                raise Unreadable(f"{ORDER}: other colours than those of the pieces set up")
            by_colour = {c: iter([placed for colour, placed in pieces if colour == c]) for c in set(self.order)}
            pieces = [(colour, next(by_colour[colour])) for colour in self.order]
        columns = [list(column) for column in zip(*((colour, *placed) for colour, placed in pieces), strict=True)]
        try:
            return BLOKUS.make_setup([*(columns or [[]] * 5), self.to_move])
        except msgspec.ValidationError as error:
            raise Unreadable(f"{len(pieces)} pieces are set up: {one_line(str(error))}") from None
