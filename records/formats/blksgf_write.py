"""Writing matches as `.blksgf` records. What is written reads back as the same log.

Another program sees the game as it counts: what was taken back is not among the moves, and whatever the format has no
property for stands in properties of ours, which others ignore and keep (`kifold.records.formats.blksgf_names`).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import groupby, takewhile
from operator import itemgetter

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
    SHARED,
    TAG,
    Names,
    names_of,
    variant_of,
)
from kifold.records.formats.sgf import Node, Property, Tree, cells_text
from kifold.records.ids import id_text
from kifold.records.log import Fork, Log, taken_over

_IN_NODE, _HIDDEN, _OPENS, _IMPLIED = range(4)


def trees_of(family: Sequence[Log]) -> list[Tree]:
    """A match and its forks, each after its parent, as the tree of one record, in which forks are variations.

    A fork that cannot be told as one, since it would read back otherwise, gets a tree of its own, after the others.

    Raises:
        FormatError: for a match of another ruleset or revision, or that no board shows.
    """
    trees: list[Growing] = []
    lines: dict[int, _Line] = {}
    for log in family:
        with _said(log):
            forms = _forms(log)
            parent = lines.get(log.fork.parent) if log.fork else None
            place = parent.place_of(log, forms) if parent else None
            if parent is None or place is None:
                trees.append(Growing())
                line = _Line(log, trees[-1], ())
                line.begin()
            else:
                line = _Line(log, parent.tree, parent.up_to(place))
            line.write(forms)
            if log.fork and place is not None:
                line.say_what_is_shared(log.fork, place)
            lines[log.match_id] = line
    return [tree.grown() for tree in trees]


class Growing:
    """A tree that nodes are added to at any place, each after those that it follows."""

    def __init__(self) -> None:
        self.nodes: list[list[Property]] = []
        self.below: list[list[int]] = []

    def add(self, properties: list[Property], above: int) -> int:
        """Add a node after what follows `above` so far (−1: the root); its number."""
        self.nodes.append(properties)
        self.below.append([])
        if above >= 0:
            self.below[above].append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def grown(self) -> Tree:
        """The tree, its nodes in the order of a text."""
        nodes: list[Node] = []
        waiting = [(0, -1)]
        while waiting:
            number, parent = waiting.pop()
            nodes.append(Node(_joined(self.nodes[number]), parent))
            waiting += [(one, len(nodes) - 1) for one in reversed(self.below[number])]
        return Tree(nodes)


@contextmanager
def _said(log: Log) -> Iterator[None]:
    name, revision = log.started.ruleset, log.started.revision
    if (name, revision) != (BLOKUS.name, BLOKUS.revision) or log.is_promoted:
        said = f"{BLOKUS.name}, revision {BLOKUS.revision}, not {name}, revision {revision}"
        said += f", promoted to {log.promoted}" if log.is_promoted else ""
        raise FormatError(f"match {id_text(log.match_id)}: blksgf is for {said}; write it as jsonl")
    try:
        yield
    except ValueError as error:
        raise FormatError(f"match {id_text(log.match_id)}: blksgf cannot say it: {error}") from None


class _Line:
    """A line of play being written into a tree.

    Attributes:
        path: the nodes from the root on, and for each the number of the last event that is told by then.
    """

    def __init__(self, log: Log, tree: Growing, path: Iterable[tuple[int, int]]) -> None:
        self.log = log
        self.tree = tree
        self.path = list(path)
        self.names = names_of(log.started.variant)
        self.node: list[Property] = []
        self.written: set[str] = set()

    def begin(self) -> None:
        """Write the root."""
        self._open(_root(self.log, self.names))

    def _open(self, properties: list[Property]) -> None:
        self.node = properties
        self.written = {one.name for one in properties}
        above = self.path[-1][0] if self.path else -1
        self.path.append((self.tree.add(properties, above), 0))

    def write(self, forms: Sequence[int]) -> None:
        """Write the events that the path does not tell yet; `forms` is of all events."""
        begin = last = self.path[-1][1]
        for seq, event in enumerate(self.log.events[begin:], start=begin + 1):
            form = forms[seq - 1]
            if form == _OPENS:
                self.path[-1] = (self.path[-1][0], last)
                self._open([])
            if form == _OPENS and isinstance(event, Place):
                squares = _cells_text(self.names.side, event.piece, event.orientation, event.x, event.y)
                self._put(_of(self.names.written, event.colour), (squares,))
            elif form in {_IN_NODE, _HIDDEN}:
                self._add(event, is_hidden=form == _HIDDEN)
            if form != _IMPLIED:
                last = seq
        self.path[-1] = (self.path[-1][0], last)

    def say_what_is_shared(self, fork: Fork, place: int) -> None:
        """Where a fork that left its parent at a place of the path repeats what it shares, say up to where it does."""
        if fork.inherited > self.path[place][1]:
            self.tree.nodes[self.path[place + 1][0]].append(Property(SHARED, (str(fork.at_seq),)))

    @cached_property
    def stood(self) -> list[tuple[int, Event]]:
        """What a fork of the end has from this line."""
        return taken_over(self.log.events, len(self.log.events))

    def up_to(self, place: int) -> list[tuple[int, int]]:
        """The path up to one of its nodes, as a fork has it, which numbers only what stands."""
        return [(node, bisect(self.stood, told, key=itemgetter(0))) for node, told in self.path[: place + 1]]

    def place_of(self, fork: Log, forms: Sequence[int]) -> int | None:
        """The number of the node on the path from which a fork is to go on so that it reads back as it is.

        That is the last one that tells nothing but what the fork shares, if the fork goes on with a node and there is
        another to go on first. None where there is none.
        """
        if fork.fork is None or (fork.started, fork.players) != (self.log.started, self.log.players):
            return None
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(fork.events, (e for _, e in self.stood), strict=False))
        most = min(sum(1 for _ in shared), fork.fork.inherited, len(fork.events) - 1)
        for place, (node, told) in reversed(list(enumerate(self.up_to(len(self.path) - 1)))):
            if told <= most and forms[told] in {_OPENS, _IMPLIED} and self.tree.below[node]:
                return place
        return None

    def _add(self, event: Event, *, is_hidden: bool) -> None:
        """Puts an event into the last node: as the property that it was read from, or as one of ours."""
        if isinstance(event, Noted) and not is_hidden and (name := self._name(event)):
            self._put(name, event.values)
        else:
            self._put(EVENT, (msgspec.json.encode(to_json(event)).decode(),))

    def _put(self, name: str, values: tuple[str, ...]) -> None:
        self.node.append(Property(name, values))
        self.written.add(name)

    def _name(self, note: Noted) -> str | None:
        """The property that reads back as this note where it stands, None if there is none."""
        if not note.values or any("\r" in value for value in note.values):
            return None
        if note.name == COMMENT:
            return "C"
        name, names = note.name.removeprefix(PREFIX), self.names
        if not note.name.startswith(PREFIX) or not PROPERTY.fullmatch(name) or name in {"C", EVENT, SHARED}:
            return None
        if name in names.moves:
            # A node has one move: the first in the order of search.
            moves = [names.rank(other) for other in self.written & names.moves.keys()]
            return name if moves and names.rank(name) >= min(moves) else None
        if name in names.setup or name in {"PL", "AE"}:
            return None
        return name if len(self.path) > 1 or self._is_rest(name, note) else None

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
    of its own, or not at all since the next move, directly after it, implies it.
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
        else:
            form, follows = _IN_NODE if seq in standing else _HIDDEN, None
        forms.append(form)
    return forms[::-1]


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
