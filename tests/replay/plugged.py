"""pytest run inside pytest, and golden logs of the race, for the tests of the plugin."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import kifold.replay.pytest_corpus
import kifold.replay.pytest_golden  # noqa: F401
from kifold.core.events import Event, Started
from kifold.core.play import Play
from kifold.core.ruleset import Ruleset
from kifold.records.formats import jsonl
from kifold.records.log import Log
from tests.core import toy

# What a run inside this process is the first to import is forgotten after it, and some libraries cannot be loaded
# twice; therefore the imports above.

Install = Callable[..., Ruleset]
"""Installs a ruleset with some of its rules changed."""


LOGS, FOLDS = "tests/golden/race.kifold.jsonl", "tests/golden/race.folded.json"


def begun(case: str, goal: int = 60) -> Started:
    return toy.RACE.start(None, {"goal": goal}, tags={"case": case})


def write_logs(path: Path, *matches: tuple[Started, Sequence[Event]]) -> None:
    logs = path / LOGS
    logs.parent.mkdir(parents=True, exist_ok=True)
    with logs.open("wb") as file:
        jsonl.write([Log(number, *match) for number, match in enumerate(matches)], file)


def played(case: str) -> tuple[Started, list[Event]]:
    """A match of 24 events: seats add 3 in turn, the die shows 1."""
    play = Play(toy.RACE, begun(case))
    while not play.is_over:
        play.add(play.legal()[2 if play.turn >= 0 else 0])
    assert len(play.log) == 24
    return play.started, play.log


def folds(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((path / FOLDS).read_text(encoding="utf-8"))
    return found


def edit(path: Path, **changes: Any) -> None:
    """Change what is written of the first match."""
    written = folds(path)
    written[0] |= changes
    (path / FOLDS).write_text(json.dumps(written), encoding="utf-8")


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """Run pytest in this process, without plugins that take long to load."""
    return pytester.runpytest_inprocess("-p", "no:hypothesispytest", "-p", "no:benchmark", *words)


def failure(pytester: pytest.Pytester, *words: str) -> str:
    """What a run says of its one failure."""
    result = run(pytester, *words)
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "Traceback" not in text
    return text
