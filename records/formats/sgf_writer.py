"""Writing one record, on one line or indented. What is written reads back as the same tree.

Source of both styles: what Pentobi 31 saves (indented, one blank a level) and its self-play prints (one line a game).
"""

from __future__ import annotations

import re

from kifold.records.formats.sgf_tree import Node, Tree

_NAME = re.compile(r"[A-Za-z0-9]+")
_SPECIAL = re.compile(r"[\\\]\t\v\f\r\n]")
_TO_BLANK = str.maketrans("\t\v\f", "   ")
_RECORD_LINE = re.compile(r"(?<=\n)\((?=\n?;[A-Za-z0-9]++\[)")


def write_tree(tree: Tree, indent: int | None = None, *, keep_blanks: bool = False) -> str:
    r"""The text of a record.

    `indent=None`: on one line, without a line end behind it: `(;GM[Blokus];1[a20];2[t20])`. Line ends in values stay.
    `indent=n`, n >= 1: a line for each node and each bracket, n blanks a level below the first, a line end behind it.
    Its size grows with the square of the nesting.

    In values `]` and `\` are escaped, tabulators and form feeds become blanks unless `keep_blanks`, CR and CRLF become
    LF. Raises ValueError if the tree has no node, its order is not that of a text, a name is none, or a property has no
    value.
    """
    if indent is not None and indent < 1:
        raise ValueError(f"invalid indent {indent}")
    if not tree.nodes or tree.nodes[0].parent != -1:
        raise ValueError("a tree begins with its root")
    children = [0] * len(tree.nodes)
    for index, node in enumerate(tree.nodes[1:], 1):
        if not 0 <= node.parent < index:
            raise ValueError(f"node {index} cannot follow node {node.parent}")
        children[node.parent] += 1

    to_blank: dict[int, int] = {} if keep_blanks else _TO_BLANK
    end = "" if indent is None else "\n"
    width = indent or 0
    parts = ["(", end]
    branches: list[int] = []  # for each open variation the node it hangs on

    def close() -> None:
        branches.pop()
        parts.extend((" " * (width * len(branches)), ")", end))

    for index, node in enumerate(tree.nodes):
        parent = node.parent
        if parent != index - 1:
            while branches and branches[-1] > parent:
                close()
            if not branches or branches[-1] != parent:
                raise ValueError(f"node {index} cannot follow node {parent}: another one stands between them")
            close()
        if index and children[parent] > 1:
            parts.extend((" " * (width * len(branches)), "(", end))
            branches.append(parent)
        parts.extend((" " * (width * len(branches)), _node_text(node, index, to_blank), end))
    while branches:
        close()
    parts.extend((")", end))
    return "".join(parts)


def _node_text(node: Node, index: int, to_blank: dict[int, int]) -> str:
    parts = [";"]
    for prop in node.properties:
        if not _NAME.fullmatch(prop.name):
            raise ValueError(f"node {index}: invalid property name {prop.name!r}")
        if not prop.values:
            raise ValueError(f"node {index}: property {prop.name!r} has no value")
        parts.append(prop.name)
        for value in prop.values:
            parts += ("[", _value_text(value, to_blank), "]")
    return "".join(parts)


def _value_text(value: str, to_blank: dict[int, int]) -> str:
    r"""The value with its escapes.

    `(` gets one, which means nothing to any reader, where a line of the value begins like a record and is not closed
    like one, such as "\n(;GM[Blokus": a reader could only take that for the end of a cut-off record.
    """
    if not _SPECIAL.search(value):
        return value
    value = value.translate(to_blank).replace("\r\n", "\n").replace("\r", "\n")
    tail = value.rfind("]") + 1
    escaped = value[:tail].replace("\\", "\\\\").replace("]", "\\]")
    return escaped + _RECORD_LINE.sub(r"\\(", value[tail:].replace("\\", "\\\\"))
