"""Reading `.blksgf` records as matches. What a record says is taken as it stands: the rules judge it later.

The main line is the first continuation of every node. A node's move comes first, then its other properties in their
order as notes. Any other continuation of a node is a variation: a match of its own that shares what stands up to there.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from kifold.core.codec import from_json
from kifold.core.events import Event, Noted, OptionValue
from kifold.core.play import Play, Refused
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import NOT_YOUR_TURN, REASONS, Pass, Place
from kifold.core.rulesets.blokus.rules import colour_to_move
from kifold.records.formats import Branch, Record, Rejected, one_line
from kifold.records.formats.blksgf_head import Head, Unreadable, placement, read_head, shown
from kifold.records.formats.blksgf_names import COMMENT, EVENT, NODE, PREFIX, SHARED
from kifold.records.formats.sgf import Property, Tree
from kifold.records.log import taken_over

MOST_INHERITED = 1_000_000
"""So many events all variations of a record may share with what they leave, each counted for each: beyond, a text of
some megabytes could ask for all memory."""

MAIN_LINE = "main line"
_NOT_YOUR_TURN = REASONS[NOT_YOUR_TURN].name


def matches_of(tree: Tree, given: Mapping[str, OptionValue], text: bytes) -> Iterator[Record | Rejected]:
    """The match that a tree is, then those that its variations are, in the order of the text.

    Args:
        given: options that count, whatever the record says.
        text: the record itself.

    A variation that cannot be read is rejected, and so are those that leave it. Where that holds for the main line, the
    record is rejected as a whole.
    """
    number = tree.record_no
    starts = [n for n, node in enumerate(tree.nodes) if n and node.parent != n - 1]
    left = {tree.nodes[start].parent for start in starts}
    try:
        main = _Line(MAIN_LINE, read_head(tree.nodes[0], given))
        places = _read(main, tree, 0, left)
    except Unreadable as why:
        yield Rejected(number, str(why), text, why.ply)
        return
    yield main.record(number, text)
    inherited = 0
    for variation, start in enumerate(starts, start=1):
        name = f"variation {variation}"
        place = places.get(tree.nodes[start].parent)
        if place is None:
            yield Rejected(number, f"{name}: it leaves one that cannot be read", text)
            continue
        line = place.line.leaving(name, place.events, place.moves)
        inherited += len(line.events)
        if inherited > MOST_INHERITED:
            yield Rejected(number, f"{name} and those after it: too many events for one record", text, line.moves)
            return
        try:
            places |= _read(line, tree, start, left)
        except Unreadable as why:
            yield Rejected(number, f"{name}: {why}", text, why.ply)
        else:
            inherited += line.share(place.line, tree.nodes[start].first(SHARED))
            yield line.record(number, text)


@dataclass(frozen=True, slots=True)
class _Place:
    """The end of a node: its line, and how many events and moves that has up to there."""

    line: _Line
    events: int
    moves: int


def _read(line: _Line, tree: Tree, start: int, left: Container[int]) -> dict[int, _Place]:
    """Read a node and what is first after it, and so on to the end of that line; the ends of those nodes that are
    `left` by others, by their numbers.

    Raises:
        Unreadable: when one of them says something that has no meaning here.
    """
    places = {}
    number = start
    while number == start or (number < len(tree.nodes) and tree.nodes[number].parent == number - 1):
        properties = line.head.rest if number == 0 else tree.nodes[number].properties
        if number == start and number:
            properties = [one for one in properties if one.name != SHARED]
        line.read(properties, is_root=number == 0)
        if number in left:
            places[number] = _Place(line, len(line.events), line.moves)
        number += 1
    return places


class _Line:
    """The events of a line of play, and for each the number of the move it belongs to."""

    def __init__(self, name: str, head: Head) -> None:
        self.name = name
        self.head = head
        self.events: list[Event] = []
        self.plies: list[int] = []
        self.moves = 0
        self.play = _play(head)
        self.branch: Branch | None = None

    def leaving(self, name: str, events: int, moves: int) -> _Line:
        """A variation of this line that leaves it after so many events and moves."""
        other = _Line(name, self.head)
        stood = taken_over(self.events, events)
        for seq, event in stood:
            other.append(event, self.plies[seq - 1])
        other.moves = moves
        other.branch = Branch(self.name, stood[-1][0] if stood else 0, len(stood))
        return other

    def share(self, left: _Line, said: str | None) -> int:
        """Take from `KFSHARED` how far this line is the one that it left, if it is; how many events were compared."""
        if said is None or not (said.isascii() and said.isdigit() and len(said) < 10 and int(said) <= len(left.events)):
            return 0
        stood = taken_over(left.events, int(said))
        if stood and [event for _, event in stood] == self.events[: len(stood)]:
            self.branch = Branch(left.name, stood[-1][0], len(stood))
        return int(said)

    def record(self, number: int, text: bytes) -> Record:
        """What was read, as a record."""
        head = self.head
        return Record(
            number, head.started, tuple(self.events), head.players, text, tuple(self.plies), self.name, self.branch
        )

    def read(self, properties: Iterable[Property], *, is_root: bool) -> None:
        """Read the next node.

        Raises:
            Unreadable: when it says something that has no meaning here.
        """
        names = self.head.names
        moves = [one for one in properties if one.name in names.moves]
        move = min(moves, key=lambda one: names.rank(one.name)) if moves else None
        if move is not None:
            self._move(move)
        elif not is_root:
            self.append(NODE)
        for one in properties:
            if one is move:
                continue
            if not is_root and (one.name in names.setup or one.name in {"AE", "PL"}):
                raise Unreadable(f"{shown(one)}: pieces and turns are set up in the root only", self.moves)
            if one.name == EVENT:
                for value in one.values:
                    self._event(one, value)
            else:
                self.append(Noted(COMMENT if one.name == "C" else PREFIX + one.name, one.values))

    def _move(self, move: Property) -> None:
        self.moves += 1
        try:
            # One value is the cells of a piece; the old form has a value for each cell.
            placed = placement(",".join(move.values), self.head.names.side)
        except ValueError as error:
            raise Unreadable(f"{shown(move)}: {error}", self.moves) from None
        place = Place(self.head.names.moves[move.name], *placed)
        self._pass_for(place)
        self.append(place)

    def _pass_for(self, place: Place) -> None:
        """Where passing is played, the colours before this one that could place have passed."""
        while self.play and (refused := self.play.why_not(place)) and refused.reason == _NOT_YOUR_TURN:
            self.append(Pass(colour_to_move(self.play.state)))

    def _event(self, one: Property, value: str) -> None:
        try:
            event = from_json(BLOKUS, msgspec.json.decode(value))
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"{shown(one)}: {one_line(str(error))}", self.moves) from None
        self.append(event)

    def append(self, event: Event, ply: int | None = None) -> None:
        """Add an event; to the move that was read last, unless another is named."""
        self.events.append(event)
        self.plies.append(self.moves if ply is None else ply)
        if self.play:
            try:
                self.play.add(event)
            except Refused:
                self.play = None  # The import says why.


def _play(head: Head) -> Play | None:
    """The match being folded, where that is needed to understand it."""
    if not head.started.options["voluntary_pass"]:
        return None
    try:
        return Play(BLOKUS, head.started)
    except Refused:
        return None
