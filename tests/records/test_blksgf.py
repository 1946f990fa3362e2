"""Blokus records as matches: what is read, what is refused and why, and what Pentobi saves of the same texts."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from kifold.core.events import Noted
from kifold.core.options import RulesetError
from kifold.core.play import Refused
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import Pass
from kifold.records.formats import Branch, Record, Rejected
from kifold.records.formats.blksgf import BLKSGF
from kifold.records.judge import Judged, judge_log
from tests.records.blksgf_logs import content, family_saved, log_of, logs_of, match, reason, records, saved
from tests.rulesets.blokus_cases import DATA, VARIANT_OF, games, place

CASES = {case["name"]: case for case in map(json.loads, (DATA / "format_cases.jsonl").read_text("utf-8").splitlines())}

ILLEGAL = "an illegal move, or one out of turn: Pentobi plays it, we refuse the record"
SPELLING = "a log holds the piece and not the spelling of its squares, so they are written in the one canonical way"
DEVIATIONS = {
    "edge_touch": ILLEGAL,
    "no_corner_touch": ILLEGAL,
    "out_of_turn": ILLEGAL,
    "setup_ae": "pieces are taken away in mid-game: no rule says so, and a log holds what was played",
    "two_trees": "a file may have any number of records",
    "leading_zero_row": SPELLING,
    "uppercase_cells": SPELLING,
}


def final_score(judged: Judged, variant: str) -> str:
    points = [89 + standing.score for standing in judged.standings if standing.score is not None]
    if variant == "duo":
        lead = points[0] - points[1]
        return f"B+{lead}" if lead > 0 else f"W+{-lead}" if lead else "0"
    return " ".join(map(str, points))


def verdicts(text: str) -> list[tuple[Record | None, Judged | str]]:
    found: list[tuple[Record | None, Judged | str]] = []
    for record in records(text):
        if isinstance(record, Rejected):
            found.append((None, record.reason))
            continue
        judged = judge_log(BLOKUS, record.started, record.events)
        found.append((record, judged.reason if isinstance(judged, Refused) else judged))
    return found


@pytest.mark.parametrize("name", CASES)
def test_odd_texts_fare_as_with_the_other_program(name: str) -> None:
    case = CASES[name]
    found = verdicts(case["input"])
    accepted = all(isinstance(judged, Judged) for _, judged in found)
    if name not in DEVIATIONS or DEVIATIONS[name] == SPELLING:
        assert accepted == case["accepted"], found
    else:
        assert accepted != case["accepted"], f"{name} is no deviation any more"
    if not accepted or not case["accepted"]:
        return
    ((record, judged),) = found
    assert record is not None
    assert isinstance(judged, Judged)
    assert final_score(judged, record.started.variant) == case["final_score"]
    assert (saved(record, indent=1) == case["resaved"]) == (name not in DEVIATIONS)
    assert content(match(saved(record))) == content(record)


@pytest.mark.parametrize("name", ["leading_zero_row", "uppercase_cells"])
def test_squares_are_written_in_one_way(name: str) -> None:
    text = CASES[name]["resaved"]
    assert saved(match(CASES[name]["input"]), indent=1) == text.lower().replace("gm[blokus]", "GM[Blokus]").replace(
        "a0", "a"
    )


@pytest.mark.parametrize("source", VARIANT_OF)
def test_games_of_another_program_are_read_and_written_byte_by_byte(source: str) -> None:
    path = DATA / f"{source}.blksgf"
    found = list(BLKSGF.read(path, {}))
    assert [(r.started, list(r.events)) for r in found if isinstance(r, Record)] == games(source)
    assert [r.number for r in found] == list(range(1, len(found) + 1))
    file = io.BytesIO()
    BLKSGF.write((log_of(r) for r in found if isinstance(r, Record)), file)
    assert file.getvalue() == path.read_bytes()


# What is read


def test_headers_are_tags_and_names_are_players() -> None:
    record = match("(;GM[Blokus]AP[Pentobi:31]DT[2024-05-01]EV[Cup]RO[3]P2[Ann]P4[Ben]ZZ[x]RE[0];1[a20])")
    tags = {"application": "Pentobi:31", "date": "2024-05-01", "event": "Cup", "round": "3", "ZZ": "x", "RE": "0"}
    assert record.started.tags == tags
    assert record.players == ("", "Ann", "", "Ben")
    assert match("(;GM[Blokus Duo]PB[Ann]PW[Ben])").players == ("Ann", "Ben")
    assert match("(;GM[Blokus Two-Player]PB[Ann]PW[Ben])").players == ("Ann", "Ben")
    assert match("(;GM[Blokus Three-Player]P3[Cid])").players == ("", "", "Cid")
    assert match("(;GM[Blokus])").players == ()


def test_the_spelling_of_the_game_is_kept() -> None:
    record = match("(;DT[2024]GM[ BLOKUS two-player ])")
    assert record.started.variant == "two_player"
    assert list(record.started.tags.items()) == [("GM", " BLOKUS two-player "), ("date", "2024")]
    assert saved(record) == "(;GM[ BLOKUS two-player ]DT[2024])"


def test_old_names_and_lists_and_line_ends() -> None:
    old = match("(;GM[Blokus];BLUE[a20][b20];YELLOW[T20];RED[ t01 ];GREEN[a1]C[two\r\nlines\\]])")
    assert saved(old) == "(;GM[Blokus];1[a20,b20];2[t20];3[t1];4[a1]C[two\nlines\\]])"
    duo = match("(;GM[Blokus Duo];1[e10];GREEN[j5])")
    assert saved(duo) == "(;GM[Blokus Duo];B[e10];W[j5])"


def test_what_is_no_move_is_kept_where_it_stands() -> None:
    text = "(;GM[Blokus]C[start]XY[a][b];C[pause];;1[a20]TE[2]C[good][better];2[t20]3[t1]B[e5])"
    record = match(text)
    assert list(record.events) == [
        Noted("comment", ("start",)),
        Noted("blksgf:XY", ("a", "b")),
        Noted("blksgf:node"),
        Noted("comment", ("pause",)),
        Noted("blksgf:node"),
        place(0, "a20"),
        Noted("blksgf:TE", ("2",)),
        Noted("comment", ("good", "better")),
        place(1, "t20"),
        Noted("blksgf:3", ("t1",)),
        Noted("blksgf:B", ("e5",)),
    ]
    assert record.plies == (0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2)
    assert saved(record) == text


def test_other_continuations_are_matches_that_branch_where_they_hang() -> None:
    text = "(;GM[Blokus](;1[a20](;2[t20];3[t1])(;2[t19,t20](;3[t1])(;3[s1,t1])))(;1[a20,b20]C[or so])(;C[x]))"
    a, b, c = place(0, "a20"), place(1, "t20"), place(2, "t1")
    other = place(1, "t20,t19")
    found = records(text)
    assert [(one.name, list(one.events), one.plies, one.branch) for one in found if isinstance(one, Record)] == [
        ("main line", [a, b, c], (1, 2, 3), None),
        ("variation 1", [a, other, c], (1, 2, 3), Branch("main line", 1, 1)),
        ("variation 2", [a, other, place(2, "s1,t1")], (1, 2, 3), Branch("variation 1", 2, 2)),
        ("variation 3", [place(0, "a20,b20"), Noted("comment", ("or so",))], (1, 1), Branch("main line", 0, 0)),
        ("variation 4", [Noted("blksgf:node"), Noted("comment", ("x",))], (0, 0), Branch("main line", 0, 0)),
    ]
    assert {(one.number, one.text) for one in found} == {(1, text.encode())}
    assert family_saved(logs_of(found)) == [text]


def test_a_move_in_the_root_is_a_move() -> None:
    record = match("(;GM[Blokus]C[x]1[a20];2[t20])")
    assert list(record.events) == [place(0, "a20"), Noted("comment", ("x",)), place(1, "t20")]
    assert saved(record) == "(;GM[Blokus];1[a20]C[x];2[t20])"
    assert content(match(saved(record))) == content(record)


def test_pieces_and_turn_set_up_in_the_root() -> None:
    record = match("(;GM[Blokus]A1[a20,b20][c19]A2[t20]AE[c19]PL[3];3[t1])")
    setup = record.started.setup
    assert (setup.colours, setup.xs, setup.ys, setup.to_move) == ((0, 1), (0, 19), (19, 19), 2)
    assert saved(record) == "(;GM[Blokus]A1[a20,b20]A2[t20]PL[3];3[t1])"
    mixed = match("(;GM[Blokus]A1[a20]A2[t20]A1[c19,c18])")
    assert mixed.started.setup.colours == (0, 1, 0)
    assert saved(mixed) == "(;GM[Blokus]A1[a20][c18,c19]A2[t20]KFSETUP[1,2,1])"
    assert content(match(saved(mixed))) == content(mixed)
    duo = match("(;GM[Blokus Duo]AB[e10]AW[j5]PL[W])")
    assert (duo.started.setup.colours, duo.started.setup.to_move) == ((0, 1), 1)


def test_readings_given_count_more_than_those_written() -> None:
    assert match("(;GM[Blokus])").started.options == {"start_corner": "by_colour", "voluntary_pass": False}
    free = "(;GM[Blokus]KFOPTION[start_corner=any_free][voluntary_pass=true])"
    assert match(free).started.options == {"start_corner": "any_free", "voluntary_pass": True}
    assert saved(match(free)) == free
    assert match(free, start_corner="by_colour").started.options["start_corner"] == "by_colour"
    assert "always by_colour in variant duo" in reason("(;GM[Blokus Duo])", start_corner="any_free")
    for wrong in ({"start": "any_free"}, {"start_corner": "anywhere"}):
        with pytest.raises(RulesetError, match="start_corner"):
            BLKSGF.read(Path("unread.blksgf"), wrong)


def test_where_passing_is_played_a_colour_that_is_missing_has_passed() -> None:
    text = "(;GM[Blokus];1[a20];3[t1];1[b19,c19])"
    assert not isinstance(judge_log(BLOKUS, *content(match(text))[::2][:2]), Judged)
    record = match(text, voluntary_pass=True)
    assert list(record.events) == [
        place(0, "a20"),
        Pass(1),
        place(2, "t1"),
        Pass(3),
        place(0, "b19,c19"),
    ]
    assert record.plies == (1, 2, 2, 3, 3)
    assert isinstance(judge_log(BLOKUS, record.started, record.events), Judged)
    assert saved(record) == text.replace("Blokus]", "Blokus]KFOPTION[voluntary_pass=true]")


# What is refused

WRONG = {
    "(;GM[Chess];1[a20])": "GM[Chess]: no game that is read here (Blokus, Blokus Two-Player, Blokus Three-Player, ",
    "(;GM[Blokus];1[a20];2[u1])": "2[u1]: invalid point 'u1'",
    "(;GM[Blokus Duo];B[o1])": "B[o1]: invalid point 'o1'",
    "(;GM[Blokus];1[a20][a18])": "1[a20][a18]: these squares are no piece",
    "(;GM[Blokus];1[a20];A2[t20])": "A2[t20]: pieces and turns are set up in the root only",
    "(;GM[Blokus];PL[2])": "PL[2]: pieces and turns are set up in the root only",
    "(;GM[Blokus]A1[a20,a18])": "A1[a20,a18]: these squares are no piece",
    "(;GM[Blokus]A1[a20]AE[b20])": "AE[b20]: no such piece is set up",
    "(;GM[Blokus]PL[5])": "PL[5]: one colour is to move, such as PL[1]",
    "(;GM[Blokus]PL[1][2])": "PL[1][2]: one colour is to move, such as PL[1]",
    "(;GM[Blokus]KFOPTION[corner=x])": "KFOPTION[corner=x]: one value for each of start_corner, voluntary_pass",
    "(;GM[Blokus]KFOPTION[start_corner=x])": "KFOPTION[start_corner=x]: option start_corner cannot be 'x'",
    "(;GM[Blokus]KFTAG[x])": "KFTAG[x]: JSON is malformed",
    '(;GM[Blokus]DT[1]KFTAG[{"date":"2"}])': "tag 'date' is given twice",
    '(;GM[Blokus]KFTAG[{"date":2}])': "Expected `str`, got `int`",
    "(;GM[Blokus]A1[a20]KFSETUP[1,2])": "KFSETUP: other colours than those of the pieces set up",
    "(;GM[Blokus]KFSETUP[6])": "KFSETUP[6]: the colours of the pieces set up, in their order",
    "(;GM[Blokus];KFEVENT[{}])": "no event None in blokus",
    "(;GM[Blokus];KFEVENT[null])": "KFEVENT[null]: an event is an object",
    '(;GM[Blokus];KFEVENT[{"event":"pass","colour":9}])': "event pass: Expected `int` <= 3",
    "(;GM[Blokus];KFEVENT[" + "{" * 99999 + "])": "KFEVENT[{{{",
    "(;GM[Blokus];1[a\n20\u202e])": "1[a\ufffd20\ufffd]: invalid point",
    f"(;GM[Blokus];1[{'a1,' * 99}a1])": "…]: these squares are no piece",
    f"(;GM[Blokus]A1{'[a1]' * 85})": "85 pieces are set up",
    "(;GM[Blokus];1[a20]": "line 1: ",
    "stray": "line 1: text outside a record",
}


@pytest.mark.parametrize("text", WRONG)
def test_the_reason_names_property_and_value(text: str) -> None:
    assert WRONG[text] in reason(text)
    assert len(reason(text)) < 300


def test_the_ply_is_the_number_of_the_move() -> None:
    (rejected,) = records("(;GM[Blokus]C[a]C[b];1[a20]C[c];;2[t20];3[null])")
    assert isinstance(rejected, Rejected)
    assert rejected.ply == 3


def test_one_bad_record_costs_only_itself() -> None:
    text = "(;GM[Blokus];1[a20])\n(;GM[Blokus];1[u1])\n(;GM[Go];B[aa])\nprose\n(;GM[Blokus];1[a20"
    text += "\n(;GM[Blokus];1[a20,b20])(;GM[Blokus Duo];B[e10])"
    found = records(text)
    assert [type(record) for record in found] == [Record, Rejected, Rejected, Rejected, Rejected, Record, Record]
    assert [record.number for record in found] == list(range(1, 8))
    assert b"".join(record.text for record in found).replace(b"\n", b"") == text.replace("\n", "").encode()
