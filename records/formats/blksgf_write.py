"""Writing matches as `.blksgf` records. What is written reads back as the same log.

Another program sees the game as it counts: what was taken back is not among the moves, and whatever the format has no
property for stands in properties of ours, which others ignore and keep (`kifold.records.formats.blksgf_names`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import msgspec

from kifold.core.codec import to_json
from kifold.core.events import Event, Noted, Started
from kifold.core.play import standing_events
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import BY_ORDER, Pass, Place
from kifold.core.rulesets.blokus.pieces import ORIENTATIONS, PIECES, cells_of
from kifold.records.formats import FormatError
from kifold.records.formats.blksgf_names import (
    COMMENT,
    DEFAULTS,
    EVENT,
    GAME_OF,
    NODE,
    OPTION,
    ORDER,
    PREFIX,
    PROPERTY,
    SIDE_LINES,
    TAG,
    Names,
    names_of,
    variant_of,
)
from kifold.records.formats.sgf import Node, Property, Tree, cells_text, read_trees, write_tree
from kifold.records.ids import id_text
from kifold.records.log import Log

_IN_NODE, _HIDDEN, _OPENS, _IMPLIED, _BRANCHES = range(5)


def tree_of(log: Log) -> Tree:
    """A match as the tree of its record.

    Raises:
        FormatError: for a match of another ruleset or revision, or that no board shows.
    """
    name, revision = log.started.ruleset, log.promoted or log.started.revision
    if (name, revision) != (BLOKUS.name, BLOKUS.revision):
        said = f"{BLOKUS.name}, revision {BLOKUS.revision}, not {name}, revision {revision}"
        raise FormatError(f"match {id_text(log.match_id)}: blksgf is for {said}; write it as jsonl")
    try:
        return _Writer(log).tree()
    except ValueError as error:
        raise FormatError(f"match {id_text(log.match_id)}: blksgf cannot say it: {error}") from None


class _Writer:
    """A record being written: its main line, what properties the last node of it has, and what hangs on which node."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.names = names_of(log.started.variant)
        self.line: list[list[Property]] = [_root(log, self.names)]
        self.written = {one.name for one in self.line[0]}
        self.side_lines: dict[int, list[Tree]] = {}

    def tree(self) -> Tree:
        for event, form in zip(self.log.events, _forms(self.log), strict=True):
            if form == _OPENS:
                self.line.append([])
                self.written = set()
            if form == _BRANCHES and isinstance(event, Noted):
                self.side_lines[len(self.line) - 1] = [tree for tree in map(_side_line, event.values) if tree]
            elif form == _OPENS and isinstance(event, Place):
                squares = _cells_text(self.names.side, event.piece, event.orientation, event.x, event.y)
                self._put(_of(self.names.written, event.colour), (squares,))
            elif form in {_IN_NODE, _HIDDEN}:
                self._add(event, is_hidden=form == _HIDDEN)
        nodes = Tree.straight(map(_joined, self.line)).nodes
        for hanging in sorted(self.side_lines, reverse=True):
            for side_line in self.side_lines[hanging]:
                start = len(nodes)
                for node in side_line.nodes:
                    nodes.append(Node(node.properties, hanging if node.parent < 0 else node.parent + start))
        return Tree(nodes)

    def _add(self, event: Event, *, is_hidden: bool) -> None:
        """Puts an event into the last node: as the property that it was read from, or as one of ours."""
        if isinstance(event, Noted) and not is_hidden and (name := self._name(event)):
            self._put(name, event.values)
        else:
            self._put(EVENT, (msgspec.json.encode(to_json(event)).decode(),))

    def _put(self, name: str, values: tuple[str, ...]) -> None:
        self.line[-1].append(Property(name, values))
        self.written.add(name)

    def _name(self, note: Noted) -> str | None:
        """The property that reads back as this note where it stands, None if there is none."""
        if not note.values or any("\r" in value for value in note.values):
            return None
        if note.name == COMMENT:
            return "C"
        name, names = note.name.removeprefix(PREFIX), self.names
        if not note.name.startswith(PREFIX) or not PROPERTY.fullmatch(name) or name in {"C", EVENT}:
            return None
        if name in names.moves:
            # A node has one move: the first in the order of search.
            moves = [names.rank(other) for other in self.written & names.moves.keys()]
            return name if moves and names.rank(name) >= min(moves) else None
        if name in names.setup or name in {"PL", "AE"}:
            return None
        return name if len(self.line) > 1 or self._is_rest(name, note) else None

    def _is_rest(self, name: str, note: Noted) -> bool:
        """Whether a root leaves a property of that name for a note."""
        if name in {OPTION, TAG, ORDER}:
            return False
        if name == "GM" or name in self.names.players:
            return name in self.written
        tag = self.names.tag(name)
        return tag is None or len(note.values) > 1 or tag in self.log.started.tags


