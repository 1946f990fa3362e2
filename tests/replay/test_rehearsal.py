"""A revision rehearsed over stored logs says of each what was worked out by hand, plainly and compiled."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core.events import Noted, Resigned
from kifold.core.records import I16, Record
from kifold.core.revisions import Earlier
from kifold.core.ruleset import Ruleset
from kifold.records.archive import paths
from kifold.records.errors import NOT_AS_WRITTEN
from kifold.records.store import Store
from kifold.replay.causes import DAMAGED, DIVERGED, OTHER_RESULT, OTHER_WAY, UNCHANGED, UNVERIFIED
from kifold.replay.rehearsal import Rehearsing
from kifold.replay.verify import verify_match
from tests import installing
from tests.core import toy
from tests.core.toy import Step
from tests.pages import most_four, same
from tests.races import expected, record_races, rehearsed
from tests.stores import Failures, archive_all

if TYPE_CHECKING:
    from tests.installing import Revise


def told(report: Failures) -> dict[int, tuple[str, int | None]]:
    """What is said of each match that is not fine, and of those that are nothing."""
    return {one.match_id: (one.verdict, one.seq) for one in report.failures}


@pytest.mark.usefixtures("in_both_ways")
@pytest.mark.parametrize("is_archived", [False, True])
def test_what_becomes_of_each_match(store: Store, revise: Revise, is_archived: bool) -> None:
    rules = revise("most_four")
    record_races(store, rules, 5)
    if is_archived:
        archive_all(store)
        record_races(store, rules, 1)
    wanted = {log.match_id: expected(log) for log in store.logs()}
    report = rehearsed(store, rules)
    assert told(report) == {match: said for match, said in wanted.items() if said[1] is not None}
    assert report.counts == Counter(verdict for verdict, _ in wanted.values()) | {
        verdict: 0 for verdict in report.counts if verdict not in {v for v, _ in wanted.values()}
    }
    for match, (verdict, seq) in wanted.items():
        one = verify_match(store, match, Rehearsing(rules))
        assert (one.verdict, one.seq) == (verdict, seq)


@pytest.mark.usefixtures("in_both_ways")
def test_causes_are_counted_and_the_shortest_match_is_the_example(store: Store, revise: Revise) -> None:
    rules = revise("most_four")
    record_races(store, rules, 6)
    archive_all(store)
    report = rehearsed(store, rules)
    logs = {log.match_id: log for log in store.logs()}
    found = {cause.variant: group for cause, group in report.by_cause()}
    assert {str(cause) for cause, _ in report.by_cause()} == {
        "race@1 → @2 two: illegal at step: too_much",
        "race@1 → @2 more goal=61: illegal at step: too_much",
    }
    for variant, group in found.items():
        ours = [m for m, log in logs.items() if log.started.variant == variant and expected(log)[1] is not None]
        assert sorted(group.matches) == sorted(ours)
        shortest = min(ours, key=lambda match: (len(logs[match].events), match))
        assert (group.example.match_id, group.example.seq) == (shortest, expected(logs[shortest])[1])
    assert len(found["more"].matches) == 3


@pytest.mark.usefixtures("in_both_ways")
def test_other_ways_and_other_results(store: Store, revise: Revise) -> None:
    rules = revise("same", "marked", "present")
    steps = [Step(0, 1), Step(1, 1), Step(0, 1)]
    short, long = (store.new(rules.start(), (), steps[:count]) for count in (2, 3))
    ended = store.new(rules.start(), (), [*steps, Noted("comment", ("a",)), Resigned(0)])
    three_seats = store.new(rules.start("more"), (), [*steps[:2], Step(2, 1), Resigned(0)])
    archive_all(store)
    assert rehearsed(store, rules.at(3)).counts[UNCHANGED] == 4
    marked = told(rehearsed(store, rules.at(2)))
    assert marked == {long: (OTHER_WAY, 3), ended: (OTHER_WAY, 3), three_seats: (OTHER_WAY, 3)}
    # Revision 1 is told by its difference from revision 2.
    present = told(rehearsed(store, rules.at(1)))
    assert present == {
        match: (OTHER_RESULT, seq) for match, seq in ((short, 2), (long, 3), (ended, 3), (three_seats, 3))
    }


def test_what_cannot_be_verified_is_said_and_the_rest_is_rehearsed(store: Store, revise: Revise) -> None:
    rules = revise("most_four")
    record_races(store, rules, 2)
    archive_all(store)
    live = record_races(store, rules, 1)
    with store.journal.writing() as db:
        db.execute("UPDATE events SET data = zeroblob(3) WHERE match = ? AND seq = 2", (live[1],))
    place = paths(store.archive_folder, "race", store.files()[0][1])[0]
    table = pq.read_table(place, partitioning=None)
    digests = table["digest"].to_pylist()
    at = table.column_names.index("digest")
    changed = pa.array([bytes(16), *digests[1:]], table.schema.field(at).type)
    pq.write_table(table.set_column(at, table.schema.field(at), changed), place)
    report = rehearsed(store, rules)
    assert report.counts[DAMAGED] == 2
    assert sum(report.counts.values()) == 18
    assert len(report.unreadable) == 1
    assert {cause.what for cause, _ in report.by_cause() if cause.verdict == DAMAGED} == {(NOT_AS_WRITTEN,)}
    wanted = Counter(expected(log) for log in store.logs(m for m in live if m != live[1]))
    assert all(report.counts[verdict] >= count for (verdict, _), count in wanted.items())


@pytest.mark.usefixtures("in_both_ways")
def test_matches_of_a_revision_that_is_not_installed_are_left_alone(
    store: Store, revise: Revise, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = revise("same", "most_four")
    matches = [store.new(rules.at(number).start(), (), [Step(0, 1), Resigned(1)]) for number in (1, 2, 3)]
    archive_all(store)
    matches += [store.new(rules.at(number).start(), (), [Step(0, 1)]) for number in (1, 2, 3)]
    rules = installing.install(
        toy.race(revision=3, earlier=(Earlier(1, most_four),), picture=installing.picture), monkeypatch
    )
    report = rehearsed(store, rules)
    assert told(report) == {matches[1]: (UNVERIFIED, None), matches[4]: (UNVERIFIED, None)}
    assert {one.said for one in report.failures} == {"revision 2 is not installed"}
    assert (report.counts[UNCHANGED], report.counts["exact"]) == (2, 2)


class Wider(toy.State):
    """A state with one more essential field."""

    more: I16


class Renamed(toy.State):
    """The same bytes, and another name."""

    other: I16


def declared_otherwise(state: type[Record] = toy.State) -> Ruleset:
    """The race with a first revision whose state is declared otherwise and that does the same."""
    earlier = (Earlier(1, same, {"state": Wider}),)
    return toy.race(revision=2, earlier=earlier, state=state, picture=installing.picture)


@pytest.mark.usefixtures("in_both_ways")
@pytest.mark.parametrize("state", [toy.State, Renamed])
def test_a_state_that_is_declared_otherwise_is_another_way(
    store: Store, state: type[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = installing.install(declared_otherwise(state), monkeypatch)
    for started in (rules.start(), rules.at(1).start()):
        store.new(started, (), [Step(0, 1), Resigned(1)])
    archive_all(store)
    store.new(rules.at(1).start(), (), [Step(0, 1)])
    report = rehearsed(store, rules)
    assert (report.counts[OTHER_WAY], report.counts["exact"]) == (2, 1)
    assert {one.said for one in report.failures} == {"at the end (state: its fields are declared otherwise)"}


@pytest.mark.usefixtures("in_both_ways")
@pytest.mark.parametrize("is_archived", [False, True])
def test_what_differs_for_a_moment_is_another_way(store: Store, revise: Revise, is_archived: bool) -> None:
    """It is over long before a fingerprint is taken."""
    rules = revise("passing")
    begun, steps = rules.at(1).start(options={"goal": 3}), [Step(0, 1), Step(1, 1), Step(0, 1)]
    match = store.new(begun, (), steps)
    same = store.new(begun, (), [Step(0, 3)])
    held = store.new(rules.start(options={"goal": 3}), (), steps)
    if is_archived:
        archive_all(store)
    report = rehearsed(store, rules)
    assert told(report) == {match: (OTHER_WAY, 2)}
    assert [cause.what for cause, _ in report.by_cause()] == [("gained",)]
    verdicts = [verify_match(store, one, Rehearsing(rules)).verdict for one in (match, same, held)]
    assert verdicts == [OTHER_WAY, UNCHANGED, "exact"]


@pytest.mark.usefixtures("in_both_ways")
def test_what_holds_under_the_other_revision_alone_is_not_unchanged(store: Store, revise: Revise) -> None:
    rules = revise("same")
    match = store.new(rules.at(1).start(options={"goal": 3}), (), [Step(0, 1), Step(1, 1), Step(0, 1)])
    archive_all(store)
    report = rehearsed(store, revise("marked"))
    assert told(report) == {match: (DIVERGED, 3)}
