"""Appending: all or nothing, against the log as it is, once per key, and never ahead of the file."""

from __future__ import annotations

import copy
import random
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kifold.core.codec import digest
from kifold.core.events import Event, Finished, Noted, Resigned, Started, Undone
from kifold.core.options import RulesetError
from kifold.core.play import Refused, fold
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import Place
from kifold.records.archiving import archive
from kifold.records.errors import Conflict, NoSuchMatch, StoreError
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.stores import archive_all, assert_exact, duo, game, quiet, record, run_together, verified


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as store:
        yield store


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
        ("revision", 2, "revision 2 of blokus is not installed, 1 is"),
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


# Appending


def test_an_append_returns_the_number_of_the_last_event_and_another_process_sees_it(store: Store) -> None:
    match = store.new(duo())
    assert store.append(match, game(0)[:3], expected_seq=0) == 3
    assert events_of(store.folder, match) == list(game(0)[:3])
    assert store.append(match, [], expected_seq=3) == 3
    assert store.append(match, game(0)[3:5]) == 5
    assert events_of(store.folder, match) == list(game(0)[:5])
    assert_exact(store.folder, 1)


@pytest.mark.parametrize("expected", [-1, 0, 2, 4, 1 << 40])
def test_a_conflict_carries_the_present_number_and_writes_nothing(store: Store, expected: int) -> None:
    match = record(store, 0, 3)
    before = dump(store.folder)
    with pytest.raises(Conflict, match=f"is at event 3, not {expected}: read it again, then append") as conflict:
        store.append(match, game(0)[3:4], expected_seq=expected)
    assert conflict.value.present == 3
    assert dump(store.folder) == before
    assert store.append(match, game(0)[3:4], expected_seq=conflict.value.present) == 4


def test_a_conflict_is_seen_whoever_wrote(store: Store) -> None:
    match = record(store, 0, 3)
    with Store(store.folder) as other:
        other.append(match, game(0)[3:5], expected_seq=3)
    with pytest.raises(Conflict) as conflict:
        store.append(match, game(0)[3:4], expected_seq=3)
    assert conflict.value.present == 5
    assert store.append(match, game(0)[5:6], expected_seq=5) == 6


BAD: list[tuple[str, Event, type[Exception], str]] = [
    ("against the rules", game(0)[0], Refused, "piece_already_placed"),
    ("out of range", Place(0, 99, 0, 0, 0), msgspec.ValidationError, "Expected `int` <="),
    ("of another type", Place(0, "one", 0, 0, 0), msgspec.ValidationError, "Expected `int`"),  # type: ignore[arg-type]
    ("a seat that is not there", Resigned(2), Refused, "no_such_seat"),
    ("a number not yet there", Undone(99), Refused, "no_such_seq"),
    ("an unknown ending", Finished(77), msgspec.ValidationError, "Expected `int` <="),
]


