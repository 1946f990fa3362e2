"""Stores of races, live and archived, pinned to one revision or another; and which of them another revision changes.

Revision 1 lets a seat add four (`tests.pages.most_four`), revision 2 does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kifold.core.events import Event, Noted, Resigned, Started, Undone
from kifold.core.ruleset import Ruleset
from kifold.core.samples import sample_match
from kifold.records.log import Log
from kifold.records.store import Store
from kifold.replay.causes import EXACT, ILLEGAL, OUTCOMES, UNCHANGED
from kifold.replay.rehearsal import Rehearsing
from kifold.replay.verify import Work, verify_store
from tests.core.toy import Step
from tests.stores import Failures, quiet

SEED = 5
Race = tuple[Started, Sequence[Event]]


def races(rules: Ruleset, number: int) -> Iterator[Race]:
    """Matches of six kinds: played with fours or without, pinned to either revision, with all that a log can hold."""
    first = rules.at(1)
    four, none = (sample_match(one, first.start(), SEED, number).log for one in (first, rules))
    setup = sample_match(first, first.start(), SEED, number).started.setup
    begun = first.start(setup=setup)
    yield begun, four
    yield begun, none
    yield rules.start(setup=setup), none
    yield begun, [Noted("comment", ("a",)), Step(0, 4), Undone(1), *none[:5], Resigned(1)]
    yield begun, [*none[:7], Undone(4), Noted("comment", ("b",)), *none[4:]]
    yield first.start("more", {"goal": 61}, 3, setup=setup), [Step(0, 3), Step(1, 4 if number % 2 else 1)]


def record_races(store: Store, rules: Ruleset, count: int) -> list[int]:
    """Record so many of each kind; their ids."""
    return [store.new(*race[:1], (), race[1]) for number in range(count) for race in races(rules, number)]


def expected(log: Log) -> tuple[str, int | None]:
    """What revision 2 makes of a match, and at which event."""
    if log.revision == 2:
        return EXACT, None
    fours = [seq for seq, event in enumerate(log.events, 1) if isinstance(event, Step) and event.amount == 4]
    return (ILLEGAL, fours[0]) if fours else (UNCHANGED, None)


def rehearsed(store: Store, target: Ruleset, workers: int = 1) -> Failures:
    """The report of rehearsing a revision over a store."""
    report = Failures(dict.fromkeys(OUTCOMES, 0))
    verify_store(store, Work(report, target.name, workers, quiet, Rehearsing(target)))
    return report


def unlike(log: Log, **changes: object) -> Log:
    """A log with another event 0."""
    return Log(log.match_id, msgspec.structs.replace(log.started, **changes), log.events, log.players)
