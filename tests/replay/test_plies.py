"""The table of plies: folded in both ways, of every game, with chance, corrections and whatever else a log may hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from types import ModuleType

import msgspec
import pyarrow as pa
import pytest

from kifold.core.corpus import Corpus
from kifold.core.events import Event, Noted, Resigned, Started, Undone
from kifold.core.play import fold
from kifold.core.registry import ruleset
from kifold.core.revisions import Earlier
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.chipstack import CHIPSTACK
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.unionking import UNIONKING
from kifold.core.schema import events_schema
from kifold.records.judge import Judged, judge_log
from kifold.records.log import Log
from kifold.records.tables import add_events, event_columns, match_row, matches_schema
from kifold.replay import plies
from kifold.replay.plies import group_plies, logs_plies, plies_schema
from tests.core import toy
from tests.core.toy import Step
from tests.expected_plies import expected_plies
from tests.registered import VARIANTS
from tests.rulesets.blokus_cases import VARIANT_OF, games, verdicts
from tests.rulesets.harness import folder
from tests.rulesets.matches import random_log
from tests.stores import duo, game

LIMIT = 30


def disturbed(rules: Ruleset, started: Started, events: Sequence[Event]) -> list[Event]:
    """A note, twelve events of which the last six are taken back and made again, a seat that gives up, and a note."""
    again = [*events[:5], Noted("comment", ("hm",)), *events[5:12], Undone(7), *events[6:]]
    given_up = [] if fold(rules, started, again)[0].is_over else [Resigned(0)]
    return [*again, *given_up, Noted("comment", ("oh",))]


def logs_of(rules: Ruleset, variant: str) -> list[Log]:
    """Beginnings of matches, each as it was played and disturbed; the greatest number of seats too."""
    seats = rules.variant(variant).seats
    logs = []
    for number, (count, greedy) in enumerate(((seats[0], False), (seats[-1], True))):
        started, events = random_log(rules, rules.start(variant, seats=count), 9, number, greedy=greedy, limit=LIMIT)
        logs += [Log(10 * number, started, events), Log(10 * number + 1, started, disturbed(rules, started, events))]
    return logs


def nothing_left_out(match: int, why: str) -> None:
    raise AssertionError((match, why))


def table_of(rules: Ruleset, logs: Sequence[Log], monkeypatch: pytest.MonkeyPatch, *, compiled: bool) -> pa.Table:
    folder(rules)  # compiled once for all workers
    monkeypatch.setattr(plies, "MANY", 1 if compiled else 1000)
    return logs_plies(rules, logs, nothing_left_out)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_rows_are_what_a_timeline_shows(name: str, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset(name)
    logs = logs_of(rules, variant)
    expected = [row for log in logs for row in expected_plies(rules, log.match_id, log.started, log.events)]
    assert table_of(rules, logs, monkeypatch, compiled=False).to_pylist() == expected
    assert table_of(rules, logs, monkeypatch, compiled=True).to_pylist() == expected
    own = [sum(type(event) in rules.actions for event in log.events) for log in logs[::2]]
    assert [sum(row["match_id"] == log.match_id for row in expected) for log in logs] == [own[0]] * 2 + [own[1]] * 2


def test_chance_is_no_ply_and_counts_to_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that is drawn changes the score of the decision that made the draw due."""
    started, events = random_log(EDGECOLOR, EDGECOLOR.start("standard"), 9, 0)
    drawn = {seq for seq, event in enumerate(events, start=1) if type(event) in EDGECOLOR.chance}
    table = table_of(EDGECOLOR, [Log(1, started, events)], monkeypatch, compiled=True)
    seqs = table["seq"].to_pylist()
    assert drawn.isdisjoint(seqs)
    assert len(seqs) + len(drawn) == len(events)
    rows = dict(zip(seqs, table["scores"].to_pylist(), strict=True))
    followed = [seq for seq in seqs if seq + 1 in drawn]
    assert followed
    without = [table_of(EDGECOLOR, [Log(1, started, events[:seq])], monkeypatch, compiled=True) for seq in followed]
    assert all(one["scores"].to_pylist()[-1] != rows[seq] for one, seq in zip(without, followed, strict=True))


