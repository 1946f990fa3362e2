"""Batches that the compiled rules fold: the same match in memory and on disk as event by event, whatever goes wrong."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifold.core import registry
from kifold.core.ahead import Ahead
from kifold.core.at_hand import AT_HAND
from kifold.core.codec import digest
from kifold.core.events import Event, Finished, Noted, Undone
from kifold.core.play import Play, Refused, fold, no_place
from kifold.core.ruleset import Ruleset
from kifold.records.errors import StoreError
from kifold.records.live import MANY, Live
from kifold.records.store import Store
from tests.core.toy import RACE, Roll, Step
from tests.installing import install
from tests.rulesets.harness import folder

GOAL = 900
"""The matches are long: some 250 events."""
SEEN = ("log", "acted", "state", "effective", "effects", "seats", "snapshots", "ending")
"""What there is to see of a match."""


@pytest.fixture(scope="module")
def rules() -> Iterator[Ruleset]:
    """A race whose compiled rules are at hand."""
    with pytest.MonkeyPatch.context() as patch:
        install(RACE, patch)
        patch.setitem(AT_HAND, RACE, folder(RACE).code)
        yield RACE
    registry.ruleset.cache_clear()


def begin(store: Store, rules: Ruleset) -> tuple[int, Play]:
    """A match that has just begun, and the same folded plainly."""
    started = rules.start("two", {"goal": GOAL})
    return store.new(started), Play(rules, started)


def following(play: Play, count: int, rng: random.Random) -> list[Event]:
    """At most so many legal events that may come next."""
    then = play.copy()
    events = []
    while len(events) < count and (legal := then.legal()):
        events.append(rng.choice(legal))
        then.add(events[-1])
    return events


def assert_same(play: Play, expected: Play) -> None:
    for name in SEEN:
        assert getattr(play, name) == getattr(expected, name), name
    assert (play.turn, play.result()) == (expected.turn, expected.result())


def assert_written(store: Store, match: int, expected: Play) -> None:
    """The journal holds this match, and nobody looked at the one in memory for it."""
    assert store.journal.damage(match) is None
    row = store.journal.row("SELECT last_seq, digest, is_over FROM matches WHERE id = ?", (match,))
    assert row == (len(expected.log), digest(expected.started, expected.log), expected.is_over)
    assert store.journal.events(match) == expected.log


class Full:
    """A connection to a disk that is full when something is to be committed."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, sql: str, *values: Any) -> Any:
        if sql == "COMMIT":
            raise sqlite3.OperationalError("database or disk is full")
        return self._db.execute(sql, *values)


def on_a_full_disk(store: Store, match: int, events: list[Event]) -> None:
    real = store.journal.db
    store.journal.db = Full(real)
    with pytest.raises(StoreError, match="database or disk is full"):
        store.append(match, events)
    store.journal.db = real


# One thing after the other


def append(store: Store, match: int, model: Play, count: int, rng: random.Random) -> None:
    events = following(model, count, rng)
    for event in events:
        model.add(event)
    assert store.append(match, events) == len(model.log)


def append_elsewhere(store: Store, match: int, model: Play, count: int, rng: random.Random) -> None:
    with Store(store.folder, durability="off") as other:
        append(other, match, model, count, rng)


def append_in_vain(store: Store, match: int, model: Play, count: int, rng: random.Random) -> None:
    on_a_full_disk(store, match, following(model, count, rng))


def append_what_is_wrong(store: Store, match: int, model: Play, count: int, rng: random.Random) -> None:
    wrong = rng.choice([Roll(6), Step(0, 4), Step(3, 1), Step(0, 1), Step(1, 1), Step(0, 9), Undone(1 << 30)])
    events = following(model, count, rng)
    events.insert(rng.randint(0, len(events)), wrong)
    then = model.copy()
    said = None
    for event in events:
        try:
            then.add(event)
        except (Refused, msgspec.ValidationError) as error:
            said = error
            break
    if isinstance(said, Refused) and said.reason == "not_declared":
        with pytest.raises(msgspec.ValidationError):
            store.append(match, events)
    elif said is not None:
        with pytest.raises(type(said)) as refused:
            store.append(match, events)
        assert str(refused.value) == str(said)


