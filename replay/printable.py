"""Text from records (names, tags, notes) made fit to be shown."""

from __future__ import annotations

import unicodedata


def printable(text: str) -> str:
    """The text on one line, without anything that a terminal obeys or that XML forbids.

    White space becomes a space each; format characters (joiners, changes of direction) are dropped; what is left and
    has no glyph (control characters, lone surrogates, unassigned code points) becomes U+FFFD.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_printable, text))


def _printable(char: str) -> str:
    if char.isspace():
        return " "
    if char.isprintable():
        return char
    return "" if unicodedata.category(char) == "Cf" else "\N{REPLACEMENT CHARACTER}"
