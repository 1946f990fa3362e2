r"""Reading one record out of a text: from its `(` to the `)` that closes it, or to the place where it goes wrong.

    tree := '(' node+ tree* ')'      node := ';' property*      property := name ('[' value ']')+

White space may stand between all of these and inside a name. In a value `\` makes the next character literal, a line
end too; CR and CRLF become LF. Source: the public description of `.blksgf`, and probes of what Pentobi 31 accepts.

The text is cut by one regular expression into pairs (what stands before a `[`, the value in the brackets), at the speed
of C. Nearly all first halves are `;1` or `;2` and are looked up; only the others are taken apart.
"""

from __future__ import annotations

import re
from sys import intern

from kifold.records.formats.sgf_tree import Node, Property

BLANK = r"[ \t\n\v\f\r]"
# The properties that SGF FF[4] allows in a root only. A variation cannot begin with one of them, so a line that does
# while a record is open begins the next record: the open one was cut off.
ROOT_NAMES = frozenset({"AP", "CA", "FF", "GM", "ST", "SZ"})

# Always matches: an unclosed value runs to the end of the window. So every character is looked at once.
_PAIRS = re.compile(r"([^\[]*+)(?:\[([^\]\\]*+(?:\\.?+[^\]\\]*+)*+)(?:\]|\Z))?+", re.DOTALL)
_GLUE = re.compile(r"[;()]|[A-Za-z0-9]+|[^ \t\n\v\f\r]")
_NODE_HEAD = re.compile(rf"({BLANK}*+);([A-Za-z0-9]{{1,8}})")
_ROOT = "|".join(sorted(ROOT_NAMES))
_ANNOUNCED = re.compile(rf"\({BLANK}*+;{BLANK}*+(?:{_ROOT}){BLANK}*+\[")
_RECORD_LINE = re.compile(rf"\((?:\r\n?|\n)?;(?:{_ROOT})\[")
_HEAD_IN_VALUE = re.compile(r"(?<=[\r\n])\((?:\r\n?|\n)?;([A-Za-z0-9]++)\[")
_FIRST_ON_LINE = re.compile(r"[\r\n][ \t]*+\Z")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

_node_heads: dict[str, tuple[str, int]] = {}  # ";1" -> ("1", 0), "\n;1" -> ("1", 1); grows to _MOST_HEADS
_MOST_HEADS = 4096

_OPENED, _IN_NODE, _CLOSED = range(3)  # after "(": a node must follow; in a node; after ")": no node may follow