@pytest.mark.parametrize(("bad", "error", "said"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_bad_event_anywhere_in_a_batch_writes_nothing(
    store: Store, place: int, bad: Event, error: type[Exception], said: str
) -> None:
    match = record(store, 0, 4)
    held = store.play(match)
    before, state = dump(store.folder), held.state.copy()
    with pytest.raises(error, match=said) as refused:
        store.append(match, [*game(0)[4 : 4 + place], bad, *game(0)[4 + place : 8]], key="k")
    if isinstance(refused.value, Refused):
        assert refused.value.seq == 5 + place
    assert dump(store.folder) == before
    # Neither the caller's match nor the store's own is ahead of the file, and going on is possible at once.
    assert len(held.log) == 4
    assert held.state == state
    assert store.play(match) is held
    assert store.append(match, game(0)[4:8], expected_seq=4, key="k") == 8
    assert len(held.log) == 8
    assert_exact(store.folder, 1)


def test_an_iterator_that_fails_half_way_writes_nothing(store: Store) -> None:
    match = record(store, 0, 4)
    held = store.play(match)

    def failing() -> Iterator[Event]:
        yield game(0)[4]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.append(match, failing())
    assert len(held.log) == len(events_of(store.folder, match)) == 4


def test_a_commit_that_fails_leaves_the_match_as_the_file_is(store: Store) -> None:
    match = record(store, 0, 4)
    held = store.play(match)
    real = store.journal.db

    class Full:
        """A connection to a disk that is full."""

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def execute(self, sql: str, *values: Any) -> Any:
            if sql == "COMMIT":
                raise sqlite3.OperationalError("database or disk is full")
            return real.execute(sql, *values)

    store.journal.db = Full()  # type: ignore[assignment]
    with pytest.raises(StoreError, match=r"journal\.sqlite: cannot be written \(database or disk is full\)"):
        store.append(match, game(0)[4:6])
    store.journal.db = real
    assert len(held.log) == len(events_of(store.folder, match)) == 4
    assert store.append(match, game(0)[4:5]) == 5


def test_a_match_that_is_over_takes_notes_and_corrections_only(store: Store) -> None:
    match = record(store, 0)
    last = len(game(0))
    for late in (game(0)[-1], Resigned(0), Finished(0)):
        with pytest.raises(Refused, match="match_over"):
            store.append(match, [late])
    assert store.append(match, [Noted("comment", ("well played",))]) == last + 1
    assert store.play(match).is_over
    assert store.append(match, [Undone(last - 1)]) == last + 2
    assert not store.play(match).is_over
    assert store.append(match, game(0)[-1:]) == last + 3
    assert_exact(store.folder, 1)


def test_a_match_that_is_not_there(store: Store) -> None:
    for question in (store.play, store.log, store.delete, store.folded, lambda match: store.append(match, [])):
        with pytest.raises(NoSuchMatch, match=r"there is no match \w{12} in .*store; `kifold log` lists what there is"):
            question((1 << 59) + 1)


def test_times_are_kept_once_per_append(store: Store) -> None:
    match = store.new(duo())
    store.append(match, game(0)[:2], at_ms=1_700_000_000_000)
    assert store.journal.rows("SELECT seq, at_ms FROM events") == [(1, 1_700_000_000_000), (2, None)]


# Keys


def test_a_key_makes_an_append_happen_once(store: Store) -> None:
    match = record(store, 0, 2)
    assert store.append(match, game(0)[2:4], expected_seq=2, key="a") == 4
    before = dump(store.folder)
    assert store.append(match, game(0)[2:4], expected_seq=2, key="a") == 4
    assert store.append(match, game(0)[2:4], key="a") == 4
    assert dump(store.folder) == before
    store.append(match, game(0)[4:6])
    assert store.append(match, game(0)[2:4], expected_seq=2, key="a") == 4, "also when the log has moved on"
    with Store(store.folder) as other:
        assert other.append(match, game(0)[2:4], expected_seq=2, key="a") == 4


def test_a_key_of_another_match_is_refused(store: Store) -> None:
    first, second = record(store, 0, 2), record(store, 1, 2)
    store.append(first, game(0)[2:3], key="a")
    with pytest.raises(StoreError, match=f"key 'a' was used for match {id_text(first)}; choose another"):
        store.append(second, game(1)[2:3], key="a")
    assert len(events_of(store.folder, second)) == 2


def test_a_refused_append_does_not_use_up_its_key(store: Store) -> None:
    match = record(store, 0, 2)
    for wrong in ({"expected_seq": 7}, {}):
        with pytest.raises((Conflict, Refused)):
            store.append(match, [Undone(50)], key="a", **wrong)
    assert store.append(match, game(0)[2:3], key="a") == 3


def test_keys_outlive_archiving_and_deleting(store: Store) -> None:
    match = record(store, 0, -1)
    last = store.append(match, game(0)[-1:], key="end")
    assert archive_all(store) == 1
    assert store.append(match, game(0)[-1:], expected_seq=last - 1, key="end") == last
    assert store.journal.last_seq(match) is None, "it stays where it is"
    store.delete(match)
    assert store.append(match, game(0)[-1:], key="end") == last


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


# Two processes


def append_all(folder: str, match: int, number: int, seed: int) -> None:
    """Append the events of a game one by one or in twos, each where it belongs, until none is left."""
    random_ = random.Random(seed)
    mine = 0
    with Store(folder, durability="off") as store:
        at = 0
        while at < len(game(number)):
            batch = list(game(number)[at : at + random_.choice((1, 2))])
            try:
                at = store.append(match, batch, expected_seq=at)
                mine += len(batch)
            except Conflict as conflict:
                at = conflict.present
    print(mine)


def test_two_processes_that_append_to_the_same_matches_lose_nothing(store: Store) -> None:
    matches = [store.new(duo()) for _ in range(3)]
    said = run_together(
        [
            (append_all, (str(store.folder), match, number, seed))
            for number, match in enumerate(matches)
            for seed in (1, 2)
        ]
    )
    for number, match in enumerate(matches):
        assert list(store.log(match).events) == list(game(number))
        assert sum(int(one) for one in said[2 * number : 2 * number + 2]) == len(game(number))
    assert_exact(store.folder, 3)


def note_all(folder: str, match: int, name: str, count: int) -> None:
    with Store(folder, durability="off") as store:
        for number in range(count):
            store.append(match, [Noted(name, (str(number),))], key=f"{name} {number}")
            store.append(match, [Noted(name, (str(number),))], key=f"{name} {number}")


def test_processes_that_append_without_looking_keep_their_own_order(store: Store) -> None:
    match = record(store, 0, 4)
    run_together([(note_all, (str(store.folder), match, name, 100)) for name in ("one", "two")])
    notes = [event for event in store.log(match).events if isinstance(event, Noted)]
    assert len(notes) == 200
    for name in ("one", "two"):
        assert [note.values for note in notes if note.name == name] == [(str(number),) for number in range(100)]
    assert_exact(store.folder, 1)


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
