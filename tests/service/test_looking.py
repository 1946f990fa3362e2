"""`kifold show` and `kifold diff` at plies and at events, in full and for one seat."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kifold.core.events import Undone
from kifold.core.registry import ruleset
from kifold.core.samples import sample_match
from kifold.records.ids import id_text
from kifold.records.store import Store
from kifold.service.cli import run

CHIPSTACK = ruleset("chipstack")
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    """Runs a command: its exit status, its output, and what it said of errors."""

    def say(*words: str) -> tuple[int, str, str]:
        status = run(["--store", str(tmp_path / "store"), *words])
        said = capsys.readouterr()
        return status, said.out, said.err

    return say


@pytest.fixture
def match(tmp_path: Path) -> str:
    """A match of eight events, of which the last three are taken back and the first of these comes again."""
    play = sample_match(CHIPSTACK, CHIPSTACK.start(), 3, limit=8)
    with Store(tmp_path / "store") as store:
        return id_text(store.new(play.started, ("Ada", "Bo"), [*play.log, Undone(5), play.log[5]]))


def json_of(say: Say, *words: str) -> Any:
    status, out, err = say(*words, *(("--format", "json") if words[0] == "log" and "--format" not in words else ()))
    assert (status, err) == (0, "")
    return json.loads(out)


def test_show_at_an_event_is_what_stood_then(say: Say, match: str) -> None:
    at_ply, at_seq = (json_of(say, "show", match, how, "5", "--as", "json") for how in ("--at", "--at-seq"))
    assert at_ply == at_seq
    undone = json_of(say, "show", match, "--at-seq", "8", "--as", "json")
    assert undone["ply"] == 8
    assert json_of(say, "show", match, "--at-seq", "9", "--as", "json") == at_ply
    last = json_of(say, "show", match, "--as", "json")
    assert last["ply"] == 6
    assert last == json_of(say, "show", match, "--at-seq", "10", "--as", "json")


def test_the_log_says_what_no_longer_counts(say: Say, match: str) -> None:
    """Which seat looks on makes no difference: that something is taken back is open to all."""
    for seat in ((), ("--seat", "1")):
        lines = say("log", match, *seat)[1].splitlines()[-11:-1]
        assert [line for line in lines if line.endswith("  (taken back)")] == lines[5:8]
        events = json_of(say, "log", match, *seat, "--format", "json")["events"]
        assert [event["seq"] for event in events if event.get("undone")] == [6, 7, 8]


def test_whoever_looks_sees_who_plays_and_how_it_ended(say: Say, match: str) -> None:
    """Also a seat that may not see everything: names are no secret, nor is how the seats stand when it is over."""
    who, turn = "seat 0: Ada, seat 1: Bo", json_of(say, "log", match)["turn"]
    assert turn in ("seat 0 to move", "seat 1 to move")
    assert say("log", match)[1].endswith(f"\n{turn}\n")
    assert say("append", match, "finished agreed")[0] == 0
    end = json_of(say, "log", match)["turn"]
    assert end.startswith("match over, agreed: 1. seat ")
    for seat in ((), ("--seat", "1"), ("--seat", "spectator")):
        assert say("log", match, *seat)[1].endswith(f"\n{end}\n")
        assert json_of(say, "log", match, *seat)["turn"] == end
        assert json_of(say, "show", match, *seat, "--as", "json")["players"] == ["Ada", "Bo"]
        for form in ("text", "svg", "html"):
            before, after = (say("show", match, *seat, *at, "--as", form)[1] for at in (("--at", "5"), ()))
            assert who in before
            assert who in after
            assert ("match over" in before, end in after) == (False, True)


def test_a_page_is_headed_by_what_holds_for_every_ply(say: Say, tmp_path: Path) -> None:
    _, made, _ = say("new", "nibble", "--player", "Änn", "--player", "Bo", "--tag", "event=<club> evening")
    match = made.strip()
    page = say("show", match, "--as", "html")[1]
    assert f"<h1>nibble {match} – seat 0: Änn, seat 1: Bo</h1>" in page.replace("Nibble", "nibble")
    assert '<p class="about">event: &lt;club&gt; evening</p>' in page
    svg = say("show", match, "--as", "svg")[1].replace("Nibble", "nibble")
    assert f"<title>nibble {match}, ply 0 – seat 0: Änn, seat 1: Bo</title>" in svg


def test_the_log_says_what_the_match_started_from(say: Say, tmp_path: Path) -> None:
    """Also a seat, of what it may know; long lists are cut short, and long lines broken between options."""

    def begin(*words: str) -> str:
        return say("new", *words)[1].strip()

    match = begin("chipstack", "--seed", "3")
    first = json_of(say, "log", match)["events"][0]["setup"]["first"]
    assert (f"  begins with first: {first}\n" in say("log", match)[1]) == (first != 0)
    match = begin("nibble", "--seed", "3")
    setup = json_of(say, "log", match)["events"][0]["setup"]
    out = say("log", match)[1]
    assert f"  begins with layout: {' '.join(setup['layout'][:24])} … (81 in all, as `show --at 0` draws" in out
    assert f"  begins with table: {' '.join(setup['table'])}\n" in out
    match = begin("edgecolor", "--seed", "3")
    hands = json_of(say, "log", match)["events"][0]["setup"]
    for seats in ((), (0,), (1,)):
        lines = say("log", match, *(("--seat", str(seats[0])) if seats else ()))[1].splitlines()
        assert [line for line in lines if "hand" in line and "begins" in line] == [
            f"  begins with hand_{seat}: {' '.join(map(str, hands[f'hand_{seat}']))}" for seat in seats or (0, 1)
        ]
        assert all(len(line) <= 118 for line in lines)
    assert "begins" not in say("log", begin("blokus"))[1]


def test_show_draws_an_event(say: Say, match: str) -> None:
    assert say("show", match, "--at-seq", "6")[1] == say("show", match, "--at", "6")[1]
    assert "event 7" in say("show", match, "--at-seq", "7", "--as", "svg")[1]


@pytest.mark.parametrize("name", ["x.svg", "x.HTML", "x.json", "x.txt", "x"])
def test_the_ending_of_a_file_says_what_is_written(say: Say, match: str, tmp_path: Path, name: str) -> None:
    kind = name.partition(".")[2].lower()
    kind = kind if kind in ("svg", "html", "json") else "text"
    assert say("show", match, "--out", str(tmp_path / name)) == (0, "", "")
    assert (tmp_path / name).read_text(encoding="utf-8") == say("show", match, "--as", kind)[1]
    assert say("show", match, "--as", "text", "--out", str(tmp_path / name))[0] == 0
    assert (tmp_path / name).read_text(encoding="utf-8") == say("show", match)[1]


def test_a_seat_may_be_named_by_its_colour(say: Say, tmp_path: Path) -> None:
    made = say("new", "blokus", "--variant", "two_player")[1].strip()
    for name in ("1", "yellow", "green", "Yellow+Green"):
        assert say("legal", made, "--seat", name) == say("legal", made, "--seat", "1")
        assert say("show", made, "--seat", name, "--as", "json")[0] == 0
    for seat in ("2", "pink", "-1", "²", ""):
        status, _, err = say("log", made, "--seat", seat)
        assert (status, err) == (
            2,
            f"kifold: --seat: no seat {seat!r}: choose 0 blue+red, 1 yellow+green, or spectator\n",
        )


def test_seats_without_names_are_numbers(say: Say, match: str) -> None:
    assert say("log", match, "--seat", "seat 1") == say("log", match, "--seat", "1")
    assert say("log", match, "--seat", "blue")[2] == "kifold: --seat: no seat 'blue': choose 0..1, or spectator\n"


def test_a_page_ends_where_it_was_asked_to(say: Say, match: str) -> None:
    assert say("show", match, "--at", "2", "--as", "html")[1].count("<li>") == 3
    assert say("show", match, "--at-seq", "8", "--as", "html")[1].count("<li>") == 9
    assert say("show", match, "--as", "html")[1].count("<li>") == 7


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("show", "--at", "7"), "ply 7: the match has plies 0..6"),
        (("show", "--at-seq", "11"), "event 11: the log has events 0..10"),
        (("show", "--at", "1", "--at-seq", "1"), "--at and --at-seq exclude each other"),
        (("diff", "0", "7"), "ply 7: the match has plies 0..6"),
        (
            ("diff", "-1", "0"),
            "Invalid value for 'PLY': Input should be greater than or equal to 0; see `kifold diff --help`",
        ),
    ],
)
def test_what_there_is_not_to_see(say: Say, match: str, words: tuple[str, ...], why: str) -> None:
    assert say(words[0], match, *words[1:]) == (2, "", f"kifold: {why}\n")


def test_diff_names_fields_and_both_values(say: Say, match: str) -> None:
    states = [json_of(say, "show", match, "--at", ply, "--as", "json")["state"] for ply in ("2", "3")]
    found = json_of(say, "diff", match, "2", "3", "--format", "json")
    assert (found["match"], found["from"], found["to"]) == (match, 2, 3)
    assert found["changes"]
    for change in found["changes"]:
        values = [state[change["field"]] for state in states]
        if change["index"] is not None:
            values = [value[change["index"]] for value in values]
        assert values == [change["was"], change["is"]]
    _, out, _ = say("diff", match, "2", "3")
    assert len(out.splitlines()) == len(found["changes"])
    first = found["changes"][0]
    assert out.startswith(first["field"])
    assert out.splitlines()[0].endswith(f": {first['was']} → {first['is']}")
    assert say("diff", match, "3", "3")[1] == "nothing differs\n"


def test_diff_tells_a_seat_only_what_it_may_know(say: Say, match: str) -> None:
    full, ours, others = (
        json_of(say, "diff", match, "0", "6", "--format", "json", *seat)["changes"]
        for seat in ((), ("--seat", "0"), ("--seat", "spectator"))
    )
    held = [[change for change in found if change["field"] == "held"] for found in (full, ours, others)]
    assert held[0]
    assert held[2] == []
    assert held[1] == [change for change in held[0] if change["index"] < 5]
    assert [c for c in full if c["field"] != "held"] == [c for c in others if c["field"] != "held"]


def test_derived_fields_are_told_when_asked(say: Say, match: str) -> None:
    essential, derived = (
        json_of(say, "diff", match, "0", "6", "--format", "json", *more)["changes"] for more in ((), ("--derived",))
    )
    assert [change for change in derived if change in essential] == essential
