"""Importing files into a store: what is good gets in once, what is bad is kept with its reason."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.forking import in_families
from kifold.records.formats import Format, Record, format_named, format_of
from kifold.records.formats.blksgf import BLKSGF
from kifold.records.formats.jsonl import JSONL
from kifold.records.importing import Report, import_file, quarantine
from kifold.records.store import Store
from tests.records.blksgf_logs import content, played
from tests.rulesets.blokus_cases import DATA, VARIANT_OF

GOOD = "(;GM[Blokus];1[a20];2[t20])"


def taken(store: Store, path: Path, form: Format = BLKSGF, **options: str) -> Report:
    return import_file(store, path, form, options, lambda records, events: None)


def taken_text(store: Store, text: str | bytes, name: str = "games.blksgf", **options: str) -> Report:
    path = store.folder.parent / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return taken(store, path, format_of(path), **options)


def exported(store: Store, form: Format) -> bytes:
    file = io.BytesIO()
    matches = [log.match_id for log in store.logs()]
    form.write(store.logs(in_families(store, matches, whole=form.nests)), file)
    return file.getvalue()


def held(store: Store) -> list[tuple[str, int, int | None, str, bytes]]:
    return quarantine(store)


def test_formats_are_found_by_name_and_by_ending() -> None:
    assert format_named("blksgf") is format_of(Path("A.BLKSGF")) is BLKSGF
    assert format_named("jsonl") is format_of(Path("a.jsonl")) is format_of(Path("a.jsonl.gz")) is JSONL


def test_all_games_of_another_program_go_in_and_come_out(store: Store) -> None:
    lines = []
    for source in VARIANT_OF:
        path = DATA / f"{source}.blksgf"
        lines += path.read_bytes().splitlines(keepends=True)
        report = taken(store, path)
        assert (report.present, report.quarantined) == (0, 0)
    assert len(lines) == 384
    assert store.counts() == {"blokus": (0, 384)}
    assert sorted(exported(store, BLKSGF).splitlines(keepends=True)) == sorted(lines)


@pytest.mark.slow
def test_many_records_at_once_fare_as_one_by_one(store: Store, tmp_path: Path) -> None:
    lines = b"".join((DATA / f"{source}.blksgf").read_bytes() for source in VARIANT_OF).splitlines(keepends=True)
    for place in (30, 200, 350):
        lines.insert(place, b"(;GM[Blokus];1[a20];1[b19])\n")
    path = tmp_path / "all.blksgf"
    path.write_bytes(b"".join(lines))
    report = taken(store, path)
    assert (report.imported, report.present, report.quarantined) == (384, 0, 3)
    assert [row[1:3] for row in held(store)] == [(31, 2), (201, 2), (351, 2)]
    with Store(tmp_path / "other", durability="off") as other:
        for source in VARIANT_OF:
            taken(other, DATA / f"{source}.blksgf")
        assert [content(log) for log in store.logs()] != []
        assert sorted(exported(store, JSONL).splitlines()) == sorted(exported(other, JSONL).splitlines())


def test_the_same_file_again_adds_nothing(store: Store) -> None:
    text = GOOD * 3 + "(;GM[Blokus];1[u1])"
    assert taken_text(store, text) == Report(imported=3, unfinished=3, present=0, quarantined=1)
    before = exported(store, JSONL), held(store), store.counts()
    assert taken_text(store, text) == Report(imported=0, unfinished=0, present=3, quarantined=1)
    assert (exported(store, JSONL), held(store), store.counts()) == before
    assert taken_text(store, GOOD * 4, "more.blksgf") == Report(imported=1, unfinished=1, present=3, quarantined=0)


def test_bad_records_are_kept_with_place_and_reason(store: Store) -> None:
    bad = [
        "(;GM[Blokus];1[a20];2[u1])",
        "(;GM[Blokus]C[x];1[a20]C[y];;3[t1])",
        "(;GM[Blokus];1[a20];2[t20];3[t1];4[a1];1[a18,a19])",
        "(;GM[Blokus]A1[a20]A2[a20])",
        "(;GM[Chess])",
        "(;GM[Blokus];1[a20]",
    ]
    report = taken_text(store, "\n".join(line for one in bad for line in (GOOD, one)))
    assert (report.imported, report.quarantined) == (6, 6)
    assert [(file, record, ply, text.decode().strip()) for file, record, ply, _, text in held(store)] == [
        ("games.blksgf", 2 * number, ply, text)
        for number, (text, ply) in enumerate(zip(bad, [2, 2, 5, 0, None, None], strict=True), start=1)
    ]
    reasons = [row[3] for row in held(store)]
    assert reasons[0] == "2[u1]: invalid point 'u1'"
    assert reasons[1].startswith("red:t1: not_your_turn: ")
    assert reasons[2].startswith("blue:a18,a19: touches_own_edge: ")
    assert reasons[3].startswith("overlaps: ")
    assert reasons[4].startswith("GM[Chess]: ")
    assert reasons[5].startswith("line 12: ")


def test_a_line_of_json_is_refused_by_the_rules_at_its_event(store: Store) -> None:
    line = b'{"ruleset": "blokus", "variant": "duo", "events": [%s]}\n'
    note, early = b'{"event": "noted", "name": "a"}', b'{"event": "pass", "colour": 0}'
    report = taken_text(store, line % note + line % (note + b"," + early), "games.jsonl")
    assert (report.imported, report.quarantined) == (1, 1)
    ((file, record, ply, reason, text),) = held(store)
    assert (file, record, ply, text) == ("games.jsonl", 2, 2, (line % (note + b"," + early)).rstrip())
    assert reason.startswith("blue:pass: passing_not_allowed: ")


@pytest.mark.parametrize(
    "options", [{}, {"voluntary_pass": True}, {"start_corner": "by_colour", "voluntary_pass": True}]
)
def test_out_and_in_again_changes_nothing(store: Store, tmp_path: Path, options: dict[str, Any]) -> None:
    for seed, plies in enumerate((0, 7, 30, 400)):
        started = BLOKUS.start("two_player", options, tags={"source": "simulation", "seed": str(seed)})
        store.new(started, ("Ann", "Ben"), played(BLOKUS, started, seed, plies))
    for form in (BLKSGF, JSONL):
        path = tmp_path / f"out{form.suffixes[0]}"
        path.write_bytes(exported(store, form))
        with Store(tmp_path / form.name, durability="off") as other:
            assert taken(other, path, form).imported == 4
            assert by_seed(other) == by_seed(store)
            again = taken(other, path, form)
            assert (again.imported, again.present) == (0, 4)


def by_seed(store: Store) -> list[Any]:
    return sorted((content(log) for log in store.logs()), key=lambda said: said[0].tags["seed"])


def test_variations_comments_setups_and_old_names_survive_the_store(store: Store) -> None:
    text = (
        "(;GM[Blokus]DT[2024]P1[Ann]C[start](;1[a20]TE[1];C[pause];2[t20])(;1[a20,b20](;2[t20])(;2[t19,t20])))\n"
        "(;GM[blokus duo]PW[Ben]AB[e10]PL[W];W[j5]XY[1][2]C[a \\] and \\\\ and\nmore])\n"
    )
    old = "(;GM[Blokus];BLUE[a20][b20];YELLOW[t20])"
    assert taken_text(store, text + old).imported == 5
    lines = [*text.replace("and\nmore", "and~more").splitlines(), "(;GM[Blokus];1[a20,b20];2[t20])"]
    assert sorted(exported(store, BLKSGF).decode().replace("and\nmore", "and~more").splitlines()) == sorted(lines)


# Hostile files

DEEP = 20_000
HOSTILE: dict[str, tuple[bytes, int, int]] = {
    "empty": (b"", 0, 1),
    "blank": (b" \r\n\t", 0, 1),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD.encode(), 1, 0),
    "CRLF": (GOOD.replace(";", "\r\n;").encode() + b"\r\n" + GOOD.encode(), 2, 0),
    "truncated": (GOOD.encode() + GOOD.encode()[:-1], 1, 1),
    "no UTF-8": (b"(;GM[Blokus]C[\xff];1[a20])" + GOOD.encode(), 1, 1),
    "zeros": (b"\0" * 100_000 + GOOD.encode(), 1, 1),
    "prose": (b"Dear Sir,\n" + GOOD.encode() + b"\nyours (truly);", 1, 2),
    "nested": (b"(;GM[Blokus]" + b"(;1[a20]" * DEEP + b")" * DEEP + b")", 0, 1),
    "nested side lines": (b"(;GM[Blokus](;1[a20])" + b"(;C[x]" * DEEP + b")" * DEEP + b")", 2, 0),
    "never closed": (b"(;" * 100_000 + b"\n" + GOOD.encode(), 1, 1),
    "long value": (b"(;GM[Blokus]C[" + b"x" * 10_000_000 + b"];1[a20])" + GOOD.encode(), 2, 0),
    "long move": (b"(;GM[Blokus];1[" + b"a20," * 1_000_000 + b"a20])" + GOOD.encode(), 1, 1),
    "many values": (b"(;GM[Blokus]C" + b"[x]" * 200_000 + b";1[a20])", 1, 0),
    "many nodes": (b"(;GM[Blokus]" + b";" * 50_000 + b")", 1, 0),
    "many side lines": (b"(;GM[Blokus];1[a20]" + b"(;2[t20])" * 2_000 + b")", 2_000, 0),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_lose_nothing(store: Store, name: str) -> None:
    data, good, bad = HOSTILE[name]
    report = taken_text(store, data)
    assert (report.imported, report.quarantined) == (good, bad)
    kept = [row[4] for row in held(store)]
    assert all(text in data for text in kept)
    # All but what was imported and blanks between records is in quarantine.
    assert sum(map(len, kept)) >= len(data.strip(b" \r\n\t\xef\xbb\xbf")) - 16 if not good else True
    again = taken_text(store, exported(store, BLKSGF), "again.blksgf") if good else Report()
    assert (again.imported, again.present, again.quarantined) == (0, good, 0)


def test_damaged_games_are_imported_or_kept(store: Store) -> None:
    rng = random.Random(5)
    lines = (DATA / "duo_l1_book.blksgf").read_bytes().splitlines()[:12]
    for number in range(40):
        damaged = bytearray(lines[number % len(lines)])
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(damaged))
            damaged[place : place + rng.randint(0, 3)] = rng.choice(
                [b"", b"]", b"[", b"(", b")", b";", b"\\", b"\n", b"\xc3"]
            )
        text = lines[0] + b"\n" + bytes(damaged) + b"\n" + lines[1] + b"\n"
        report = taken_text(store, text, f"{number}.blksgf")
        assert report.imported + report.present + report.quarantined >= 2
        for row in held(store):
            assert row[4] in text or row[0] != f"{number}.blksgf"


def test_what_was_read_before_an_error_stays(store: Store, tmp_path: Path) -> None:
    def broken(path: Path, options: Any) -> Iterator[Any]:
        yield Record(1, BLOKUS.start(), ())
        raise OSError("the disk is gone")

    form = Format("broken", (".broken",), broken, JSONL.write)
    calls: list[tuple[int, int]] = []
    with pytest.raises(OSError, match="the disk is gone"):
        import_file(store, tmp_path / "x", form, {}, lambda *counts: calls.append(counts))
    assert calls == []
    assert [content(log) for log in store.logs()] == []
