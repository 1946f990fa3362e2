"""A fork is the match as it stood at a place, goes on by itself, and knows where it comes from."""

from __future__ import annotations

import random

import pytest

from kifold.core.events import Event, Finished, Noted, Resigned, Undone
from kifold.core.play import Play
from kifold.core.registry import ruleset
from kifold.core.samples import started_with_chance
from kifold.records.errors import NoSuchMatch
from kifold.records.forking import end_of_ply, fork, in_families, without_cycles
from kifold.records.log import Fork
from kifold.records.store import Store
from kifold.replay.timeline import Timeline
from tests.records.blksgf_logs import played
from tests.registered import NAMES
from tests.stores import archive_all, assert_exact, circles, duo, game, record, run_together, varied


def eventful(store: Store, name: str, seed: int, plies: int = 24) -> int:
    """A match with notes, things taken back, and an ending that the rules do not force."""
    rules = ruleset(name)
    started = started_with_chance(rules, rules.start(), seed)
    events = played(rules, started, seed, plies, lambda rng: Noted(rng.choice("ab"), ("x",)))
    play = Play(rules, started)
    for event in events:
        play.add(event)
    if not play.is_over:
        events = [*events, Resigned(0), Noted("c")]
    return store.new(started, ("Ann", "Ben"), events)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_a_fork_of_any_ply_is_the_match_at_that_ply(store: Store, name: str, seed: int) -> None:
    match = eventful(store, name, seed)
    log = store.log(match)
    timeline = Timeline(log.rules, log.started, log.events)
    assert timeline.last_ply > 2
    for ply in timeline:
        made = store.log(fork(store, match, end_of_ply(log, ply.number)))
        assert (made.started, made.players, made.promoted) == (log.started, log.players, None)
        play = store.folded(made.match_id)
        assert play.state == ply.state
        assert (play.ply, play.ending) == (ply.number, None)
        assert not any(isinstance(event, Undone | Finished | Resigned) for event in made.events)
        assert made.fork is not None
        assert made.fork.parent == match
        assert made.fork.inherited == len(made.events)
        shared = log.events[made.fork.at_seq - 1] if made.fork.at_seq else None
        assert shared == (made.events[-1] if made.events else None)
    assert store.log(match) == log


@pytest.mark.parametrize("name", NAMES)
def test_a_fork_of_any_event_is_the_match_as_it_stood_then(store: Store, name: str) -> None:
    match = eventful(store, name, 7)
    log = store.log(match)
    timeline = Timeline(log.rules, log.started, log.events)
    assert any(isinstance(event, Undone) for event in log.events)
    for seq in range(len(log.events) + 1):
        play = store.folded(fork(store, match, seq))
        assert play.state == timeline.at_seq(seq).state
        assert play.ending is None
        if play.turn >= 0:
            play.add(play.legal()[0])


@pytest.mark.parametrize("number", range(2))
def test_an_archived_match_can_be_forked_and_stays_where_it_is(store: Store, number: int) -> None:
    match = store.new(duo(), ("Ada", "Bo"), varied(number))
    live = [store.log(fork(store, match, seq)).events for seq in range(len(varied(number)) + 1)]
    archive_all(store)
    log = store.log(match)
    assert log.is_archived
    made = [fork(store, match, seq) for seq in range(len(log.events) + 1)]
    assert [store.log(one).events for one in made] == live
    assert not any(store.log(one).is_archived for one in made)
    assert store.log(match).is_archived
    assert_exact(store.folder, 2 * len(live) + 1)


def test_a_ply_ends_with_what_was_noted_of_it(store: Store) -> None:
    note = Noted("comment", ("good",))
    match = store.new(duo(), (), [note, *game(0)[:2], note, game(0)[2], Resigned(1), note])
    ends = [end_of_ply(store.log(match), ply) for ply in range(4)]
    assert ends == [1, 2, 4, 5]
    assert end_of_ply(store.log(match), None) == 5
    assert store.log(fork(store, match, 7)).events == [note, *game(0)[:2], note, game(0)[2]]
    for ply in (-1, 4):
        with pytest.raises(ValueError, match=rf"^ply {ply}: the match has plies 0\.\.3$"):
            end_of_ply(store.log(match), ply)


def test_what_had_been_taken_back_is_left_out_and_what_was_taken_back_later_is_not(store: Store) -> None:
    a, b, c, d = game(0)[:4]
    match = store.new(duo(), (), [a, b, c, Undone(1), b, c, d, Undone(5)])
    assert store.log(match).events[3] == Undone(1)
    forks = {seq: store.log(fork(store, match, seq)) for seq in (3, 4, 5, 7, 8)}
    assert {seq: list(one.events) for seq, one in forks.items()} == {
        3: [a, b, c],
        4: [a],
        5: [a, b],
        7: [a, b, c, d],
        8: [a, b],
    }
    assert [one.fork for one in forks.values()] == [
        Fork(match, 3, 3),
        Fork(match, 1, 1),
        Fork(match, 5, 2),
        Fork(match, 7, 4),
        Fork(match, 5, 2),
    ]