def note(store: Store, match: int, model: Play, count: int, rng: random.Random) -> None:
    events = [*following(model, count, rng), Noted("comment", ("hm",))]
    for event in events:
        model.add(event)
    store.append(match, events)


def take_back(store: Store, match: int, model: Play, count: int, rng: random.Random) -> None:
    event = Undone(max(0, len(model.log) - count))
    if no_place(model.log, event):
        with pytest.raises(Refused, match="taken_back"):
            store.append(match, [event])
        return
    model.add(event)
    store.append(match, [event])


def look(store: Store, match: int, model: Play, count: int, rng: random.Random) -> None:
    assert_same(store.play(match), model)


WAYS: list[Callable[[Store, int, Play, int, random.Random], None]] = [
    append,
    append,
    append_elsewhere,
    append_in_vain,
    append_what_is_wrong,
    note,
    take_back,
    look,
]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(WAYS), st.integers(0, 2 * MANY + 2)), max_size=12), st.integers(0, 1 << 30))
def test_whatever_happens_the_match_is_what_event_by_event_gives(
    rules: Ruleset, steps: list[tuple[Callable[..., None], int]], seed: int
) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as place, Store(place, durability="off") as store:
        match, model = begin(store, rules)
        held = store.play(match) if seed % 2 else None
        for step, count in steps:
            step(store, match, model, count, rng)
            assert_written(store, match, model)
            if held is not None and step is append:
                assert_same(held, model)
        assert_same(store.play(match), model)
        assert held is None or store.play(match) is held
        assert_same(store.folded(match), model)


# What is said, and when which rules fold


