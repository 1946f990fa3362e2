"""What numbers of events and setup stand for, where they have no words: tables for the reference page of a ruleset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Numbering:
    """A table of the reference page: its title, sentences before it, the head and the rows, a text for each column."""

    title: str
    meaning: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
