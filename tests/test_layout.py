"""What the layout of the repository promises, beyond the import contracts in pyproject.toml."""

import importlib
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]


def modules(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}


@pytest.mark.parametrize(("package", "folder"), PACKAGES.items())
def test_installed_modules_are_those_of_the_tree(package: str, folder: str) -> None:
    installed = importlib.import_module(package).__file__
    assert installed is not None, f"{folder}/ has no __init__.py"
    assert modules(Path(installed).parent) == modules(ROOT / folder), "the links are out of date: run `make setup`"


@pytest.mark.parametrize("folder", PACKAGES.values())
def test_every_folder_with_modules_is_a_package(folder: str) -> None:
    holders = {path.parent for path in (ROOT / folder).rglob("*.py")}
    assert [str(holder) for holder in sorted(holders) if not (holder / "__init__.py").exists()] == []


@pytest.mark.parametrize("folder", PACKAGES.values())
def test_every_package_says_that_it_is_typed(folder: str) -> None:
    assert (ROOT / folder / "py.typed").exists()


def test_no_rule_module_mentions_the_compiler() -> None:
    rules = (ROOT / "core" / "rulesets").rglob("*.py")
    assert [str(path) for path in rules if "numba" in path.read_text(encoding="utf-8").lower()] == []


def test_no_remark_is_made_to_a_type_checker_that_does_not_look() -> None:
    """The packages are checked; in tests nobody would notice that a remark is of no use any more."""
    unseen = [path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    assert [str(path) for path in unseen if "# type: " + "ignore" in path.read_text(encoding="utf-8")] == []


def test_make_says_what_there_is_to_make() -> None:
    said = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony
    # `env` is a part of the others.
    assert set(re.findall(r"make ([a-z]+)", said)) == {*phony[1].split()} - {"env"}