def test_compiled_rules_at_hand_fold_a_batch_and_not_a_few(
    store: Store, rules: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, model = begin(store, rules)
    events = following(model, MANY + MANY - 1, random.Random(1))
    plainly: list[Event] = []
    real = Play.add
    monkeypatch.setattr(Play, "add", lambda play, event: (plainly.append(event), real(play, event))[1])
    store.append(match, events[:MANY])
    assert plainly == []
    store.append(match, events[MANY:])
    assert plainly == events[MANY:]
    monkeypatch.undo()
    assert_same(store.play(match), fold(rules, model.started, events)[0])


def test_batches_and_single_events_take_turns(store: Store, rules: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    match, model = begin(store, rules)
    at_once: list[int] = []
    real = Ahead.add
    monkeypatch.setattr(Ahead, "add", lambda ahead, new, data: (at_once.append(len(new)), real(ahead, new, data))[1])
    # Eight events are two rounds: who left them out would find nothing illegal.
    for count in (MANY, 8, MANY, 1, MANY + 1):
        append(store, match, model, count, random.Random(count))
        assert_written(store, match, model)
    assert at_once == [MANY, MANY, MANY + 1]
    assert_same(store.play(match), model)


@pytest.mark.parametrize("place", [0, 1, MANY - 1])
def test_a_batch_is_refused_in_the_same_words_after_one_that_nobody_looked_at(
    store: Store, rules: Ruleset, place: int
) -> None:
    match, model = begin(store, rules)
    append(store, match, model, MANY, random.Random(1))
    events = following(model, MANY, random.Random(2))
    events[place] = Step(3, 1)
    with pytest.raises(Refused) as refused:
        store.append(match, events)
    then, said = fold(rules, model.started, [*model.log, *events])
    assert len(then.log) == MANY + place
    assert str(refused.value) == str(said)
    append(store, match, model, MANY, random.Random(2))
    assert_same(store.play(match), model)


def test_nothing_is_compiled_for_a_batch(store: Store, rules: Ruleset) -> None:
    match, _ = begin(store, rules)
    fold_corpus = AT_HAND[rules].loops["fold_corpus"]
    before = fold_corpus.signatures
    for length in (MANY, 3 * MANY):
        store.append(match, following(store.folded(match), length, random.Random(length)))
    assert fold_corpus.signatures == before
    assert len(before) == 1


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize(("where", "count"), [("take", MANY), ("add", 2)])
def test_an_append_that_is_interrupted_leaves_the_match_as_it_was(
    store: Store, rules: Ruleset, monkeypatch: pytest.MonkeyPatch, where: str, count: int, is_after: bool
) -> None:
    match, model = begin(store, rules)
    append(store, match, model, MANY, random.Random(2))
    held = store.play(match)
    real = getattr(Play, where)

    def interrupted(play: Play, *arguments: Any) -> Any:
        monkeypatch.undo()
        if is_after:
            real(play, *arguments)
        raise KeyboardInterrupt

    events = following(model, count, random.Random(3))
    monkeypatch.setattr(Play, where, interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.append(match, events)
    assert_written(store, match, model)
    assert_same(held, model)
    append(store, match, model, count, random.Random(3))
    assert_written(store, match, model)
    assert_same(held, model)
    assert store.play(match) is held


@pytest.mark.parametrize("is_after", [False, True])
def test_a_look_that_is_interrupted_leaves_the_match_as_it_was(
    store: Store, rules: Ruleset, monkeypatch: pytest.MonkeyPatch, is_after: bool
) -> None:
    match, model = begin(store, rules)
    append(store, match, model, MANY, random.Random(2))
    real = Play.take

    def interrupted(play: Play, *arguments: Any) -> None:
        monkeypatch.undo()
        if is_after:
            real(play, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(Play, "take", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.play(match)
    append(store, match, model, MANY, random.Random(3))
    assert_written(store, match, model)
    assert_same(store.play(match), model)


def test_a_batch_after_the_end_is_refused_in_the_same_words(store: Store, rules: Ruleset) -> None:
    match, model = begin(store, rules)
    events = following(model, 2 * MANY, random.Random(3))
    store.append(match, [*events[:MANY], Finished(0)])
    with pytest.raises(Refused, match=f"event {MANY + 2} is refused: match_over"):
        store.append(match, events[MANY:])
    assert store.append(match, [Undone(MANY)]) == MANY + 2
    assert store.append(match, events[MANY:]) == 2 * MANY + 2


def test_a_match_that_ends_in_a_batch_is_over_on_disk_before_anybody_looks(store: Store, rules: Ruleset) -> None:
    started = rules.start("two", {"goal": 60})
    model = Play(rules, started)
    events = following(model, 1000, random.Random(4))
    assert len(events) > MANY
    match = store.new(started)
    store.append(match, events)
    assert list(store.journal.ids(only_over=True)) == [match]
    assert_same(store.play(match), fold(rules, started, events)[0])


def test_whoever_looked_once_sees_each_batch(rules: Ruleset) -> None:
    model = Play(rules, rules.start("two", {"goal": GOAL}))
    live = Live(model.copy())
    seen = live.show()
    for seed in range(4):
        events = following(model, MANY + seed, random.Random(seed))
        live.add(events)
        for event in events:
            model.add(event)
        assert_same(seen, model)
        assert live.digest == digest(model.started, model.log)


def test_an_append_imports_no_compiler_and_no_arrays(tmp_path: Path) -> None:
    code = (
        "import sys; from kifold.records.store import Store; from kifold.core.registry import ruleset;"
        "from kifold.core.samples import sample_match;"
        "rules = ruleset('blokus'); log = sample_match(rules, rules.start('duo'), 1, 0).log;"
        f"store = Store({str(tmp_path)!r}); match = store.new(rules.start('duo'));"
        f"assert len(log) >= {MANY}; store.append(match, log); store.close();"
        "print(*({'numba', 'numpy', 'pyarrow'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")
