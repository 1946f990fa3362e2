"""Records with variations, and lines that are forks, go into a store as families and come out as such; duplicates."""

from __future__ import annotations

import io
import re
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kifold.core.events import Noted, Resigned, Undone
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import bulk, importing, known
from kifold.records.forking import fork, in_families
from kifold.records.formats import Format, format_of
from kifold.records.formats.blksgf import BLKSGF
from kifold.records.formats.jsonl import JSONL
from kifold.records.ids import id_text
from kifold.records.importing import Report, import_file, quarantine
from kifold.records.journal import Journal
from kifold.records.known import KnownEvents
from kifold.records.log import Fork, Log, batches
from kifold.records.store import Store
from tests.records.blksgf_logs import content
from tests.rulesets.blokus_cases import place
from tests.stores import archive_all, assert_exact, duo, game, quiet, record, varied

GAME = "(;GM[Blokus]DT[2024](;1[a20](;2[t20];3[t1])(;2[s20,t20];3[t1](;4[a1])(;4[a1,a2])))(;1[a20,b20]C[or so]))"


def taken(store: Store, text: str | bytes, name: str = "games.blksgf", **how: Any) -> Report:
    path = store.folder.parent / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return import_file(store, path, format_of(path), {}, quiet, **how)


def exported(store: Store, form: Format, only: list[int] | None = None) -> bytes:
    file = io.BytesIO()
    matches = [log.match_id for log in store.logs()] if only is None else only
    form.write(store.logs(in_families(store, matches, whole=form.nests)), file)
    return file.getvalue()


def families(store: Store) -> set[str]:
    """Every match by its content, with that of the match that it is a fork of."""
    logs = {log.match_id: log for log in store.logs()}

    def said(log: Any) -> str:
        if log.fork is None:
            return repr(content(log))
        parent = logs.get(log.fork.parent)
        above = said(parent) if parent else ""
        return f"{content(log)!r} left {log.fork.at_seq} {log.fork.inherited} of {above}"

    assert len({said(log) for log in logs.values()}) == len(logs)
    return {said(log) for log in logs.values()}


def test_variations_become_forks_and_are_written_in_their_places(store: Store) -> None:
    assert taken(store, GAME + "\n" + GAME.replace("2024", "2025")) == Report(imported=8, unfinished=8)
    forks = store.forks()
    assert len(forks) == 6
    for match, one in forks.items():
        log, parent = store.log(match), store.log(one.parent)
        assert log.is_archived
        assert log.started == parent.started
        assert list(log.events[: one.inherited]) == list(parent.events[: one.at_seq])
        assert log.events[one.inherited] != parent.events[one.at_seq]
    lines = sorted(exported(store, BLKSGF).decode().splitlines())
    assert lines == [GAME, GAME.replace("2024", "2025")]
    assert taken(store, "\n".join(lines)) == Report(present=8)
    assert store.forks() == forks
    assert_exact(store.folder, 8)


def test_what_is_named_is_written_once_and_with_its_own_forks(store: Store) -> None:
    taken(store, GAME)
    forks = store.forks()
    (root,) = {one.parent for one in forks.values()} - forks.keys()
    assert exported(store, BLKSGF, [root]).decode() == GAME + "\n"
    assert exported(store, BLKSGF, [*forks, root]).decode() == GAME + "\n"
    (middle,) = {one.parent for one in forks.values()} - {root}
    part = "(;GM[Blokus]DT[2024];1[a20];2[s20,t20];3[t1](;4[a1])(;4[a1,a2]))\n"
    assert exported(store, BLKSGF, [middle]).decode() == part
    assert len(exported(store, JSONL, [middle]).splitlines()) == 1


def test_a_fork_that_was_played_on_is_a_variation_too(store: Store) -> None:
    taken(store, "(;GM[Blokus];1[a20];2[t20];3[t1])")
    ((root,),) = store.journal.rows("SELECT match FROM archived")
    made = fork(store, root, 1)
    store.append(made, [BLOKUS.notation.read(duo(), BLOKUS.state(), "yellow:s20,t20")])
    assert exported(store, BLKSGF, [root]) == b"(;GM[Blokus];1[a20](;2[t20];3[t1])(;2[s20,t20]))\n"


