"""Record formats: how matches come in from other programs' files, and go out again.

A format is found by entry point (group ``kifold.formats``), so that other packages can add theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import IO

from kifold.core.events import Event, Started
from kifold.records.log import Log

GROUP = "kifold.formats"


class FormatError(ValueError):
    """No such format, or one that cannot write what was asked."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a record goes on differently from another: what `kifold.records.log.Fork` says of matches.

    `parent` is the `name` of a record before it, the last one of that name, or the id of a match.
    """

    parent: str
    at_seq: int
    inherited: int


@dataclass(frozen=True, slots=True)
class Record:
    """One match as a file has it. Its events are validated and not yet checked by the rules.

    Attributes:
        number: the place of the record in its file, from 1; a variation has that of the record that it belongs to.
        started, events, players: the match.
        text: the record itself, kept when the match is refused.
        plies: for each event the ply that a reader of the file would name; empty where it is the event's number.
        name: what branches call it.
        branch: where it leaves another record; None for one that stands by itself.
        promoted: the revision of the rules that the match is pinned to; None where it is the one that its log names.
        match: the id that the record names; None where it names none. See `kifold.records.naming`.
    """

    number: int
    started: Started
    events: tuple[Event, ...]
    players: tuple[str, ...] = ()
    text: bytes = b""
    plies: tuple[int, ...] = ()
    name: str = ""
    branch: Branch | None = None
    promoted: int | None = None
    match: int | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that could not be read as a match.

    Attributes:
        number: the place of the record in its file, from 1.
        reason: one line.
        text: the record itself, as far as it could be made out.
        ply: where in the match it went wrong, None when it is not a matter of one move.
    """

    number: int
    reason: str
    text: bytes = b""
    ply: int | None = None


def one_line(text: str) -> str:
    """A text out of a file as a message may show it: no longer than some lines, without what does not print."""
    short = text if len(text) <= 240 else text[:239] + "…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in short)


@dataclass(frozen=True, slots=True)
class Format:
    """A record format.

    Attributes:
        name: what `--as` calls it.
        suffixes: endings of its files, such as ``.blksgf``.
        read: (path, options) -> records in order. `options` are values given by `--set` as text, for every match; the
            reader resolves them by the ruleset. One bad record yields a `Rejected` and reading goes on.
        write: (logs, file) -> writes all; raises FormatError for a match that the format cannot say. Forks come after
            their parents, see `kifold.records.forking.in_families`.
        rulesets: the rulesets whose matches it can write; empty: all.
        nests: whether a record holds the forks of its match as well.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, Mapping[str, str]], Iterator[Record | Rejected]]
    write: Callable[[Iterable[Log], IO[bytes]], None]
    rulesets: frozenset[str] = field(default_factory=frozenset)
    nests: bool = False


@cache
def formats() -> dict[str, Format]:
    """All installed formats by name."""
    return {entry.name: entry.load() for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name)}


def format_named(name: str) -> Format:
    """A format by its name.

    Raises:
        FormatError: when there is none.
    """
    if name not in formats():
        raise FormatError(f"no format {name!r}: choose from {', '.join(formats())}")
    return formats()[name]


def format_of(path: Path) -> Format:
    """The format that a file's ending says.

    Raises:
        FormatError: when it says none.
    """
    for candidate in formats().values():
        if path.name.lower().endswith(candidate.suffixes):
            return candidate
    known = ", ".join(suffix for one in formats().values() for suffix in one.suffixes)
    raise FormatError(f"{path}: its ending says no format ({known}); name one with --as")
