"""What the journal says of forks and of promoted matches is held against the logs."""

from __future__ import annotations

import pytest

from kifold.core.events import Noted
from kifold.core.registry import ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import bulk
from kifold.records.forking import fork
from kifold.records.ids import id_text
from kifold.records.log import Fork
from kifold.records.store import Store
from kifold.replay.families import family_faults
from tests.stores import archive_all, assert_exact, duo, fill, game, record, varied, verified


def said(store: Store, match: int, claim: Fork) -> None:
    """Have the journal say of a match that it is a fork, whatever was said before."""
    with store.journal.writing() as db:
        db.execute("DELETE FROM forks WHERE match = ?", (match,))
        store.journal.add_forks([(match, claim)])


NOTE = Noted("comment", ("other",))
PLACES = ["both live", "both archived", "the parent archived", "the fork archived"]


def family(store: Store, place: str) -> tuple[int, int]:
    """A match of which something was taken back, and its fork, which goes on in its own way; both have ended."""
    parent = store.new(duo(), (), varied(0))
    if place != "both live":
        archive_all(store)
    made = fork(store, parent, 25)
    store.append(made, [NOTE, *game(0)[16:]])
    if place in {"both archived", "the fork archived"}:
        archive_all(store)
    if place == "the fork archived":
        store.append(parent, [NOTE])
    live = {"both live": {parent, made}, "the parent archived": {made}, "the fork archived": {parent}}
    assert set(store.journal.ids()) == live.get(place, set())
    return parent, made


def faults(store: Store) -> list[str]:
    """What is said, without the beginning and the end that all have in common."""
    before, after = f"{store.journal.path}: is damaged (", "); restore it from a copy"
    lines = list(family_faults(store))
    assert all(line.startswith(before) and line.endswith(after) for line in lines)
    return [line.removeprefix(before).removesuffix(after) for line in lines]


@pytest.mark.parametrize("place", PLACES)
def test_what_is_true_is_no_fault(store: Store, place: str) -> None:
    parent, made = family(store, place)
    assert store.forks() == {made: Fork(parent, 25, 17)}
    fork(store, made, 17)
    fork(store, made, 20)
    fork(store, parent, 0)
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, 1)", (made,))
    assert_exact(store.folder, 5)
    store.delete(parent)
    assert_exact(store.folder, 4)


WRONG = [(25, 16), (25, 18), (24, 17), (26, 17), (900_000, 17), (-1, 17), (25, 900_000), (25, -1), (0, 17), (25, 0)]


@pytest.mark.parametrize("place", PLACES)
def test_a_fork_that_shares_something_else_is_said(store: Store, place: str) -> None:
    parent, made = family(store, place)
    for at_seq, inherited in WRONG:
        said(store, made, Fork(parent, at_seq, inherited))
        claim = f"a fork of {id_text(parent)} that shares {inherited:,} events as of event {at_seq:,}"
        assert faults(store) == [f"match {id_text(made)} is listed as {claim}, and does not"]
    report = verified(store.folder)
    assert (report.is_fine, len(report.unreadable)) == (False, 1)
    assert report.counts["exact"] == 2


@pytest.mark.parametrize("is_archived", [False, True])
def test_a_fork_of_a_match_that_began_otherwise_is_said(store: Store, is_archived: bool) -> None:
    plain = record(store, 0)
    tagged, classic = (
        store.new(BLOKUS.start(variant, None, None, {"event": "final"}), (), events)
        for variant, events in (("duo", game(0)), ("classic", ()))
    )
    chips = store.new(ruleset("chipstack").start())
    if is_archived:
        archive_all(store)
    said(store, tagged, Fork(plain, 5, 5))
    assert faults(store) == []
    for parent in (classic, chips):
        said(store, tagged, Fork(parent, 0, 0))
        assert len(faults(store)) == 1
        assert len(list(family_faults(store, "blokus"))) == (parent == classic)
        assert list(family_faults(store, "chipstack")) == []


def test_each_wrong_row_among_others_in_several_files_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "ROWS_PER_GROUP", 60)
    matches = fill(store)
    made = [fork(store, match, 7) for match in matches for _ in range(2)]
    for number, match in enumerate(made):
        store.append(match, [NOTE, *game(number // 2 % 4)[7:]])
    archive_all(store)
    assert len(store.files()) > 2
    assert faults(store) == []
    assert_exact(store.folder, 24)
    for match in made[3::5]:
        said(store, match, Fork(matches[0], 8, 8))
    wrong = {one.split()[1] for one in faults(store)}
    assert wrong == {id_text(match) for match in made[3::5]}


def test_rows_that_are_wrong_by_themselves_are_counted(store: Store) -> None:
    parent, made = family(store, "the parent archived")
    other = fork(store, made, 3)
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, 1)", (parent,))
        for change, fault in (
            ("UPDATE pins SET match = 7", "1 promoted matches are not there"),
            ("UPDATE pins SET revision = 0", "1 promoted matches have no revision"),
            ("UPDATE pins SET revision = 'x'", "1 promoted matches have no revision"),
            ("UPDATE forks SET match = number", "2 forks are not there"),
            ("UPDATE forks SET at_seq = 'x'", "2 forks do not say what they share"),
            ("UPDATE forks SET parent = match", "2 forks go back to themselves"),
            (f"UPDATE forks SET parent = {other} WHERE match = {made}", "2 forks go back to themselves"),
        ):
            db.execute("SAVEPOINT before")
            assert faults(store) == []
            db.execute(change)
            assert faults(store) == [fault]
            db.execute("ROLLBACK TO before")


@pytest.mark.parametrize("place", ["both live", "both archived"])
def test_a_match_that_is_promoted_to_a_revision_that_is_not_installed_cannot_be_verified(
    store: Store, place: str
) -> None:
    parent, _ = family(store, place)
    with store.journal.writing() as db:
        db.execute("INSERT INTO pins VALUES (?, 9)", (parent,))
    report = verified(store.folder)
    assert report.unreadable == []
    assert (report.is_fine, report.counts["unverified"], report.counts["exact"]) == (False, 1, 1)
