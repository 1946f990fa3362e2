"""The command line within the test's own process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kifold.service.cli import run
from tests.stores import duo, game, record


@dataclass(frozen=True)
class Said:
    """What a command left behind: its exit status, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.status == 0, self.err
        return json.loads(self.out)


Kifold = Callable[..., Said]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the store of the test's commands lies."""
    return tmp_path / "store"


@pytest.fixture
def kifold(folder: Path, capsys: pytest.CaptureFixture[str]) -> Kifold:
    """Runs a command on the test's own store."""

    def command(*arguments: object) -> Said:
        capsys.readouterr()
        status = run(["--store", str(folder), *map(str, arguments)])
        return Said(status, *capsys.readouterr())

    return command


@pytest.fixture
def match(folder: Path) -> str:
    """The id of a live match of Blokus Duo after four placements; blue is to move."""
    from kifold.records.ids import id_text
    from kifold.records.store import Store

    with Store(folder) as store:
        return id_text(record(store, 0, 4))


@pytest.fixture
def finished(folder: Path) -> str:
    """The id of a live match of Blokus Duo that is over."""
    from kifold.records.ids import id_text
    from kifold.records.store import Store

    with Store(folder) as store:
        return id_text(record(store, 1))


def next_event(number: int = 0, at: int = 4) -> str:
    """The next event of the match, as JSON."""
    from kifold.core.codec import to_json

    return json.dumps(to_json(game(number)[at]))


def next_in_short(number: int = 0, at: int = 4) -> str:
    from kifold.core.rulesets.blokus import BLOKUS

    return BLOKUS.notation.write(duo(), game(number)[at])
