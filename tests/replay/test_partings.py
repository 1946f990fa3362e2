"""Where two revisions part: one by one and compiled alike, and as worked out by hand."""

from __future__ import annotations

import random
from types import ModuleType

import pytest

from kifold.core.corpus import Corpus
from kifold.core.events import Event, Noted, Resigned, Started, Undone
from kifold.core.play import Play
from kifold.core.records import I16, Record
from kifold.core.revisions import Earlier
from kifold.core.ruleset import Ruleset
from kifold.replay.partings import Parting, parting, partings
from tests.core import toy
from tests.core.toy import Roll, Step
from tests.pages import elsewhere, marked, most_two, no_six, passing, present, same


def two(change: ModuleType) -> tuple[Ruleset, Ruleset]:
    """The race as it is, and as a page has it."""
    rules = toy.race(revision=2, earlier=(Earlier(1, change),))
    return rules, rules.at(1)


def random_log(rules: Ruleset, seed: int) -> tuple[Started, list[Event]]:
    random_, started = random.Random(seed), rules.start()
    play = Play(rules, started)
    while not play.is_over and len(play.log) < 30:
        play.add(random_.choice(play.legal()))
    return started, list(play.log)


@pytest.mark.parametrize("change", [most_two, no_six, marked, passing, present, same])
def test_many_at_once_part_where_one_by_one_do(change: ModuleType) -> None:
    old, new = two(change)
    logs = [random_log(old, seed) for seed in range(60)]
    plain = [parting(old, new, *log) for log in logs]
    assert list(partings(old, new, Corpus.of(old, logs))) == plain
    assert any(plain) == (change is not same)


def test_many_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kifold.replay.partings.CHUNK", 40)
    old, new = two(no_six)
    logs = [random_log(old, seed) for seed in range(20)]
    assert list(partings(old, new, Corpus.of(old, logs))) == [parting(old, new, *log) for log in logs]
    assert list(partings(old, new, Corpus.of(old, []))) == []


def test_by_hand() -> None:
    def found(change: ModuleType, *events: Event) -> Parting | None:
        old, new = two(change)
        return parting(old, new, old.start(), events)

    steps = [Step(0, 1), Step(1, 2), Step(0, 1)]
    assert found(most_two, *steps) is None
    assert found(most_two, Step(0, 1), Step(1, 3)) == Parting(
        "illegal", 2, "step", ("too_much",), "more than may be added"
    )
    assert found(marked, *steps) == Parting("other way", 3, "step", ("gained",))
    assert found(marked, *steps, Roll(1)) == Parting("other way", 3, "step", ("gained",))
    assert found(present, *steps) == Parting("other result", 3, "", ("result.score",))


def test_what_was_taken_back_and_noted_is_no_reason_to_stop() -> None:
    old, new = two(most_two)
    log = [Step(0, 3), Undone(0), Noted("comment", ("a",)), Step(0, 1), Resigned(1)]
    assert parting(old, new, old.start(), log[2:]) is None
    refused = parting(old, new, old.start(), log)
    assert refused is not None
    assert (refused.outcome, refused.seq, refused.event) == ("illegal", 1, "step"), (
        "what was played once has to be legal"
    )


def test_only_the_part_that_is_legal_under_its_own_rules_is_compared() -> None:
    old, new = two(no_six)
    assert parting(old, new, old.start(), [Step(0, 1), Roll(6)]) is None


class Elsewhere(Record):
    """A state that shares no field with that of the race."""

    reached: I16
    until: I16


def test_states_that_share_no_field_are_compared_by_the_rest() -> None:
    old = toy.race(revision=2, earlier=(Earlier(1, elsewhere, {"state": Elsewhere}),))
    log = (old.start(), [Step(0, 1)])
    plain = parting(old, old.at(1), *log)
    assert plain is not None
    assert list(partings(old, old.at(1), Corpus.of(old, [log]))) == [plain]
