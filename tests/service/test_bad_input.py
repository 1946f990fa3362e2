"""Bad input of every kind: the right exit status, and one line that says what, where and what to do."""

from __future__ import annotations

import json
import os
import shutil
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from kifold.records.store import Store
from kifold.service.cli import app
from tests.service.conftest import Kifold, Said, next_event, next_in_short
from tests.stores import archive_all, fill

REFUSED, WRONG = 1, 2
"""The answer is no; wrong usage or input."""


def assert_one_line(said: Said, status: int, words: str) -> None:
    assert (said.status, said.out) == (status, ""), said.err
    assert said.err.startswith("kifold: ")
    assert said.err.endswith("\n")
    assert said.err.count("\n") == 1, said.err
    assert words in said.err
    for internal in ("Traceback", "a fault in kifold", "msgspec", "sqlite3.", "pyarrow", "ArrowInvalid"):
        assert internal not in said.err


PLACE = '{"event": "place", "colour": "blue", "piece": %s, "orientation": 0, "x": 3, "y": 3}'

EVENTS = [
    ("{", WRONG, "is no JSON: "),
    ('{"event": "place",}', WRONG, "is no JSON: "),
    ("[1, 2]", WRONG, "event '[1, 2]'"),
    ("{}", WRONG, "no event None in blokus: choose from place, pass, finished, resigned, undone, noted"),
    ('{"event": "jump"}', WRONG, "no event 'jump' in blokus: choose from"),
    ('{"event": ["place"]}', WRONG, "no event ['place'] in blokus"),
    ('{"event": "place"}', WRONG, "event place needs field 'colour'"),
    ('{"event": "place", "colour": "pink"}', WRONG, "colour cannot be 'pink': choose from blue, yellow, red, green"),
    (PLACE % 99, WRONG, "event place: Expected `int` <= 20 - at `piece`"),
    (PLACE % -1, WRONG, "event place: Expected `int` >= 0 - at `piece`"),
    (PLACE % 1.5, WRONG, "event place: Expected `int`, got `float` - at `piece`"),
    (PLACE % "null", WRONG, "event place: Expected `int`, got `null` - at `piece`"),
    (PLACE % "[1]", WRONG, "event place: Expected `int`, got `array` - at `piece`"),
    (PLACE % ("9" * 400), WRONG, "event place: "),
    (PLACE % '1, "seat": 0', WRONG, "event place has no field 'seat'; fields: colour, piece"),
    ("zz9", WRONG, "is no square"),
    ("a1,a1", WRONG, "event 'a1,a1': "),
    ("a1,b7", WRONG, "event 'a1,b7': "),
    ("", WRONG, "event '': "),
    ("\x00", WRONG, "event "),
    ("pink:a1", WRONG, "event 'pink:a1': "),
    ("yellow:a1", REFUSED, "event 5 is refused: "),
    ("a1", REFUSED, "event 5 is refused: "),
    ('{"event": "pass", "colour": "yellow"}', REFUSED, "event 5 is refused: "),
    ('{"event": "place", "colour": "green", "piece": 0, "orientation": 0, "x": 3, "y": 3}', REFUSED, "is refused: "),
    ('{"event": "resigned", "seat": 2}', REFUSED, "event 5 is refused: no_such_seat – seats are 0..1"),
    ('{"event": "resigned", "seat": 16}', WRONG, "event resigned: Expected `int` <= 15"),
    (
        '{"event": "undone", "back_to": 5}',
        REFUSED,
        "event 5 is refused: no_such_seq – there is no event 5 to go back to",
    ),
    ('{"event": "undone", "back_to": -1}', WRONG, "event undone: Expected `int` >= 0"),
    ('{"event": "finished", "ending": "bored"}', WRONG, "ending cannot be 'bored': choose from abandoned"),
    ("undone", WRONG, 'event undone: write "undone SEQ", with the number of the event that is gone back to'),
    ("undone x", WRONG, 'event undone: write "undone SEQ", '),
    ("undone -1", WRONG, 'event undone: write "undone SEQ", '),
    ("undone 1 2", WRONG, 'event undone: write "undone SEQ", '),
    ("undone " + "9" * 5000, WRONG, 'write "undone SEQ", '),
    ("undo", WRONG, "event 'undo': did you mean \"undone SEQ\", with the number"),
    ("Undo 2", WRONG, "event 'Undo 2': did you mean \"undone SEQ\", with the number"),
    ("resign", WRONG, "event 'resign': did you mean \"resigned SEAT\" (0 blue, 1 yellow)?"),
    ("yellow resigns", WRONG, "event 'yellow resigns': did you mean \"resigned SEAT\" (0 blue, 1 yellow)?"),
    ("yellow:resigned", WRONG, "event 'yellow:resigned': did you mean \"resigned SEAT\" (0 blue, 1 yellow)?"),
    ("resigned", WRONG, 'event resigned: write "resigned SEAT" (0 blue, 1 yellow)'),
    ("resigned red", WRONG, "no seat 'red': choose 0 blue, 1 yellow"),
    ('{"event": "resigned", "seat": "red"}', WRONG, "no seat 'red': choose 0 blue, 1 yellow"),
    ("agreed", WRONG, "event 'agreed': did you mean \"finished agreed\"?"),
    ("abandon", WRONG, "event 'abandon': did you mean \"finished abandoned\"?"),
    ("finish agreed", WRONG, 'did you mean "finished ENDING" (abandoned, adjudicated, agreed)?'),
    ("noted", WRONG, 'event noted: write "noted NAME TEXT", such as "noted comment a fine move"'),
    ("comment nice", WRONG, 'did you mean "noted NAME TEXT", such as'),
    ("resigned 2", REFUSED, "event 5 is refused: no_such_seat – seats are 0..1"),
    ("finished bored", WRONG, 'event finished: write "finished ENDING" (abandoned, adjudicated, agreed)'),
    ('{"event": "noted", "name": 7}', WRONG, "event noted: Expected `str`, got `int`"),
]


