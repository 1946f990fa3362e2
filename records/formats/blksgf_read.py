"""Reading `.blksgf` records as matches. What a record says is taken as it stands: the rules judge it later.

The main line is the first continuation of every node. A node's move comes first, then its other properties in their
order as notes, then the other continuations of the node as a note of their texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

import msgspec

from kifold.core.codec import from_json
from kifold.core.events import Event, Noted, OptionValue
from kifold.core.play import Play, Refused
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import NOT_YOUR_TURN, REASONS, Pass, Place
from kifold.core.rulesets.blokus.rules import colour_to_move
from kifold.records.formats import Record, one_line
from kifold.records.formats.blksgf_head import Head, Unreadable, placement, read_head, shown
from kifold.records.formats.blksgf_names import COMMENT, EVENT, NODE, PREFIX, SIDE_LINES
from kifold.records.formats.sgf import Node, Property, Tree, write_tree

_NOT_YOUR_TURN = REASONS[NOT_YOUR_TURN].name


def match_of(tree: Tree, given: Mapping[str, OptionValue], text: bytes) -> Record:
    """The match that a tree is. A `given` option counts, whatever the record says; `text` is the record itself.

    Raises:
        Unreadable: when it is none.
    """
    head = read_head(tree.nodes[0], given)
    line = _Line(head)
    line.read(tree)
    return Record(tree.record_no, head.started, tuple(line.events), head.players, text, tuple(line.plies))


class _Line:
    """The events of a record's main line, and for each the number of the move it belongs to."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.events: list[Event] = []
        self.plies: list[int] = []
        self.moves = 0
        self.play = _play(head)

    def read(self, tree: Tree) -> None:
        line = tree.main_line()
        side_lines = _side_lines(tree, len(line))
        for number, node in enumerate(line):
            self._node(self.head.rest if number == 0 else node.properties, is_root=number == 0)
            if number in side_lines:
                self._append(Noted(SIDE_LINES, tuple(side_lines[number])))

    def _node(self, properties: Iterable[Property], *, is_root: bool) -> None:
        names = self.head.names
        moves = [one for one in properties if one.name in names.moves]
        move = min(moves, key=lambda one: names.rank(one.name)) if moves else None
        if move is not None:
            self._move(move)
        elif not is_root:
            self._append(NODE)
        for one in properties:
            if one is move:
                continue
            if not is_root and (one.name in names.setup or one.name in {"AE", "PL"}):
                raise Unreadable(f"{shown(one)}: pieces and turns are set up in the root only", self.moves)
            if one.name == EVENT:
                for value in one.values:
                    self._event(one, value)
            else:
                self._append(Noted(COMMENT if one.name == "C" else PREFIX + one.name, one.values))

    def _move(self, move: Property) -> None:
        self.moves += 1
        try:
            # One value is the cells of a piece; the old form has a value for each cell.
            placed = placement(",".join(move.values), self.head.names.side)
        except ValueError as error:
            raise Unreadable(f"{shown(move)}: {error}", self.moves) from None
        place = Place(self.head.names.moves[move.name], *placed)
        self._pass_for(place)
        self._append(place)

    def _pass_for(self, place: Place) -> None:
        """Where passing is played, the colours before this one that could place have passed."""
        while self.play and (refused := self.play.why_not(place)) and refused.reason == _NOT_YOUR_TURN:
            self._append(Pass(colour_to_move(self.play.state)))

    def _event(self, one: Property, value: str) -> None:
        try:
            event = from_json(BLOKUS, msgspec.json.decode(value))
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"{shown(one)}: {one_line(str(error))}", self.moves) from None
        self._append(event)

    def _append(self, event: Event) -> None:
        self.events.append(event)
        self.plies.append(self.moves)
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


def _side_lines(tree: Tree, length: int) -> dict[int, list[str]]:
    """By number of the node on the main line, the texts of its other continuations."""
    starts = [i for i in range(length, len(tree.nodes)) if tree.nodes[i].parent < length]
    texts: dict[int, list[str]] = {}
    for start, stop in pairwise([*starts, len(tree.nodes)]):
        nodes = [Node(node.properties, max(node.parent - start, -1)) for node in tree.nodes[start:stop]]
        texts.setdefault(tree.nodes[start].parent, []).append(write_tree(Tree(nodes), keep_blanks=True))
    return texts