class Scan:
    """One look at `text[start:end]`, where `text[start]` is `(`. Indexes are indexes of `text`.

    `stop`: where the record ends, or the next begins if this one was cut off; None if the window ended first.
    `fault`, `fault_at`: what is wrong and where, None if `nodes` is a whole tree. If `stop` is None, what is missing.
    `suspect`: a `(` inside this record that may begin the next one, to be tried if this one is never closed.

    Nodes get `offset` = index + `shift` and the line that was passed in.
    """

    __slots__ = (
        "_blocked",
        "_branches",
        "_parent",
        "_state",
        "fault",
        "fault_at",
        "nodes",
        "start",
        "stop",
        "suspect",
        "text",
    )

    def __init__(self, text: str, start: int, end: int, shift: int, line: int) -> None:
        self.text = text
        self.start = start
        self.nodes: list[Node] = []
        self.stop: int | None = None
        self.fault: str | None = None
        self.fault_at = start
        self.suspect: int | None = None
        self._branches: list[int] = []  # for each open "(" the node it hangs on
        self._parent = -1
        self._state = _OPENED
        self._blocked = False  # no plain node may follow: after a variation, or after a fault
        self._run(end, shift, line)

    def _run(self, end: int, shift: int, line: int) -> None:
        text, nodes, append, heads = self.text, self.nodes, self.nodes.append, _node_heads
        find, start = text.find, self.start
        special = find("\\", start, end) >= 0 or find("\n", start, end) >= 0 or find("\r", start, end) >= 0
        at = start
        for head, value in _PAIRS.findall(text, start, end):
            after = at + len(head) + len(value) + 2
            known = heads.get(head)
            if known is None or after > end or self._blocked:
                name = self._glue(head, at, shift, line)
                if self.stop is not None:
                    return
                if after > end:
                    break
                if special and (value := self._literal(value, at + len(head), name)) is None:
                    return
                self._add(name, value, head, at)
            else:
                if special and (value := self._literal(value, at + len(head), known[0])) is None:
                    return
                append(Node([Property(known[0], (value,))], self._parent, at + known[1] + shift, line))
                self._parent = len(nodes) - 1
            at = after
        value_at = at + len(head)
        if value_at < end:
            self._fail("value not closed", value_at)
        else:
            self._fail("record not closed", end)

    def _fail(self, reason: str, at: int) -> None:
        """Keeps the first fault. What follows is still read, to find where the record ends."""
        if self.fault is None:
            self.fault, self.fault_at = reason, at
            self._blocked = True

    def _glue(self, head: str, at: int, shift: int, line: int) -> str:
        """Takes apart what stands between two values. Returns the name that its end gives to the next value, or ""."""
        name = ""
        for found in _GLUE.finditer(head):
            token, place = found[0], at + found.start()
            if name and not token.isalnum():
                self._fail(f"property {_short(name)} has no value", place)
                name = ""
            if token == ";":
                self._node(place, shift, line)
            elif token == "(":
                self._open(place)
            elif token == ")":
                self._close(place)
            elif token.isascii() and token.isalnum():
                if self._state == _OPENED:
                    self._fail("text before the first node", place)
                elif self._state == _CLOSED:
                    self._fail("property after a variation", place)
                name += token
            else:
                self._fail(f"unexpected {token!r}", place)
            if self.stop is not None:
                break
        if len(_node_heads) < _MOST_HEADS and (plain := _NODE_HEAD.fullmatch(head)):
            _node_heads[head] = (intern(plain[2]), len(plain[1]))
        return name

    def _node(self, place: int, shift: int, line: int) -> None:
        if self._state == _CLOSED:
            self._fail("node after a variation", place)
        if self.fault is None:
            self.nodes.append(Node([], self._parent, place + shift, line))
            self._parent = len(self.nodes) - 1
        self._state = _IN_NODE

    def _open(self, place: int) -> None:
        if place > self.start:
            if self.text[place - 1] in "\r\n" and _RECORD_LINE.match(self.text, place):
                self._fail("record not closed before the next one", place)
                self.stop = place
                return
            if self._state == _OPENED:
                self._fail("variation without a node", place)
            if self.suspect is None and self._plausible(place):
                self.suspect = place
        self._branches.append(self._parent)
        self._state = _OPENED
        self._blocked = self.fault is not None

    def _close(self, place: int) -> None:
        if self._state == _OPENED:
            self._fail("variation without a node" if len(self._branches) > 1 else "record without a node", place)
        self._parent = self._branches.pop()
        self._state = _CLOSED
        self._blocked = True
        if not self._branches:
            self.stop = place + 1

    def _plausible(self, place: int) -> bool:
        """May a record begin at this `(`?

        One with a root's property, anywhere. Another only as the first on its line, and only if the record around it
        has no root's property either: else the variations of a cut-off record would be taken for records.
        """
        if _ANNOUNCED.match(self.text, place):
            return True
        line = self.text[max(self.start, place - 64) : place]
        return bool(_FIRST_ON_LINE.search(line)) and not _ANNOUNCED.match(self.text, self.start)

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
        if self.fault is not None:
            return
        properties = self.nodes[-1].properties if self.nodes else []
        if name:
            properties.append(Property(intern(name), (value,)))
        elif self._state == _IN_NODE and properties and not head.strip(" \t\n\v\f\r"):
            properties[-1].values += (value,)
        else:
            self._fail("value without a property name", at + len(head))


def _short(text: str) -> str:
    """A name for a message: never longer than a line."""
    return repr(text if len(text) <= 20 else text[:17] + "...")