def test_an_illegal_variation_costs_itself_and_those_that_leave_it(store: Store) -> None:
    text = "(;GM[Blokus];1[a20](;2[t20])(;3[t1](;4[a1])(;4[a1,a2]))(;2[s20,t20](;3[t1])(;2[u1])))"
    assert taken(store, "(;GM[Blokus])" + text) == Report(imported=3, unfinished=3, quarantined=1)
    lines = ["(;GM[Blokus])", "(;GM[Blokus];1[a20](;2[t20])(;2[s20,t20];3[t1]))"]
    assert sorted(exported(store, BLKSGF).decode().splitlines()) == lines
    ((_, number, ply, reason, kept),) = quarantine(store)
    assert (number, ply, kept) == (2, 3, text.encode())
    assert reason == "variation 4: 2[u1]: invalid point 'u1' (and 2 more)"
    before = store.counts(), store.forks(), list(quarantine(store))
    again = taken(store, "(;GM[Blokus])" + text)
    assert (again.imported, again.quarantined) == (0, 1)
    assert (store.counts(), store.forks(), list(quarantine(store))) == before


def test_a_record_whose_main_line_is_illegal_stays_whole(store: Store) -> None:
    text = "(;GM[Blokus](;2[t20];1[a20])(;1[a20](;2[t20])(;2[s20,t20])))"
    assert taken(store, text) == Report(quarantined=1)
    ((_, number, ply, reason, kept),) = quarantine(store)
    assert (number, ply, kept) == (1, 1, text.encode())
    assert reason.startswith("yellow:t20: not_your_turn: ")
    assert reason.endswith("(and 2 more)")
    assert store.counts() == {}


def test_families_go_out_and_in_as_lines(store: Store, tmp_path: Path) -> None:
    taken(store, GAME)
    match = store.new(duo(), ("Ada", "Bo"), varied(0))
    made = fork(store, match, 20)
    fork(store, made, 3)
    text = exported(store, JSONL)
    with Store(tmp_path / "other", durability="off") as other:
        assert taken(other, text, "all.jsonl").imported == 7
        assert families(other) == families(store)
        assert taken(other, text, "again.jsonl") == Report(present=7)
        assert families(other) == families(store)


def test_a_line_whose_parent_lies_in_the_store_and_one_whose_parent_does_not(store: Store, tmp_path: Path) -> None:
    match = record(store, 0)
    made = fork(store, match, 4)
    line = exported(store, JSONL, [made])
    store.delete(made)
    assert taken(store, line, "fork.jsonl") == Report(imported=1, unfinished=1)
    (again,) = store.forks().items()
    assert (again[1].parent, again[1].at_seq) == (match, 4)
    assert taken(store, line, "again.jsonl") == Report(present=1)
    with Store(tmp_path / "other", durability="off") as other:
        assert taken(other, line, "fork.jsonl") == Report(imported=1, unfinished=1, orphans=1)
        assert other.forks() == {}


def test_a_line_that_cannot_be_a_fork_is_refused(store: Store) -> None:
    match = record(store, 0)
    line = exported(store, JSONL, [fork(store, match, 4)])
    for right, wrong in ((b'"inherited":4', b'"inherited":5'), (b'"at_seq":4', b'"at_seq":3')):
        assert right in line
        assert taken(store, line.replace(right, wrong), "wrong.jsonl") == Report(quarantined=1)
    has = r"it has \d+ events? and left it after event \d+"
    said = quarantine(store)[0][3]
    assert re.fullmatch(rf"`inherited` says that it shares \d+ events with its parent, but {has}", said)


def test_a_line_may_be_a_fork_of_any_line_before_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    parents = [record(store, number) for number in range(3)]
    made = [fork(store, parents[number % 3], 4 + number) for number in range(6)]
    text = exported(store, JSONL, parents) + exported(store, JSONL, made)
    for size in (2_000, 4):
        # With small batches and files, parents are in a file by the time that their forks are read.
        monkeypatch.setattr(importing, "batches", partial(batches, size=size))
        monkeypatch.setattr(bulk, "ROWS_PER_GROUP", 60 if size == 4 else 500_000)
        with Store(store.folder.parent / f"other {size}", durability="off") as other:
            assert taken(other, text, "all.jsonl") == Report(imported=9, unfinished=6)
            assert families(other) == families(store)
            assert taken(other, text, "all.jsonl") == Report(present=9)
    backwards = exported(store, JSONL, made) + exported(store, JSONL, parents)
    with Store(store.folder.parent / "backwards", durability="off") as other:
        assert taken(other, backwards, "all.jsonl") == Report(imported=9, unfinished=6, orphans=6)


def test_a_fork_of_a_match_that_cannot_be_read_is_refused_and_others_come_in(store: Store) -> None:
    parents = [record(store, number) for number in range(2)]
    lines = exported(store, JSONL, made := [fork(store, match, 4) for match in parents])
    for match in made:
        store.delete(match)
    with store.journal.writing() as db:
        db.execute("UPDATE events SET data = x'c1' WHERE match = ? AND seq = 3", (parents[0],))
    report = taken(store, lines, "all.jsonl")
    assert (report.imported, report.quarantined) == (1, 1)
    assert f"it leaves {id_text(parents[0])}, which cannot be read: " in quarantine(store)[0][3]