def test_a_fork_keeps_its_parent_wherever_it_goes(store: Store) -> None:
    match = record(store, 0)
    made = fork(store, match, 5)
    expected = Fork(match, 5, 5)
    store.append(made, [Resigned(0)])
    assert store.log(made).fork == expected
    archive_all(store)
    assert store.log(made).is_archived
    assert store.log(made).fork == expected
    assert [log.fork for log in store.logs([made, match])] == [expected, None]
    assert {log.match_id: log.fork for log in store.logs()} == {match: None, made: expected}
    store.append(made, [Noted("comment", ("back",))])
    assert not store.log(made).is_archived
    assert store.log(made).fork == expected
    archive_all(store)
    assert store.log(made).fork == expected
    assert store.forks() == {made: expected}


def test_a_fork_goes_on_by_itself(store: Store) -> None:
    match = record(store, 0, 6)
    made = fork(store, match, 4)
    store.append(made, [Undone(2), game(0)[2]], expected_seq=4)
    store.append(match, [game(0)[6]], expected_seq=6)
    other = fork(store, made, 6)
    assert list(store.log(other).events) == list(game(0)[:3])
    assert store.log(other).fork == Fork(made, 6, 3)
    assert len(store.log(match).events) == 7
    store.delete(made)
    assert store.log(other).fork == Fork(match, 2, 2), "of what the match left that is no more"
    assert store.forks() == {other: Fork(match, 2, 2)}
    assert len(store.log(match).events) == 7
    with pytest.raises(NoSuchMatch):
        fork(store, made, 1)
    assert_exact(store.folder, 2)


def test_a_fork_is_played_under_the_revision_that_its_parent_was_promoted_to(store: Store) -> None:
    match = record(store, 0)
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, 1)", (match,))
    live = fork(store, match, 3)
    archive_all(store)
    assert [store.log(one).promoted for one in (live, fork(store, match, 3))] == [1, 1]


@pytest.mark.parametrize("seq", [-1, 7])
def test_there_is_no_fork_of_an_event_that_is_not_there(store: Store, seq: int) -> None:
    match = record(store, 0, 6)
    before = store.counts()
    with pytest.raises(ValueError, match=rf"^event {seq}: the log has events 0\.\.6$"):
        fork(store, match, seq)
    assert (store.counts(), store.forks()) == (before, {})


def test_families_stand_together_and_forks_in_the_order_in_which_they_were_made(store: Store) -> None:
    rng = random.Random(3)
    matches = [record(store, number, 4) for number in range(4)]
    for _ in range(30):
        matches.append(fork(store, rng.choice(matches), 0))
    forks = store.forks()
    for whole in (True, False):
        for _ in range(20):
            chosen = rng.sample(matches, rng.randint(1, 20))
            ordered = in_families(store, [*chosen, chosen[0]], whole=whole)
            assert len(set(ordered)) == len(ordered)
            expected = set(chosen)
            for match in matches:  # parents come before their forks there
                if whole and match in forks and forks[match].parent in expected:
                    expected.add(match)
            assert set(ordered) == expected
            for place, match in enumerate(ordered):
                if match in forks and forks[match].parent in expected:
                    parent = ordered.index(forks[match].parent)
                    assert parent < place
                    between = [one for one in ordered[parent + 1 : place] if one in forks]
                    assert len(between) == place - parent - 1, "nothing but forks between them"
                    siblings = [one for one in between if forks[one].parent == forks[match].parent]
                    assert all(matches.index(one) < matches.index(match) for one in siblings)


def test_forks_that_go_back_to_themselves_are_there_once_like_matches_begun_by_themselves(store: Store) -> None:
    root, one, two, alone, below = circles(store)
    assert set(without_cycles(store.forks())) == {below}
    assert in_families(store, [below, alone, two, one, root], whole=False) == [alone, two, below, one, root]
    assert in_families(store, [two], whole=True) == [two, below]
    assert in_families(store, [below], whole=False) == [below]


def fork_all(folder: str, match: int, count: int) -> None:
    with Store(folder, durability="off") as store:
        for number in range(count):
            made = fork(store, match, number % 5)
            store.append(made, [Noted("comment", (str(number),))])


def append_slowly(folder: str, match: int, count: int) -> None:
    events: list[Event] = [*game(0)[4:], Resigned(0)]
    with Store(folder, durability="off") as store:
        for event in events[:count]:
            store.append(match, [event])
        archive_all(store)


@pytest.mark.slow
def test_forks_made_by_two_processes_while_a_third_plays_on(store: Store) -> None:
    match = record(store, 0, 4)
    run_together(
        [
            (fork_all, (str(store.folder), match, 15)),
            (fork_all, (str(store.folder), match, 15)),
            (append_slowly, (str(store.folder), match, 12)),
        ]
    )
    forks = store.forks()
    assert len(forks) == 30
    for made, one in forks.items():
        assert (one.parent, one.at_seq) == (match, one.inherited)
        assert list(store.log(made).events[:-1]) == list(game(0)[: one.inherited])
    assert_exact(store.folder, 31)