@pytest.mark.parametrize(("event", "status", "words"), EVENTS)
def test_an_event_that_cannot_be(kifold: Kifold, match: str, event: str, status: int, words: str) -> None:
    before = kifold("log", match, "--format", "json").json
    assert_one_line(kifold("append", match, event), status, words)
    if "go back" not in words:  # then it could
        assert_one_line(kifold("append", match, next_event(), event), status, words.replace("event 5", "event 6"))
    assert kifold("log", match, "--format", "json").json == before


@pytest.mark.parametrize("expected", ["0", "5", "3", "99999999999"])
def test_a_wrong_expected_seq(kifold: Kifold, match: str, expected: str) -> None:
    said = kifold("append", match, next_event(), "--expected-seq", expected)
    assert_one_line(said, REFUSED, f"match {match} is at event 4, not {expected}: read it again, then append")


def test_a_match_that_is_over(kifold: Kifold, finished: str, folder: Path) -> None:
    event = '{"event": "resigned", "seat": 0}'
    assert_one_line(kifold("append", finished, event), REFUSED, "is refused: match_over – the match is over")
    assert_one_line(kifold("append", finished, "e8"), REFUSED, "is refused: ")
    assert kifold("archive").status == 0
    assert_one_line(kifold("append", finished, event), REFUSED, "is refused: match_over – the match is over")
    with Store(folder) as store:
        assert store.counts() == {"blokus": (0, 1)}


def test_a_key_of_another_match(kifold: Kifold, match: str, finished: str) -> None:
    assert kifold("append", match, next_event(), "--key", "a").status == 0
    note = '{"event": "noted", "name": "x"}'
    assert_one_line(kifold("append", finished, note, "--key", "a"), WRONG, f"key 'a' was used for match {match}")


