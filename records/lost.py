"""Archive files that are lost, and giving up what lay in them, where no copy is left to restore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kifold.records.archive import paths
from kifold.records.heirs import leave_to_forks
from kifold.records.removing import note_replaced, remove_replaced
from kifold.records.store import Store

_IN_FILE = "(SELECT match FROM archived WHERE file = ?)"


@dataclass(frozen=True, slots=True)
class LostFile:
    """An archive file of which a part is not there.

    Attributes:
        number, ruleset, name: the file, as the journal lists it.
        place: the part that is missing, or the first of the two.
        matches: so many matches of the store lie in it.
    """

    number: int
    ruleset: str
    name: str
    place: Path
    matches: int


def lost_files(store: Store) -> list[LostFile]:
    """The files that the journal lists and of which one part or both are missing; damaged ones are there."""
    found = []
    query = "SELECT id, ruleset, name, (SELECT count(*) FROM archived WHERE file = files.id) FROM files ORDER BY id"
    for number, ruleset, name, matches in store.journal.rows(query):
        missing = [place for place in paths(store.archive_folder, ruleset, name) if not place.exists()]
        if missing:
            found.append(LostFile(number, ruleset, name, missing[0], matches))
    return found


def give_up(store: Store, files: Sequence[LostFile]) -> list[LostFile]:
    """Strike lost files and their matches out of the list, in one transaction. What is left of the files goes too.

    Forks of these matches stay, as where a match is deleted.

    Returns:
        The files as they were given up: not one that is there again by now, or not listed any more.
    """
    with store.journal.writing() as db:
        gone = [file for file in lost_files(store) if file.name in {one.name for one in files}]
        for file in gone:
            parents = f"SELECT DISTINCT parent FROM forks WHERE parent IN {_IN_FILE}"
            for match in store.journal.column(parents, (file.number,)):
                leave_to_forks(store, match)
                for table in ("archived", "forks", "pins"):
                    db.execute(f"DELETE FROM {table} WHERE match = ?", (match,))
            for table in ("forks", "pins"):
                db.execute(f"DELETE FROM {table} WHERE match IN {_IN_FILE}", (file.number,))
            for table in ("archived", "tombstones"):
                db.execute(f"DELETE FROM {table} WHERE file = ?", (file.number,))
            db.execute("DELETE FROM files WHERE id = ?", (file.number,))
        note_replaced(store, ((file.ruleset, file.name) for file in gone))
    remove_replaced(store)
    return gone
