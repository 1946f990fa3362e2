"""Which changes mutants are made of, and that a mutant is the rules but for its change."""

from __future__ import annotations

import ast

import pytest

from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.nibble import NIBBLE
from tests.mutation import judged
from tests.mutation.cases import cases_of
from tests.mutation.changes import change_text, changes, swapped
from tests.mutation.judged import Judge, standing
from tests.mutation.mutants import Rulebook


def changes_of(source: str, numbers: dict[str, bool] | None = None) -> list[str]:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    before = ast.unparse(function)
    found = []
    for change in changes(function, numbers or {}):
        with swapped(function, change):
            assert ast.unparse(function) != before
        found.append(change_text(change))
    assert ast.unparse(function) == before
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a < b", ["a < b → a <= b", "a < b → a >= b"]),
        ("return a == b != c", ["a == b != c → a != b != c", "a == b != c → a == b == c"]),
        ("return 3", ["3 → 4", "3 → 2"]),
        ("return 0", ["0 → 1", "0 → -1"]),
        ("return True", ["True → False"]),
        ("return a + b << c", ["a + b << c → a + b >> c", "a + b → a - b"]),
        ("return a and not b", ["a and (not b) → a or not b", "not b → b"]),
        ("return ~a", ["~a → a"]),
        ("return a if b else c", ["a if b else c → a if not b else c"]),
        ("if f(a):\n  g(b)", ["f(a) → not f(a)", "g(b) → pass"]),
        ("while not a:\n  a = b", ["not a → a"]),
        ("a |= b", ["a |= b → a &= b", "a |= b → pass"]),
        ("a.b = c", ["a.b = c → pass"]),
        ("'''Says 1 < 2.'''", []),
        ("a: Annotated[int, 3] = b", []),
        ("return LEGAL", ["LEGAL → LEGAL + 1"]),
        ("return TALL", ["TALL → TALL + 1", "TALL → TALL - 1"]),
    ],
)
def test_changes(body: str, expected: list[str]) -> None:
    indented = "\n".join(f"  {line}" for line in body.splitlines())
    assert changes_of(f"def f(a, b, c):\n{indented}", {"LEGAL": True, "TALL": False}) == expected


def test_mutants_reach_every_function_and_small_table() -> None:
    book = Rulebook(NIBBLE)
    places = {mutant.function for mutant in book.mutants}
    assert {"rules.check", "rules.has_majority", "board.is_bridge", "layout.why_not_table", "tables"} <= places
    assert not any(place.startswith(("rules.greedy", "rules.list_takes", "layout.draw")) for place in places)


def test_a_mutant_changes_calls_everywhere_and_the_rules_nowhere() -> None:
    book, state = Rulebook(NIBBLE), NIBBLE.state()
    (mutant,) = (m for m in book.mutants if m.function == "rules.turn" and m.change.startswith("state.win_type"))
    mutated = book.with_mutant(mutant, lambda: None)
    assert (mutated.turn(state), book.with_mutant(None, lambda: None).turn(state), NIBBLE.rules.turn(state)) == (
        -1,
        0,
        0,
    )
    assert mutated.turn.__globals__["check"] is mutated.check
    assert mutated.turn.__globals__ is not NIBBLE.rules.turn.__globals__


def test_a_table_is_changed_in_every_module_that_reads_it() -> None:
    book = Rulebook(NIBBLE)
    name = ("tables", "N_COLOURS = [9, 13, 13]", "[0]: 9 → 10")
    (mutant,) = (m for m in book.mutants if m.name == name)
    mutated = book.with_mutant(mutant, lambda: None)
    layout = mutated.set_up.__globals__["why_not_setup"].__globals__
    assert mutated.set_up.__globals__["N_COLOURS"] == layout["N_COLOURS"] == [10, 13, 13]
    assert NIBBLE.rules.set_up.__globals__["N_COLOURS"] == [9, 13, 13]


def test_a_loop_without_an_end_is_a_kill() -> None:
    judge = Judge(BLOKUS)
    name = ("bits.count_bits", "word &= word - 1", "word &= word - 1 → pass")
    (mutant,) = (m for m in judge.mutants if m.name == name)
    found = [judge.difference(mutant, case, judge.expected(case)) for case in cases_of(BLOKUS)[:2]]
    assert [one and one[0] for one in found] == ["standings asked", "standings asked"]
    assert [one and "Endless" in one[2] for one in found] == [True, True]


def test_a_ruleset_stands_well_when_all_survivors_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = (("rules.f", "return a + b", change) for change in ("1", "2", "3"))
    monkeypatch.setattr(judged, "equivalent", lambda _: {one: "because", two: "because"})
    fine = standing("game", [one, two, three], [one, two])
    assert (fine.is_fine, fine.score, fine.survivors) == (True, 1.0, 2)
    bad = standing("game", [one, three], [three])
    assert (bad.is_fine, bad.score) == (False, 0.5)
    assert [*bad.unlisted, *bad.killed, *bad.gone] == [" | ".join(name) for name in (three, one, two)]