def test_a_key_of_other_events(kifold: Kifold, match: str) -> None:
    """Short notation is read in the position that it was appended in."""
    assert kifold("append", match, next_in_short(), next_in_short(at=5), "--key", "a").status == 0
    assert kifold("append", match, next_in_short(at=6)).status == 0
    note = '{"event": "noted", "name": "x"}'
    others = [[note], [next_in_short(at=7)], ["e8"], ["whatever"], [next_in_short()], [next_in_short()] * 9]
    others += [[next_in_short(at=5)], [next_in_short(at=at) for at in (3, 4, 5)]]
    for events in others:
        said = kifold("append", match, *events, "--key", "a")
        assert_one_line(said, REFUSED, f"key 'a' was used for other events of match {match}, up to event 6")
    assert kifold("append", match, next_in_short(), next_in_short(at=5), "--key", "a").out.startswith("event 6; ")
    assert_one_line(kifold("append", match, note, "--key", ""), WRONG, "a key cannot be empty")
    assert len(kifold("log", match, "--format", "json").json["events"]) == 8


COMMANDS = [
    ("new nope", "no ruleset 'nope': choose from blokus"),
    ("new nope@1", "no ruleset 'nope@1': choose from blokus"),
    ("new blokus@1", "no ruleset 'blokus@1': write blokus (matches begin under its newest revision; "),
    ("simulate blokus@1 --games 1", "no ruleset 'blokus@1': write blokus ("),
    ("new blokus --variant nope", "no variant 'nope' of blokus: choose from classic"),
    ("new blokus --seats 3", "blokus classic is for 4 seats, not 3; for 3 there is three_player"),
    ("new blokus --seats 2", "blokus classic is for 4 seats, not 2; for 2 there is two_player, duo"),
    ("new blokus --seats 5", "blokus classic is for 4 seats, not 5"),
    ("new edgecolor --variant solo --seats 5", "edgecolor solo is for 1 seat, not 5"),
    ("new chipstack --seats 6", "chipstack standard is for 2 seats, or 3, 4, 5, not 6"),
    ("new chipstack --player a --player b --player c --player d", "4 players for 2 seats: add --seats 4"),
    ("new blokus --variant duo --player a --player b --player c", ": for 3 there is --variant three_player"),
    ("new blokus --seats x", "Invalid value for '--seats'"),
    ("new blokus --set nope=1", "no option 'nope'"),
    ("new blokus --set voluntary_pass=maybe", "option voluntary_pass cannot be 'maybe': choose "),
    ("new blokus --set voluntary_pass", "--set 'voluntary_pass': write NAME=VALUE"),
    ("new blokus --set voluntary_pass=true --set voluntary_pass=false", "--set 'voluntary_pass' is given twice"),
    ("new blokus --player \udcff", "a text that is no UTF-8"),
    ("new blokus --tag x=\udcff", "a text that is no UTF-8"),
    ("new blokus --tag x", "--tag 'x': write NAME=VALUE"),
    ("new blokus --player a --player b --player c --player d --player e", "5 players for 4 seats"),
    ("new blokus --setup nofile.json", "nofile.json: cannot be read (No such file or directory)"),
    ("new blokus --setup .", ".: cannot be read (Is a directory)"),
    ("new", "Missing argument 'RULESET'; see `kifold new --help`"),
    ("nope", "No such command 'nope'; see `kifold --help`"),
    ("--nope", "No such option: --nope"),
    ("new blokus --nope", "No such option: --nope"),
    ("append MATCH", "Missing argument 'EVENT...'; see `kifold append --help`"),
    ("append MATCH a1 --expected-seq x", "Invalid value for '--expected-seq'"),
    ("append 000 a1", "there is no match 000 in "),
    ("append 0oops a1", "'0oops' is no match id: 12 digits and letters (no i, l, o, u) such as"),
    ("append 9999999999999999999999 a1", "is no match id"),
    ("log 000", "`kifold log` lists what there is"),
    ("show 000", "there is no match 000"),
    ("show MATCH --at 5", "ply 5: the match has plies 0..4"),
    ("show MATCH --at -1", "ply -1: the match has plies 0..4"),
    ("show MATCH --as jpeg", "--as cannot be 'jpeg': choose text, svg, html, json"),
    ("show MATCH --seat 2", "seat"),
    ("show MATCH --out /nowhere/x.svg --as svg", "/nowhere/x.svg: there is no folder /nowhere"),
    ("legal 000", "there is no match 000"),
    ("rename 000 0 x", "there is no match 000"),
    ("rename MATCH red x", "no seat 'red': choose 0 blue, 1 yellow"),
    ("legal MATCH --at 5", "ply 5: the match has plies 0..4"),
    ("legal MATCH --at 1 --at-seq 1", "--at and --at-seq exclude each other"),
    ("legal MATCH --seat 2", "seat"),
    ("export MATCH --limit 1", "--limit is for the matches that --where finds"),
    ("export --where true --limit 0", "Invalid value for '--limit'"),
    ("log MATCH --format xml", "--format cannot be 'xml': choose table, json"),
    ("delete 000", "there is no match 000"),
    ("rulesets nope", "no ruleset 'nope'"),
    ("import nofile.blksgf", "nofile.blksgf: there is no such file"),
    ("import README", "its ending says no format"),
    ("import x.jsonl --as nope", "no format 'nope'"),
    ("export", "name the matches to export, or give a condition with --where"),
    ("export MATCH --where true", "name the matches to export, or give a condition with --where"),
    ("export 000", "there is no match 000"),
    ("export MATCH --out /nowhere/x.jsonl", "/nowhere/x.jsonl: there is no folder /nowhere"),
    ("export --where nope", "nope"),
    ("new chipstack --seed -7", "a seed is a number from 0 to 4611686018427387903, not -7"),
    ("new chipstack --seed 4611686018427387904", "a seed is a number from 0 to 4611686018427387903"),
    ("new blokus --seed 3", "--seed is for setups that chance has a part in: blokus draws none"),
    ("new chipstack --seed 3 --setup x.json", "--seed draws what --setup names: give one of them"),
    ("simulate nope --games 1", "no ruleset 'nope'"),
    ("simulate blokus", "Missing option '--games'"),
    ("simulate blokus --games 0", "Invalid value for '--games'"),
    ("simulate blokus --games 1 --seed -1", "Invalid value for '--seed'"),
    ("simulate blokus --games 1 --seed 99999999999999999999", "a seed is a number from 0 to"),
    ("simulate blokus --games 1 --policy clever", "no policy 'clever': choose from random, greedy"),
    ("simulate blokus --games 1 --workers 0", "Invalid value for '--workers'"),
    ("simulate blokus --games 99999999999", "a simulation has at most 4294967296 matches"),
    ("verify nowhere", "nowhere: is no kifold store and holds no archive files"),
    ("verify --ruleset nope", "no ruleset 'nope'"),
    ("verify --format xml", "--format cannot be 'xml'"),
    ("promote blokus", "which revision of blokus? write blokus@REVISION"),
    ("promote nope@1", "no ruleset 'nope'"),
    ("promote blokus@9", "revision 9 of blokus is not installed; there is 1"),
    ("promote blokus@new", "write NAME@REVISION with a number, such as blokus@1"),
    ("promote blokus@1 --format xml", "--format cannot be 'xml'"),
    ("verify --ruleset blokus@9", "revision 9 of blokus is not installed; there is 1"),
    ("coverage nowhere", "nowhere: there is no such store, nor such a ruleset (blokus, chipstack, "),
    ("coverage . nope", "no ruleset 'nope'"),
    ("coverage --golden nowhere", "nowhere: holds no golden logs"),
    ("coverage --format xml", "--format cannot be 'xml'"),
    ("sql", "give a query such as"),
    ("sql selec", "Parser Error"),
    ("sql nope --format xml", "--format cannot be 'xml'"),
    ("sql x --format parquet", "name it with --out"),
    ("sql x --schema", "exclude each other"),
    ("openings nope", "no ruleset 'nope'"),
    ("openings blokus --depth 0", "Invalid value for '--depth'"),
    ("openings blokus --variant nope", "no variant 'nope' of blokus"),
    ("scores nope", "no ruleset 'nope'"),
    ("quarantine --format xml", "--format cannot be 'xml'"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "words"), COMMANDS, ids=[line for line, _ in COMMANDS])
