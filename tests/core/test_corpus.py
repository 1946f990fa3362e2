"""Many matches at once: what the compiled loops say of a corpus, also where lists do not fit into their room."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.core import corpus as corpora
from kifold.core.codec import encode
from kifold.core.corpus import Corpus, Folder, array_of, flat_events
from kifold.core.flat import flatten_setup
from kifold.core.loops import SETUP_REFUSED
from kifold.core.play import Play
from kifold.core.records import dtype_of
from kifold.core.ruleset import NOBODY, SNAPSHOT
from kifold.core.wire import encode_corpus
from tests.core.every import EVERY, any_of
from tests.core.toy import EFFECTS, RACE, REASONS, RaceSetup, Roll, Step
from tests.rulesets.harness import folder, logs_of, random_logs

LOGS = random_logs(RACE, "more", {"goal": 120}, 3, count=8, seed=4)


@pytest.fixture
def race() -> Iterator[Folder]:
    """The compiled race with room for one event only."""
    made = Folder(RACE, folder(RACE).code)
    made.out = made.out[:1].copy()
    yield made
    assert len(made.out) <= 12


def test_a_corpus_is_three_arrays() -> None:
    corpus = Corpus.of(RACE, LOGS)
    assert len(corpus) == 8
    assert corpus.starts.tolist() == np.cumsum([0, *(len(log) for _, log in LOGS)]).tolist()
    assert logs_of(corpus, LOGS[0][0]) == LOGS


def test_what_a_fold_says(race: Folder) -> None:
    started = RACE.start(options={"goal": 20})
    logs = [
        (started, [Step(0, 3), Step(1, 2), Step(0, 3), Roll(6), Step(1, 3), Step(0, 3)]),
        (started, [Step(0, 3), Step(0, 2)]),
        (RACE.start(options={"goal": 20}, setup=RaceSetup(20)), [Step(0, 3)]),
        (started, []),
    ]
    folded = race.fold(Corpus.of(RACE, logs))
    assert folded.matches["done"].tolist() == [6, 1, SETUP_REFUSED, 0]
    reasons = [REASONS[number].name if number else "" for number in folded.matches["reason"]]
    assert reasons == ["", "not_your_turn", "too_far", ""]
    assert [EFFECTS.of(mask) for mask in folded.matches["effects"]] == [["roll_came_due", "reached"], [], [], []]
    assert folded.matches["turn"][[0, 1, 3]].tolist() == [NOBODY, 1, 0]
    assert folded.per_event["seat"][:6].tolist() == [0, 1, 0, -2, 1, 0]
    effects = [EFFECTS.of(mask) for mask in folded.per_event["effects"][:6]]
    assert effects == [[], [], ["roll_came_due"], [], [], ["reached"]]
    assert folded.results["score"][[0, 1]].tolist() == [[9, 5, 0, 0], [3, 0, 0, 0]]
    assert folded.matches["snapshot"][[0, 1, 3]].tolist() == [0, 1, 2]
    assert len(folded.snapshots) == 3


def test_a_snapshot_after_every_sixteen_events_and_at_the_end(race: Folder) -> None:
    folded = race.fold(Corpus.of(RACE, LOGS))
    expected = []
    for started, log in LOGS:
        play = Play(RACE, started)
        for event in log:
            play.add(event)
        last = [] if len(log) % SNAPSHOT == 0 else [play.state.essential()]
        expected += play.snapshots + last
    assert len(expected) > 2 * len(LOGS)
    assert [row.tobytes() for row in folded.snapshots] == expected


def test_lists_longer_than_their_room(race: Folder) -> None:
    corpus = Corpus.of(RACE, LOGS)
    assert race.count_legal(corpus).tolist() == [6 if isinstance(e, Roll) else 3 for _, log in LOGS for e in log]
    race.out = race.out[:1].copy()
    assert race.position(corpus, 0, 3) == 3
    assert race.legal(-2)["die"].tolist() == [1, 2, 3, 4, 5, 6]
    assert race.position(corpus, 0, 2) == 2
    assert race.legal(1)["amount"].tolist() == [1, 2, 3]


def test_plies(race: Folder) -> None:
    """A decision is a ply and chance is none; a match that is refused is listed as far as it is legal."""
    started = RACE.start(options={"goal": 20})
    logs = [
        (started, [Step(0, 3), Step(0, 2)]),
        (RACE.start(options={"goal": 20}, setup=RaceSetup(20)), [Step(0, 3)]),
        (started, []),
        (started, [Step(0, 3), Step(1, 2), Step(0, 3), Roll(6), Step(1, 3), Step(0, 3)]),
    ]
    found = race.plies(Corpus.of(RACE, logs))
    assert found.matches["plies"].tolist() == [1, 0, 0, 5]
    reasons = [REASONS[number].name if number else "" for number in found.matches["reason"]]
    assert reasons == ["not_your_turn", "too_far", "", ""]
    assert found.plies["event"].tolist() == [0, 0, 1, 2, 4, 5]
    assert found.plies["seat"].tolist() == [0, 0, 1, 0, 1, 0]
    assert found.plies["legal"].tolist() == [3] * 6
    assert found.plies["phase"].tolist() == [0] * 6
    assert found.results["score"][:, :2].tolist() == [[3, 0], [3, 0], [3, 2], [6, 2], [6, 5], [9, 5]]


def test_playing_does_not_depend_on_the_room(race: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of lists, nor of events: a corpus that is full is handed out, and the rest comes in the next."""
    started = RACE.start("more", {"goal": 120}, 3)
    played = list(race.play(flatten_setup(RACE, started), 4, 0, 8, greedy=False))
    assert [log for part in played for log in logs_of(part, started)] == LOGS
    later = list(race.play(flatten_setup(RACE, started), 4, 5, 3, greedy=False))
    assert [log for part in later for log in logs_of(part, started)] == LOGS[5:]
    monkeypatch.setattr(corpora, "LONGEST_MATCH", 7)
    cut = list(race.play(flatten_setup(RACE, started), 4, 0, 8, greedy=False))
    assert [log for part in cut for log in logs_of(part, started)] == [(start, log[:7]) for start, log in LOGS]


def test_more_events_than_room_come_in_several_corpora() -> None:
    made, started = folder(RACE), RACE.start(options={"goal": 1000})
    parts = list(made.play(flatten_setup(RACE, started), 1, 0, 300, greedy=True))
    assert len(parts) > 1
    assert sum(map(len, parts)) == 300
    whole = [log for part in parts for log in logs_of(part, started)]
    assert whole[-1:] == logs_of(next(made.play(flatten_setup(RACE, started), 1, 299, 1, greedy=True)), started)
    assert (made.fold(parts[-1]).matches["turn"] == NOBODY).all()


@given(st.lists(st.lists(any_of(EVERY.events[0]) | any_of(EVERY.events[1]) | any_of(Roll), max_size=5), max_size=4))
def test_bytes_of_many_events_at_once(logs: list) -> None:
    events = [event for log in logs for event in log]
    starts = np.cumsum([0, *map(len, logs)])
    rows = array_of(EVERY.event_record, [EVERY.flatten(event) for event in events])
    assert rows.dtype == dtype_of(EVERY.event_record)
    assert flat_events(EVERY, events).tobytes() == rows.tobytes()
    out, ends = encode_corpus(EVERY, rows, starts)
    assert out.tobytes() == b"".join(map(encode, events))
    assert ends.tolist() == np.cumsum([0, *(sum(len(encode(e)) for e in log) for log in logs)]).tolist()
