"""Promotion pins what a revision does not change, and nothing else; a promoted match goes on under the new rules."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kifold.core.events import Noted, Resigned
from kifold.core.play import Refused
from kifold.core.ruleset import CHANCE, Ruleset
from kifold.records.formats import jsonl
from kifold.records.importing import import_file
from kifold.records.store import Store
from kifold.replay import promotion
from kifold.replay.promotion import Promoted, promote
from kifold.replay.verify import verify_store
from tests import installing
from tests.core.toy import Roll, Step
from tests.installing import revised
from tests.races import expected, record_races, rehearsed
from tests.replay.test_rehearsal import declared_otherwise
from tests.stores import archive_all, assert_exact, process, quiet, verified

if TYPE_CHECKING:
    from tests.installing import Revise


@pytest.fixture
def rules(revise: Revise) -> Ruleset:
    """The race, whose first revision lets seats add four."""
    return revise("most_four")


def promoted(store: Store, target: Ruleset) -> Promoted:
    return promote(store, target, 1, quiet)


def exported(store: Store) -> bytes:
    file = BytesIO()
    jsonl.write(sorted(store.logs(), key=lambda log: log.match_id), file)
    return file.getvalue()


def archive_bytes(store: Store) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(store.archive_folder.rglob("*.parquet"))}


@pytest.mark.usefixtures("in_both_ways")
def test_exactly_the_unchanged_matches_are_pinned(store: Store, rules: Ruleset) -> None:
    record_races(store, rules, 3)
    archive_all(store)
    record_races(store, rules, 2)
    unchanged = {log.match_id for log in store.logs() if expected(log) == ("unchanged", None)}
    logs, files = exported(store), archive_bytes(store)
    digests = store.journal.rows("SELECT id, digest FROM matches ORDER BY id")
    done = promoted(store, rules)
    assert store.pins() == dict.fromkeys(unchanged, 2)
    assert (done.matches, done.report.counts["unchanged"]) == (len(unchanged), len(unchanged))
    pin = b'"promoted":2,'
    assert exported(store).count(pin) == len(unchanged)
    assert (exported(store).replace(pin, b""), archive_bytes(store)) == (logs, files)
    assert store.journal.rows("SELECT id, digest FROM matches ORDER BY id") == digests
    assert_exact(store.folder, 30)
    again = promoted(store, rules)
    assert (again.matches, again.report.counts["unchanged"]) == (0, 0)
    assert again.report.counts["exact"] == done.report.counts["exact"] + len(unchanged)
    archive_all(store)
    assert_exact(store.folder, 30)


def test_and_back(store: Store, rules: Ruleset) -> None:
    record_races(store, rules, 2)
    archive_all(store)
    promoted(store, rules)
    pinned = {log.match_id for log in store.logs() if log.rules is rules}
    assert promoted(store, rules.at(1)).matches == len(pinned)
    assert {log.rules.revision for log in store.logs()} == {1}
    assert_exact(store.folder, 12)


def test_a_match_that_keeps_its_revision_goes_on_under_it(store: Store, rules: Ruleset, tmp_path: Path) -> None:
    match = store.new(rules.at(1).start(), ("Ada", "Bo"), [Step(0, 4)])
    assert promoted(store, rules).matches == 0
    assert store.append(match, [Step(1, 4)]) == 2
    with pytest.raises(Refused, match="no_such_seat"):
        store.append(match, [Step(3, 1)])
    store.append(match, [Resigned(0)])
    archive_all(store)
    store.append(match, [Noted("comment", ("late",))])
    archive_all(store)
    assert_exact(store.folder, 1)
    file = tmp_path / "race.jsonl"
    file.write_bytes(exported(store))
    with Store(tmp_path / "other") as other:
        import_file(other, file, jsonl.JSONL, {}, quiet)
        (log,) = other.logs()
        assert (log.started, list(log.events)) == (store.log(match).started, list(store.log(match).events))
        assert log.started.revision == 1
        assert_exact(other.folder, 1)
    store.delete(match)
    assert list(store.logs()) == []


def test_a_promoted_match_is_played_under_the_new_rules_also_where_it_was_open(store: Store, rules: Ruleset) -> None:
    match = store.new(rules.at(1).start(), (), [Step(0, 1)])
    with Store(store.folder) as other:
        other.append(match, [Step(1, 1)])
        assert promoted(store, rules).matches == 1
        for one in (other, store):
            with pytest.raises(Refused, match="too_much"):
                one.append(match, [Step(0, 4)])
            assert one.play(match).ruleset is rules
            assert one.log(match).rules is rules
        other.append(match, [Resigned(0)])
    archive_all(store)
    assert store.log(match).rules is rules
    with Store(store.folder) as other:
        assert other.append(match, [Noted("comment", ("back",))]) == 4
        assert other.play(match).ruleset is rules
    assert store.pins() == {match: 2}
    assert_exact(store.folder, 1)
    store.delete(match)
    assert store.pins() == {}


@pytest.mark.parametrize("change", ["grown", "archived anew", "deleted"])
def test_a_match_that_changes_during_the_rehearsal_stays(
    store: Store, rules: Ruleset, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it became is not what was rehearsed."""
    begun = rules.at(1).start()
    match = store.new(begun, (), [Step(0, 1)])
    other = store.new(begun, (), [Step(0, 1), Resigned(0)])

    def then(change: Callable[[], object]) -> Callable[..., None]:
        def verify(*arguments: Any) -> None:
            verify_store(*arguments)
            change()

        return verify

    def grow() -> None:
        with Store(store.folder) as second:
            second.append(match, [Step(1, 4)])
            if change == "archived anew":
                second.append(match, [Resigned(0)])
                archive_all(second)
            if change == "deleted":
                second.delete(match)

    monkeypatch.setattr(promotion, "verify_store", then(grow))
    done = promoted(store, rules)
    pinned = set() if change == "archived anew" else {other}
    assert (done.matches, set(store.pins())) == (len(pinned), pinned)
    assert_exact(store.folder, 1 if change == "deleted" else 2)


