"""pytest run inside pytest, for the tests of the plugin."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kifold.replay.pytest_corpus
import kifold.replay.pytest_golden  # noqa: F401
from kifold.core.ruleset import Ruleset

# What a run inside this process is the first to import is forgotten after it, and some libraries cannot be loaded
# twice; therefore the imports above.

Install = Callable[..., Ruleset]
"""Installs a ruleset with some of its rules changed."""


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """Run pytest in this process, without plugins that take long to load."""
    return pytester.runpytest_inprocess("-p", "no:hypothesispytest", "-p", "no:benchmark", *words)
