"""Many logs at once are judged as each by itself, whatever stands in them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from kifold.core.events import Event, Finished, Noted, Resigned, Undone
from kifold.core.play import Refused
from kifold.core.registry import ruleset
from kifold.records import judge
from kifold.records.judge import Judged, judge_log, judge_logs
from kifold.records.log import Log
from tests.core.ages import FIRST, RETIRED, installed, steps
from tests.registered import NAMES
from tests.rulesets.matches import random_logs

CLOSING = [Finished(0), Resigned(0), Resigned(9)]


def assert_alike(many: Sequence[Judged | Refused], logs: Sequence[Log]) -> None:
    for found, log in zip(many, logs, strict=True):
        alone = judge_log(log.rules, log.started, log.events)
        kinds = [type(event).__name__ for event in log.events]
        if isinstance(alone, Refused) or isinstance(found, Refused):
            assert str(found) == str(alone), kinds
        else:
            assert list(found.seats) == list(alone.seats), kinds
            assert list(found.standings) == list(alone.standings), kinds
            assert (found.fingerprints, found.is_over, found.effects) == (
                alone.fingerprints, alone.is_over, alone.effects
            ), kinds  # fmt: skip


def with_more(events: Sequence[Event], rng: random.Random) -> list[Event]:
    """A part of a log, with endings, notes, corrections and moves in any place."""
    log = list(events[: rng.choice([0, 1, 15, 16, 17, 33, len(events), len(events)])])
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        more = rng.choice([*CLOSING, Noted("a", ("b",)), Undone(rng.randrange(8)), *log[:1]])
        log.insert(rng.choice([rng.randint(0, len(log)), len(log)]), more)
    return log


@pytest.mark.parametrize("name", NAMES)
def test_many_logs_are_judged_as_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "MANY", 1)
    rng, rules = random.Random(7), ruleset(name)
    played = random_logs(rules, count=8, seed=1)
    logs = [
        Log(number, started, with_more(events, rng)) for number, (started, events) in enumerate(played * 12, start=1)
    ]
    found = judge_logs(logs)
    assert_alike(found, logs)
    assert min(sum(isinstance(one, kind) for one in found) for kind in (Judged, Refused)) >= 10


@pytest.mark.parametrize("closing", [[], [Resigned(1)]])
def test_events_of_retired_types_count_among_many(closing: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "MANY", 1)
    with installed(RETIRED):
        logs = [Log(count, FIRST.start(), [*steps(count), *closing]) for count in range(3, 7)]
        found = judge_logs(logs)
        assert_alike(found, logs)
        assert all(isinstance(one, Judged) for one in found)