def test_wrong_usage(
    kifold: Kifold, match: str, line: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = kifold("log", "--format", "json").json
    assert_one_line(kifold(*line.replace("MATCH", match).split()), WRONG, words)
    assert kifold("log", "--format", "json").json == before


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "7", "null", '{"nope": 1}', '{"to_move": "pink"}', '{"xs": [99]}', "\x00"]
)
def test_a_setup_that_cannot_be(kifold: Kifold, tmp_path: Path, content: str) -> None:
    file = tmp_path / "setup.json"
    file.write_text(content)
    assert_one_line(kifold("new", "blokus", "--setup", file), WRONG, f"{file}: ")


def test_a_setup_against_the_rules_is_refused(kifold: Kifold, tmp_path: Path) -> None:
    file = tmp_path / "setup.json"
    file.write_text('{"colours": ["blue"], "pieces": [0], "orientations": [0], "xs": [0], "ys": []}')
    assert_one_line(kifold("new", "blokus", "--setup", file), REFUSED, "event 0 is refused: ")


# A store that is none

STORE_COMMANDS = [
    "log", "append 000 a1", "fork 000", "show 000", "delete 000 --yes", "archive", "sql select", "openings blokus",
    "scores blokus", "quarantine", "export --where true", "coverage", "compact", "plies",
]  # fmt: skip
WRITING = ["new blokus", "simulate blokus --games 1"]


