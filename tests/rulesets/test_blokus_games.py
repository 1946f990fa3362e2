"""Blokus against the games and the verdicts of an independent engine, see tests/data/blokus/README.md."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import groupby
from typing import Any

import numba
import numpy as np
import pytest

from kifold.core.corpus import Corpus, array_of
from kifold.core.names import LEGAL
from kifold.core.play import Play, fold
from kifold.core.records import from_numpy, to_numpy
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.board import can_place, squares_left
from kifold.core.rulesets.blokus.notation import read, squares_text
from kifold.core.rulesets.blokus.pieces import FIRST_FORM, FORM_CELLS, PIECES, cells_of
from kifold.core.rulesets.blokus.rules import seat_of
from tests.rulesets.blokus_cases import VARIANT_OF, games, verdicts
from tests.rulesets.harness import folder

UNRANKED = 100
"""The engine's place of green in games of three players."""


def fnv1a64(data: bytes) -> str:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def legal_hash(play: Play) -> str:
    lines = [squares_text(cells_of(e.piece, e.orientation, e.x, e.y)) + "\n" for e in play.legal()]
    return fnv1a64("".join(sorted(lines)).encode())


# Every placement as a line of text, numbered in the order of the lines: sorting numbers sorts lines.


@cache
def lines() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The text of all lines in their order, where line n begins in it, and the number of form · 400 + y · 20 + x."""
    texts = {}
    for form, shape in enumerate(FORM_CELLS):
        for y in range(20):
            for x in range(20):
                placed = [(x + dx, y + dy) for dx, dy in shape]
                if max(map(max, placed)) < 20:
                    texts[squares_text(placed).encode() + b"\n"] = form * 400 + y * 20 + x
    number = np.full(len(FORM_CELLS) * 400, -1)
    number[[texts[text] for text in sorted(texts)]] = np.arange(len(texts))
    starts = np.cumsum([0, *(len(text) for text in sorted(texts))])
    return np.array(bytearray(b"".join(sorted(texts)))), starts, number


@numba.njit
def hash_of_lines(text: Any, starts: Any, chosen: Any) -> Any:  # pragma: no cover
    value = np.uint64(0xCBF29CE484222325)
    for n in chosen:
        for i in range(starts[n], starts[n + 1]):
            value = (value ^ np.uint64(text[i])) * np.uint64(0x100000001B3)
    return value


def legal_hash_of_rows(rows: np.ndarray) -> str:
    text, starts, number = lines()
    form = np.array(FIRST_FORM)[rows["piece"]] + rows["orientation"]
    placed = number[form * 400 + rows["y"].astype(np.int64) * 20 + rows["x"]]
    assert (placed >= 0).all()
    return f"{hash_of_lines(text, starts, np.sort(placed)):016x}"


@pytest.mark.parametrize("source", VARIANT_OF)
def test_games_compiled_with_the_legal_placements_at_every_ply(source: str) -> None:
    logs, expected = games(source), verdicts(f"{source}.expected")
    corpus, compiled = Corpus.of(BLOKUS, logs), folder(BLOKUS)
    folded, counts = compiled.fold(corpus), compiled.count_legal(corpus)
    assert len(logs) == len(expected)
    assert folded.matches["done"].tolist() == [told["n_moves"] for told in expected]
    assert counts.tolist() == [move["n_legal"] for told in expected for move in told["moves"]]
    assert corpus.events["colour"].tolist() == [move["color"] for told in expected for move in told["moves"]]
    for m, told in enumerate(expected):
        for ply, move in enumerate(told["moves"]):
            assert compiled.position(corpus, m, ply) == ply
            rows = compiled.legal(int(folded.per_event[corpus.starts[m] + ply]["seat"]))
            assert set(rows["colour"].tolist()) == {move["color"]}
            assert legal_hash_of_rows(rows) == move["legal_fnv1a64"], (m, ply)
        compiled.position(corpus, m, told["n_moves"])
        play = Play(BLOKUS, logs[m][0])
        play.state = from_numpy(BLOKUS.state, compiled.state[0])
        assert_end(play, told)


@pytest.mark.parametrize("source", VARIANT_OF)
def test_games_in_plain_python(source: str) -> None:
    for m, ((started, log), told) in enumerate(zip(games(source), verdicts(f"{source}.expected"), strict=True)):
        play, refused = fold(BLOKUS, started, log)
        assert refused is None
        assert [PIECES[event.piece] for event in log] == [move["piece"] for move in told["moves"]]
        assert_end(play, told)
        if m % 10 == 0:
            assert_lists(Play(BLOKUS, started), log, told)


def assert_lists(play: Play, log: list, told: dict) -> None:
    for ply, (event, move) in enumerate(zip(log, told["moves"], strict=True)):
        assert play.turn == seat_of(play.state, move["color"])
        if ply % 8 == 0:
            assert len(play.legal()) == move["n_legal"]
            assert legal_hash(play) == move["legal_fnv1a64"]
        play.add(event)


def assert_end(play: Play, told: dict) -> None:
    """The engine's points are 89 + our score, per colour."""
    state, colours = play.state, range(play.state.colours)
    assert [89 - squares_left(state, colour) + state.bonus[colour] for colour in colours] == told["points"]
    assert state.bonus[: len(colours)] == told["bonus"]
    left = [[name for i, name in enumerate(PIECES) if state.left[colour] >> i & 1] for colour in colours]
    assert [sorted(names) for names in left] == [sorted(names) for names in told["pieces_left"]]
    assert [can_place(state, colour) for colour in colours] == told["has_moves"]
    assert (play.turn == NOBODY) == told["game_over"]
    result = play.result()
    for colour, (rank, shared) in enumerate(told["place"]):
        if rank != UNRANKED:
            standing = result[seat_of(state, colour)]
            assert (standing.rank, standing.shared) == (rank, shared)