def test_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    started, events = random_log(CHIPSTACK, CHIPSTACK.start(), 9, 0)
    found = table_of(CHIPSTACK, [Log(1, started, events)], monkeypatch, compiled=True)["phase"].to_pylist()
    assert [CHIPSTACK.phases[phase] for phase in found] == [
        {"Place": "stacking", "Take": "taking"}[type(event).__name__] for event in events
    ]
    started, events = random_log(EDGECOLOR, EDGECOLOR.start("hard"), 9, 0)
    found = table_of(EDGECOLOR, [Log(1, started, events)], monkeypatch, compiled=True)["phase"].to_pylist()
    assert [EDGECOLOR.phases[phase] for phase in found[:3]] == ["placing_blockers", "placing_blockers", "turn"]
    assert {EDGECOLOR.phases[phase] for phase in found} <= {"placing_blockers", "turn", "extra_turn", "drawn_card"}


def test_unionking_begins_with_the_moves_of_the_rule_file(monkeypatch: pytest.MonkeyPatch) -> None:
    started, events = random_log(UNIONKING, UNIONKING.start("game1"), 9, 0, limit=1)
    [row] = table_of(UNIONKING, [Log(1, started, events)], monkeypatch, compiled=True).to_pylist()
    assert (row["ply"], row["seat"], row["legal"], row["scores"], row["ranks"]) == (1, 0, 26, [0, 0], [1, 1])


@pytest.mark.parametrize("source", VARIANT_OF)
def test_numbers_of_legal_placements_are_those_of_an_independent_engine(source: str) -> None:
    logs = games(source)
    found = folder(BLOKUS).plies(Corpus.of(BLOKUS, logs))
    told = [[move["n_legal"] for move in one["moves"]] for one in verdicts(f"{source}.expected")]
    assert found.plies["legal"].tolist() == list(chain(*told))
    assert found.matches["plies"].tolist() == list(map(len, told))
    assert not found.matches["reason"].any()


def illegal(number: int) -> list[Event]:
    return [*game(number)[:6], game(number)[5], *game(number)[6:]]


@pytest.mark.parametrize("compiled", [False, True])
def test_what_does_not_fold_has_no_plies_and_is_said(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    started = duo()
    newer = msgspec.structs.replace(started, revision=7)
    logs = [
        Log(1, started, illegal(1)),
        Log(2, started, game(2)),
        Log(3, newer, game(3)),
        Log(4, started, illegal(4)),
        Log(5, started, game(5)),
    ]
    folder(BLOKUS)
    monkeypatch.setattr(plies, "MANY", 1 if compiled else 1000)
    said: dict[int, str] = {}
    table = logs_plies(BLOKUS, logs, said.__setitem__)
    sound = [expected_plies(BLOKUS, log.match_id, log.started, log.events) for log in (logs[1], logs[4])]
    assert table.to_pylist() == list(chain(*sound))
    assert sorted(said) == [1, 3, 4]
    assert "not_your_turn" in said[1] or "already_placed" in said[1]
    assert "revision 7 of blokus is not installed" in said[3]


def test_each_match_is_folded_under_the_revision_that_it_is_pinned_to() -> None:
    """In the race of revision 1 two different steps may be made, today three."""
    page = ModuleType("page")
    page.MOST = 2
    rules = toy.race(revision=2, earlier=(Earlier(1, page),))
    events = [Step(0, 2), Step(1, 1)]
    columns, rows = event_columns(rules), []
    for match, revision in enumerate((1, 2, 1, 7, 7)):
        started = msgspec.structs.replace(rules.start(), revision=revision)
        judged = judge_log(rules, started, events)
        assert isinstance(judged, Judged)
        rows.append(match_row(Log(match, started, events), judged))
        add_events(columns, rules, match, events, judged.seats)
    matches = pa.Table.from_pylist(rows, matches_schema(rules))
    said: dict[int, str] = {}
    found = group_plies(rules, matches, pa.table(columns, events_schema(rules)), {2: 2, 3: 1}, said.__setitem__)
    assert found["match_id"].to_pylist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert found["legal"].to_pylist() == [2, 2, 3, 3, 3, 3, 2, 2]
    assert said == {4: "revision 7 of race is not installed; there is 2, 1"}


def test_no_matches_have_no_plies() -> None:
    assert logs_plies(BLOKUS, [], nothing_left_out) == plies_schema(BLOKUS).empty_table()
    assert logs_plies(BLOKUS, [Log(1, duo(), [])], nothing_left_out) == plies_schema(BLOKUS).empty_table()
