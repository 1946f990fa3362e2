"""What goes wrong in compiling or folding is never called damage of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kifold.core.corpus import Folder
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import reading
from kifold.records.store import Store
from kifold.replay import plies
from kifold.replay.coverage_stored import count_stored
from kifold.replay.ply_files import make_ply_files
from kifold.replay.verify import Work, verify_store
from tests.stores import Failures, archive_all, fill, quiet


def verify(store: Store, said: list[str]) -> None:
    verify_store(store, Work(Failures(), None, 1))


def cover(store: Store, said: list[str]) -> None:
    count_stored({}, store, None, 1, said.append, quiet)


def list_plies(store: Store, said: list[str]) -> None:
    make_ply_files(store, BLOKUS, 1, quiet, said.append)


@pytest.fixture
def full(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of archived matches; plies are listed by the compiled rules."""
    monkeypatch.setattr(plies, "MANY", 1)
    fill(store, 1)
    archive_all(store)
    return store


@pytest.mark.parametrize("work", [verify, cover, list_plies])
def test_no_compiler(work: Callable[[Store, list[str]], None], full: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ValueError("nothing can be compiled")

    monkeypatch.setattr(reading, "kernels_of_columns", broken)
    said: list[str] = []
    with pytest.raises(ValueError, match="nothing can be compiled"):
        work(full, said)
    assert said == []


def test_a_fault_of_the_rules(full: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise TypeError("apply uses a list of words")

    monkeypatch.setattr(Folder, "plies", broken)
    said: list[str] = []
    with pytest.raises(TypeError, match="apply uses a list of words"):
        list_plies(full, said)
    assert said == []
