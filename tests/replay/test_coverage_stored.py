"""Effects of stored matches are counted: live and archived, plainly and compiled, each under its revision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifold.core import compiled, registry
from kifold.core.events import Undone
from kifold.core.names import LEGAL
from kifold.core.play import fold
from kifold.core.revisions import Earlier
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.nibble import NIBBLE
from kifold.records.archive import paths
from kifold.records.forking import fork
from kifold.records.ids import id_text
from kifold.records.log import Log
from kifold.records.store import Store
from kifold.replay.coverage import Coverages
from kifold.replay.coverage_stored import count_stored
from tests.core.toy import FACES, MADE_ROLL_DUE, NO_ROLL_DUE, RACE, ROLL, Roll, race
from tests.rulesets.matches import random_log
from tests.stores import archive_all, fill, quiet, record

Install = Callable[[Ruleset], None]

both_ways = pytest.mark.usefixtures("in_both_ways")


def counted(store: Store, only: str | None = None, workers: int = 1) -> tuple[Coverages, list[str]]:
    found: Coverages = {}
    left_out: list[str] = []
    count_stored(found, store, only, workers, left_out.append, quiet)
    return found, left_out


def expected(store: Store) -> Counter[tuple[str, str]]:
    """How many matches of a variant have an effect, by folding one by one."""
    found: Counter[tuple[str, str]] = Counter()
    for log in store.logs():
        play, refused = fold(log.rules, log.started, log.events)
        assert refused is None
        shared = log.fork.inherited if log.fork and store.holds(log.fork.parent) else 0
        own = [mask for (seq, _), mask in zip(play.effective, play.effects, strict=True) if seq > shared]
        found.update({(log.started.variant, name) for mask in own for name in log.rules.effects.of(mask)})
    return found


def of(name: str, found: Coverages) -> Counter[tuple[str, str]]:
    stored = found[name].stored
    return Counter({(variant, name): many for name, by in stored.items() for variant, many in by.items()})


def filled(store: Store) -> None:
    """Matches of two variants; among them some with notes, corrections and resignations, and unfinished ones."""
    fill(store)
    for number in range(6):
        started, log = random_log(BLOKUS, BLOKUS.start("classic"), 4, number)
        store.append(store.new(started), log)
    record(store, 5, 12)


@both_ways
def test_live_and_archived_ones(store: Store) -> None:
    filled(store)
    for _ in range(2):
        found, left_out = counted(store)
        assert left_out == []
        assert found["blokus"].matches == {"duo": 9, "classic": 6}
        assert of("blokus", found) == expected(store)
        assert of("blokus", found)["classic", "skipped"] == 6
        archive_all(store)
    filled(store)
    assert of("blokus", counted(store, workers=3)[0]) == expected(store)


def test_what_was_deleted_or_brought_back_counts_once(store: Store) -> None:
    first, second, *_ = fill(store, 3)
    archive_all(store)
    store.delete(first)
    store.append(second, [])
    assert counted(store)[0]["blokus"].matches == {"duo": 5}
    assert of("blokus", counted(store)[0]) == expected(store)


@both_ways
def test_what_a_fork_has_from_its_parent_counts_there(store: Store, installed: Install) -> None:
    """Live and archived, with corrections, of a fork too; and in the fork itself when the parent is gone."""
    installed(RACE)
    parents = raced(store, 6)
    corrected = store.new(parents[0].started, (), [*parents[0].events[:4], Undone(2), *parents[0].events[2:]])
    forks = [fork(store, log.match_id, len(log.events) // 2) for log in parents]
    forks += [fork(store, log.match_id, len(log.events)) for log in parents]
    for log, match in zip(parents, forks, strict=False):
        rest = log.events[store.journal.last_seq(match) or 0 :]
        store.append(match, rest[: None if log is parents[0] else -1])
    store.append(fork(store, forks[0], 3), [Undone(1), *parents[0].events[1:]])
    forks.append(fork(store, corrected, 6))
    found = counted(store)[0]["race"]
    assert found.stored["reached"].total() < found.matches.total() == len(store.journal.ids())
    for _ in range(2):
        assert of("race", counted(store)[0]) == expected(store)
        store.delete(parents.pop().match_id)
        assert of("race", counted(store)[0]) == expected(store)
        archive_all(store)
    assert of("race", counted(store)[0]) == expected(store)


def test_one_ruleset_alone(store: Store) -> None:
    fill(store, 1)
    started, log = random_log(NIBBLE, NIBBLE.start(), 1, 0)
    store.append(store.new(started), log)
    assert list(counted(store)[0]) == ["blokus", "nibble"]
    assert list(counted(store, "nibble")[0]) == ["nibble"]


really_check, really_apply = RACE.rules.check, RACE.rules.apply


def as_it_was(state: Any, event: Any) -> int:
    """The rule as it is."""
    return really_apply(state, event)


def silent(state: Any, event: Any) -> int:
    """A made-up rule: nobody says that the die came due."""
    return really_apply(state, event) & ~MADE_ROLL_DUE


def stricter(state: Any, event: Any) -> int:
    """A made-up rule: nobody throws a six."""
    reason = really_check(state, event)
    return NO_ROLL_DUE if reason == LEGAL and event.tag == ROLL and event.die == FACES else reason


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a ruleset beside the others, or in the place of one."""
    real = registry.entries()
    compiled.compiled.cache_clear()

    def install(rules: Ruleset) -> None:
        entry = SimpleNamespace(load=lambda: rules, value="tests")
        monkeypatch.setattr(registry, "entries", lambda: {**real, rules.name: entry})
        registry.ruleset.cache_clear()

    yield install
    registry.ruleset.cache_clear()
    compiled.compiled.cache_clear()


