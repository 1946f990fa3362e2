"""The rules as plain Python, one live match: `Play.add` of every ruleset beside the validated moves of python-chess."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from benchmarks.folds import VARIANTS, fold_plainly, plain_logs
from benchmarks.promises import MISSING

pytestmark = pytest.mark.benchmark(timer=time.process_time)

EVENTS = 3000


@pytest.fixture(scope="module")
def games(short: bool) -> list[list[str]]:
    """Random legal games of chess, in UCI notation."""
    chess = pytest.importorskip("chess", reason=f"python-chess is missing: {MISSING}")
    rng = random.Random(7)
    played = []
    for _ in range(1 if short else 10):
        board = chess.Board()
        game = []
        while not board.is_game_over():
            move = rng.choice(list(board.legal_moves))
            board.push(move)
            game.append(move.uci())
        played.append(game)
    return played


def push_all(games: list[list[str]]) -> int:
    """Push the moves of games of chess, each checked; how many there were."""
    import chess

    count = 0
    for game in games:
        board = chess.Board()
        for move in game:
            board.push_uci(move)
        count += len(board.move_stack)
    return count


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_plain(benchmark: Any, name: str, variant: str, short: bool) -> None:
    benchmark.group = f"{name} {variant}, plain Python"
    logs = plain_logs(name, variant, EVENTS // 10 if short else EVENTS)
    count = sum(len(events) for _, events in logs)
    benchmark.extra_info |= {"who": "kifold", "peer": "python-chess", "items": count, "at_least": 1, "stretch": 2}
    assert sum(len(play.log) for play in benchmark(fold_plainly, name, logs)) == count


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_chess(benchmark: Any, name: str, variant: str, games: list[list[str]]) -> None:
    benchmark.group = f"{name} {variant}, plain Python"
    count = sum(map(len, games))
    benchmark.extra_info |= {"who": "python-chess", "items": count}
    assert benchmark.pedantic(push_all, (games,), rounds=5) == count
