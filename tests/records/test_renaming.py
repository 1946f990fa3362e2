"""A player's name can be corrected, wherever the match lies, and nothing else of it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifold.core.registry import ruleset
from kifold.records.errors import NoSuchMatch, StoreError
from kifold.records.store import Store
from tests.stores import archive_all, record

BLOKUS = ruleset("blokus")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.mark.parametrize("is_archived", [False, True])
def test_a_name_is_corrected(folder: Path, is_archived: bool) -> None:
    with Store(folder) as store:
        match, other = record(store, 1), record(store, 2)
        if is_archived:
            archive_all(store)
        before, beside = store.log(match), store.log(other)
        store.rename(match, 0, "Änn")
        assert store.log(match).players == ("Änn", *before.players[1:])
    with Store(folder) as store:
        after = store.log(match, intact=True)
        assert after.players == ("Änn", *before.players[1:])
        assert (after.digest, after.started, list(after.events)) == (before.digest, before.started, list(before.events))
        assert store.log(other).players == beside.players
        archive_all(store)
        assert store.log(match, intact=True).players == ("Änn", *before.players[1:])
        assert store.counts() == {"blokus": (0, 2)}


def test_seats_without_a_name_come_before_one_with_a_name(folder: Path) -> None:
    with Store(folder) as store:
        match = store.new(BLOKUS.start())
        store.rename(match, 2, "Cleo")
        assert store.log(match).players == ("", "", "Cleo")
        store.rename(match, 0, "Ada")
        store.rename(match, 2, "")
        assert store.log(match).players == ("Ada", "", "")


def test_what_cannot_be_renamed(folder: Path) -> None:
    with Store(folder) as store:
        match = store.new(BLOKUS.start("duo"), ("Ada", "Bo"))
        for seat in (-1, 2):
            with pytest.raises(StoreError, match=f"seat {seat}: the match has seats 0..1"):
                store.rename(match, seat, "x")
        with pytest.raises(NoSuchMatch):
            store.rename(match + 1, 0, "x")
        with store.journal.writing() as db:
            db.execute("UPDATE matches SET digest = zeroblob(16)")
    with Store(folder) as store:
        with pytest.raises(StoreError, match="damaged"):
            store.rename(match, 0, "x")
        assert store.journal.players(match) == ("Ada", "Bo")