CLAIM = b'"at_seq":25,"inherited":17'
NO_FORKS = [
    *((CLAIM, b'"at_seq":%d,"inherited":%d' % one) for one in ((25, 16), (25, 18), (24, 17), (26, 17), (900_000, 17))),
    (b'"events":[', b'"events":[{"event":"noted","name":"comment","values":[""]},'),
    (b'"voluntary_pass":false', b'"voluntary_pass":true'),
]


@pytest.mark.parametrize("where", ["in the file", "live", "archived"])
def test_a_line_that_is_no_fork_of_what_it_names_is_refused(store: Store, where: str) -> None:
    parent, other = store.new(duo(), (), varied(0)), store.new(BLOKUS.start("classic"))
    made = fork(store, parent, 25)
    store.append(made, game(0)[16:])
    parents, line = exported(store, JSONL, [parent, other]), exported(store, JSONL, [made])
    store.delete(made)
    wrong = [line.replace(*change) for change in NO_FORKS]
    for_other = line.replace(b'"parent":"%s"' % id_text(parent).encode(), b'"parent":"%s"' % id_text(other).encode())
    wrong += [for_other, for_other.replace(CLAIM, b'"at_seq":0,"inherited":0')]
    assert line not in wrong
    tagged = line.replace(b'"tags":{}', b'"tags":{"event":"final"}')
    if where == "archived":
        archive_all(store)
    with Store(store.folder.parent / "other", durability="off") as elsewhere:
        to, before = (elsewhere, parents) if where == "in the file" else (store, b"")
        report = taken(to, b"".join([before, *wrong, line, tagged]), "all.jsonl")
        assert (report.imported, report.quarantined, report.orphans) == (before.count(b"\n") + 2, len(wrong), 0)
        assert {(one.at_seq, one.inherited) for one in to.forks().values()} == {(25, 17)}
        assert all("it does not begin as it says, with " in row[3] for row in quarantine(to))
        assert_exact(to.folder, 4)


def test_a_fork_of_a_line_that_is_refused_is_refused_with_it(store: Store) -> None:
    match = record(store, 0)
    made = fork(store, match, 4)
    lines = exported(store, JSONL, [match, made]).splitlines()
    bad = lines[0].replace(b'"events":[', b'"events":[{"event":"undone","back_to":9},')
    with Store(store.folder.parent / "other", durability="off") as other:
        assert taken(other, bad + b"\n" + lines[1], "bad.jsonl") == Report(quarantined=2)
        assert [row[3].partition(": ")[2] for row in quarantine(other)][1] == (
            f"it leaves {id_text(match)}, which is refused"
        )