def test_the_games_have_bonuses_ties_and_skips() -> None:
    corpus = Corpus.of(BLOKUS, games("classic_edgecases"))
    effects = np.bitwise_or.reduce(folder(BLOKUS).fold(corpus).matches["effects"])
    assert BLOKUS.effects.of(int(effects)) == ["skipped", "all_placed", "monomino_last"]


def agrees(verdict: str, reason: str) -> bool:
    """The engine names one reason, and looks neither at turns nor at the end of a match."""
    if verdict == "legal":
        return reason in ("", "not_your_turn")
    if reason == "match_over":
        return True
    if verdict == "illegal move":
        return reason in ("overlaps", "misses_start", "touches_own_edge", "no_own_corner")
    return reason == {"piece already played": "piece_already_placed", "invalid move": "off_board"}[verdict]


def test_probes() -> None:
    """Every one, in both ways. What is no piece, or lies beyond t20, cannot be said as an event at all."""
    probes = sorted(verdicts("probes"), key=lambda probe: (probe["src"], probe["game"], probe["ply"]))
    logs = {source: games(source) for source in VARIANT_OF}
    compiled, told = folder(BLOKUS), Counter()
    for (source, game, ply), group in groupby(probes, key=lambda p: (p["src"], p["game"], p["ply"])):
        started, log = logs[source][game]
        play, refused = fold(BLOKUS, started, log[:ply])
        assert refused is None
        to_numpy(play.state, compiled.state[0])
        for probe in group:
            reason = asked(play, compiled, ("blue", "yellow", "red", "green")[probe["color"] - 1], probe["cells"])
            assert agrees(probe["verdict"], reason), (probe, reason)
            told[probe["verdict"], reason] += 1
    assert sum(told.values()) == 15_460
    assert told["legal", "not_your_turn"] > 1000
    assert told["illegal move", "match_over"] + told["invalid move", "match_over"] < 100


def asked(play: Play, compiled: Any, colour: str, squares: str) -> str:
    """The reason for a refusal, or nothing; `off_board` also for what is no event."""
    try:
        event = read(play.started, play.state, f"{colour}:{squares}")
    except ValueError:
        return "off_board"
    refused = play.why_not(event)
    row = array_of(BLOKUS.event_record, [BLOKUS.flatten(event)])[0]
    number = compiled.code.rules["check"](compiled.state[0], row)
    reason = "" if number == LEGAL else BLOKUS.reasons[number].name
    assert reason == (refused.reason if refused else "")
    return reason
