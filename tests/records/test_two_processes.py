"""Processes that write to one store at the same time: nothing is lost, and nothing is out of its order."""

from __future__ import annotations

import random

from kifold.core.events import Noted
from kifold.records.errors import Conflict
from kifold.records.store import Store
from tests.stores import assert_exact, duo, game, record, run_together


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
