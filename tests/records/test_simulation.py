"""Simulated matches: the same folder on every run and for any number of workers; going on after an interruption."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from kifold.core import corpus
from kifold.core.events import Noted
from kifold.core.play import fold
from kifold.core.registry import names, ruleset
from kifold.core.rng import SEED_LIMIT
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import bulk, simulation
from kifold.records.errors import StoreError
from kifold.records.ids import id_text, series_id
from kifold.records.log import Log
from kifold.records.simulation import MOST_GAMES, simulate
from kifold.records.store import Store
from kifold.records.uninterrupted import uninterrupted
from tests.rulesets.matches import folder, random_log
from tests.stores import assert_exact, duo, quiet

DUO = simulation.simulation(duo(), "random", 9)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files of few row groups."""
    monkeypatch.setattr(bulk, "ROWS_PER_FILE", 1500)
    monkeypatch.setattr(bulk, "ROWS_PER_GROUP", 600)
    monkeypatch.setattr(simulation, "EVENTS_PER_GROUP", 600)


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    folder(BLOKUS)


def content(place: Path) -> dict[str, bytes]:
    archive = place / "archive"
    return {str(path.relative_to(archive)): path.read_bytes() for path in archive.rglob("*") if path.is_file()}


def simulated(place: Path, what: simulation.Simulation = DUO, games: int = 250, workers: int = 1) -> dict[str, bytes]:
    with Store(place) as store:
        assert simulate(store, what, games, workers, quiet) == (games, 0)
    return content(place)


@pytest.mark.usefixtures("small")
def test_the_same_bytes_on_every_run_and_with_any_number_of_workers(tmp_path: Path) -> None:
    first = simulated(tmp_path / "first")
    assert len(first) > 6, "several files"
    for workers in (1, 2, 3):
        assert simulated(tmp_path / f"{workers}", workers=workers) == first


@pytest.mark.parametrize("change", ["seed", "policy", "variant", "options", "tags"])
def test_another_simulation_has_other_ids_and_other_matches(tmp_path: Path, change: str) -> None:
    other = {
        "seed": simulation.simulation(duo(), "random", 10),
        "policy": simulation.simulation(duo(), "greedy", 9),
        "variant": simulation.simulation(BLOKUS.start("classic"), "random", 9),
        "options": simulation.simulation(BLOKUS.start("duo", {"voluntary_pass": True}), "random", 9),
        "tags": simulation.simulation(BLOKUS.start("duo", tags={"event": "test"}), "random", 9),
    }[change]
    with Store(tmp_path) as store:
        simulate(store, DUO, 20, 1, quiet)
        assert simulate(store, other, 20, 1, quiet) == (20, 0)
        logs = list(store.logs())
        assert len({log.match_id for log in logs}) == 40
        if change != "tags":
            assert len({tuple(log.events) for log in logs}) == 40
        assert {log.started.tags["policy"] for log in logs} == {"random", other.policy}
    assert_exact(tmp_path, 40)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("name", names())
def test_every_ruleset_and_policy_simulates_what_plain_python_plays(tmp_path: Path, name: str, policy: str) -> None:
    rules = ruleset(name)
    started = rules.start()
    folder(rules)
    with Store(tmp_path) as store:
        simulate(store, simulation.simulation(started, policy, 3), 12, 2, quiet)
        logs = list(store.logs())
        ids = [log.match_id for log in logs]
        assert ids == sorted(ids)
        assert ids == list(range(ids[0], ids[0] + 12)), "ids of a series follow each other"
        for number in (0, 7):
            plain, events = random_log(rules, started, 3, number, greedy=policy == "greedy")
            assert logs[number].started.setup == plain.setup
            assert logs[number].events == events
            play, refused = fold(rules, logs[number].started, events)
            assert (refused, play.is_over) == (None, True)
    assert_exact(tmp_path, 12)


def test_the_greedy_policy_plays_better(tmp_path: Path) -> None:
    left = {}
    for policy in ("random", "greedy"):
        with Store(tmp_path / policy) as store:
            simulate(store, simulation.simulation(duo(), policy, 1), 100, 1, quiet)
            left[policy] = sum(len(log.events) for log in store.logs())
    assert left["greedy"] != left["random"]


# Going on


