"""Matches as lines of JSON: every ruleset's logs come back the same, and a bad line costs only itself."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifold.core import registry
from kifold.core.events import Noted, Started
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import Place
from kifold.records.formats import Record, Rejected, jsonl
from kifold.records.formats.jsonl import JSONL
from kifold.records.ids import parse_id
from kifold.records.log import Log
from tests.records.blksgf_logs import content, log_of, played
from tests.rulesets.blokus_cases import scattered
from tests.rulesets.matches import started_with_chance

NO_OPTIONS: Mapping[str, str] = {}


def written(*logs: Log) -> bytes:
    file = io.BytesIO()
    JSONL.write(logs, file)
    return file.getvalue()


def read(data: bytes, folder: Path, name: str = "matches.jsonl", **options: str) -> list[Record | Rejected]:
    path = folder / name
    path.write_bytes(data)
    return list(JSONL.read(path, options))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jsonl")


def beginning(name: str, seed: int) -> Started:
    """A match of any variant, reading and number of seats, its setup drawn by chance or, in blokus, set up by hand."""
    rules, rng = registry.ruleset(name), random.Random(seed)
    variant = rng.choice(rules.variants)
    readings = {
        option.name: rng.choice(option.values or (option.low, option.high))
        for option in rules.options
        if option.name not in variant.fixed
    }
    setup = scattered(variant.name, 12, seed) if name == "blokus" and seed % 2 else None
    started = rules.start(variant.name, readings, rng.choice(variant.seats), setup=setup)
    return started_with_chance(rules, started, seed, 0)


texts = st.text(st.characters(codec="utf-8"), max_size=8)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(registry.names()),
    st.integers(0, 1 << 30),
    st.integers(0, 25),
    st.builds(Noted, texts, st.lists(texts, max_size=3).map(tuple)),
    st.dictionaries(texts, texts, max_size=3),
    st.lists(texts, max_size=2).map(tuple),
)
def test_any_match_comes_back_the_same(
    folder: Path, name: str, seed: int, plies: int, note: Noted, tags: dict[str, str], players: tuple[str, ...]
) -> None:
    started = msgspec.structs.replace(beginning(name, seed), tags=tags)
    events = played(registry.ruleset(name), started, seed, plies, lambda _: note)
    log = Log(parse_id("a12345678901")[0], started, events, players[: started.seats])
    line = written(log)
    assert line.count(b"\n") == 1
    (record,) = read(line, folder)
    assert isinstance(record, Record), record
    assert content(record) == content(log)
    assert log_of(record).digest == log.digest
    assert record.text + b"\n" == line


def test_a_line_is_readable() -> None:
    started = BLOKUS.start("duo", tags={"date": "2024-05-01"})
    line = json.loads(written(Log(parse_id("a12345678901")[0], started, [Place(0, 0, 0, 4, 9)], ("Ann", "Ben"))))
    assert line == {
        "match": "a12345678901",
        "ruleset": "blokus",
        "variant": "duo",
        "revision": BLOKUS.revision,
        "options": {"start_corner": "by_colour", "voluntary_pass": False},
        "seats": 2,
        "tags": {"date": "2024-05-01"},
        "setup": {"colours": [], "pieces": [], "orientations": [], "xs": [], "ys": [], "to_move": "first"},
        "players": ["Ann", "Ben"],
        "events": [{"event": "place", "colour": "blue", "piece": "1", "orientation": 0, "x": 4, "y": 9}],
    }


def test_what_may_be_left_out_is_as_in_a_new_match(folder: Path) -> None:
    (record,) = read(b'{"ruleset": "blokus", "variant": "duo", "events": []}', folder)
    assert isinstance(record, Record)
    assert content(record) == (BLOKUS.start("duo"), [], [], ())


def test_an_option_given_counts_more_than_the_line(folder: Path) -> None:
    line = written(Log(0, BLOKUS.start("classic"), []), Log(0, BLOKUS.start("duo"), []))
    classic, duo = read(line, folder, voluntary_pass="true", start_corner="any_free")
    assert isinstance(classic, Record)
    assert classic.started.options == {"start_corner": "any_free", "voluntary_pass": True}
    assert isinstance(duo, Rejected)
    assert "always by_colour" in duo.reason


GOOD = {"ruleset": "blokus", "variant": "classic", "events": []}
WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([], "no match: Expected `object`, got `array`"),
    "no ruleset": ({"variant": "duo", "events": []}, "missing required field `ruleset`"),
    "no events": ({"ruleset": "blokus", "variant": "duo"}, "missing required field `events`"),
    "unknown key": (GOOD | {"sets": 2}, "unknown field `sets`"),
    "unknown ruleset": (GOOD | {"ruleset": "chess"}, "no ruleset 'chess': choose from blokus"),
    "unknown variant": (GOOD | {"variant": "solo"}, "no variant 'solo' of blokus: choose from classic, "),
    "other revision": (GOOD | {"revision": 77}, "revision 77 of blokus is not installed"),
    "unknown option": (GOOD | {"options": {"corner": 1}}, "no option 'corner': choose from start_corner"),
    "wrong reading": (GOOD | {"options": {"voluntary_pass": "yes"}}, "option voluntary_pass cannot be 'yes'"),
    "option of a wrong type": (GOOD | {"options": {"voluntary_pass": 1.5}}, "got `float` - at `$.options[...]`"),
    "wrong seats": (GOOD | {"seats": 3}, "blokus classic is for 4 seats, not 3"),
    "seats as text": (GOOD | {"seats": "4"}, "Expected `int | null`, got `str` - at `$.seats`"),
    "tags of a wrong type": (GOOD | {"tags": {"a": 1}}, "Expected `str`, got `int` - at `$.tags[...]`"),
    "too many players": (GOOD | {"players": ["a"] * 5}, "5 players for 4 seats"),
    "unknown setup": (GOOD | {"setup": {"seed": 1}}, "setup has no field 'seed'; fields: colours, pieces"),
    "setup out of range": (GOOD | {"setup": {"xs": [20]}}, "setup: Expected `int` <= 19 - at `xs[0]`"),
    "setup word": (GOOD | {"setup": {"to_move": "pink"}}, "setup: to_move cannot be 'pink': choose from blue"),
    "setup of a wrong type": (GOOD | {"setup": {"xs": 3}}, "setup: Expected `array`, got `int` - at `xs`"),
    "event of a wrong type": (GOOD | {"events": ["pass"]}, "got `str` - at `$.events[0]`"),
    "unknown event": (GOOD | {"events": [{"event": "fold"}]}, "event 1: no event 'fold' in blokus: choose from place"),
    "event without a field": (GOOD | {"events": [{"event": "pass"}]}, "event 1: event pass needs field 'colour'"),
    "unknown field": (GOOD | {"events": [{"event": "pass", "colour": 0, "x": 1}]}, "event pass has no field 'x'"),
    "field out of range": (GOOD | {"events": [{"event": "pass", "colour": 9}]}, "Expected `int` <= 3 - at `colour`"),
    "number too large": (GOOD | {"events": [{"event": "pass", "colour": 1 << 70}]}, "event 1: event pass: "),
    "note of a wrong type": (
        GOOD | {"events": [{"event": "noted", "name": "a", "values": [1]}]},
        "event 1: event noted",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_bad_line_is_refused_with_its_reason(folder: Path, case: str) -> None:
    data, said = WRONG[case]
    line = json.dumps(data).encode()
    first, rejected, last = read(
        written(Log(0, BLOKUS.start(), [])) + line + b"\r\n" + json.dumps(GOOD).encode(), folder
    )
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert isinstance(rejected, Rejected), rejected
    assert said in rejected.reason
    assert (rejected.number, rejected.text) == (2, line)
    assert rejected.reason.isprintable()
    assert rejected.ply == (1 if rejected.reason.startswith("event 1:") else None)


RAW = {
    b'{"ruleset": "blokus", "vari': "no JSON object, or not all of one: Input data was truncated",
    b"\x00\x01\x02": "no JSON object, or not all of one",
    b'{"ruleset": "blok\xfcs"}': "not UTF-8: byte 0xfc at place 18",
    b'{"ruleset": "\\ud800", "variant": "duo", "events": []}': "no JSON object, or not all of one",
    b'{"ruleset": "a\\u202eb", "variant": "duo", "events": []}': "no ruleset 'a\\u202eb'",
    b'{"setup": {"xs": ' + b"[" * 100_000: "no match: nested too deeply",
    b"[" * 100_000: "no match: Expected `object`, got `array`",
}


@pytest.mark.parametrize("line", RAW, ids=range(len(RAW)))
def test_a_line_that_is_no_json_costs_only_itself(folder: Path, line: bytes) -> None:
    first, rejected, last = read(b"\n".join([json.dumps(GOOD).encode(), line, json.dumps(GOOD).encode()]), folder)
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert isinstance(rejected, Rejected)
    assert (rejected.number, rejected.text, rejected.ply) == (2, line, None)
    assert RAW[line] in rejected.reason


def test_records_are_numbered_by_line(folder: Path) -> None:
    good = json.dumps(GOOD).encode()
    found = read(b"\xef\xbb\xbf" + good + b"\r\n\r\n \n" + good + b"\n", folder)
    assert [(type(record), record.number) for record in found] == [(Record, 1), (Record, 4)]


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(folder: Path, data: bytes) -> None:
    assert read(data, folder) == [Rejected(1, "empty file")]


def test_long_lines_cost_only_themselves(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LINE_LIMIT", 1 << 20)
    monkeypatch.setattr(jsonl, "TEXT_LIMIT", 1 << 10)
    good = json.dumps(GOOD).encode()
    found = read(good + b"\n" + b"x" * (3 << 20) + b"\n" + good + b"\n" + b"y" * (2 << 20), folder)
    assert [(type(record), record.number) for record in found] == [
        (Record, 1),
        (Rejected, 2),
        (Record, 3),
        (Rejected, 4),
    ]
    assert found[1] == Rejected(2, "the line has more than 1048576 bytes", b"x" * (1 << 10))


# Compressed


def test_compressed_files_are_read(folder: Path) -> None:
    logs = [Log(0, BLOKUS.start("duo", tags={"n": str(n)}), []) for n in range(50)]
    data = gzip.compress(written(*logs))
    for name in ("matches.jsonl.gz", "matches.jsonl"):
        assert [content(record) for record in read(data, folder, name) if isinstance(record, Record)] == [
            *map(content, logs)
        ]


@pytest.mark.parametrize("damage", ["cut", "changed", "followed"])
def test_a_damaged_compressed_file_gives_what_can_be_read(folder: Path, damage: str) -> None:
    rng = random.Random(3)
    logs = [Log(0, BLOKUS.start("duo", tags={"n": str(rng.random())}), []) for n in range(20_000)]
    plain = written(*logs)
    data = bytearray(gzip.compress(plain, 1))
    if damage == "cut":
        del data[len(data) * 9 // 10 :]
    elif damage == "changed":
        data[len(data) * 9 // 10] ^= 0xFF
        data[len(data) * 9 // 10 + 1] ^= 0xFF
    else:
        data += b"behind"
    found = read(bytes(data), folder, "matches.jsonl.gz")
    assert all(isinstance(record, Record) for record in found[:10_000])
    assert isinstance(found[-1], Rejected)
    assert "damaged from here on" in found[-1].reason or damage == "changed"
    if damage != "changed":
        assert (
            b"".join(record.text + b"\n" for record in found)[:-1] == plain[: sum(len(r.text) + 1 for r in found) - 1]
        )
    assert damage != "followed" or len(found) == 20_001


# Writing


def test_a_match_of_a_revision_that_is_not_installed_is_written_and_refused_where_it_is_read(folder: Path) -> None:
    line = written(Log(5, msgspec.structs.replace(BLOKUS.start(), revision=9), []))
    (found,) = read(line, folder)
    assert isinstance(found, Rejected)
    assert found.reason == "revision 9 of blokus is not installed; there is 1"
