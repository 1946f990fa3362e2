"""The tree of a game record, as `.blksgf` and SGF texts write it: nodes, properties, variations. No rules, no events.

A tree is kept flat, in the order of the text (a node stands before everything that follows from it), and each node
names the index of its parent. Nothing here recurses, so a line or a nesting of any length can be compared, printed and
thrown away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Property:
    """`1[a20]`, `C[a comment]`, `A1[a20][b20]`: a name and its values, at least one, with the escapes taken out.

    A name consists of the letters A-Z, a-z and the digits, in any mixture (`1`, `A1`, `BLUE`); case is kept as written.
    """

    name: str
    values: tuple[str, ...]


@dataclass(slots=True)
class Node:
    """One node: its properties in the order of the text, and the index of its parent (-1 for the root).

    A name that is written twice in one node stays two properties, so that nothing is lost on a round trip; `values`
    joins them. `offset` and `line` say where the `;` stands in what was read (units: see `Tree`); they do not count in
    comparisons.
    """

    properties: list[Property]
    parent: int = -1
    offset: int = field(default=0, compare=False)
    line: int = field(default=0, compare=False)

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of the properties called `name`, in the order of the text; empty if there is none."""
        found: tuple[str, ...] = ()
        for prop in self.properties:
            if prop.name == name:
                found += prop.values
        return found

    def first(self, name: str) -> str | None:
        """The first value of the property called `name`, or None."""
        for prop in self.properties:
            if prop.name == name:
                return prop.values[0]
        return None


@dataclass(slots=True)
class Tree:
    """One game record.

    `nodes[0]` is the root; a parent comes before its children, and a node's first child directly follows it. The single
    variation `(;a(;b))` is the same tree as `(;a;b)`.

    `record_no` counts from 1 over everything a reader yields, broken records too. `offset` and `size` are characters
    for `read_trees` and bytes for `read_file`, counted from 0 at the beginning of the text; `line` counts from 1.
    `text` is the record as it was read. These five do not count in comparisons.
    """

    nodes: list[Node]
    record_no: int = field(default=0, compare=False)
    offset: int = field(default=0, compare=False)
    line: int = field(default=0, compare=False)
    size: int = field(default=0, compare=False)
    text: str = field(default="", compare=False, repr=False)

    @classmethod
    def straight(cls, line: Iterable[list[Property]]) -> Tree:
        """A tree without variations, one node for each list of properties."""
        return cls([Node(properties, index - 1) for index, properties in enumerate(line)])

    def main_line(self) -> list[Node]:
        """The root, its first child, that one's first child, and so on to the end."""
        for index, node in enumerate(self.nodes):
            if node.parent != index - 1:
                return self.nodes[:index]
        return self.nodes[:]

    def children(self) -> list[list[int]]:
        """For each node the indexes of its children, the main one first."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes):
            if node.parent >= 0:
                found[node.parent].append(index)
        return found


@dataclass(slots=True)
class Broken:
    """A stretch of text that is no record, and why; the reader goes on after it.

    `offset`, `line` and `size` say what was given up (units: see `Tree`), `fault_offset` and `fault_line` where it went
    wrong. `text` is what was given up, or its beginning if it is very long; bytes that are not UTF-8 come back with
    `text.encode("utf-8", "surrogateescape")`.
    """

    record_no: int
    offset: int
    line: int
    reason: str
    size: int = 0
    fault_offset: int = 0
    fault_line: int = 1
    text: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"record {self.record_no}, line {self.fault_line}: {self.reason}"
