"""Beginning matches, finding them, what a store keeps in memory; damage in the journal."""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kifold.core.codec import digest
from kifold.core.events import Event, Finished, Noted, Started
from kifold.core.options import RulesetError
from kifold.core.play import Refused, fold
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.archiving import archive
from kifold.records.errors import NoSuchMatch, StoreError
from kifold.records.ids import id_text
from kifold.records.log import Log
from kifold.records.store import Store
from tests.stores import assert_exact, duo, game, quiet, record, verified


def events_of(folder: Path, match: int) -> Sequence[Event]:
    """The log as another process sees it."""
    with Store(folder, create=False) as other:
        return other.log(match).events


def dump(folder: Path) -> list[str]:
    """The whole content of the journal."""
    with sqlite3.connect(folder / "journal.sqlite") as db:
        said = list(db.iterdump())
    db.close()
    return said


# What a match begins with


def test_a_match_begins_with_what_is_installed_and_in_range(store: Store) -> None:
    match = store.new(duo(), ["Ada", "Bo"], game(0)[:3])
    log = store.log(match)
    assert (log.started, log.events, log.players) == (duo(), list(game(0)[:3]), ("Ada", "Bo"))
    assert log.digest == digest(duo(), game(0)[:3])
    assert not log.is_archived


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("ruleset", "go", "no ruleset 'go': choose from"),
        ("variant", "nope", "no variant 'nope' of blokus"),
        ("variant", "classic", "blokus classic is for 4 seats, not 2"),
        ("revision", 2, "revision 2 of blokus is not installed; there is 1"),
        ("revision", 0, "revision 0 of blokus is not installed"),
        ("seats", 3, "blokus duo is for 2 seats, not 3"),
        ("seats", -1, "blokus duo is for 2 seats"),
        ("options", {"nope": 1}, "no option 'nope'"),
        ("options", {"start_corner": "middle"}, "option start_corner cannot be 'middle'"),
        ("tags", {"a": 1}, "Expected `str`, got `int`"),
        ("setup", [1, 2, 3], "Expected `array`, got `int`"),
        ("setup", {"nope": 1}, "no field 'nope' in a setup of blokus"),
    ],
)
def test_a_wrong_beginning_is_refused_and_nothing_is_written(store: Store, field: str, value: Any, said: str) -> None:
    before = dump(store.folder)
    with pytest.raises((RulesetError, msgspec.ValidationError), match=said):
        store.new(msgspec.structs.replace(duo(), **{field: value}))
    assert dump(store.folder) == before


def test_options_that_are_not_said_are_resolved(store: Store) -> None:
    match = store.new(msgspec.structs.replace(duo(), options={}))
    assert store.log(match).started == duo()


def test_too_many_players(store: Store) -> None:
    with pytest.raises(StoreError, match="3 players for 2 seats"):
        store.new(duo(), ["a", "b", "c"])


def test_a_refused_event_refuses_the_match(store: Store) -> None:
    with pytest.raises(Refused) as refused:
        store.new(duo(), (), [*game(0)[:4], game(0)[0]])
    assert refused.value.seq == 5
    assert store.counts() == {}


# What is kept in memory


def test_the_folded_match_follows_the_file_whoever_writes(store: Store) -> None:
    match = record(store, 0, 4)
    held = store.play(match)
    with Store(store.folder) as other:
        other.append(match, game(0)[4:6])
    assert store.play(match) is held
    assert len(held.log) == 6
    with Store(store.folder) as other:
        other.delete(match)
    with pytest.raises(NoSuchMatch):
        store.play(match)


def test_a_match_that_is_ahead_of_the_file_is_folded_anew(store: Store) -> None:
    match = record(store, 0, 4)
    held = store.play(match)
    with sqlite3.connect(store.folder / "journal.sqlite") as db:  # as in an older copy of the file
        db.execute("DELETE FROM events WHERE seq = 4")
        db.execute("UPDATE matches SET last_seq = 3, digest = ?", (digest(duo(), game(0)[:3]),))
    db.close()
    assert store.play(match) is not held
    assert store.play(match).log == list(game(0)[:3])
    assert store.append(match, game(0)[3:5]) == 5
    assert_exact(store.folder, 1)


@pytest.mark.parametrize("count", [2, 4, 6])
def test_another_log_under_the_id_of_a_match_is_folded_anew(store: Store, count: int) -> None:
    """Another process deletes the match, and imports another that has its id."""
    match = record(store, 0, 4)
    store.play(match)
    store.append(match, [])
    with Store(store.folder) as other:
        other.delete(match)
        play, _ = fold(BLOKUS, duo(), game(1)[:count])
        with other.journal.writing():
            other.journal.insert(Log(match, duo(), play.log), is_over=False)
    assert store.append(match, game(1)[count : count + 1]) == count + 1
    assert store.play(match).log == list(game(1)[: count + 1])
    assert_exact(store.folder, 1)