@pytest.mark.usefixtures("small")
def test_what_is_there_is_not_played_again(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store, Store(tmp_path / "whole") as whole:
        assert simulate(store, DUO, 40, 1, quiet) == (40, 0)
        assert simulate(store, DUO, 40, 1, quiet) == (0, 40)
        assert simulate(store, DUO, 25, 1, quiet) == (0, 25)
        assert simulate(store, DUO, 100, 2, quiet) == (60, 40)
        simulate(whole, DUO, 100, 1, quiet)
        assert list(store.logs()) == list(whole.logs())
    assert_exact(tmp_path / "store", 100)


@pytest.mark.usefixtures("small")
def test_matches_that_were_deleted_are_played_again_and_those_that_came_back_are_not(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        simulate(store, DUO, 60, 1, quiet)
        logs = {log.match_id: log for log in store.logs()}
        ids = sorted(logs)
        for gone in (0, 3, 4, 59):
            store.delete(ids[gone])
        store.append(ids[10], [Noted("comment", ("mine",))])
        assert simulate(store, DUO, 60, 1, quiet) == (4, 56)
        again = {log.match_id: log for log in store.logs()}
        assert again.keys() == logs.keys()
        assert [match for match in ids if again[match] != logs[match]] == [ids[10]]
    assert_exact(tmp_path, 60)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("after", [1, 4, 9])
def test_an_interruption_keeps_what_was_played_and_going_on_completes_it(tmp_path: Path, after: int) -> None:
    whole = simulated(tmp_path / "whole", games=200)
    chunks: list[int] = []

    def interrupt(matches: int, events: int) -> None:
        chunks.append(matches)
        if len(chunks) == after:
            raise KeyboardInterrupt

    with Store(tmp_path / "store") as store:
        with pytest.raises(KeyboardInterrupt):
            simulate(store, DUO, 200, 2, interrupt)
        kept = store.counts()["blokus"][1]
        assert kept == sum(chunks)
        assert simulate(store, DUO, 200, 2, quiet) == (200 - kept, kept)
        with Store(tmp_path / "whole") as other:
            assert list(store.logs()) == list(other.logs())
    assert content(tmp_path / "store").keys() & whole.keys()
    assert_exact(tmp_path / "store", 200)


def test_an_interruption_is_held_back_until_the_step_is_done() -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with uninterrupted():
            with uninterrupted():
                os.kill(os.getpid(), signal.SIGINT)
                steps.append(1)
            steps.append(2)
        steps.append(3)
    assert steps == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with uninterrupted():
        steps.append(4)
    thread = threading.Thread(target=uninterrupted().__enter__)
    thread.start()
    thread.join()
    assert steps[-1] == 4


# What is there, and is another match


def test_a_simulation_that_has_the_ids_of_another_by_chance_is_refused(tmp_path: Path) -> None:
    """Seeds whose names have a hash with the same first 27 bits."""
    nibble = ruleset("nibble")
    one, other = (simulation.simulation(nibble.start(), "random", seed) for seed in (1956, 8358))
    assert series_id(one.name, 0) == series_id(other.name, 0)
    with Store(tmp_path) as store:
        simulate(store, one, 10, 1, quiet)
        before = list(store.logs())
        with pytest.raises(StoreError, match=f"match {id_text(series_id(one.name, 0))} has an id of this simulation"):
            simulate(store, other, 20, 1, quiet)
        assert list(store.logs()) == before
        assert simulate(store, one, 12, 1, quiet) == (2, 10)


@pytest.mark.parametrize("number", [0, 3, 63])
def test_matches_of_other_rules_are_not_taken_for_those_of_today(tmp_path: Path, number: int) -> None:
    """As if rules had been changed that let one match end an event earlier."""
    with Store(tmp_path / "whole") as whole, Store(tmp_path / "store") as store:
        simulate(whole, DUO, 70, 1, quiet)
        logs = list(whole.logs())
        for at, log in enumerate(logs):
            events = log.events[:-1] if at == number else log.events
            with store.journal.writing():
                store.journal.insert(Log(log.match_id, log.started, events), is_over=at != number)
        with pytest.raises(StoreError, match=f"match {id_text(logs[number].match_id)} has an id of this simulation"):
            simulate(store, DUO, 70, 1, quiet)
        store.delete(logs[number].match_id)
        assert simulate(store, DUO, 70, 1, quiet) == (1, 69)


@pytest.mark.usefixtures("small")
def test_what_cannot_be_read_is_believed(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        simulate(store, DUO, 40, 1, quiet)
        for place in store.archive_folder.rglob("*.parquet"):
            place.write_bytes(b"")
        assert simulate(store, DUO, 50, 1, quiet) == (10, 40)


# What cannot be simulated


@pytest.mark.parametrize(
    ("policy", "seed", "said"),
    [
        ("clever", 0, "no policy 'clever': choose from random, greedy"),
        ("random", -1, "a seed is a number from 0 to"),
        ("random", SEED_LIMIT, "a seed is a number from 0 to"),
    ],
)
def test_a_simulation_that_makes_no_sense(policy: str, seed: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        simulation.simulation(duo(), policy, seed)


def test_more_matches_than_ids(tmp_path: Path) -> None:
    with Store(tmp_path) as store, pytest.raises(ValueError, match=f"at most {MOST_GAMES} matches"):
        simulate(store, DUO, MOST_GAMES + 1, 1, quiet)


def test_matches_that_do_not_end_are_stopped_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "LONGEST_MATCH", 26)
    cut: list[int] = []
    with Store(tmp_path) as store:
        simulate(store, DUO, 60, 1, quiet, cut.append)
        logs = list(store.logs())
    expected = [log for log in logs if fold(BLOKUS, log.started, log.events)[0].is_over]
    assert {len(log.events) for log in logs if log not in expected} == {26}
    assert sum(cut) == 60 - len(expected) > 0
