"""`kifold legal` lists what may be played, and a refusal what of it is near to what was typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifold.core.codec import to_json
from kifold.core.play import Play, Refused
from kifold.core.registry import ruleset
from kifold.core.samples import sample_match
from kifold.records.ids import id_text
from kifold.records.store import Store
from kifold.service.legal import near
from tests.registered import NAMES
from tests.service.conftest import Kifold, Said

PLIES = 7


def recorded(folder: Path, name: str) -> tuple[str, Play]:
    rules = ruleset(name)
    play = sample_match(rules, rules.start(), 4, limit=9)
    with Store(folder) as store:
        return id_text(store.new(play.started, (), play.log)), play


@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_what_append_takes(kifold: Kifold, folder: Path, name: str) -> None:
    """In the order of the rules, and nothing else; where the match was listed nothing has changed."""
    match, play = recorded(folder, name)
    said = kifold("legal", match)
    assert (said.status, said.err) == (0, "")
    lines, legal = said.out.splitlines(), play.legal()
    assert [play.ruleset.notation.read(play.started, play.state, line) for line in lines] == legal
    told = kifold("legal", match, "--format", "json").json
    assert (told["match"], told["ply"], told["turn"]) == (match, play.ply, play.turn)
    assert told["legal"] == [{"short": line} | to_json(event) for line, event in zip(lines, legal, strict=True)]
    for line in (lines[0], lines[-1]):
        forked = kifold("fork", match).out.strip()
        assert kifold("append", forked, line).status == 0


@pytest.mark.parametrize("name", NAMES)
def test_at_every_ply_it_is_what_could_be_played_then(kifold: Kifold, folder: Path, name: str) -> None:
    match, whole = recorded(folder, name)
    play = Play(whole.ruleset, whole.started)
    for seq in range(len(whole.log) + 1):
        lines = [play.ruleset.notation.write(play.started, event) for event in play.legal()]
        assert kifold("legal", match, "--at-seq", seq).out.splitlines() == lines
        if seq < len(whole.log):
            play.add(whole.log[seq])
    assert kifold("legal", match, "--at", whole.ply).out == kifold("legal", match).out


@pytest.mark.parametrize("name", ["blokus", "chipstack", "edgecolor"])
def test_a_seat_is_told_of_its_own_moves_only(kifold: Kifold, folder: Path, name: str) -> None:
    match, play = recorded(folder, name)
    for seat in range(play.started.seats):
        said = kifold("legal", match, "--seat", seat)
        assert said.out.splitlines() == [play.ruleset.notation.write(play.started, e) for e in play.legal(seat)]
        assert {play.ruleset.rules.actor(play.state, play.ruleset.flatten(e)) for e in play.legal(seat)} <= {seat}
        who = f"{play.ruleset.seat_names(play.started)[play.turn]} to move" if play.turn >= 0 else "chance decides"
        assert said.err == ("" if seat == play.turn else f"kifold: {who}\n")
    said = kifold("legal", match, "--seat", "spectator")
    assert (said.status, said.out) == (0, "")


def test_nothing_may_be_played_when_the_match_is_over(kifold: Kifold, match: str, finished: str) -> None:
    assert kifold("append", match, "resigned 0").status == 0
    for over, how in ((finished, "match over: 1. "), (match, "match over, blue resigned: 1. yellow")):
        said = kifold("legal", over)
        assert (said.status, said.out) == (0, "")
        assert said.err.startswith(f"kifold: {how}")
        assert kifold("legal", over, "--format", "json").json["legal"] == []
    assert kifold("legal", match, "--at", "3").out


def meant(said: Said) -> list[str]:
    """What a refusal says could be meant."""
    assert (said.status, said.out, said.err.count("\n")) == (1, "", 1)
    return said.err.partition("near it: ")[2].partition(";")[0].split(", ")


def test_a_refusal_names_the_start_square(kifold: Kifold) -> None:
    match = kifold("new", "blokus", "--variant", "duo").out.strip()
    said = kifold("append", match, "a1,b1,a2")
    assert ": misses_start – " in said.err
    assert said.err.endswith(f"; all: kifold legal {match}\n")
    found = [text.partition(":")[2].split(",") for text in meant(said)]
    assert all("e10" in squares and len(squares) == 3 for squares in found[:2])


def test_a_refusal_names_the_slots(kifold: Kifold) -> None:
    match = kifold("new", "chipstack", "--seed", "1").out.strip()
    first, *_ = meant(kifold("append", match, "yellow-round@4-a"))
    assert first == "1:yellow-round@4-a:3-b,5-b"
    assert kifold("append", match, first).status == 0


@pytest.mark.parametrize("name", NAMES)
def test_what_is_near_may_be_played(name: str) -> None:
    """Whatever was refused: here what was legal eight events later; what is legal is nearest to itself."""
    rules = ruleset(name)
    whole = sample_match(rules, rules.start(), 6, limit=24)
    play, refused = Play(rules, whole.started), 0
    for seq, event in enumerate(whole.log):
        texts = near(play, event)
        assert texts[0] == rules.notation.write(play.started, event)
        later = whole.log[min(seq + 8, len(whole.log) - 1)]
        if isinstance(play.why_not(later), Refused):
            refused += 1
            found = [rules.notation.read(play.started, play.state, text) for text in near(play, later)]
            assert found
            assert not any(play.why_not(one) for one in found)
        play.add(event)
    assert refused


def test_nothing_is_near_when_the_match_is_over(kifold: Kifold, finished: str) -> None:
    said = kifold("append", finished, '{"event": "pass", "colour": "blue"}')
    assert (said.status, said.err) == (
        1,
        f"kifold: event {kifold_events(kifold, finished)} is refused: match_over – {OVER}\n",
    )


OVER = "no colour can place any more, or all have passed: the match is over"


def kifold_events(kifold: Kifold, match: str) -> int:
    return len(kifold("log", match, "--format", "json").json["events"])
