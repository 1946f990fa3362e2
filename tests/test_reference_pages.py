"""The pages in docs/rulesets and their pictures are what the declarations give now: `make docs` writes them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kifold.analytics.catalogue import connect
from kifold.core.fields import fields_of
from kifold.core.reference import examples, reference_page
from kifold.core.registry import ruleset
from kifold.core.schema import columns_of, sql_type
from kifold.records.store import Store
from kifold.replay.specimens import reference_files
from tests.core.every import EVERY
from tests.core.toy import RACE
from tests.registered import NAMES, VARIANTS

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("name", NAMES)
def test_page_and_pictures_are_up_to_date(name: str) -> None:
    for place, text in reference_files(ruleset(name)).items():
        assert (DOCS / place).exists(), f"docs/{place} is missing: run `make docs`"
        assert (DOCS / place).read_text(encoding="utf-8") == text, f"docs/{place} is out of date: run `make docs`"


def test_no_other_pages_and_pictures_lie_there() -> None:
    assert {path.stem for path in (DOCS / "rulesets").iterdir()} == set(NAMES)
    assert {path.name for path in (DOCS / "images").iterdir()} == {f"{n}-{variant}.svg" for n, variant in VARIANTS}


def test_the_index_names_every_page() -> None:
    linked = set(re.findall(r"\]\((?!http)([^)#]+)\)", (DOCS / "README.md").read_text(encoding="utf-8")))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"README.md"}
    assert pages <= linked
    assert [link for link in linked if not (DOCS / link).exists()] == []


def test_the_command_prints_the_page() -> None:
    command = [str(Path(sys.executable).parent / "kifold"), "rulesets", "nibble", "--format", "markdown"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout == (DOCS / "rulesets" / "nibble.md").read_text(encoding="utf-8")


def test_the_command_writes_pages_and_pictures(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "kifold"), "rulesets", "nibble"]
    subprocess.run([*command, "--format", "markdown", "--out", str(tmp_path)], capture_output=True, check=True)
    written = {p.relative_to(tmp_path).as_posix(): p.read_text(encoding="utf-8") for p in tmp_path.rglob("*.*")}
    assert written == reference_files(ruleset("nibble"))
    refused = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--format markdown" in refused.stderr


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_event_has_an_example_that_reads_back(name: str) -> None:
    rules = ruleset(name)
    shown = examples(rules)
    assert set(shown) == set(rules.events)
    page = reference_page(rules, "pictures")
    for started, event in shown.values():
        assert f"`{rules.notation.write(started, event)}`" in page


def test_types_of_columns_are_those_of_the_views(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        connection = connect(store)
        for name in NAMES:
            described = connection.execute(f"DESCRIBE {name}_events").fetchall()
            said = {field.name: sql_type(field) for field in columns_of(ruleset(name)).values()}
            first = {"match_id": "BIGINT", "seq": "INTEGER", "event": "VARCHAR"}
            assert {row[0]: row[1] for row in described} == first | said | {"inherited": "BOOLEAN"}


def test_every_kind_of_field_and_option_is_described() -> None:
    page = reference_page(RACE, "pictures")
    assert "| `goal` | 1 |  | *where the race ends* |" in page
    assert "`1` … `1000` | a number; 30 by default" in page
    assert "### `roll` (chance)" in page
    assert "What chance decides of it" in page
    every = {field.name: field for field in fields_of(EVERY.events[1])}
    assert sql_type(every["suits"]) == "VARCHAR[]"
    assert sql_type(every["numbers"]) == "SMALLINT[]"
    assert sql_type(every["flag"]) == "BOOLEAN"
    assert sql_type(every["widest"]) == "BIGINT"
