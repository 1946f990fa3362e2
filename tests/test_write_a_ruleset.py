"""The page on how to write a ruleset is followed word for word: its module is installed, played, tested, queried.

`KIFOLD_UPDATE_PAGE=1 pytest tests/test_write_a_ruleset.py` writes what the commands print now into the page, to be
looked at.
"""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kifold.core.samples import sample_match
from tests.consoles import KIFOLD, follow
from tests.four_in_a_row import MODULE, MORE, PAGE, PROJECT, PYTEST, TESTED, installed, run

# One worker runs them all, and those of the other page: they share one installation and one compilation.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("four-in-a-row")]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What commands have to see so that the page's distribution is installed for them, with a store of their own."""
    store = tmp_path_factory.mktemp("stored") / "store"
    return installed(tmp_path_factory.getbasetemp()) | {"KIFOLD_STORE": str(store)}


@pytest.fixture(scope="module")
def four() -> dict[str, Any]:
    """The names of the module, in this process."""
    names: dict[str, Any] = {"__name__": "four_of_the_page"}
    exec(compile(MODULE, "four.py", "exec", dont_inherit=True), names)
    return names


def test_it_is_short() -> None:
    texts: set[int] = set()
    for node in ast.walk(ast.parse(MODULE)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = [number for number, line in enumerate(MODULE.splitlines(), start=1) if line.strip()]
    assert len([number for number in lines if number not in texts]) < 100


def test_it_imports_nothing_but_core() -> None:
    imported = [node.module or "" for node in ast.walk(ast.parse(MODULE)) if isinstance(node, ast.ImportFrom)]
    assert not [node for node in ast.walk(ast.parse(MODULE)) if isinstance(node, ast.Import)]
    assert [name for name in imported if name != "typing" and not name.startswith("kifold.core.")] == []


def test_its_entry_point_names_it() -> None:
    project = tomllib.loads(PROJECT)["project"]
    assert project["entry-points"]["kifold.rulesets"] == {"four": "four:FOUR_IN_A_ROW"}


def test_commands_print_what_the_page_shows(environment: dict[str, str], tmp_path: Path) -> None:
    assert follow(PAGE, tmp_path, environment, "KIFOLD_UPDATE_PAGE") == 10


def test_its_tests_pass(environment: dict[str, str]) -> None:
    """Among them: both ways of running arrive at the same states, effects and lists."""
    assert "3 passed" in run([*PYTEST, "test_four.py"], Path(environment["SOURCE"]), environment)


def test_its_golden_logs_are_tested(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "tests" / "golden").mkdir(parents=True)
    store = environment | {"KIFOLD_STORE": str(tmp_path / "store")}
    run([KIFOLD, "simulate", "four", "--games", "3", "--seed", "1"], tmp_path, store)
    (export,) = re.findall(r"`kifold (export [^`]*)`", TESTED)
    run([KIFOLD, *shlex.split(export)], tmp_path, store)
    assert "3 passed" in run([*PYTEST, "--kifold-update"], tmp_path, environment)
    assert "3 passed" in run(PYTEST, tmp_path, environment)


def test_what_was_recorded_plainly_verifies_compiled(environment: dict[str, str], tmp_path: Path) -> None:
    """Imported matches are judged in plain Python, and verification of an archive folds compiled."""
    store = environment | {"KIFOLD_STORE": str(tmp_path / "store")}
    run([KIFOLD, "simulate", "four", "--games", "40", "--seed", "3", "--set", "four=loses"], tmp_path, store)
    run([KIFOLD, "export", "--where", "true", "--out", "four.jsonl"], tmp_path, store)
    again = environment | {"KIFOLD_STORE": str(tmp_path / "again")}
    assert "40 imported" in run([KIFOLD, "import", "four.jsonl"], tmp_path, again)
    assert "40 exact" in run([KIFOLD, "verify"], tmp_path, again)


def test_what_it_does_without_works(four: dict[str, Any]) -> None:
    for block in MORE:
        exec(compile(block, "more.py", "exec", dont_inherit=True), four)
    rules, drop = four["FOUR_IN_A_ROW"], four["Drop"]
    mirrored = replace(rules, opening=four["opening"])
    assert mirrored.opening_key(rules.start(), [drop(0, 0), drop(1, 1)]) == "ab"
    assert mirrored.opening_key(rules.start(), [drop(0, 6), drop(1, 5)]) == "ab"
    assert rules.opening_key(rules.start(), [drop(0, 6), drop(1, 5)]) == "g f"
    by_lot = replace(
        rules, setup=four["Lot"], rules=replace(rules.rules, set_up=four["set_up_by_lot"], chance=four["chance"])
    )
    assert {sample_match(by_lot, by_lot.start(), 1, match).seats[0] for match in range(8)} == {0, 1}