def test_a_file_and_what_its_matches_are_forks_of_are_listed_together(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(journal: Journal, forks: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "add_forks", broken)
        with pytest.raises(KeyboardInterrupt):
            taken(store, GAME)
    assert (store.counts(), store.forks()) == ({}, {})
    assert taken(store, GAME).imported == 4
    assert exported(store, BLKSGF).decode() == GAME + "\n"


# Duplicates

A, B, C = (place(colour, square) for colour, square in enumerate(("a20", "t20", "t1")))

DUPLICATES = [
    (";1[a20];2[t20];3[t1]", 1),
    (";1[a20];2[t20]", 1),
    (";1[a20];2[t20]C[another comment];;3[t1]", 1),
    (";1[a20];2[t20];3[t1];4[a1]", 0),
    (";1[a20];2[s20,t20]", 0),
    ("", 0),
    ("C[nothing was played]", 0),
    ("KFOPTION[start_corner=any_free];1[a20];2[t20];3[t1]", 0),
    ("A1[a20]PL[2];2[t20];3[t1]", 0),
]


@pytest.mark.parametrize("is_archived", [False, True])
@pytest.mark.parametrize(("moves", "skipped"), DUPLICATES)
def test_a_match_that_is_there_with_all_its_events_can_be_passed_over(
    store: Store, moves: str, skipped: int, is_archived: bool
) -> None:
    if is_archived:
        taken(store, "(;GM[Blokus]DT[2024];1[a20];2[t20];3[t1])")
    else:
        store.new(BLOKUS.start("classic", {"start_corner": "by_colour"}), (), [A, B, C])
    text = f"(;GM[Blokus]DT[2025]{moves})"
    report = taken(store, text, "more.blksgf", skip_duplicates=True)
    assert (report.imported, report.duplicates) == (1 - skipped, skipped)
    assert taken(store, text, "more.blksgf").imported == skipped, "without the flag it comes in"
    assert taken(store, text, "more.blksgf", skip_duplicates=True) == Report(present=1)


def test_duplicates_in_one_file(store: Store) -> None:
    one = "(;GM[Blokus];1[a20];2[t20])"
    longer = "(;GM[Blokus];1[a20];2[t20];3[t1])"
    assert taken(store, one * 3 + longer + one + longer, skip_duplicates=True) == Report(
        imported=2, unfinished=2, duplicates=4
    )


def test_a_variation_is_passed_over_like_any_match_but_not_for_having_no_event_of_its_own(store: Store) -> None:
    text = "(;GM[Blokus];1[a20](;2[t20];3[t1])(;2[s20,t20])(;C[to be seen])(;2[t20]))"
    assert taken(store, text, skip_duplicates=True) == Report(imported=3, unfinished=3, duplicates=1)
    assert exported(store, BLKSGF).decode() == text.replace("(;2[t20]))", ")") + "\n"
    # Where the main line is there, what is new among its variations becomes a fork of the match that stands for it.
    (main,) = {one.parent for one in store.forks().values()}
    before = store.forks()
    other = text.replace("GM[Blokus]", "GM[Blokus]DT[2024]").replace("s20,t20", "s19,t19,s20,t20")
    for _ in range(2):
        report = taken(store, other, "other.blksgf", skip_duplicates=True)
        assert (report.imported + report.present, report.duplicates, report.orphans) == (1, 3, 0)
    (made,) = store.forks().keys() - before.keys()
    assert store.forks()[made] == Fork(main, 1, 1)
    assert_exact(store.folder, 4)


@pytest.mark.parametrize("is_archived", [False, True])
def test_a_variation_of_a_line_that_is_passed_over_leaves_the_match_that_is_there(
    store: Store, is_archived: bool
) -> None:
    match = store.new(duo(), ("Ada", "Bo"), [*game(0)[:10], Undone(9), *game(0)[9:]])
    if is_archived:
        archive_all(store)
    with Store(store.folder.parent / "other", durability="off") as other:
        main = other.new(duo(), (), game(0)[:-2])
        early, late, same = (fork(other, main, seq) for seq in (5, 20, 25))
        below, deep = fork(other, late, 20), fork(other, same, 25)
        for one, events in (
            (early, [Resigned(0)]),
            (late, [Resigned(1)]),
            (same, game(0)[25:27]),
            (below, [Noted("comment", ("or",)), Resigned(0)]),
            (deep, [Resigned(1)]),
        ):
            other.append(one, events)
        lines = exported(other, JSONL)
    assert taken(store, lines, "all.jsonl", skip_duplicates=True) == Report(imported=4, duplicates=2)
    forks = {(one.at_seq, one.inherited): one.parent for one in store.forks().values()}
    (again,) = (made for made, one in store.forks().items() if one.at_seq == 22)
    assert forks == {(5, 5): match, (22, 20): match, (20, 20): again, (27, 25): match}
    assert taken(store, lines, "all.jsonl", skip_duplicates=True) == Report(present=4, duplicates=2)
    assert_exact(store.folder, 5)


def test_beginnings_are_found_however_many_there_are(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "FRESH", 50)
    beginnings = KnownEvents(store, BLOKUS)
    matches = [record(store, number) for number in range(12)]
    most = 0
    for match in matches:
        beginnings.add(store.log(match))
        sizes = [len(keys) for keys, _ in beginnings._levels]
        assert all(size > 2 * after for size, after in pairwise(sizes))
        most = max(most, len(sizes))
    assert most > 1
    first = store.log(matches[0])
    for match in matches:
        log = store.log(match)
        assert beginnings.match_of(log) == match
        shorter = Log(0, log.started, log.events[:-3])
        beginnings.add(shorter)
        assert beginnings.match_of(shorter) == match
        assert beginnings.match_of(Log(0, log.started, [*log.events[:-3], Resigned(0)])) is None
    assert beginnings.match_of(first, len(first.events)) is None


def test_duplicates_are_told_whatever_the_store_has_been_through(store: Store) -> None:
    store.new(duo(), ("Ada", "Bo"), varied(0))  # game 0 with a note and a correction
    gone = record(store, 3)
    archive_all(store)
    store.delete(gone)
    with Store(store.folder.parent / "other", durability="off") as other:
        record(other, 0)
        record(other, 3)
        other.new(duo(), (), game(0)[:11])
        lines = exported(other, JSONL)
    report = taken(store, lines, "all.jsonl", skip_duplicates=True)
    assert (report.imported, report.duplicates) == (1, 2)
