r"""Reading one record out of a text: from its `(` to the `)` that closes it, or to the place where it goes wrong.

    tree := '(' node+ tree* ')'      node := ';' property*      property := name ('[' value ']')+

White space may stand between all of these and inside a name. In a value `\` makes the next character literal, a line
end too; CR and CRLF become LF. Source: the public description of `.blksgf`, and probes of what Pentobi 31 accepts.

The text is cut by one regular expression into pairs (what stands before a `[`, the value in the brackets), at the speed
of C. Nearly all first halves are like `;1` or `C` and are looked up; only the others are taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from operator import methodcaller

from kifold.records.formats.sgf_tree import Node, Property

BLANK = r"[ \t\n\v\f\r]"
# The properties that SGF FF[4] allows in a root only. A variation cannot begin with one of them, so a line that does
# while a record is open begins the next record: the open one was cut off.
ROOT_NAMES = frozenset({"AP", "CA", "FF", "GM", "ST", "SZ"})

# Always matches: an unclosed value runs to the end of the window. So every character is looked at once.
_PAIRS = re.compile(r"([^\[]*+)(?:\[([^\]\\]*+(?:\\.?+[^\]\\]*+)*+)(?:\]|\Z))?+", re.DOTALL)
_GROUPS = methodcaller("groups", "")
_TOKENS = re.compile(rf"([;()])|([A-Za-z0-9]+(?:{BLANK}+[A-Za-z0-9]+)*+)|[^ \t\n\v\f\r]")
_PLAIN_HEAD = re.compile(rf"{BLANK}{{0,64}}(;?)[A-Za-z0-9]{{1,8}}")
_ROOT = "|".join(sorted(ROOT_NAMES))
_ANNOUNCED = re.compile(rf"\({BLANK}*+;{BLANK}*+(?:{_ROOT}){BLANK}*+\[")
_BEGINNING = re.compile(rf"\({BLANK}*+;")
_RECORD_LINE = re.compile(rf"\((?:\r\n?|\n)?;(?:{_ROOT})\[")
_HEAD_IN_VALUE = re.compile(r"(?<=[\r\n])\((?:\r\n?|\n)?;([A-Za-z0-9]++)\[")
_FIRST_ON_LINE = re.compile(r"[\r\n][ \t]*+\Z")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

_plain_heads: dict[str, tuple[str, int]] = {}  # ";1": ("1", 0), "\n;1": ("1", 1), "C": ("C", -1): where the node begins
_MOST_HEADS = 4096

_OPENED, _IN_NODE, _CLOSED = range(3)  # after "(": a node must follow; in a node; after ")": no node may follow


class Scan:
    """One look at `text[start:end]`, where `text[start]` is `(`. Indexes are indexes of `text`.

    `stop`: where the record ends, or the next begins if this one was cut off; None if the window ended first.
    `fault`, `fault_at`: what is wrong and where, "" if `nodes` is a whole tree. If `stop` is None, what is missing.

    Nodes get `offset` = index + `shift` and the line that was passed in.
    """

    __slots__ = (
        "_blocked",
        "_branches",
        "_openings",
        "_state",
        "_values",
        "_values_of",
        "fault",
        "fault_at",
        "nodes",
        "start",
        "stop",
        "text",
    )

    def __init__(self, text: str, start: int, end: int, shift: int, line: int) -> None:
        self.text = text
        self.start = start
        self.nodes: list[Node] = []
        self.stop: int | None = None
        self.fault = ""
        self.fault_at = start
        self._branches: list[tuple[int, int]] = []  # for each open "(" the node it hangs on, and its index
        self._openings: list[int] = []  # the index of every "(" but the first
        self._state = _OPENED
        self._blocked = False  # no plain head may follow: after a variation, or after a fault
        self._values_of: Property | None = None  # a property with several values, and these so far
        self._values: list[str] = []
        self._run(end, shift, line)
        self._keep_values()

    def _run(self, end: int, shift: int, line: int) -> None:
        text, start, nodes, heads = self.text, self.start, self.nodes, _plain_heads
        find, append = text.find, nodes.append
        breaks = find("\n", start, end) >= 0 or find("\r", start, end) >= 0
        special = breaks or find("\\", start, end) >= 0
        # A line is likely to be one record, to be cut at one go; what is longer may hold many others behind this one.
        pairs = map(_GROUPS, _PAIRS.finditer(text, start, end)) if breaks else _PAIRS.findall(text, start, end)
        parent = last = -1
        blocked = False
        at = start
        for head, value in pairs:
            after = at + len(head) + len(value) + 2
            plain = heads.get(head)
            if plain is None or after > end or blocked:
                name, parent = self._glue(head, at, parent, shift, line)
                if self.stop is not None:
                    return
                if after > end:
                    break
                if special and (value := self._literal(value, at + len(head), name)) is None:
                    return
                self._add(name, value, head, at)
                last, blocked = len(nodes) - 1, self._blocked
            else:
                name, lead = plain
                if (
                    special
                    and ("\n" in value or "\\" in value or "\r" in value)
                    and (value := self._literal(value, at + len(head), name)) is None
                ):
                    return
                if lead >= 0:
                    append(Node([Property(name, (value,))], parent, at + lead + shift, line))
                    last += 1
                    parent = last
                else:
                    nodes[-1].properties.append(Property(name, (value,)))
            at = after
        value_at = at + len(head)
        if value_at < end:
            self._fail("value not closed", value_at)
        else:
            self._fail("record not closed", end)

    def _fail(self, reason: str, at: int) -> None:
        """Keeps the first fault. What follows is still read, to find where the record ends."""
        if not self.fault:
            self.fault, self.fault_at = reason, at
            self._blocked = True

    def _glue(self, head: str, at: int, parent: int, shift: int, line: int) -> tuple[str, int]:
        """Takes apart what stands between two values.

        Returns the name that its end gives to the next value, or "", and the node that the next node follows.
        """
        name = ""
        for token, offset, is_name in _known_tokens(head) if len(head) <= 16 else _tokens(head):
            place = at + offset
            if name:
                self._fail(f"property {_short(name)} has no value", place)
                name = ""
            if token == ";":
                parent = self._node(place, parent, shift, line)
            elif token == "(":
                self._open(place, parent)
            elif token == ")":
                parent = self._close(place)
            elif is_name:
                name = token
                if self._state != _IN_NODE:
                    where = "before the first node" if self._state == _OPENED else "after a variation"
                    self._fail(f"property {where}", place)
            else:
                self._fail(f"unexpected {token!r}", place)
            if self.stop is not None:
                break
        if len(_plain_heads) < _MOST_HEADS and name and (plain := _PLAIN_HEAD.fullmatch(head)):
            _plain_heads[head] = (name, plain.start(1) if plain[1] else -1)
        return name, parent

    def _node(self, place: int, parent: int, shift: int, line: int) -> int:
        if self._state == _CLOSED:
            self._fail("node after a variation", place)
        self._state = _IN_NODE
        if self.fault:
            return parent
        self.nodes.append(Node([], parent, place + shift, line))
        return len(self.nodes) - 1

    def _open(self, place: int, parent: int) -> None:
        if place > self.start:
            if self.text[place - 1] in "\r\n" and _RECORD_LINE.match(self.text, place):
                self._fail("record not closed before the next one", place)
                self.stop = place
                return
            if self._state == _OPENED:
                self._fail("variation without a node", place)
            self._openings.append(place)
        self._branches.append((parent, place))
        self._state = _OPENED
        self._blocked = bool(self.fault)

    def _close(self, place: int) -> int:
        if self._state == _OPENED:
            self._fail("variation without a node" if len(self._branches) > 1 else "record without a node", place)
        parent, _ = self._branches.pop()
        self._state = _CLOSED
        self._blocked = True
        if not self._branches:
            self.stop = place + 1
        return parent

    def _literal(self, value: str, bracket: int, name: str) -> str | None:
        r"""The value without escapes, CR and CRLF as LF; None if it was cut off. `bracket`: index of its `[`.

        A value that was cut off runs on to the next `]`, which is in the next record: `[t2\n(;GM[Blokus]`. It is told
        from a comment that quotes a record by what the `]` of a quotation needs: an escape. So the record ends here if,
        behind the last `\]`, a line begins as a record of this text begins.
        """
        if "\n" in value or "\r" in value:
            tail = value.rfind("]") + 1
            for found in _HEAD_IN_VALUE.finditer(value, tail):
                if found[1] in ROOT_NAMES or found[1] == self._first_name(name):
                    self._fail("value not closed before the next record", bracket)
                    self.stop = bracket + 1 + found.start()
                    return None
            value = value.replace("\r\n", "\n").replace("\r", "\n")
        return _ESCAPED.sub(r"\1", value) if "\\" in value else value

    def _first_name(self, name: str) -> str:
        root = self.nodes[0].properties if self.nodes else []
        return root[0].name if root else name

    def _add(self, name: str, value: str, head: str, at: int) -> None:
        """Gives the node it stands in a property, or its last property a further value."""
        if self.fault:
            return
        properties = self.nodes[-1].properties if self.nodes else []
        if name:
            properties.append(Property(name, (value,)))
        elif self._state == _IN_NODE and properties and not head.strip(" \t\n\v\f\r"):
            if self._values_of is not properties[-1]:
                self._keep_values()
                self._values_of, self._values = properties[-1], [*properties[-1].values]
            self._values.append(value)
        else:
            self._fail("value without a property name", at + len(head))

    def _keep_values(self) -> None:
        """Gives a property the values that were gathered: one by one it would cost the square of their number."""
        if self._values_of is not None:
            self._values_of.values = tuple(self._values)

    def unclosed(self) -> dict[int, int | None]:
        """For a window that ended first: each `(` still open that may begin a record, and where the next may begin.

        Where one may begin: at any `(` that a root's property follows. At another only if it is the first on its line,
        and only behind a record that has no root's property either: else the variations of a cut-off record would be
        taken for records. With the answers for all that are open, no text has to be read again for each of them.
        """
        still_open = {place for _, place in self._branches}
        found: dict[int, int | None] = {}
        next_announced: int | None = None
        next_any: int | None = None
        for place in [*reversed(self._openings), self.start]:
            announced = _ANNOUNCED.match(self.text, place) is not None
            if not announced and place != self.start and not self._begins_line(place):
                continue
            if place in still_open:
                found[place] = next_announced if announced else next_any
            next_any = place
            if announced:
                next_announced = place
        return found

    def _begins_line(self, place: int) -> bool:
        before = self.text[max(self.start, place - 64) : place]
        return _FIRST_ON_LINE.search(before) is not None and _BEGINNING.match(self.text, place) is not None


def _tokens(head: str) -> Iterable[tuple[str, int, bool]]:
    """Each bracket, semicolon, name (white space in it dropped) and stray character, its index, and if it is a name."""
    for found in _TOKENS.finditer(head):
        name = found[2]
        yield ("".join(name.split()) if name else found[0]), found.start(), bool(name)


@lru_cache(maxsize=_MOST_HEADS)
def _known_tokens(head: str) -> tuple[tuple[str, int, bool], ...]:
    return tuple(_tokens(head))


def _short(text: str) -> str:
    """A name for a message: never longer than a line."""
    return repr(text if len(text) <= 20 else text[:17] + "...")
