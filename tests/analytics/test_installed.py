"""Rulesets that are not installed, cannot be loaded, or name their things like others do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Annotated, Any

import pytest

from kifold.analytics.catalogue import connect
from kifold.analytics.query import run
from kifold.analytics.views import described
from kifold.core import registry
from kifold.core.events import Finished, Setup
from kifold.core.records import Array
from kifold.core.registry import ruleset
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.samples import sample_match
from kifold.records.store import Store
from tests.analytics.conftest import Kifold
from tests.core import toy
from tests.stores import archive_all, record


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Call it with the only rulesets that shall be installed from now on."""

    def only(*rulesets: Ruleset) -> None:
        found = {rules.name: SimpleNamespace(load=lambda rules=rules: rules, value="tests") for rules in rulesets}
        monkeypatch.setattr(registry, "entries", lambda: found)
        ruleset.cache_clear()

    yield only
    monkeypatch.undo()
    ruleset.cache_clear()


def test_a_ruleset_that_is_not_installed_does_not_break_the_others(
    store: Store, kifold: Kifold, install: Callable[..., None]
) -> None:
    record(store, 1)
    nibble, chipstack = ruleset("nibble"), ruleset("chipstack")
    for number in range(2):
        play = sample_match(nibble, nibble.start(), 1, number)
        store.new(play.started, (), play.log)
    archive_all(store)
    store.new(play.started)
    install(BLOKUS, chipstack)
    said = "kifold: 3 matches of nibble are left out: ruleset nibble is not installed\n"
    counting = ("sql", "SELECT archived, count(*) AS n FROM matches GROUP BY ALL", "--format", "csv")
    assert kifold(store.folder, *counting) == (0, "archived,n\ntrue,1\n", said)
    for command in (["openings", "blokus"], ["scores", "chipstack"]):
        status, _, err = kifold(store.folder, *command)
        assert (status, err) == (0, "")
    status, out, err = kifold(store.folder, "openings", "nibble")
    assert (status, out) == (2, "")
    assert "no ruleset 'nibble'" in err


def test_a_ruleset_that_cannot_be_loaded_does_not_break_the_others(
    store: Store, kifold: Kifold, install: Callable[..., None]
) -> None:
    def load() -> Ruleset:
        raise ImportError("no module named boards")

    install(BLOKUS)
    registry.entries()["broken"] = SimpleNamespace(load=load, value="tests")
    record(store, 1)
    why = "ruleset broken cannot be loaded from tests (ImportError: no module named boards): correct its package or "
    said = f"kifold: broken is left out: {why}uninstall it\n"
    counting = ("sql", "SELECT count(*) AS n FROM matches", "--format", "csv")
    assert kifold(store.folder, *counting) == (0, "n\n1\n", said)
    status, out, err = kifold(store.folder, "sql", "--schema")
    assert (status, err) == (0, said)
    assert "blokus_events" in out
    assert kifold(store.folder, "scores", "blokus")[2] == ""


class PairedResult(toy.Result):
    """`bonus` is one number for each seat in blokus, and two in this race."""

    bonus: Annotated[list[int], Array("i2", 8)]


def test_components_of_one_name_that_are_a_number_here_and_a_list_there(
    store: Store, install: Callable[..., None]
) -> None:
    race = toy.race(result=PairedResult, setup=Setup, rules=replace(toy.RACE.rules, set_up=toy_set_up, chance=None))
    install(BLOKUS, race)
    record(store, 1)
    store.new(race.start("two"))
    store.new(race.start("two"), (), [toy.Step(0, 1), Finished(0)])
    archive_all(store)
    with connect(store) as sql:
        columns = [row[0] for row in run(sql, "DESCRIBE scores").rows]
        assert {"blokus_bonus", "race_bonus"} <= set(columns)
        assert "bonus" not in columns
        of_race = "SELECT DISTINCT blokus_bonus, race_bonus, pair FROM scores WHERE ruleset = 'race' AND seat = 1 AND "
        assert run(sql, of_race + "finished").rows == [(None, [0, 0], [1, 1])]
        assert run(sql, "SELECT DISTINCT bonus FROM race_scores").rows == [([0, 0],)]
        assert run(sql, "SELECT DISTINCT bonus FROM blokus_scores").rows == [(0,)]
        meanings = {row[1]: row[3] for row in described(sql).rows if row[0] == "scores"}
        assert meanings["blokus_bonus"].startswith("blokus: +15")
        assert run(sql, "SELECT count(*), count(setup) FROM race_matches").rows == [(2, 2)]


def toy_set_up(state: Any, setup: Any) -> int:
    """The race from nothing: its setup has no fields."""
    state.seats, state.goal = setup.seats, setup.goal
    return 0
