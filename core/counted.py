"""A number of things in words."""

from __future__ import annotations


def counted(count: int, one: str, more: str) -> str:
    """So many things, such as "1 match" and "2,000 matches": the words `one` where it is one, else `more`."""
    return f"{count:,} {one if count == 1 else more}"
