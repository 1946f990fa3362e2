"""Variations are forks, and forks are written as variations that read back as the same logs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifold.core.events import Event, Noted, Resigned, Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import Pass
from kifold.records.formats import Rejected, blksgf_read
from kifold.records.log import Fork, Log, taken_over
from tests.records.blksgf_logs import content, family_saved, logs_of, played, records
from tests.records.test_blksgf_round_trip import SETTINGS
from tests.rulesets.blokus_cases import place

NOTES = (Noted("comment", ("x",)), Noted("blksgf:node"), Noted("blksgf:TE", ("1",)), Noted("odd"))


def grown(variant: str, options: dict[str, Any], seed: int, size: int) -> list[Log]:
    """A match and forks of it and of one another, each at any place, in an order in which they may be exported."""
    rng = random.Random(seed)
    started = BLOKUS.start(variant, options)

    def note(rng: random.Random) -> Noted:
        return rng.choice(NOTES)

    family = [Log(0, started, played(BLOKUS, started, seed, rng.randint(0, 12), note))]
    for number in range(1, size):
        at = rng.randrange(len(family))
        parent = family[at]
        stood = taken_over(parent.events, rng.randint(0, len(parent.events)))
        own = [event for _, event in stood]
        events = played(BLOKUS, started, rng.randrange(1 << 30), rng.randint(0, 8), note, after=own)
        fork = Fork(parent.match_id, stood[-1][0] if stood else 0, len(stood))
        family.insert(_after(family, at), Log(number, started, events, fork=fork))
    return family


def _after(family: list[Log], at: int) -> int:
    """Where a fork of number `at` comes: after the forks that this has, and theirs."""
    of = {family[at].match_id}
    for place_, log in enumerate(family[at + 1 :], start=at + 1):
        if log.fork is None or log.fork.parent not in of:
            return place_
        of.add(log.match_id)
    return len(family)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SETTINGS), st.integers(0, 1 << 30), st.integers(2, 7))
def test_any_family_reads_back_as_the_same_logs(setting: tuple[str, dict[str, Any]], seed: int, size: int) -> None:
    family = grown(*setting, seed, size)
    texts = family_saved(family)
    found = [log for text in texts for log in logs_of(records(text))]
    assert sorted(map(repr, map(content, found))) == sorted(map(repr, map(content, family)))


def test_families_are_mostly_one_record() -> None:
    """Else the test above would not say much."""
    families = [grown("classic", {"start_corner": "by_colour"}, seed, 5) for seed in range(30)]
    texts = [family_saved(family) for family in families]
    assert sum(len(one) for one in texts) < 3 * len(families)
    assert sum(one[0].count("(") > 2 for one in texts) > len(families) // 3


A, B, C, D = (place(colour, square) for colour, square in enumerate(("a20", "t20", "t1", "a1")))
OTHER = place(1, "s20,t20")
HM = Noted("comment", ("hm",))


def family_of(events: list[Event], *forks: tuple[int, list[Event]], **options: Any) -> list[Log]:
    """A match and forks of it at these events, which go on so."""
    started = BLOKUS.start("classic", {"start_corner": "by_colour", **options})
    family = [Log(0, started, events)]
    for number, (at, own) in enumerate(forks, start=1):
        stood = taken_over(events, at)
        shared = [event for _, event in stood]
        fork = Fork(0, stood[-1][0] if stood else 0, len(stood))
        family.append(Log(number, started, [*shared, *own], fork=fork))
    return family


@pytest.mark.parametrize(
    ("family", "said"),
    [
        (family_of([A, B, C], (1, [OTHER]), (2, [D])), [";1[a20](;2[t20](;3[t1])(;4[a1]))(;2[s20,t20])"]),
        (family_of([A, B], (1, [OTHER, C]), (0, [A])), ["(;1[a20](;2[t20])(;2[s20,t20];3[t1]))(;1[a20])"]),
        # The fork has no node of its own to begin with, or has not all that is in the node: it tells that one itself.
        (family_of([A, B, C], (2, [HM])), [";1[a20](;2[t20];3[t1])(;2[t20]C[hm]KFSHARED[2])"]),
        (family_of([A, HM, B], (1, [OTHER])), ["(;1[a20]C[hm];2[t20])(;1[a20]KFSHARED[1];2[s20,t20])"]),
        (family_of([A, B, HM], (3, [])), [";1[a20](;2[t20]C[hm])(;2[t20]C[hm]KFSHARED[3])"]),
        # Where the parent has nothing after the node, the fork would be its own continuation.
        (family_of([A, B], (2, [C])), [";1[a20](;2[t20])(;2[t20]KFSHARED[2];3[t1])"]),
        (family_of([], (0, [A])), ["", ";1[a20]"]),
        (family_of([HM], (0, [A, B])), ["C[hm]", ";1[a20];2[t20]"]),
        # What was taken back counts for neither.
        (family_of([A, B, Undone(1), B, C], (2, [C]), (4, [C, Undone(1), OTHER])), None),
        (family_of([A, Resigned(1)], (1, [B])), None),
        (
            family_of([A, Pass(1), C], (2, [Pass(2), D]), (1, [B]), voluntary_pass=True),
            ["KFOPTION[voluntary_pass=true];1[a20](;3[t1])(;4[a1]KFSHARED[2])(;2[t20])"],
        ),
    ],
)
def test_where_a_fork_is_written(family: list[Log], said: list[str] | None) -> None:
    texts = family_saved(family)
    if said is not None:
        assert texts == [f"(;GM[Blokus]{one})" for one in said]
    found = [log for text in texts for log in logs_of(records(text))]
    assert sorted(map(repr, map(content, found))) == sorted(map(repr, map(content, family)))
    if len(texts) == 1 and said is not None:
        assert sorted(map(_left, found)) == sorted(map(_left, family))


def _left(log: Log) -> tuple[int, int]:
    """What a match shares with what it left."""
    return (log.fork.at_seq, log.fork.inherited) if log.fork else (-1, -1)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("KFSHARED[2]", (2, 2)),
        ("KFSHARED[1]", (1, 1)),
        ("", (1, 1)),
        # What does not hold, perhaps since another program changed the record, is passed over.
        *((f"KFSHARED[{one}]", (1, 1)) for one in ("3", "99", "0", "-1", "٢", "x", "")),
    ],
)
def test_a_variation_that_repeats_what_it_shares_says_so(said: str, left: tuple[int, int]) -> None:
    main, variation = logs_of(records(f"(;GM[Blokus];1[a20](;2[t20];3[t1])(;2[t20]{said}))"))
    assert (list(main.events), list(variation.events)) == ([A, B, C], [A, B])
    assert _left(variation) == left


def test_the_property_is_a_note_wherever_else_it_stands() -> None:
    main, variation = logs_of(records("(;GM[Blokus]KFSHARED[1];1[a20]KFSHARED[1](;2[t20])(;2[t20];3[t1]KFSHARED[2]))"))
    note = [Noted("blksgf:KFSHARED", ("1",)), A, Noted("blksgf:KFSHARED", ("1",))]
    assert list(main.events) == [*note, B]
    assert list(variation.events) == [*note, B, C, Noted("blksgf:KFSHARED", ("2",))]
    (text,) = family_saved([main, variation])
    assert [content(one) for one in logs_of(records(text))] == [content(main), content(variation)]


def test_a_variation_that_cannot_be_read_costs_itself_and_those_that_leave_it() -> None:
    text = "(;GM[Blokus](;1[a20](;2[t20])(;2[u1](;3[t1])(;3[s1,t1]))(;2[s20,t20]))(;1[a20,b20]))"
    found = records(text)
    assert [one.reason if isinstance(one, Rejected) else one.name for one in found] == [
        "main line",
        "variation 1: 2[u1]: invalid point 'u1'",
        "variation 2: it leaves one that cannot be read",
        "variation 3",
        "variation 4",
    ]
    assert {one.text for one in found} == {text.encode()}
    assert [one.ply for one in found if isinstance(one, Rejected)] == [2, None]


def test_a_record_whose_main_line_cannot_be_read_is_rejected_as_a_whole() -> None:
    (rejected,) = records("(;GM[Blokus](;1[u1])(;1[a20]))")
    assert isinstance(rejected, Rejected)
    assert rejected.reason == "1[u1]: invalid point 'u1'"


def test_a_record_cannot_ask_for_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blksgf_read, "MOST_INHERITED", 40)
    depth = 50
    text = "(;GM[Blokus]" + "(;C[x](;)" * depth + ")" * depth + ")"
    found = records(text)
    last = found[-1]
    assert isinstance(last, Rejected)
    assert last.reason.endswith("and those after it: too many events for one record")
    assert 1 < len(found) < 20