def test_a_file_is_not_known_again_by_its_number(store: Store, rules: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """During the rehearsal the only file goes, and one that holds a match of the same id gets its number."""
    begun = rules.at(1).start()
    match = store.new(begun, (), [Step(0, 1), Resigned(0)])
    archive_all(store)
    (number,) = store.journal.rows("SELECT id FROM files")

    def verify(*arguments: Any) -> None:
        verify_store(*arguments)
        with Store(store.folder) as second:
            second.append(match, [Noted("comment", ("late",))])
            with second.journal.writing() as db:
                db.execute("DELETE FROM tombstones")
                db.execute("DELETE FROM files")
            archive_all(second)

    monkeypatch.setattr(promotion, "verify_store", verify)
    assert promoted(store, rules).matches == 0
    assert store.pins() == {}
    assert store.journal.rows("SELECT id FROM files") == [number]


def append_races(folder: str, match: int) -> None:
    """Another process: it knows the same rules, and adds events to a match, a four among them, until one is refused."""
    installing.install(revised("most_four"))
    with Store(folder) as store:
        print("ready", flush=True)
        for number in range(120):
            turn = store.play(match).turn
            amount = 4 if number % 40 == 37 else 1
            try:
                store.append(match, [Roll(1) if turn == CHANCE else Step(turn, amount)])
            except Refused as refused:
                print(refused.reason)
                return
        print("all")


def test_while_another_process_appends(store: Store, rules: Ruleset) -> None:
    match = store.new(rules.at(1).start(options={"goal": 1000}))
    other = process(append_races, str(store.folder), match)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        while other.poll() is None and not store.pins():
            promoted(store, rules)
        said, _ = other.communicate(timeout=60)
    finally:
        other.kill()
        other.wait()
    log = store.log(match)
    assert (said, log.promoted) in {("too_much\n", 2), ("all\n", None)}
    assert len(log.events) == (120 if log.promoted is None else 37)
    assert_exact(store.folder, 1)


def test_a_state_that_is_declared_otherwise_promotes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = installing.install(declared_otherwise(), monkeypatch)
    store.new(rules.at(1).start(), (), [Step(0, 1), Resigned(1)])
    archive_all(store)
    store.new(rules.at(1).start(), (), [Step(0, 1)])
    assert promoted(store, rules).matches == 0
    assert store.pins() == {}
    assert_exact(store.folder, 2)


def test_what_is_not_installed_or_damaged_is_not_promoted(store: Store, revise: Revise) -> None:
    rules = revise("same", "most_four")
    kept = store.new(rules.at(1).start(), (), [Step(0, 1)])
    damaged = store.new(rules.at(1).start(), (), [Step(0, 1)])
    with store.journal.writing() as db:
        db.execute("UPDATE events SET data = zeroblob(3) WHERE match = ?", (damaged,))
    assert promoted(store, rules).matches == 1
    assert store.pins() == {kept: 3}
    assert verified(store.folder).counts["damaged"] == 1
    assert rehearsed(store, rules).counts["exact"] == 1
