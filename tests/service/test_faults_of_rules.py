"""What is wrong in somebody's rules is told as theirs: which ruleset, function, file and line, and what to do."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from kifold.core import registry
from kifold.core.compiled import Compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.faults import told
from kifold.core.flat import flatten_setup
from kifold.core.records import Array
from kifold.core.ruleset import Notation, Rules, Ruleset
from tests.core.toy import RACE, TOO_MUCH, Step, apply, race, turn, write
from tests.installing import install, picture
from tests.service.conftest import Kifold

NOTHING = {"a": 1}
RAISES = "<- here"
"""Marks the line that is to be named."""


def divides(state: Any, event: Any) -> int:
    seat = event.seat
    return apply(state, event) + 1 // (seat - seat)  # <- here


def reads_beyond(state: Any, event: Any) -> int:
    apply(state, event)
    return state.gained[event.seat + 90]  # <- here


def refuses_by_raising(state: Any, event: Any) -> int:
    if event.tag == 16:
        raise ValueError("no step may be taken")  # <- here
    return apply(state, event)


def has_no_such_field(state: Any, event: Any) -> int:
    state.foo = 3  # <- here
    return apply(state, event)


def reads_no_such_field(state: Any) -> int:
    return state.fields  # <- here


def has_a_dictionary(state: Any, event: Any) -> int:
    z: dict[int, int] = {}  # <- here
    return apply(state, event) + len(z)


def catches(state: Any, event: Any) -> int:
    try:
        effects = apply(state, event)
    except ValueError:  # <- here
        effects = 0
    return effects


def returns_nothing(state: Any) -> Any:  # <- here
    turn(state)


def returns_a_number_of_nobody(state: Any) -> int:  # <- here
    return 77


def may_return_nothing(state: Any) -> Any:  # <- here
    return turn(state) if state.total < 5 else None


def refuses_for_no_reason(state: Any, event: Any) -> int:  # <- here
    return TOO_MUCH + 50


def goes_round(state: Any) -> int:  # <- here
    return goes_round(state)


def uses_a_table_of_words(state: Any) -> int:  # <- here
    return NOTHING["a"]


def counts_from_the_end(state: Any, event: Any) -> int:
    apply(state, event)
    return 0 * state.gained[event.tag - event.tag - 1]


def writes_nothing(started: Any, event: Any) -> Any:  # <- here
    write(started, event)


def writes_beyond(started: Any, event: Any) -> str:
    return "abc"[event.amount + 50]  # <- here


def cannot_read(started: Any, state: Any, text: str) -> Step:
    return Step(state.turn, text.number)  # <- here


def draws_nothing(started: Any, state: Any) -> Any:  # <- here
    pass


def draws_badly(started: Any, state: Any) -> Any:
    def look(x: int) -> int:
        return x // 0  # <- here

    return look(3)


def place(function: Any) -> str:
    """Where a function stands that is to be named, and the line in it that is marked."""
    lines, first = inspect.getsourcelines(function)
    line = first + next(i for i, text in enumerate(lines) if RAISES in text)
    return f"{function.__code__.co_filename} line {line}"


@pytest.fixture
def with_rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Ruleset]]:
    """Installs the race with other functions."""

    def make(changed: dict[str, Any] | None = None, **other: Any) -> Ruleset:
        rules = replace(RACE.rules, **(changed or {}))
        return install(race(rules=rules, **({"picture": picture} | other)), monkeypatch)

    yield make
    monkeypatch.undo()
    registry.ruleset.cache_clear()


Make = Callable[..., Ruleset]


def is_theirs(text: str, function: Any) -> None:
    """Whether a text tells a fault of the race: in one line, where, what to do."""
    assert re.match(rf"(kifold: )?ruleset race: {function.__name__}(\.<locals>\.look)?, ", text), text
    assert place(function) in text
    assert text.rstrip("\n").endswith("; correct the ruleset")
    assert "\n" not in text.rstrip("\n")
    assert len(text) < 700


@pytest.mark.parametrize(
    ("rule", "function"),
    [
        ("apply", divides),
        ("apply", reads_beyond),
        ("apply", refuses_by_raising),
        ("apply", has_no_such_field),
        ("turn", reads_no_such_field),
        ("turn", returns_nothing),
        ("turn", returns_a_number_of_nobody),
        ("check", refuses_for_no_reason),
    ],
)
def test_of_rules_that_run_plainly(kifold: Kifold, with_rules: Make, rule: str, function: Any) -> None:
    with_rules()
    match = kifold("new", "race").out.strip()
    with_rules({rule: function})
    said = kifold("append", match, "2")
    assert (said.status, said.out) == (2, "")
    is_theirs(said.err, function)
    assert "Traceback" in kifold("--debug", "append", match, "2").err
    with_rules()
    assert kifold("append", match, "2").status == 0, "nothing was written, and the match goes on"


@pytest.mark.parametrize(
    ("what", "command", "function"),
    [
        ("write", "log", writes_nothing),
        ("write", "log", writes_beyond),
        ("read", "append", cannot_read),
        ("picture", "show", draws_nothing),
        ("picture", "show", draws_badly),
    ],
)
def test_of_notation_and_pictures(kifold: Kifold, with_rules: Make, what: str, command: str, function: Any) -> None:
    with_rules()
    match = kifold("new", "race").out.strip()
    assert kifold("append", match, "2").status == 0
    notation = RACE.notation
    if what == "picture":
        with_rules(picture=function)
    else:
        parts = {"write": notation.write, "read": notation.read} | {what: function}
        with_rules(notation=Notation(**parts, example="+2"))
    said = kifold(command, match, *(["2"] if command == "append" else []))
    assert said.status == 2
    is_theirs(said.err, function)


def of_compiled(rules: Ruleset) -> str:
    """What is told of the error that comes of playing, or of folding, compiled."""
    install(rules)
    with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever it is, it is to be told
        list(
            Folder(rules, Compiled(rules, boundscheck=True)).play(
                flatten_setup(rules, rules.start()), 1, 0, 3, greedy=True
            )
        )
    return told(caught.value) or repr(caught.value)


@pytest.mark.usefixtures("_registered")
@pytest.mark.parametrize(
    ("rule", "function"),
    [
        ("apply", has_no_such_field),
        ("turn", reads_no_such_field),
        ("apply", has_a_dictionary),
        ("apply", catches),
        ("turn", returns_nothing),
        ("turn", may_return_nothing),
        ("turn", goes_round),
        ("turn", uses_a_table_of_words),
    ],
)
def test_of_what_cannot_be_compiled(rule: str, function: Any) -> None:
    is_theirs(of_compiled(race(rules=replace(RACE.rules, **{rule: function}))), function)


@pytest.mark.usefixtures("_registered")
@pytest.mark.parametrize("function", [divides, reads_beyond, refuses_by_raising])
def test_of_rules_that_run_compiled(function: Any) -> None:
    """In a simulation and in a fold: what is told is the line, which compiled code does not know."""
    rules = race(rules=replace(RACE.rules, apply=function))
    is_theirs(of_compiled(rules), function)


@pytest.mark.usefixtures("_registered")
def test_of_rules_that_only_compiled_raise() -> None:
    said = of_compiled(race(rules=replace(RACE.rules, apply=counts_from_the_end)))
    assert "counts_from_the_end" in said
    assert "in plain Python none does: look for an index below 0; correct the ruleset" in said


@pytest.fixture
def _registered() -> Iterator[None]:
    before = registry.entries
    yield
    registry.entries = before
    registry.ruleset.cache_clear()


def test_a_fold_is_retraced_too(with_rules: Make) -> None:
    rules = with_rules({"apply": divides})
    corpus = Corpus.of(rules, [(rules.start(), [Step(0, 1), Step(1, 1)])])
    with pytest.raises(ZeroDivisionError) as caught:
        Folder(rules, Compiled(rules)).fold(corpus)
    is_theirs(told(caught.value) or "", divides)


def test_rules_that_take_other_arguments_are_refused_where_they_are_declared() -> None:
    with pytest.raises(TypeError, match=r"divides, .* line \d+: takes 2 arguments; a rule is called as turn\(state\)"):
        replace(RACE.rules, turn=divides)


def test_widths_and_lengths_that_do_not_exist_are_refused_where_they_are_declared() -> None:
    with pytest.raises(TypeError, match=r"Array\('i9', 14\): widths are i1, i2, i4, i8"):
        Array("i9", 14)
    with pytest.raises(TypeError, match="a length is not negative"):
        Array("i8", -1)


def test_faults_in_the_rules_of_kifold_are_ours(kifold: Kifold, match: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = registry.ruleset("blokus").picture.__globals__
    name = next(name for name in registry.ruleset("blokus").picture.__code__.co_names if name in scope)
    monkeypatch.setitem(scope, name, None)
    said = kifold("show", match)
    assert re.match("kifold: ruleset blokus: .*blokus.* line ", said.err), said.err
    assert said.err.endswith(" (a fault in kifold: see it with --debug, and report it)\n")


def test_rules_of_the_race_hold(kifold: Kifold, with_rules: Make) -> None:
    """What is told above is not told of rules without a fault."""
    assert isinstance(with_rules().rules, Rules)
    match = kifold("new", "race").out.strip()
    assert kifold("append", match, "2").status == 0


@pytest.mark.slow
def test_matches_that_do_not_end_are_said(kifold: Kifold, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kifold.core.corpus.LONGEST_MATCH", 20)
    said = kifold("simulate", "blokus", "--games", 8)
    assert (said.status, said.out[:31]) == (0, "simulated 8 matches, 160 events")
    assert said.err.splitlines()[-1] == (
        "kifold: 8 matches were stopped after 20 events, unfinished: where such a match of blokus@1 should have ended, "
        "correct the ruleset"
    )
