"""A writer that is killed at any moment: what was acknowledged is there, whole, and each match once."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest

from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.compacting import compact
from kifold.records.log import Log
from kifold.records.simulation import simulate
from kifold.records.store import Store
from tests.records.killing import GAMES, kill_again_and_again, said_in, what
from tests.rulesets.matches import folder as compiled
from tests.stores import archive_all, assert_exact, game, quiet, run_together

pytestmark = pytest.mark.slow

ROUNDS = 12


def kill(folder: Path, kind: str, most_lines: int, number: int = signal.SIGKILL) -> None:
    compiled(BLOKUS)
    (ended,) = run_together([(kill_again_and_again, (str(folder), kind, ROUNDS, most_lines, int(number)))])
    assert int(ended) >= ROUNDS // 2, "children were done before they were killed"


def once(store: Store) -> dict[int, Log]:
    """All matches by their ids; each is there once, read in whatever way."""
    logs = list(store.logs())
    assert Counter(log.match_id for log in logs).most_common(1)[0][1] == 1
    for log in logs[::40]:
        assert store.log(log.match_id) == log
    return {log.match_id: log for log in logs}


def test_while_it_appends(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    kill(folder, "append", 60)
    acknowledged = {int(match): int(seq) for match, seq in said_in(folder)}
    games = {game(number) for number in range(20)}
    with Store(folder, create=False) as store:
        logs = once(store)
        assert acknowledged.keys() <= logs.keys()
        for match, log in logs.items():
            assert len(log.events) >= acknowledged.get(match, 0)
            assert any(tuple(log.events) == one[: len(log.events)] for one in games)
        rest = [match for match, log in logs.items() if tuple(log.events) not in games]
        for match in rest:  # each can be played on
            whole = next(one for one in games if one[: len(logs[match].events)] == tuple(logs[match].events))
            store.append(match, whole[len(logs[match].events) :], expected_seq=len(logs[match].events))
        archive_all(store)
    assert_exact(folder, len(logs))


@pytest.mark.parametrize("kind", ["archive", "compact"])
def test_while_it_archives_and_deletes(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "store"
    kill(folder, kind, 25)
    said: dict[str, set[int]] = {"+": set(), "-": set(), "?": set()}
    for sign, match in said_in(folder):
        said[sign].add(int(match))
    with Store(folder, create=False) as store:
        logs = once(store)
        assert logs.keys() >= said["+"] - said["?"]
        assert not logs.keys() & said["-"]
        assert any(log.is_archived for log in logs.values())
        assert_exact(folder, len(logs))
        archive_all(store)
        assert once(store).keys() == logs.keys()
        assert compact(store, quiet).left == []
        assert once(store).keys() == logs.keys()
        assert (len(store.files()), store.journal.rows("SELECT * FROM tombstones")) == (1, [])
    assert_exact(folder, len(logs))


def test_while_it_simulates(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    kill(folder, "simulate", 9)
    with Store(folder, create=False) as store, Store(tmp_path / "whole") as whole:
        held = once(store)
        assert 0 < len(held) < GAMES
        assert_exact(folder, len(held))
        added, before = simulate(store, what(), GAMES, 1, quiet)
        assert (added, before) == (GAMES - len(held), len(held))
        simulate(whole, what(), GAMES, 1, quiet)
        assert once(store) == once(whole)
    assert_exact(folder, GAMES)


def test_interrupted_while_it_simulates(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    kill(folder, "simulate", 9, signal.SIGINT)
    played = sum(int(matches) for (matches,) in said_in(folder))
    with Store(folder, create=False) as store:
        held = once(store)
        assert len(held) >= played > 0, "what was played is kept"
        assert list(folder.rglob("*.writing")) == []
        simulate(store, what(), GAMES, 1, quiet)
    assert_exact(folder, GAMES)
