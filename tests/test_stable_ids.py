"""Names, numbers and orders that stored matches carry are append-only."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.stable_ids import UPDATE, committed, faults, merged, stable_ids

NOW = stable_ids()
Table = dict[str, Any]


def test_what_is_stored_still_reads() -> None:
    found = list(faults(committed(), NOW))
    assert found == [], "stored matches would read otherwise; see 'How a log outlives its declaration', ARCHITECTURE.md"


def test_what_is_new_stands_in_the_table() -> None:
    assert merged(committed(), NOW) == committed(), f"there are new ids, which are not held yet: {UPDATE}"


def blokus(table: Table) -> Table:
    found: Table = table["rulesets"]["blokus"]
    return found


def place(table: Table) -> Table:
    found: Table = blokus(table)["events"]["place"]
    return found


BREAKS: dict[str, tuple[Callable[[Table], object], str]] = {
    "a format": (lambda t: t["formats"].pop(0), "formats → 1: was 1, is 2"),
    "a ruleset": (lambda t: t["rulesets"].pop("nibble"), "rulesets → nibble: is gone"),
    "a column of the journal": (lambda t: t["journal"]["events"].reverse(), "journal → events → match INTEGER: was"),
    "a tag": (lambda t: place(t).update(tag=40), "events → place → tag: was 16, is 40"),
    "a word of an event": (lambda t: blokus(t)["events"].pop("pass"), "events → pass: is gone"),
    "order of fields": (lambda t: place(t)["fields"].reverse(), "place → fields → colour → name: was colour, is y"),
    "a field less": (lambda t: place(t)["fields"].pop(), "place → fields → y: is gone"),
    "a field more without since": (
        lambda t: place(t)["fields"].append({"name": "z", "kind": "int", "since": 1, "low": 0, "high": 9}),
        "place → fields → z: is new and has to say since when",
    ),
    "a range": (lambda t: place(t)["fields"][3].update(high=18), "fields → x → high: was 19, is 18"),
    "its low end": (lambda t: place(t)["fields"][3].update(low=1), "fields → x → low: was 0, is 1"),
    "words": (lambda t: place(t)["fields"][0]["words"].insert(0, "pink"), "colour → words → blue: was blue, is pink"),
    "a default": (lambda t: blokus(t)["setup"][5].update(default="0"), "setup → to_move → default: was 4, is 0"),
    "reasons": (lambda t: blokus(t)["reasons"].pop(0), "reasons → match_over: was match_over, is colour_not_in_play"),
    "effects": (lambda t: blokus(t)["effects"].reverse(), "effects → skipped: was skipped"),
    "order of variants": (lambda t: blokus(t)["variants"].reverse(), "variants → classic → name: was classic, is duo"),
    "values of options": (lambda t: blokus(t)["options"][0]["values"].reverse(), "values → any_free: was any_free"),
    "the state of one revision": (
        lambda t: blokus(t)["state of revision"].update({"1": "left:i4×4"}),
        "state of revision → 1: was left:i4×4 own",
    ),
    "a narrower column": (
        lambda t: blokus(t)["columns of matches"].update(revision="int8"),
        "columns of matches → revision: was int16, is int8",
    ),
    "a column of another kind": (
        lambda t: blokus(t)["columns of events"].update(x="list<item: int8>"),
        "columns of events → x: was int8, is list<item: int8>",
    ),
}


@pytest.mark.parametrize(("harm", "said"), BREAKS.values(), ids=BREAKS)
def test_it_is_said_what_would_read_otherwise(harm: Callable[[Table], object], said: str) -> None:
    after = deepcopy(NOW)
    harm(after)
    found = list(faults(NOW, after))
    assert any(said in line for line in found), found


def test_what_is_appended_is_fine() -> None:
    after = deepcopy(NOW)
    after["rulesets"]["chess"] = {}
    after["journal"]["events"].append("more TEXT")
    place(after)["fields"].append({"name": "z", "kind": "int", "since": 2, "low": 0, "high": 9, "default": "0"})
    place(after)["fields"][3] |= {"low": -1, "high": 300}
    place(after)["fields"][0]["words"].append("pink")
    blokus(after)["events"]["swap"] = {"tag": 18, "fields": []}
    for name, new in (("reasons", "bored"), ("effects", "rain"), ("variants", {"name": "trio", "seats": [3]})):
        blokus(after)[name].append(new)
    blokus(after)["options"][0]["values"].append("none")
    blokus(after)["state of revision"] = {"2": "left:i8×4"}
    blokus(after)["columns of events"] |= {"x": "int16", "z": "int8"}
    blokus(after)["columns of matches"] |= {"setup.xs": "list<item: int16>", "result[].luck": "int32"}
    assert list(faults(NOW, after)) == []
    assert list(faults(after, merged(NOW, after))) == []
    assert set(blokus(merged(NOW, after))["state of revision"]) == {"1", "2"}
