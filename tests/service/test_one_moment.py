"""What a command says is of one moment, whatever another process does between two of its questions to the store."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kifold.core.events import Noted
from kifold.records.database import Database
from kifold.records.forking import fork
from kifold.records.ids import id_text
from kifold.records.store import Store
from tests.service.conftest import Kifold, Said
from tests.stores import archive_all, record

Act = Callable[[Store, int], object]
ACTS: dict[str, Act] = {
    "delete": lambda store, match: store.delete(match),
    "append": lambda store, match: store.append(match, [Noted("comment", ("meanwhile",))]),
    "archive": lambda store, match: archive_all(store),
}
COMMANDS = {
    "listing": ("log", "--format", "json"),
    "log": ("log", "FORK"),
    "export": ("export", "FORK", "MATCH"),
    "verify": ("verify", "--match", "MATCH", "--format", "json"),
}


@pytest.fixture
def ids(folder: Path) -> tuple[int, int]:
    """A match that is over and a fork of it, both live."""
    with Store(folder, durability="off") as store:
        match = record(store, 1)
        return match, fork(store, match, 3)


class Meanwhile:
    """Does something to the store just before a certain question that somebody else asks of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self._at, self._act = 0, 0, lambda: None
        rows, each = Database.rows, Database._each

        def watched(database: Database, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
            self._ask()
            return rows(database, query, values)

        def watched_each(database: Database, query: str, values: Sequence[Any]) -> Iterator[Any]:
            self._ask()
            return each(database, query, values)

        monkeypatch.setattr(Database, "rows", watched)
        monkeypatch.setattr(Database, "_each", watched_each)

    def before(self, question: int, act: Callable[[], None]) -> None:
        self.asked, self._at, self._act = 0, question, act

    def _ask(self) -> None:
        self.asked += 1
        if self.asked == self._at:
            self._at = 0
            self._act()


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_an_answer_is_that_of_before_or_that_of_after(
    kifold: Kifold, folder: Path, ids: tuple[int, int], name: str, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, made = ids
    words = [{"MATCH": id_text(match), "FORK": id_text(made)}.get(word, word) for word in COMMANDS[name]]
    kept = folder.with_name("kept")
    shutil.copytree(folder, kept)

    def do() -> None:
        with Store(folder, durability="off") as other:
            ACTS[act](other, match)

    def anew() -> None:
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)

    said: list[Said] = [kifold(*words)]
    do()
    said.append(kifold(*words))
    meanwhile = Meanwhile(monkeypatch)
    question = 1
    while True:
        anew()
        meanwhile.before(question, do)
        assert kifold(*words) in said, question
        if meanwhile.asked < question:
            break
        question += 1
    assert question > 2
