"""The page on how to change the rules is followed: two revisions of its game, real output of its commands.

`KIFOLD_UPDATE_PAGE=1 pytest tests/test_change_the_rules.py` writes what the commands print now into the page, to be
looked at.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consoles import KIFOLD, blocks, follow
from tests.four_in_a_row import MODULE, PROJECT, PYTEST, TESTS, install, installed, run

PAGE = Path(__file__).parent.parent / "docs" / "change-the-rules.md"
RULES, DECLARED, OLD = blocks(PAGE.read_text(encoding="utf-8"), "python")
[MODULES] = blocks(PAGE.read_text(encoding="utf-8"), "toml")

# One worker runs them all, and those of the other page: they share one installation and one compilation.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("four-in-a-row")]


def second_revision() -> str:
    """The module of the other page, its ruleset declared as this page has it."""
    before, declared = MODULE.split("FOUR_IN_A_ROW = ", 1)
    assert [line for line in DECLARED.splitlines() if line not in declared.splitlines()] == [
        *("import four_1", "from kifold.core.revisions import Earlier", "", "FOUR_IN_A_ROW = Ruleset("),
        *("    revision=2,", "    earlier=(Earlier(1, four_1),),"),
    ]
    return f"{before}{RULES}\n\n{DECLARED}"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A store of 1,000 matches that were played under the first revision, and the second one installed."""
    work = tmp_path_factory.mktemp("second")
    first = installed(tmp_path_factory.getbasetemp()) | {"KIFOLD_STORE": str(work / "store")}
    run([KIFOLD, "simulate", "four", "--games", "1000", "--seed", "1"], work, first)
    before, section, _ = PROJECT.partition("[tool.setuptools]")
    assert MODULES.startswith(section)
    second = {"four.py": second_revision(), "four_1.py": OLD, "pyproject.toml": before + MODULES}
    return first | install(work, second)


def test_commands_print_what_the_page_shows_and_what_is_found_are_golden_logs(
    environment: dict[str, str], tmp_path: Path
) -> None:
    golden = tmp_path / "tests" / "golden"
    golden.mkdir(parents=True)
    assert follow(PAGE, tmp_path, environment, "KIFOLD_UPDATE_PAGE") == 7
    assert "2 passed" in run([*PYTEST, "--kifold-update"], tmp_path, environment)
    assert "2 passed" in run(PYTEST, tmp_path, environment)
    assert sorted(path.name for path in golden.iterdir()) == ["revision-2.folded.json", "revision-2.kifold.jsonl"]


def test_tests_of_the_old_revision_go_on_when_they_name_it(environment: dict[str, str], tmp_path: Path) -> None:
    named = TESTS.replace("import FOUR_IN_A_ROW as RULES", "import FOUR_IN_A_ROW\n\nRULES = FOUR_IN_A_ROW.at(1)")
    assert named != TESTS
    (tmp_path / "test_four.py").write_text(named, encoding="utf-8")
    assert "3 passed" in run([*PYTEST, "test_four.py"], tmp_path, environment)
