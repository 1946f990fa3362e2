"""A ruleset to install and to change, for tests of what finds rulesets by their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kifold.core import registry
from kifold.core.ruleset import Ruleset
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
