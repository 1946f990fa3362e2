"""The pages in docs/rulesets and their pictures are what the declarations give now: `make docs` writes them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kifold.analytics.catalogue import connect
from kifold.core.codec import from_json, to_json
from kifold.core.events import tag_of
from kifold.core.fields import fields_of
from kifold.core.play import Play
from kifold.core.reference import examples, reference_page
from kifold.core.registry import ruleset
from kifold.core.samples import sample_match
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


# What numbers mean


def table_under(name: str, title: str) -> list[list[str]]:
    """The rows of the table below a heading of a page, its head first."""
    page = (DOCS / "rulesets" / f"{name}.md").read_text(encoding="utf-8")
    lines = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0].splitlines()
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return rows[:1] + rows[2:]


def test_the_table_of_forms_says_which_squares_an_orientation_covers() -> None:
    rules = ruleset("blokus")
    play = Play(rules, rules.start("classic"))
    head, *rows = table_under("blokus", "Table of forms")
    found = []
    for piece, number, *forms in rows:
        for orientation, squares in zip(head[2:], forms, strict=True):
            if squares:
                event = to_json(rules.notation.read(play.started, play.state, f"blue:{squares}"))
                said = {"piece": piece, "orientation": int(orientation), "x": 0, "y": 0}
                assert event == {"event": "place", "colour": "blue"} | said
                assert from_json(rules, event | {"piece": int(number)}) == from_json(rules, event)
                found.append(squares)
    assert len(set(found)) == 91


def test_the_catalogue_says_which_card_has_which_sides_and_mark() -> None:
    rules = ruleset("edgecolor")
    log = sample_match(rules, rules.start(), 1, limit=1)
    play = Play(rules, log.started)
    head, *rows = table_under("edgecolor", "Catalogue A")
    digest, cards = 12, set()
    for _, *flips, one, two, three, black in rows:
        for flip, sides in enumerate(flips):
            for mark, card in zip("123K", (one, two, three, black), strict=True):
                assert f"mark {mark}" in head
                event = to_json(rules.notation.read(play.started, play.state, f"0:{sides}/{mark}@a1"))
                assert (event["card"], event["flip"]) == (int(card), flip)
                cards.add(event["card"])
        for colour in flips[0]:
            digest = (digest * 32749 + "123K".index(colour) + 1) % 2**48
    assert cards == set(range(48))
    assert digest == log.started.setup.catalogue_digest
    assert f"that of catalogue A is {digest}." in (DOCS / "rulesets" / "edgecolor.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("variant", "cells"), [("square9", 81), ("square13", 169), ("hex13", 169)])
def test_tiles_are_numbered_as_the_page_says(variant: str, cells: int) -> None:
    rules = ruleset("nibble")
    play = Play(rules, sample_match(rules, rules.start(variant), 1, limit=1).started)
    head, *rows = table_under("nibble", "Numbers of tiles")
    numbered = []
    for row in rows:
        if said := row[head.index(variant)]:
            first, last, low, high = re.split(" … |: ", said)
            letters = range(ord(first[0]), ord(last[0]) + 1)
            names = [f"{chr(letter)}{row[0]}" for letter in letters]
            assert (names[0], names[-1]) == (first, last)
            assert len(names) == int(high) - int(low) + 1
            for name in names:
                numbered += to_json(rules.notation.read(play.started, play.state, f"0:{name}"))["tiles"]
    assert numbered == list(range(cells))


@pytest.mark.parametrize("name", NAMES)
def test_programs_are_told_the_tags_that_the_page_says(name: str) -> None:
    command = [str(Path(sys.executable).parent / "kifold"), "rulesets", name, "--format", "json"]
    tags = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["tags"]
    assert tags == {kind: tag_of(event) for kind, event in ruleset(name).kinds.items()}
    page = (DOCS / "rulesets" / f"{name}.md").read_text(encoding="utf-8")
    assert dict(re.findall(r" (\d+) `(\w+)`", page.partition("the column `tag`:")[2].partition("##")[0])) == {
        str(tag): kind for kind, tag in tags.items()
    }