def test_a_match_of_ones_own_is_nobody_elses(store: Store) -> None:
    match = record(store, 0, 4)
    own = store.folded(match)
    own.add(game(0)[4])
    assert len(store.play(match).log) == 4
    assert copy.copy(own) is not own


def test_many_matches_at_once(store: Store) -> None:
    matches = [store.new(duo()) for _ in range(80)]
    for at in range(3):
        for match in matches:
            store.append(match, game(0)[at : at + 1], expected_seq=at)
    play, refused = fold(BLOKUS, duo(), game(0)[:3])
    assert refused is None
    assert all(store.play(match).state == play.state for match in matches)


# Finding


def test_finding_by_the_beginning_of_an_id(store: Store) -> None:
    match = store.new(duo())
    for text in (id_text(match), id_text(match)[:6], str(match)):
        assert store.find(text) == match
    others = [store.new(duo()) for _ in range(40)]
    firsts = [id_text(one)[0] for one in [match, *others]]
    with pytest.raises(NoSuchMatch, match="write more of it"):
        store.find(max(firsts, key=firsts.count))
    with pytest.raises(NoSuchMatch, match="there is no match 000 in"):
        store.find("000")
    assert store.held([match, 5]) == {match}
    assert store.holds(match)
    assert not store.holds(5)


def test_a_started_of_another_ruleset_is_no_blokus(store: Store) -> None:
    with pytest.raises(RulesetError, match="no variant"):
        store.new(Started("chipstack", "duo", 1, {}, 2, {}, duo().setup))


# Damage in the journal


DAMAGES = {
    "an event is gone": "DELETE FROM events WHERE seq = 3",
    "the last event is gone": "DELETE FROM events WHERE seq = 4",
    "an event is another": "UPDATE events SET data = (SELECT data FROM events WHERE seq = 1) WHERE seq = 3",
    "an event is garbage": "UPDATE events SET data = x'c1' WHERE seq = 3",
    "an event is text": "UPDATE events SET data = CAST('abc' AS TEXT) WHERE seq = 3",
    "event 0 is another": "UPDATE matches SET started = CAST(replace(started, 'duo', 'due') AS BLOB)",
    "event 0 is garbage": "UPDATE matches SET started = x'00'",
    "the digest is another": "UPDATE matches SET digest = zeroblob(16)",
    "the number of events is another": "UPDATE matches SET last_seq = 3",
    "numbers are shifted": "UPDATE events SET seq = seq + 100",
}


@pytest.mark.parametrize("sql", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_not_signed_by_appending_or_archiving_and_hides_nothing_else(store: Store, sql: str) -> None:
    match = store.new(duo(), (), [*game(0)[:3], Finished(0)])
    with store.journal.writing() as db:
        db.execute(sql)
    kept = store.journal.rows("SELECT * FROM matches")
    good = record(store, 1)
    with Store(store.folder) as other, pytest.raises((StoreError, Refused)):
        other.append(match, [Noted("comment", ("going on",))])
    moved, stay = archive(store, quiet)
    assert moved == 1
    assert [line.split(": ")[0] for line in stay] == [f"match {id_text(match)} stays in the journal"]
    assert store.journal.rows("SELECT * FROM matches") == kept
    assert store.log(good).is_archived
    failures = verified(store.folder).failures
    assert [(one.match_id, one.verdict) for one in failures] == [(match, "damaged")]
    store.delete(match)
    assert_exact(store.folder, 1)


# What others do meanwhile


@pytest.mark.parametrize("question", ["last_seq", "damage", "started"])
@pytest.mark.parametrize("is_archived", [False, True])
def test_a_match_that_goes_while_it_is_read_is_no_damaged_one(
    store: Store, question: str, is_archived: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = [record(store, 0), record(store, 1)]
    asked = getattr(store.journal, question)

    def meanwhile(match: int) -> Any:
        answer = asked(match)
        with Store(store.folder, durability="off") as other:
            if is_archived:
                archive(other, quiet)
            else:
                other.delete(match)
        return answer

    monkeypatch.setattr(store.journal, question, meanwhile)
    bad: list[int] = []
    logs = list(store.live_logs(matches, lambda match, why: bad.append(match)))
    assert bad == []
    assert [log.match_id for log in logs] == (matches[:1] if is_archived else matches)
    assert not store.journal.ids()
