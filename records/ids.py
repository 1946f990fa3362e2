"""Match ids: integers of 60 bits with the top bit set, written as 12 letters and digits.

The text form is Crockford's base 32 in lower case (no i, l, o, u). Since the top bit is set it starts with a letter, so
it is never mistaken for the decimal form that SQL shows.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b

DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
BITS = 60
TOP = 1 << (BITS - 1)
LENGTH = BITS // 5
DECIMAL_LENGTHS = range(len(str(TOP)), len(str(1 << BITS)) + 1)


def new_id() -> int:
    """A random id."""
    return TOP | secrets.randbits(BITS - 1)


def derived_id(data: bytes) -> int:
    """The id that follows from some bytes: the same for the same content."""
    return TOP | int.from_bytes(blake2b(data, digest_size=8).digest(), "big") >> (64 - BITS + 1)


def series_id(data: bytes, index: int) -> int:
    """The id of number `index` (below 2^32) of a series that follows from some bytes; ids of a series ascend."""
    head = int.from_bytes(blake2b(data, digest_size=8).digest(), "big") >> (64 - (BITS - 1 - 32))
    return TOP | head << 32 | index


def id_text(match: int) -> str:
    """The text form, 12 characters.

    Raises:
        TypeError: for a text, with what gives its number: whoever comes from the command line has one in hand.
    """
    given: object = match
    if isinstance(given, str):
        raise TypeError(f"a match is a number in Python: Store.find({match!r:.40}) gives it")
    return "".join(DIGITS[match >> shift & 31] for shift in range(BITS - 5, -1, -5))


def whole_id(text: str) -> int | None:
    """The id that a text says in full, as `id_text` writes it; None where it says none."""
    if len(text) != LENGTH or any(c not in DIGITS for c in text):
        return None
    first, _ = parse_id(text)
    return first if id_text(first) == text and TOP <= first < 1 << BITS else None


def parse_id(text: str) -> tuple[int, int]:
    """The range of ids (first, last) that a text means: one id in full or in decimal, or all that begin with a prefix.

    Raises:
        ValueError: for a text that cannot be the beginning of an id.
    """
    word = text.strip().lower()
    if word.isascii() and word.isdigit() and len(word) in DECIMAL_LENGTHS and TOP <= int(word) < 1 << BITS:
        return int(word), int(word)
    if not word or len(word) > LENGTH or any(c not in DIGITS for c in word):
        example = id_text(TOP | 0x123456789ABCDE)
        raise ValueError(
            f"{text[:40]!r} is no match id: 12 digits and letters (no i, l, o, u) such as {example}, or its beginning"
        )
    value = 0
    for c in word:
        value = value << 5 | DIGITS.index(c)
    rest = 5 * (LENGTH - len(word))
    return value << rest, (value + 1 << rest) - 1