def raced(store: Store, matches: int) -> list[Log]:
    """Record races; with the die they have some ten events."""
    logs = [random_log(RACE, RACE.start(("two", "more")[number % 2]), 1, number) for number in range(matches)]
    ids = [store.new(started, (), log) for started, log in logs]
    return list(store.logs(ids))


@both_ways
def test_each_match_is_folded_under_its_revision(store: Store, installed: Install) -> None:
    installed(RACE)
    logs = raced(store, 10)
    archive_all(store)
    logs += raced(store, 10)
    page = ModuleType(__name__)
    vars(page)["apply"] = as_it_was
    installed(race(revision=2, rules=replace(RACE.rules, apply=silent), earlier=(Earlier(1, page),)))
    assert of("race", counted(store)[0]) == expected(store)
    assert of("race", counted(store)[0])["two", "roll_came_due"] == 10
    with store.journal.writing() as db:
        db.executemany("INSERT INTO pins VALUES (?, 2)", [(log.match_id,) for log in logs[4:14]])
    found, left_out = counted(store)
    assert left_out == []
    assert found["race"].matches == {"two": 10, "more": 10}
    assert of("race", found) == expected(store)
    assert of("race", found)["two", "roll_came_due"] == 5


@both_ways
def test_what_is_illegal_is_left_out_and_said(store: Store, installed: Install) -> None:
    installed(RACE)
    logs = raced(store, 12)
    archive_all(store)
    logs += raced(store, 12)
    installed(race(rules=replace(RACE.rules, check=stricter)))
    found, left_out = counted(store)
    where = {log.match_id: [n for n, event in enumerate(log.events, 1) if event == Roll(FACES)] for log in logs}
    assert sorted(left_out) == sorted(
        f"match {id_text(match)} is left out: event {sixes[0]} is refused: no_roll_due – the die is not due"
        for match, sixes in where.items()
        if sixes
    )
    assert 0 < len(left_out) < 24
    assert found["race"].matches.total() == 24 - len(left_out)


def test_what_is_damaged_is_left_out_and_said(store: Store) -> None:
    fill(store, 1)
    archive_all(store)
    fill(store, 2)
    archive_all(store)
    broken = store.files()[0][1]
    paths(store.archive_folder, "blokus", broken)[1].write_bytes(b"no Parquet")
    bad = record(store, 0, 5)
    with store.journal.writing() as db:
        db.execute("UPDATE matches SET digest = zeroblob(16) WHERE id = ?", (bad,))
    found, left_out = counted(store)
    assert len(left_out) == 2
    assert broken in left_out[0]
    assert left_out[1].startswith(f"match {id_text(bad)} is left out: ")
    assert found["blokus"].matches == {"duo": 4}


@pytest.mark.parametrize(("column", "value"), [("colour", 9), ("name", "odd")])
@both_ways
def test_a_value_that_no_writer_wrote(store: Store, column: str, value: object) -> None:
    fill(store)
    archive_all(store)
    place = paths(store.archive_folder, *store.files()[0])[1]
    table = pq.read_table(place, partitioning=None)
    values = [value, *table[column].to_pylist()[1:]]
    at = table.column_names.index(column)
    pq.write_table(table.set_column(at, table.field(at), pa.array(values, table.field(at).type)), place)
    found, left_out = counted(store)
    first = id_text(table["match_id"][0].as_py())
    assert [line.startswith(f"match {first} is left out: it cannot be read: ") for line in left_out] == [True]
    assert found["blokus"].matches == {"duo": 7}


def test_a_ruleset_or_revision_that_is_not_installed(
    store: Store, installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 2)
    archive_all(store)
    installed(replace(BLOKUS, revision=2))
    found, left_out = counted(store)
    assert left_out == ["4 matches of blokus are left out: revision 1 is not installed"]
    assert found["blokus"].matches == {}
    monkeypatch.setattr(registry, "entries", dict)
    assert counted(store) == ({}, ["4 matches of blokus are left out: ruleset blokus is not installed"])
