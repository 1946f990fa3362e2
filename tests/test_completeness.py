"""A registered ruleset is complete: it has golden logs, an oracle, pictures, a benchmark, a page, and is told of."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from kifold.core.registry import ruleset
from kifold.replay.frames import captioned
from kifold.replay.golden import LOGS, folds_path
from kifold.replay.svg import draw_svg
from kifold.replay.text import draw_text
from tests.golden_logs import logs_path
from tests.registered import NAMES, VARIANTS
from tests.rulesets.matches import random_log

ROOT = Path(__file__).parent.parent


def test_what_is_registered_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(project["entry-points"]["kifold.rulesets"]) == NAMES, "run `make setup`"


@pytest.mark.parametrize("name", NAMES)
def test_every_folder_of_rules_is_registered_under_its_name(name: str) -> None:
    assert ruleset(name).name == name
    assert {p.parent.name for p in (ROOT / "core" / "rulesets").glob("*/__init__.py")} == set(NAMES)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_golden_logs(name: str, variant: str) -> None:
    path = logs_path(ruleset(name), ruleset(name).variant(variant))
    assert path.exists(), f"{path.relative_to(ROOT)} is missing: KIFOLD_ADD_GOLDEN=1 pytest tests/test_golden.py"
    assert folds_path(path).exists(), "run pytest --kifold-update tests/golden"


def test_golden_logs_belong_to_variants_or_kill_mutants() -> None:
    files = set((ROOT / "tests" / "golden").rglob("*.json*"))
    logs = {logs_path(ruleset(name), ruleset(name).variant(variant)) for name, variant in VARIANTS}
    logs |= {ROOT / "tests" / "golden" / name / f"mutants{LOGS}" for name in NAMES}
    assert files == logs | set(map(folds_path, logs))


@pytest.mark.parametrize("name", NAMES)
def test_oracle(name: str) -> None:
    """Rules once more, written by brute force from the rule text alone, and a test that compares them."""
    oracle = ROOT / "tests" / "oracles" / f"{name}.py"
    assert oracle.exists()
    assert "kifold.core.rulesets" not in oracle.read_text(encoding="utf-8"), "an oracle looks at no ruleset"
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "rulesets").glob(f"test_{name}*.py")]
    assert any("assert_agrees_with_oracle(" in text for text in tests)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_picture(name: str, variant: str) -> None:
    rules = ruleset(name)
    started, log = random_log(rules, rules.start(variant), 3, 0, limit=30)
    caption, scene = list(captioned(rules, started, log))[-1]
    assert scene.shapes
    assert scene.labels
    assert scene.legend
    assert draw_text(scene, colour=False).strip()
    assert draw_svg(scene, caption).startswith("<svg")
    assert (ROOT / "docs" / "images" / f"{name}-{variant}.svg").exists(), "run `make docs`"


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
@pytest.mark.parametrize("work", ["validated fold", "plain Python"])
def test_benchmark(name: str, variant: str, work: str) -> None:
    """Benchmarks go through all that is registered; that somebody measured it shows in what was saved."""
    saved = json.loads((ROOT / "benchmarks" / "baseline.json").read_text(encoding="utf-8"))
    assert f"{name} {variant}, {work}" in saved, "run `make bench BENCH=--save-baseline`"


@pytest.mark.parametrize("name", NAMES)
def test_page(name: str) -> None:
    assert (ROOT / "docs" / "rulesets" / f"{name}.md").exists(), "run `make docs`"
    assert f"(rulesets/{name}.md)" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_line_in_the_changelog(name: str) -> None:
    assert f"`{name}`" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_row_in_the_readme(name: str) -> None:
    rows = [line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    (row,) = [row for row in rows if f"`{name}`" in row.split("|")[1]]
    assert [variant.name for variant in ruleset(name).variants if f"`{variant.name}`" not in row] == []
