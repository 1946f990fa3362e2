"""Forks whose parent is deleted share among one another what they shared with it, and that counts once."""

from __future__ import annotations

import random

import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.query import run
from kifold.core.events import Event, Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.forking import fork
from kifold.records.log import Fork, taken_over
from kifold.records.store import Store
from tests.records.blksgf_logs import played
from tests.stores import archive_all, duo, record


def own(store: Store) -> int:
    """How many events there are that no match has from another."""
    with connect(store) as connection:
        ((count,),) = run(connection, "SELECT count(*) FROM events WHERE NOT inherited").rows
    return int(count)


def test_one_of_two_forks_has_what_they_share(store: Store) -> None:
    parent = record(store, 0, 2)
    first, second = fork(store, parent, 2), fork(store, parent, 1)
    store.append(second, [store.play(second).legal()[0]])
    assert own(store) == 3
    store.delete(parent)
    assert store.forks() == {first: Fork(parent, 2, 2), second: Fork(first, 1, 1)}
    assert own(store) == 3
    store.delete(first)
    assert own(store) == 2


@pytest.mark.parametrize("is_archived", [False, True])
def test_forks_of_a_fork_go_to_what_that_left(store: Store, is_archived: bool) -> None:
    parent = record(store, 0)
    middle = fork(store, parent, 4)
    store.append(middle, store.play(middle).legal()[:1])
    late, early = fork(store, middle, 5), fork(store, middle, 3)
    if is_archived:
        archive_all(store)
    before = own(store)
    store.delete(middle)
    assert store.forks() == {late: Fork(parent, 4, 4), early: Fork(parent, 3, 3)}
    assert own(store) == before


@pytest.mark.parametrize("seed", range(12))
def test_every_event_that_is_left_counts_once_also_where_some_were_taken_back(store: Store, seed: int) -> None:
    """What forks share is a tree of beginnings of the parent; each of its nodes is one event."""
    rng = random.Random(seed)
    events: list[Event] = []
    for _ in range(3):
        events = played(BLOKUS, duo(), rng.randrange(1 << 30), 4, after=events)
        events.append(Undone(rng.randrange(len(events))))
    parent = store.new(duo(), (), events)
    ends = [rng.randrange(len(events) + 1) for _ in range(6)]
    matches = [fork(store, parent, end) for end in ends]
    store.delete(parent)
    stood = [[seq for seq, _ in taken_over(events, end)] for end in ends]
    assert own(store) == len({tuple(numbers[:many]) for numbers in stood for many in range(1, len(numbers) + 1)})
    for match, made in store.forks().items():
        if made.parent != parent:
            shared = taken_over(store.log(made.parent).events, made.at_seq)
            assert [event for _, event in shared] == list(store.log(match).events)[: made.inherited]
    assert store.forks().keys() == set(matches)
