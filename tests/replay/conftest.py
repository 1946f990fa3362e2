"""A ruleset to install and to change, for tests of what finds rulesets by their names; two ways of folding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kifold.core import registry
from kifold.core.ruleset import Ruleset
from kifold.records import judge
from kifold.replay import coverage_stored, verdicts
from tests import installing
from tests.core import toy
from tests.installing import picture

if TYPE_CHECKING:
    from tests.replay.plugged import Install


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs the race, with other rules where they are named."""

    def install(**changes: Any) -> Ruleset:
        return installing.install(toy.race(rules=replace(toy.RACE.rules, **changes), picture=picture), monkeypatch)

    yield install
    registry.ruleset.cache_clear()


@pytest.fixture
def race(install: Install) -> Ruleset:
    """The race, installed as it is."""
    return install()


@pytest.fixture(params=["plain", pytest.param("compiled", marks=pytest.mark.slow)])
def in_both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has few matches archived, verified and counted in plain Python, then by the compiled rules."""
    for module in (judge, verdicts, coverage_stored):
        monkeypatch.setattr(module, "MANY", 1 if request.param == "compiled" else 10_000)


@pytest.fixture
def golden(race: Ruleset, pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with one golden log, and what folding it gives."""
    from tests.replay.plugged import played, run, write_logs

    write_logs(pytester.path, played("threes"))
    run(pytester, "--kifold-update").assert_outcomes(passed=1)
    return pytester