def _joined(properties: list[Property]) -> list[Property]:
    """Events of ours that follow one another as one property: of two with one name another program may keep one."""
    joined: list[Property] = []
    for name, group in groupby(properties, key=lambda one: one.name):
        if name == EVENT:
            joined.append(Property(EVENT, tuple([value for one in group for value in one.values])))
        else:
            joined += group
    return joined


def _forms(log: Log) -> list[int]:
    """How each event is written: in the node that is open (what was taken back only as a property of ours), as a node
    of its own, not at all since the next move implies it, or as other continuations of the node. The last two only
    stand directly before a node.
    """
    standing = {seq for seq, _ in standing_events(log.events)}
    forms = []
    follows: type[Event] | None = None  # what opens the next node, if nothing stands between
    for seq in range(len(log.events), 0, -1):
        event = log.events[seq - 1]
        if seq in standing and (isinstance(event, Place) or event == NODE):
            form, follows = _OPENS, type(event)
        elif isinstance(event, Pass) and follows is Place and log.started.options.get("voluntary_pass"):
            form = _IMPLIED
        elif follows is not None and isinstance(event, Noted) and event.name == SIDE_LINES and _are_side_lines(event):
            form, follows = _BRANCHES, None
        else:
            form, follows = _IN_NODE if seq in standing else _HIDDEN, None
        forms.append(form)
    return forms[::-1]


def _are_side_lines(note: Noted) -> bool:
    return bool(note.values) and all(map(_side_line, note.values))


def _side_line(text: str) -> Tree | None:
    """The tree of a side line's text, None if it would be read back as another text."""
    trees = list(read_trees(text))
    if len(trees) == 1 and isinstance(trees[0], Tree) and write_tree(trees[0], keep_blanks=True) == text:
        return trees[0]
    return None


def _root(log: Log, names: Names) -> list[Property]:
    started, tags = log.started, dict(log.started.tags)
    game = GAME_OF[started.variant]
    own = tags.get("GM", "")
    if next(iter(tags), None) == "GM" and own != game and variant_of(own) == started.variant and "\r" not in own:
        game = tags.pop("GM")
    root = [Property("GM", (game,))]
    readings = [f"{n}={str(v).lower()}" for n, v in started.options.items() if DEFAULTS.get(n) != v]
    if readings:
        root.append(Property(OPTION, tuple(readings)))
    for tag, value in tags.items():
        header = names.header(tag)
        if header is None or "\r" in value:
            root.append(Property(TAG, (msgspec.json.encode({tag: value}).decode(),)))
        else:
            root.append(Property(header, (value,)))
    if len(log.players) > started.seats or any("\r" in name for name in log.players):
        raise ValueError("names of players with line ends, or more of them than seats")
    root += [Property(name, (player,)) for name, player in zip(names.players, log.players, strict=False) if player]
    return root + _set_up(started, names)


def _set_up(started: Started, names: Names) -> list[Property]:
    setup = started.setup
    placed = list(zip(setup.pieces, setup.orientations, setup.xs, setup.ys, strict=True))
    properties = []
    for colour in sorted(set(setup.colours)):
        texts = [_cells_text(names.side, *put) for c, put in zip(setup.colours, placed, strict=True) if c == colour]
        properties.append(Property(_of(names.set_up, colour), tuple(texts)))
    if list(setup.colours) != sorted(setup.colours):
        properties.append(Property(ORDER, (",".join(names.written[colour] for colour in setup.colours),)))
    if setup.to_move != BY_ORDER:
        properties.append(Property("PL", (_of(names.written, setup.to_move),)))
    return properties


def _of(names: Sequence[str], colour: int) -> str:
    if colour >= len(names):
        raise ValueError(f"there is no colour {colour} in this variant")
    return names[colour]


@lru_cache(maxsize=1 << 16)
def _cells_text(side: int, piece: int, orientation: int, x: int, y: int) -> str:
    if orientation < ORIENTATIONS[piece]:
        covered = cells_of(piece, orientation, x, y)
        if max(map(max, covered)) < side:
            return cells_text(covered)
    raise ValueError(f"{PIECES[piece]} at {x}, {y} is no piece on the board")
