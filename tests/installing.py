"""Rulesets of tests, found by their names as installed ones are. The fixture `revise` installs and takes away."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from kifold.core import registry
from kifold.core.events import Started
from kifold.core.revisions import Earlier
from kifold.core.ruleset import Ruleset
from kifold.core.scene import Scene
from tests.core import toy

Revise = Callable[..., Ruleset]
"""Installs the race with earlier revisions, each told by the name of its page, the newest first."""


def picture(started: Started, state: Any) -> Scene:
    return Scene(1, 1, legend=[f"total {state.total}"])


@cache
def revised(*pages: str) -> Ruleset:
    """The race with earlier revisions, the newest first: what each did otherwise is a page of `tests.pages`."""
    numbers = range(len(pages), 0, -1)
    earlier = tuple(Earlier(n, import_module(f"tests.pages.{page}")) for n, page in zip(numbers, pages, strict=True))
    return toy.race(revision=len(pages) + 1, earlier=earlier, picture=picture)


def install(made: Ruleset, monkeypatch: pytest.MonkeyPatch | None = None) -> Ruleset:
    """Have a ruleset found by its name; for as long as the process lives where no test gives an end to it.

    `registry.ruleset.cache_clear()` belongs to that end.
    """
    real = registry.entries()
    entry = SimpleNamespace(load=lambda: made, value="tests")

    def entries() -> dict[str, Any]:
        return {**real, made.name: entry}

    if monkeypatch is None:
        registry.entries = entries  # this process is a test's own
    else:
        monkeypatch.setattr(registry, "entries", entries)
    registry.ruleset.cache_clear()
    return made
