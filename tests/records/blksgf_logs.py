"""Records as texts, read and written again, and matches in which anything happens that a log can hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from kifold.core.events import Event, Finished, Noted, Resigned, Started, Undone
from kifold.core.play import Play
from kifold.core.ruleset import Ruleset
from kifold.records.formats import Record, Rejected
from kifold.records.formats.blksgf import record_of
from kifold.records.formats.blksgf_write import tree_of
from kifold.records.formats.sgf import read_trees, write_tree
from kifold.records.log import Log


def records(text: str, **options: Any) -> list[Record | Rejected]:
    return [record_of(found, options) for found in read_trees(text)]


def match(text: str, **options: Any) -> Record:
    (record,) = records(text, **options)
    assert isinstance(record, Record), record
    return record


def reason(text: str, **options: Any) -> str:
    (rejected,) = records(text, **options)
    assert isinstance(rejected, Rejected), rejected
    assert rejected.text == text.encode()
    assert "\n" not in rejected.reason
    return rejected.reason


def log_of(record: Record) -> Log:
    return Log(0, record.started, record.events, record.players)


def saved(log: Record | Log, indent: int | None = None) -> str:
    return write_tree(tree_of(log_of(log) if isinstance(log, Record) else log), indent, keep_blanks=True)


def content(log: Record | Log) -> tuple[Started, list[tuple[str, str]], list[Event], tuple[str, ...]]:
    """What must be equal; the order of tags counts, since the digest depends on it."""
    return log.started, list(log.started.tags.items()), list(log.events), log.players


def played(
    ruleset: Ruleset, started: Started, seed: int, plies: int, note: Callable[[random.Random], Noted] | None = None
) -> list[Event]:
    """A match with notes, moves taken back, and perhaps an ending that the rules do not force.

    Like a simulation it may pass and skip; each event is legal where it stands.
    """
    play, rng = Play(ruleset, started), random.Random(seed)
    for _ in range(plies):
        dice = rng.random()
        if note and dice < 0.25:
            play.add(note(rng))
        elif note and dice < 0.32:
            play.add(Undone(rng.randint(max(0, len(play.log) - 4), len(play.log))))
        elif note and dice > 0.99 and not play.is_over:
            play.add(rng.choice([Finished(0), Resigned(0)]))
        elif legal := play.legal():
            play.add(legal[-1] if dice > 0.9 else rng.choice(legal))
    return play.log
