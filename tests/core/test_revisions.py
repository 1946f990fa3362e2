"""Earlier revisions stand beside the newest one, told by what they did otherwise; in both ways of running."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from kifold.core import registry
from kifold.core.compiled import Compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.declared import DeclarationError
from kifold.core.options import RulesetError
from kifold.core.play import Play, Refused, fold
from kifold.core.revisions import Earlier
from kifold.core.ruleset import Ruleset
from tests.core import toy
from tests.core.toy import Roll, Step
from tests.pages import most_four, most_two, no_six

THIRD = toy.race(revision=3, earlier=(Earlier(2, most_four), Earlier(1, most_two)))


def page(source: str) -> ModuleType:
    """A page that is not compiled, so it needs no file."""
    made = ModuleType("page")
    exec(source, made.__dict__)  # as an import does
    return made


def most_allowed(rules: Ruleset) -> int:
    play = Play(rules, rules.start())
    return max(amount for amount in range(1, toy.MOST + 2) if play.why_not(Step(0, amount)) is None)


def test_each_revision_has_its_own_number_everywhere() -> None:
    assert {number: most_allowed(rules) for number, rules in THIRD.revisions.items()} == {3: 3, 2: 4, 1: 2}
    assert {number: rules.start().revision for number, rules in THIRD.revisions.items()} == {3: 3, 2: 2, 1: 1}


@pytest.mark.parametrize("revision", [1, 2, 3])
def test_a_revision_is_the_same_compiled(revision: int) -> None:
    rules = THIRD.at(revision)
    code = Compiled(rules)
    logs = [(rules.start(), [Step(0, amount)]) for amount in range(1, toy.MOST + 2)]
    done = Folder(rules, code).fold(Corpus.of(rules, logs)).matches["done"].tolist()
    assert done == [int(fold(rules, *log)[1] is None) for log in logs]
    assert sum(done) == most_allowed(rules)


def test_a_page_over_a_page_has_both_also_in_what_it_takes_from_the_newest_rules() -> None:
    rules = toy.race(revision=3, earlier=(Earlier(2, most_four), Earlier(1, no_six)))
    assert {number: most_allowed(one) for number, one in rules.revisions.items()} == {3: 3, 2: 4, 1: 4}
    play = Play(rules.at(1), rules.at(1).start())
    for step in (Step(0, 4), Step(1, 4), Step(0, 4)):
        play.add(step)
    assert play.why_not(Roll(6)) is not None
    assert play.why_not(Roll(5)) is None


def test_what_does_not_change_is_the_same_function() -> None:
    old, new = THIRD.at(1).rules, THIRD.rules
    assert old.turn is new.turn
    assert old.check is not new.check
    assert old.check.__code__ is new.check.__code__


def test_a_function_of_a_page_may_call_the_one_that_it_takes_the_place_of() -> None:
    source = """
from tests.core.toy import check as newer_check

def check(state, event):
    return 0 if event.tag == 16 and event.amount == 4 else newer_check(state, event)
"""
    assert most_allowed(toy.race(revision=2, earlier=(Earlier(1, page(source)),)).at(1)) == 4


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("MOSTLY = 2", "page.MOSTLY takes the place of nothing that the rules use"),
        ("def cheque(state, event):\n    return 0", "page.cheque takes the place of nothing"),
        (
            "most = 2",
            "page.most cannot take the place of anything: a page has functions, and numbers",
        ),
        ("Most = 3", "page.Most cannot take"),
        ("MOST = {1: 2}", "page.MOST cannot take"),
        ("MOST = 2.5", "page.MOST cannot take"),
        ("class State:\n    __module__ = 'page'", "page.State cannot take"),
        ("from functools import partial\ncheck = partial(int)", "page.check cannot take"),
    ],
)
def test_a_page_that_changes_nothing_is_refused(source: str, said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        toy.race(revision=2, earlier=(Earlier(1, page(source)),))


def test_what_a_page_imports_takes_no_place() -> None:
    source = """
from __future__ import annotations
import math
from typing import TYPE_CHECKING, Annotated, Any
from collections.abc import Callable
from tests.core.toy import REASONS, TOO_MUCH, State, check as newer_check
if TYPE_CHECKING:
    from kifold.core.emit import EventRecord
MOST = 2
"""
    assert most_allowed(toy.race(revision=2, earlier=(Earlier(1, page(source)),)).at(1)) == 2


def test_a_page_may_hold_what_its_revision_declares() -> None:
    source = "MOST = 2\ndef picture(started, state):\n    return None\nwords = {}"
    made = page(source)
    declared = {"picture": made.picture, "words": made.words}
    rules = toy.race(revision=2, earlier=(Earlier(1, made, declared),))
    assert (rules.at(1).picture, most_allowed(rules.at(1))) == (made.picture, 2)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"options": ()}, "options is shared by all revisions"),
        ({"reasons": toy.REASONS}, "reasons is shared"),
        ({"effects": toy.EFFECTS}, "effects is shared"),
        ({"schema": 2}, "schema is shared"),
        ({"upcasters": ()}, "upcasters is shared"),
        (
            {"pictures": None},
            "pictures is no field; choose from notation, notes, numberings, opening, phases, picture, state",
        ),
    ],
)
def test_what_all_revisions_share_is_no_matter_of_one(declared: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        toy.race(revision=2, earlier=(Earlier(1, most_four, declared),))


def test_a_page_that_is_imported_first_and_imports_the_ruleset_counts_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its names come after the ruleset is made."""
    (tmp_path / "race_now.py").write_text(
        "import race_then\nfrom kifold.core.revisions import Earlier\nfrom tests.core import toy\n"
        "RACE = toy.race(revision=2, earlier=(Earlier(1, race_then),))\n"
    )
    (tmp_path / "race_then.py").write_text("import race_now\nMOST = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        import_module("race_then")
        assert most_allowed(import_module("race_now").RACE.at(1)) == 2
    finally:
        for name in ("race_now", "race_then"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize("revisions", [(2,), (0,), (1, 1)])
def test_revisions_are_listed_newest_first(revisions: tuple[int, ...]) -> None:
    with pytest.raises(DeclarationError, match="the newest comes first"):
        toy.race(revision=2, earlier=tuple(Earlier(number, most_four) for number in revisions))


def test_a_match_is_played_under_the_revision_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "ruleset", lambda name: THIRD)
    started = THIRD.at(1).start()
    assert registry.pinned(started) is THIRD.at(1)
    assert registry.pinned(started, 2) is THIRD.at(2)
    assert registry.at_revision("race@2") is THIRD.at(2)
    assert registry.at_revision("race") is THIRD
    with pytest.raises(Refused):
        Play(registry.pinned(started), started).add(Step(0, 3))
    with pytest.raises(RulesetError, match="revision 4 of race is not installed; there is 3, 2, 1"):
        registry.pinned(msgspec.structs.replace(started, revision=4))
    with pytest.raises(RulesetError, match="write NAME@REVISION with a number, such as race@3"):
        registry.at_revision("race@new")