@pytest.mark.parametrize("line", STORE_COMMANDS)
def test_no_store(kifold: Kifold, folder: Path, line: str) -> None:
    words = f"{folder}: no kifold store here; record or import a match first, or name another with --store"
    assert_one_line(kifold(*line.split()), WRONG, words)
    assert not folder.exists()


@pytest.mark.parametrize("line", [*STORE_COMMANDS, *WRITING])
@pytest.mark.parametrize("kind", ["file", "garbage", "empty", "half", "newer", "folder"])
def test_a_store_that_cannot_be_opened(kifold: Kifold, match: str, folder: Path, line: str, kind: str) -> None:
    journal = folder / "journal.sqlite"
    if kind == "file":
        shutil.rmtree(folder)
        folder.write_text("")
    elif kind == "garbage":
        journal.write_bytes(os.urandom(5000))
    elif kind == "empty":
        journal.write_bytes(b"")
    elif kind == "half":
        journal.write_bytes(journal.read_bytes()[:3000])
    elif kind == "newer":
        with Store(folder) as store, store.journal.writing() as db:
            db.execute("UPDATE meta SET value = '7' WHERE key = 'format'")
    else:
        journal.unlink()
        journal.mkdir()
    words = "has format 7, this kifold reads up to 3; install a newer kifold" if kind == "newer" else str(folder)
    assert_one_line(kifold(*line.split()), WRONG, words)


@pytest.mark.parametrize("line", ["log MATCH", "show MATCH", "export MATCH", "sql select", "scores blokus"])
@pytest.mark.parametrize("kind", ["missing", "half", "garbage"])
def test_an_archive_file_that_cannot_be_read(
    kifold: Kifold, folder: Path, match: str, finished: str, line: str, kind: str
) -> None:
    with Store(folder) as store:
        archive_all(store)
        place = next((store.archive_folder / "events").rglob("*.parquet"))
    if kind == "missing":
        place.unlink()
    elif kind == "half":
        place.write_bytes(place.read_bytes()[:500])
    else:
        place.write_bytes(os.urandom(5000))
    said = kifold(*line.replace("MATCH", finished).split())
    # Of an export the answer is no for this match; it goes on with others.
    assert_one_line(said, REFUSED if line.startswith("export") else WRONG, f"{place}: is ")
    assert "restore it from a copy" in said.err
    assert kifold("show", match).status == 0, "others can be shown"
    said = kifold("verify")
    assert (said.status, said.err) == (1, "")
    assert f"{place}: is " in said.out
    assert "1 exact (1 unfinished), 1 not readable (1 file)" in said.out
    said = kifold("verify", "--format", "json")
    assert (said.status, json.loads(said.out)["not_readable"]) == (1, 1)
    said = kifold("coverage", "blokus")
    assert said.status == 1
    assert said.out.startswith("blokus: 1 stored match, 1 left out\n")
    assert said.err.startswith(f"kifold: {place}: is ")
    said = kifold("plies")
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"kifold: {place}: is ")
    said = kifold("compact")
    assert said.status == 1
    assert said.err.startswith(f"kifold: {place}: ")
    assert said.out.startswith("nothing was compacted in 1 archive file")


