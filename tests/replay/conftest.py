"""A ruleset to install and to change, for tests of what finds rulesets by their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from kifold.core import registry
from kifold.core.events import Started
from kifold.core.ruleset import Ruleset
from kifold.core.scene import Scene
from tests.core import toy

if TYPE_CHECKING:
    from tests.replay.plugged import Install


def picture(started: Started, state: Any) -> Scene:
    return Scene(1, 1, legend=[f"total {state.total}"])


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs the race, with other rules where they are named."""
    real = registry.entries()

    def install(**changes: Any) -> Ruleset:
        made = toy.race(rules=replace(toy.RACE.rules, **changes), picture=picture)
        entry = SimpleNamespace(load=lambda: made, value="tests")
        monkeypatch.setattr(registry, "entries", lambda: {**real, "race": entry})
        registry.ruleset.cache_clear()
        return made

    yield install
    registry.ruleset.cache_clear()


@pytest.fixture
def race(install: Install) -> Ruleset:
    """The race, installed as it is."""
    return install()
