"""A change of the rules is told from damage, with where it shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core import compiled, registry
from kifold.core.events import Noted
from kifold.core.play import standing_events
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import judge
from kifold.records.archive import paths
from kifold.records.log import Log
from kifold.records.store import Store
from kifold.replay import verdicts
from kifold.replay.verdicts import stretch
from kifold.replay.verify import Work, verify_store
from tests.stores import Failures, archive_all, duo, fill, game, record, verified


@pytest.fixture
def changed_rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Installs a copy of the rules of Blokus in which something is another."""
    real = registry.entries()
    compiled.compiled.cache_clear()

    def install(*, revision: int = 1, **functions: Any) -> Ruleset:
        changed = replace(BLOKUS, revision=revision, rules=replace(BLOKUS.rules, **functions))
        entry = SimpleNamespace(load=lambda: changed, value="tests")
        monkeypatch.setattr(registry, "entries", lambda: {**real, "blokus": entry})
        registry.ruleset.cache_clear()
        return changed

    yield install
    registry.ruleset.cache_clear()
    compiled.compiled.cache_clear()


really_check, really_apply, really_result = BLOKUS.rules.check, BLOKUS.rules.apply, BLOKUS.rules.result


both_ways = pytest.mark.parametrize(
    "many", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "compiled"]
)


def stricter(state: Any, event: Any) -> int:
    """A made-up rule: nothing may be placed with its lowest square in row 7."""
    reason = really_check(state, event)
    return 1 if reason == 0 and event.y == 7 else reason


def generous(state: Any, event: Any) -> int:
    """A made-up rule: whoever does it gets a bonus of one."""
    effects = really_apply(state, event)
    if event.y == 7:
        state.bonus[event.colour] = 1
    return effects


def partial(state: Any, result: Any) -> None:
    """Seat 1 gets a point as a present."""
    really_result(state, result)
    result.score[1] += 1


def in_row_7(log: Log) -> list[int]:
    """The numbers, in the log, of the events that count and that the made-up rules are about."""
    return [seq for seq, event in standing_events(log.events) if getattr(event, "y", None) == 7]


def verify_in(store: Store, many: bool, monkeypatch: pytest.MonkeyPatch) -> Failures:
    """Verify by the compiled rules, or in plain Python; without the hashes, which have nothing to do with rules."""
    for module in (judge, verdicts):
        monkeypatch.setattr(module, "MANY", 1 if many else 10_000)
    report = Failures()
    verify_store(store, Work(report, None, 1))
    assert report.unreadable == []
    return report


@both_ways
def test_a_stricter_rule_makes_logs_illegal_at_the_event_and_another_score_diverges_at_the_end(
    store: Store, changed_rules: Any, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    archive_all(store)
    logs = {log.match_id: log for log in store.logs()}
    changed_rules(check=stricter, result=partial)
    report = verify_in(store, many, monkeypatch)
    assert report.counts["illegal"] > 2
    reason = BLOKUS.reasons[1]
    for one in report.failures:
        first = next((seq for seq, e in enumerate(logs[one.match_id].events, 1) if getattr(e, "y", None) == 7), None)
        if first is None:
            assert (one.verdict, one.said) == ("diverged", "at the end (result)")
        else:
            assert (one.verdict, one.said) == ("illegal", f"at event {first} ({reason.name}: {reason.meaning})")
    assert report.counts["exact"] == 0


@both_ways
def test_another_effect_diverges_where_it_shows_first(
    store: Store, changed_rules: Any, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    archive_all(store)
    logs = {log.match_id: log for log in store.logs()}
    changed_rules(apply=generous)
    report = verify_in(store, many, monkeypatch)
    assert report.counts["diverged"] > 2
    for one in report.failures:
        assert one.verdict == "diverged"
        first, last = (int(word) for word in one.said.removeprefix("between events ").split(" and "))
        assert first < in_row_7(logs[one.match_id])[0] <= last <= first + 26
    assert report.counts["exact"] == sum(in_row_7(log) == [] for log in logs.values())


@both_ways
def test_the_unchanged_rules_are_exact_in_both_ways(
    store: Store, changed_rules: Any, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = fill(store)
    archive_all(store)
    changed_rules()
    assert verify_in(store, many, monkeypatch).counts["exact"] == len(matches)


@pytest.mark.parametrize("is_archived", [False, True])
def test_unverified_where_the_revision_is_not_installed(store: Store, is_archived: bool, changed_rules: Any) -> None:
    fill(store)
    if is_archived:
        archive_all(store)
    record(store, 0, 7)
    changed_rules(revision=2)
    report = verified(store.folder)
    assert report.counts["unverified"] == 9
    assert {one.said for one in report.failures} == {"revision 1 is not installed"}
    assert not report.is_fine


# Where


def test_where_fingerprints_part() -> None:
    prints = [bytes([k] * 4) for k in range(4)]

    def where(k: int) -> tuple[int, int]:
        return stretch(b"".join(prints), b"".join([*prints[:k], b"else", *prints[k + 1 :]]), 40)

    assert where(0) == (0, 16)
    assert where(1) == (16, 32)
    assert where(2) == (32, 40)
    assert stretch(b"".join(prints[:2]), b"".join(prints), 40) == (32, 40)
    assert stretch(b"", b"else", 0) == (0, 0)


def test_a_divergence_is_told_by_numbers_of_the_log(store: Store) -> None:
    match = store.new(duo(), (), [Noted("comment", ("a",)), Noted("comment", ("b",)), *game(0)])
    archive_all(store)
    place = paths(store.archive_folder, "blokus", store.files()[0][1])[0]
    table = pq.read_table(place, partitioning=None)
    prints = table["fingerprints"][0].as_py()
    at = table.column_names.index("fingerprints")
    pq.write_table(table.set_column(at, "fingerprints", pa.array([b"\0\0\0\0" + prints[4:]], pa.binary())), place)
    report = verified(store.folder)
    assert [(one.match_id, one.verdict, one.said) for one in report.failures] == [
        (match, "diverged", "between events 0 and 18")
    ]
