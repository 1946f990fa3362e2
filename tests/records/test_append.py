"""Appending: all or nothing, against the log as it is, once per key, and never ahead of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kifold.core.codec import encode_each
from kifold.core.events import Event, Finished, Noted, Resigned, Undone
from kifold.core.options import RulesetError
from kifold.core.play import Refused
from kifold.core.rulesets.blokus.declaration import Place
from kifold.records.errors import Conflict, KeyUsed, NoSuchMatch, StoreError
from kifold.records.forking import fork
from kifold.records.ids import id_text
from kifold.records.log import Log
from kifold.records.store import Store
from tests.stores import archive_all, assert_exact, duo, game, record


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


def test_nothing_goes_back_to_what_was_taken_back(store: Store) -> None:
    """It would not come back. A log that does so, from before this was asked, stays what it was."""
    events = [*game(0)[:3], Undone(1), game(0)[1]]
    match = store.new(duo(), (), events)
    for place in (2, 3):
        with pytest.raises(Refused, match=f"event 6 is refused: taken_back – what stood after event {place} was taken"):
            store.append(match, [Undone(place)])
    with pytest.raises(Refused, match="event 7 is refused: taken_back"):
        store.append(match, [Undone(4), Undone(5)])
    made = fork(store, match, 3)
    assert store.log(made).events == list(game(0)[:3])
    for place in (4, 1, 0):
        store.append(match, [Undone(place)])
        assert store.play(match).ply == min(place, 1)
    older = store.new(duo(), (), [*events, Undone(3)])
    assert store.play(older).ply == 1
    archive_all(store)
    assert_exact(store.folder, 3)


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
    ("of another type", Place(0, "one", 0, 0, 0), msgspec.ValidationError, "Expected `int`"),
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


def test_whatever_asking_for_the_events_raises_writes_nothing(store: Store) -> None:
    class Unread(Exception):
        pass

    def events() -> Iterator[Event]:
        yield game(0)[4]
        raise Unread

    match = record(store, 0, 4)
    before = dump(store.folder)
    with pytest.raises(Unread):
        store.append(match, events(), key="k")
    assert dump(store.folder) == before
    assert store.append(match, game(0)[4:8], expected_seq=4, key="k") == 8


def test_a_match_whose_rules_are_not_installed_takes_no_events(store: Store) -> None:
    unknown = Log(record(store, 0), msgspec.structs.replace(duo(), revision=9), [])
    store.delete(unknown.match_id)
    with store.journal.writing():
        store.journal.insert(unknown, is_over=False)
    before = dump(store.folder)
    for ask in (store.play, lambda match: store.append(match, game(0)[:1])):
        with pytest.raises(RulesetError, match="revision 9 of blokus is not installed"):
            ask(unknown.match_id)
    assert dump(store.folder) == before


def test_what_an_append_raises_is_in_its_description() -> None:
    said = Store.append.__doc__ or ""
    raised = {error for _, _, error, _ in BAD} | {Conflict, KeyUsed, NoSuchMatch, StoreError, RulesetError}
    assert [error.__name__ for error in raised if f"{error.__name__}: " not in said] == []


@pytest.mark.parametrize("first", ["refused", "not declared"])
def test_of_two_bad_events_the_first_is_named(store: Store, first: str) -> None:
    match = record(store, 0, 4)
    bad: list[Event] = [game(0)[0], Place(0, 99, 0, 0, 0)]
    events = [*game(0)[4:6], *(bad if first == "refused" else bad[::-1])]
    with pytest.raises(Refused if first == "refused" else msgspec.ValidationError):
        store.append(match, events)
    assert store.append(match, game(0)[4:6]) == 6
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


def test_what_the_rules_refuse_is_said_before_what_comes_after_it(store: Store) -> None:
    match = record(store, 0, 4)

    def failing() -> Iterator[Event]:
        yield from (game(0)[4], game(0)[0])
        raise ValueError("cannot be read")

    with pytest.raises(Refused, match="event 6 is refused"):
        store.append(match, failing())
    assert store.append(match, game(0)[4:6]) == 6


def test_events_are_asked_for_when_the_match_is_at_hand(store: Store) -> None:
    match = record(store, 0, 4)

    def reading() -> Iterator[Event]:
        play = store.folded(match)
        for event in game(0)[4:7]:
            assert play.why_not(event) is None
            play.add(event)
            yield event

    assert store.append(match, reading()) == 7
    with pytest.raises(Conflict):
        store.append(match, reading(), expected_seq=4)
    assert_exact(store.folder, 1)


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

    store.journal.db = Full()
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


@pytest.mark.parametrize("longest", [1, 200, 300, 70_000])
def test_events_of_all_lengths_are_stored_as_they_are(store: Store, longest: int) -> None:
    match = store.new(duo())
    notes = [Noted("n", ("x" * length + " \0 " * (length % 3),)) for length in (0, 1, longest, 31, 32, longest, 2)]
    store.append(match, notes)
    assert store.append(match, game(0)[:2]) == 9
    stored = store.journal.rows("SELECT seq, data FROM events WHERE match = ? ORDER BY seq", (match,))
    assert stored == list(enumerate(encode_each([*notes, *game(0)[:2]]), start=1))
    assert_exact(store.folder, 1)


def test_a_match_that_is_not_there(store: Store) -> None:
    for question in (store.play, store.log, store.delete, store.folded, lambda match: store.append(match, [])):
        with pytest.raises(NoSuchMatch, match=r"there is no match \w{12} in .*store; `kifold log` lists what there is"):
            question((1 << 59) + 1)


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


@pytest.mark.parametrize("is_archived", [False, True])
def test_other_events_under_a_used_key_are_refused(store: Store, is_archived: bool) -> None:
    """They would be lost: only what stands there already need not be appended."""
    match = record(store, 0, 2)
    store.append(match, game(0)[2:5], key="a")
    store.append(match, game(0)[5:])
    if is_archived:
        archive_all(store)
    before = dump(store.folder)
    others = [game(0)[5:6], game(0)[2:4], game(0)[1:4], game(0)[2:6], [Noted("x")], [*game(0)[:5], game(0)[5]]]
    others += [game(0)[first:5] for first in (0, 1, 3, 4, 5)]  # what ends where the key's events do is not all of them
    for events in others:
        with pytest.raises(
            KeyUsed, match=f"key 'a' was used for other events of match {id_text(match)}, up to event 5"
        ):
            store.append(match, events, key="a")
    assert store.append(match, game(0)[2:5], key="a") == 5
    assert dump(store.folder) == before


def test_a_key_of_no_events_stands_for_none(store: Store) -> None:
    match = record(store, 0, 2)
    assert store.append(match, [], key="a") == 2
    store.append(match, game(0)[2:4])
    assert store.append(match, [], key="a") == 2
    for events in (game(0)[1:2], game(0)[2:3]):
        with pytest.raises(KeyUsed):
            store.append(match, events, key="a")


def test_the_same_event_under_two_keys(store: Store) -> None:
    """Two notes alike under the second key would be one that is there and one that is lost."""
    match, tick = record(store, 0, 2), Noted("tick")
    assert [store.append(match, [tick], key=key) for key in "ab"] == [3, 4]
    with pytest.raises(KeyUsed):
        store.append(match, [tick, tick], key="b")
    assert [store.append(match, [tick], key=key) for key in "ab"] == [3, 4]


def test_a_key_is_not_that_of_a_log_that_ends_before_it(store: Store) -> None:
    match = record(store, 0, 2)
    store.append(match, game(0)[2:5], key="a")
    store.delete(match)
    with store.journal.writing():
        store.journal.insert(Log(match, duo(), list(game(0)[:4])), is_over=False)
    for events in (game(0)[2:4], game(0)[2:5]):
        with pytest.raises(KeyUsed):
            store.append(match, events, key="a")


def test_an_empty_key_is_none(store: Store) -> None:
    match = record(store, 0, 2)
    with pytest.raises(StoreError, match="a key cannot be empty"):
        store.append(match, game(0)[2:3], key="")
    assert len(events_of(store.folder, match)) == 2


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