def test_verify_says_what_is_wrong_and_where(kifold: Kifold, folder: Path, match: str) -> None:
    with Store(folder) as store:
        fill(store)
        with store.journal.writing() as db:
            db.execute("UPDATE events SET data = (SELECT data FROM events WHERE seq = 1) WHERE seq = 3 AND match = ?",
                       (store.find(match),))  # fmt: skip
    said = kifold("verify")
    assert (said.status, said.err) == (1, "")
    first, second, third, fourth = said.out.splitlines()
    assert "1 damaged, 8 exact" in first
    assert second.startswith("        1 × blokus: damaged: its log is not the one that was written")
    assert third.strip() == f"the shortest: match {match} (blokus)", "what the cause says is not said again"
    assert fourth.strip() == f"see: kifold verify {folder} --match {match}"
    assert_one_line(kifold("append", match, next_event()), WRONG, f"match {match} is damaged")
    listed = kifold("log")
    assert listed.status == 0
    assert len(listed.out.splitlines()) == 8, "it does not hide the others"
    assert match in listed.err
    assert kifold("delete", match, "--yes").status == 0
    assert kifold("verify").status == 0


def test_a_fault_of_our_own_says_so(kifold: Kifold, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Store, "__init__", broken)
    said = kifold("log")
    assert (said.status, said.out) == (2, "")
    assert said.err == "kifold: ZeroDivisionError: oops (a fault in kifold: see it with --debug, and report it)\n"
    assert "Traceback" in kifold("--debug", "log").err
    assert not folder.exists()


def test_every_command_is_tried_with_wrong_usage() -> None:
    tried = {line.split()[0] for line, _ in COMMANDS} | {line.split()[0] for line in STORE_COMMANDS}
    known = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert known - tried <= {"demo", "diff"}


ON_ANY_STORE = (["new", "blokus"], ["log"], ["verify"], ["simulate", "nibble", "--games", "1"], ["sql", "SELECT 1"])


@pytest.mark.skipif(os.name != "posix", reason="names of files are text elsewhere")
@pytest.mark.parametrize("line", ON_ANY_STORE, ids=" ".join)
@pytest.mark.parametrize("is_there", [False, True])
def test_a_folder_whose_name_is_no_utf8(kifold: Kifold, tmp_path: Path, line: list[str], is_there: bool) -> None:
    odd = tmp_path / os.fsdecode(b"odd\xff")
    if is_there:
        with Store(tmp_path / "even") as store:
            fill(store, 1)
            archive_all(store)
        (tmp_path / "even").rename(odd)
    said = f"{tmp_path}/odd\\xff: is no name in UTF-8, which archive files need; rename the folder"
    assert_one_line(kifold("--store", odd, *line), WRONG, said)
    assert odd.exists() == is_there
    if is_there and line == ["verify"]:
        assert_one_line(kifold("verify", odd / "archive"), WRONG, f"{tmp_path}/odd\\xff/archive: is no name in UTF-8")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
@pytest.mark.usefixtures("match")
def test_output_that_an_encoding_has_no_place_for_is_no_wrong_input(
    kifold: Kifold, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", TextIOWrapper(BytesIO(), encoding=encoding))
        said = kifold("sql", "select 1 as a")
    line = f"output is in {encoding} here, which has no '─': set PYTHONUTF8=1 for UTF-8"
    assert_one_line(said, WRONG, line)
    assert kifold("sql", "select 1 as a").out == "a\n─\n1\n"
