"""One package of rules that cannot be loaded stops nothing that does not need it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kifold.core import registry
from kifold.core.samples import sample_match
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.service.conftest import Kifold
from tests.stores import archive_all, record

WHY = (
    "ruleset nibble cannot be loaded from nibble_1:NIBBLE (ModuleNotFoundError: No module named 'nibble_1'): correct "
    "its package or uninstall it"
)


class Broken:
    """An entry point of a package that lacks a module."""

    value = "nibble_1:NIBBLE"

    def load(self) -> None:
        raise ModuleNotFoundError("No module named 'nibble_1'")


@pytest.fixture
def matches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A live match of each ruleset, by its name; of blokus two are archived beside it, of nibble one."""
    with Store(folder) as store:
        nibble = registry.ruleset("nibble")
        play = sample_match(nibble, nibble.start(), 1, 0)
        store.new(play.started, (), play.log)
        for number in range(2):
            record(store, number)
        archive_all(store)
        live = {"blokus": id_text(record(store, 2, 5)), "nibble": id_text(store.new(play.started))}
    found = registry.entries() | {"nibble": Broken()}
    monkeypatch.setattr(registry, "entries", lambda: found)
    registry.ruleset.cache_clear()
    yield live
    monkeypatch.undo()
    registry.ruleset.cache_clear()


def test_listings_go_on_with_the_others(kifold: Kifold, matches: dict[str, str]) -> None:
    said = kifold("rulesets")
    assert (said.status, said.err) == (0, f"kifold: {WHY}\n")
    assert "blokus " in said.out
    said = kifold("log")
    assert said.status == 0
    assert f"{matches['blokus']}  blokus duo, 5 events" in said.out
    assert said.err == f"kifold: match {matches['nibble']} cannot be listed: {WHY}\n"
    said = kifold("coverage")
    assert said.out.startswith("blokus: 3 stored matches")
    assert f"kifold: 2 matches of nibble are left out: {WHY}\n" in said.err
    said = kifold("sql", "select count(*) as n from matches", "--format", "csv")
    assert (said.out, said.err) == ("n\n3\n", f"kifold: nibble is left out: {WHY}\n")


def test_its_matches_are_not_verified_and_the_others_are(kifold: Kifold, matches: dict[str, str]) -> None:
    said = kifold("verify")
    assert said.status == 1
    assert "2 unverified, 3 exact" in said.out
    assert WHY in said.out
    assert WHY in kifold("verify", "--match", matches["nibble"]).out
    assert kifold("verify", "--match", matches["blokus"]).status == 0


@pytest.mark.usefixtures("matches")
@pytest.mark.parametrize("command", ["rulesets nibble", "new nibble", "openings nibble", "verify --ruleset nibble"])
def test_what_needs_it_says_so_in_one_line(kifold: Kifold, command: str) -> None:
    said = kifold(*command.split())
    assert (said.status, said.out, said.err) == (2, "", f"kifold: {WHY}\n")


@pytest.mark.usefixtures("matches")
def test_the_archive_is_kept_up(kifold: Kifold) -> None:
    assert (kifold("archive").status, kifold("compact").status) == (0, 0)
    said = kifold("plies")
    assert (said.status, said.out[:27]) == (1, "listed the plies of 2 match")
    assert said.err.startswith(f"kifold: nibble has none for what is archived: {WHY}\n")
