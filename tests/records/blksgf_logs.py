"""Records as texts, read and written again, and matches in which anything happens that a log can hold."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kifold.core.events import Event, Finished, Noted, Resigned, Started, Undone
from kifold.core.play import Play
from kifold.core.ruleset import Ruleset
from kifold.records.formats import Record, Rejected
from kifold.records.formats.blksgf import records_of
from kifold.records.formats.blksgf_write import trees_of
from kifold.records.formats.sgf import read_trees, write_tree
from kifold.records.log import Fork, Log


def records(text: str, **options: Any) -> list[Record | Rejected]:
    return [record for found in read_trees(text) for record in records_of(found, options)]


def match(text: str, **options: Any) -> Record:
    record, *_ = records(text, **options)
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


def logs_of(found: Iterable[Record | Rejected]) -> list[Log]:
    """The records of one family as logs, each with what it is a fork of; those that were rejected are left out."""
    ids: dict[str, int] = {}
    logs = []
    for number, record in enumerate(found):
        if isinstance(record, Record):
            log = log_of(record)
            log.match_id = ids[record.name] = number
            if record.branch:
                log.fork = Fork(ids[record.branch.parent], record.branch.at_seq, record.branch.inherited)
            logs.append(log)
    return logs


def family_saved(logs: Sequence[Log]) -> list[str]:
    """The texts of a match and its forks."""
    return [write_tree(tree, keep_blanks=True) for tree in trees_of(logs)]


def saved(log: Record | Log, indent: int | None = None) -> str:
    (tree,) = trees_of([log_of(log) if isinstance(log, Record) else log])
    return write_tree(tree, indent, keep_blanks=True)


def content(log: Record | Log) -> tuple[Started, list[tuple[str, str]], list[Event], tuple[str, ...]]:
    """What must be equal; the order of tags counts, since the digest depends on it."""
    return log.started, list(log.started.tags.items()), list(log.events), log.players


def played(
    ruleset: Ruleset,
    started: Started,
    seed: int,
    plies: int,
    note: Callable[[random.Random], Noted] | None = None,
    after: Sequence[Event] = (),
) -> list[Event]:
    """A match with notes, moves taken back, and perhaps an ending that the rules do not force; it begins with `after`.

    Like a simulation it may pass and skip; each event is legal where it stands.
    """
    play, rng = Play(ruleset, started), random.Random(seed)
    for event in after:
        play.add(event)
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
