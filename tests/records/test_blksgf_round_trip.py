"""Whatever a log of blokus holds: written as a record and read again it is the same log, and so is any record's."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kifold.core.events import Event, Finished, Noted, Resigned, Undone
from kifold.core.play import Play
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import BlokusSetup, Pass, Place
from kifold.records.formats import FormatError
from kifold.records.formats.blksgf_write import trees_of
from kifold.records.log import Log
from tests.records.blksgf_logs import content, family_saved, logs_of, match, played, records, saved
from tests.rulesets.blokus_cases import place, scattered

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    (variant, {"start_corner": corner, "voluntary_pass": passing})
    for variant in ("classic", "two_player", "three_player", "duo")
    for corner in ("by_colour", "any_free")
    for passing in (False, True)
    if variant != "duo" or corner == "by_colour"
]

OWN = ["KFOPTION", "KFTAG", "KFEVENT", "KFSETUP"]
ROOT = ["GM", "DT", "ZZ", "P1", "P2", "PB", "A1", "AB", "AE", "PL", "C", "TE", "lower", "a-b", ""]
PROPERTIES = ["1", "2", "4", "BLUE", "B", "W", *ROOT, *OWN]
NAMES = ["comment", "C", "other", "blksgf:node", "blksgf:side-lines", *(f"blksgf:{name}" for name in PROPERTIES)]
BRANCHES = ["(;1[a20])", "(;)", "(;1[a](;2[b])(;2[c]))", "(;C[\t])", "(;C[\r])", "( ;C[x])", "(;C[x])(;)", "(;C[x]"]
TEXTS = [
    "",
    "x",
    "a20",
    "]",
    "\\",
    "\\]",
    " \t\v\f ",
    "\r\n",
    "\r",
    "\n(;GM[Blokus]",
    "\n(;1[a20",
    "[",
    "a20][b20",
    "blokus",
]
TAGS = ["date", "DT", "GM", "source", "ZZ", "P1", "PB", "C", "TE", "1", "A1", "KFTAG", "club night", ""]

texts = st.one_of(st.sampled_from(TEXTS + BRANCHES), st.text(st.characters(codec="utf-8"), max_size=8))
names = st.one_of(st.sampled_from(NAMES), st.text(max_size=3).map("blksgf:{}".format))
notes = st.builds(Noted, names, st.lists(texts, max_size=3).map(tuple))
tag_maps = st.dictionaries(st.one_of(st.sampled_from(TAGS), texts), st.one_of(texts, st.just("blokus")), max_size=4)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(SETTINGS),
    st.integers(0, 1 << 30),
    st.integers(0, 30),
    st.lists(notes, min_size=1, max_size=6),
    tag_maps,
    st.lists(st.sampled_from(["", "Ann", "B]n", "\t"]), max_size=4),
)
def test_any_log_is_read_back(
    setting: tuple[str, dict[str, Any]],
    seed: int,
    plies: int,
    noted: list[Noted],
    tags: dict[str, str],
    people: list[str],
) -> None:
    variant, options = setting
    setup = scattered(variant, 12, seed) if seed % 5 == 0 else None
    started = BLOKUS.start(variant, options, tags=tags, setup=setup)
    events = played(BLOKUS, started, seed, plies, lambda rng: rng.choice([*noted, Noted("blksgf:node")]))
    players = tuple(people + [""] * 4)[: started.seats] if any(people[: started.seats]) else ()
    log = Log(0, started, events, players)
    assert content(match(saved(log))) == content(log)


@pytest.mark.parametrize("setting", SETTINGS)
def test_whole_matches_are_read_back(setting: tuple[str, dict[str, Any]]) -> None:
    variant, options = setting
    started = BLOKUS.start(variant, options, tags={"source": "simulation", "policy": "random"})
    for seed in range(2):
        log = Log(0, started, played(BLOKUS, started, seed, 400))
        assert Play(BLOKUS, started).turn == 0
        assert content(match(saved(log))) == content(log)


YELLOW = place(1, "t20")


BEFORE: list[list[Event]] = [[], [Noted("blksgf:node")], [place(1, "t20")]]
AFTER: list[list[Event]] = [[], [Noted("blksgf:node")], [place(2, "t1")], [Noted("comment", ("x",))]]


@pytest.mark.parametrize("name", NAMES)
def test_any_note_is_read_back_anywhere(name: str) -> None:
    started = BLOKUS.start("classic", {"start_corner": "by_colour"}, tags={"date": "1"}, setup=BlokusSetup(to_move=1))
    for value in [(), ("a", "b"), *((text,) for text in TEXTS + BRANCHES)]:
        noted = Noted(name, value)
        for before, after in product(BEFORE, AFTER):
            for events in ([noted], [noted, noted], [noted, Noted("comment", ("x",)), noted]):
                log = Log(0, started, [*before, *events, *after], ("Ann", "", "", ""))
                assert content(match(saved(log))) == content(log)


@pytest.mark.parametrize("first", TAGS)
def test_any_tags_are_read_back_in_their_order(first: str) -> None:
    for second, one, other in product(TAGS, TEXTS, ["Blokus", "BLOKUS ", "Blokus Duo", "\r"]):
        log = Log(0, BLOKUS.start("classic", tags={first: one, second: other}), [])
        assert content(match(saved(log))) == content(log)


def passing(*events: Event) -> Log:
    started = BLOKUS.start("classic", {"start_corner": "by_colour", "voluntary_pass": True})
    play = Play(BLOKUS, started)
    for event in events:
        play.add(event)
    return Log(0, started, play.log)


A, B, C, D = (place(colour, square) for colour, square in enumerate(("a20", "t20", "t1", "a1")))


@pytest.mark.parametrize(
    ("events", "moves"),
    [
        ([A, Pass(1), Pass(2), D], ";1[a20];4[a1])"),
        ([Pass(0), B], ";2[t20])"),
        ([A, Pass(1)], ';1[a20]KFEVENT[{"event":"pass","colour":"yellow"}])'),
        ([Pass(0), Pass(1), Pass(2), Pass(3)], None),
        ([A, Pass(1), Noted("comment", ("hm",)), Pass(2), D], None),
        ([A, Pass(1), Noted("blksgf:node"), C], None),
        ([A, Pass(1), C, Undone(1), B], None),
        ([A, Pass(1), C, Undone(2), Pass(2), D], None),
        ([A, B, C, D, Resigned(2)], None),
        ([A, Finished(1), Noted("comment", ("rain",)), Undone(1), B], None),
    ],
)
def test_passes_endings_and_what_was_taken_back(events: list[Event], moves: str | None) -> None:
    log = passing(*events)
    text = saved(log)
    if moves is not None:
        assert text == "(;GM[Blokus]KFOPTION[voluntary_pass=true]" + moves
    assert content(match(text)) == content(log)


def test_other_programs_see_only_the_moves_that_count() -> None:
    started = BLOKUS.start("duo")
    undone = place(1, "j5,k5")
    log = Log(0, started, [place(0, "e10"), undone, Noted("comment", ("oops",)), Undone(1), place(1, "j5")])
    text = saved(log)
    assert [name for name in ("e10", "j5,k5", "j5") if f"[{name}]" in text] == ["e10", "j5"]
    assert text.count("KFEVENT") == 1
    assert content(match(text)) == content(log)


# Records of others: whatever is accepted comes back the same.

VALUES = [
    "a20",
    "b19,c19",
    "t20",
    "t1",
    "e10",
    "j5",
    "",
    "x",
    "\t\v",
    "start_corner=any_free",
    "voluntary_pass=true",
    "1",
]


def tree_text(rng: random.Random, depth: int) -> str:
    nodes = [";" + "".join(property_text(rng) for _ in range(rng.randrange(3))) for _ in range(rng.randint(1, 3))]
    branches = [tree_text(rng, depth - 1) for _ in range(rng.choice([0, 0, 2, 3]) if depth else 0)]
    return f"({''.join(nodes)}{''.join(branches)})"


def property_text(rng: random.Random) -> str:
    values = rng.choices(VALUES, k=rng.choice([1, 1, 1, 2]))
    return rng.choice([name for name in PROPERTIES if name.isalnum()]) + "".join(f"[{value}]" for value in values)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 60), st.sampled_from(["Blokus", "blokus duo", "Blokus Three-Player"]))
@example(0, "Blokus")
def test_any_record_comes_back_the_same(seed: int, game: str) -> None:
    rng = random.Random(seed)
    text = f"(;GM[{game}]" + "".join(property_text(rng) for _ in range(rng.randrange(3))) + tree_text(rng, 2)[1:]
    found = logs_of(records(text))
    if found:
        (again,) = family_saved(found)
        read = logs_of(records(again))
        assert list(map(content, read)) == list(map(content, found))
        assert [log.fork and log.fork.inherited for log in read] == [log.fork and log.fork.inherited for log in found]


# What the format cannot say


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            Log(0, msgspec.structs.replace(BLOKUS.start(), ruleset="nibble"), []),
            "not nibble, revision 1; write it as jsonl",
        ),
        (Log(0, msgspec.structs.replace(BLOKUS.start(), revision=9), []), "not blokus, revision 9"),
        (Log(0, BLOKUS.start(), [], ("a\rb",)), "names of players"),
        (Log(0, BLOKUS.start("duo"), [Place(3, 0, 0, 0, 0)]), "no colour 3"),
        (Log(0, BLOKUS.start("duo"), [Place(0, 0, 0, 19, 0)]), "1 at 19, 0 is no piece on the board"),
        (Log(0, BLOKUS.start("duo"), [Place(0, 0, 5, 0, 0)]), "is no piece"),
        (Log(0, BLOKUS.start("duo", setup=BlokusSetup((2,), (0,), (0,), (0,), (0,))), []), "no colour 2"),
        (Log(0, BLOKUS.start("duo", setup=BlokusSetup(to_move=3)), []), "no colour 3"),
    ],
)
def test_what_cannot_be_said_is_refused(log: Log, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        trees_of([log])
