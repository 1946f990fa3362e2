"""Removing files of the archive that are no longer listed.

Whoever reads files holds a transaction in the journal on the list that names them. So a file that was replaced can go
as soon as nobody holds one from before; until then it is noted in the journal, also over a crash. Other files that are
not listed stay: the journal may be an older copy, and they the only ones that have their matches.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kifold.records.errors import StoreError
from kifold.records.store import Store

REPLACED = "replaced "
"""Stands before RULESET/NAME in the table `meta`."""
DAY = 86_400


def note_replaced(store: Store, files: Iterable[tuple[str, str]]) -> None:
    """Note files that are to be removed. Called inside `writing()`, where they are struck from the list."""
    rows = ((f"{REPLACED}{ruleset_name}/{name}", "") for ruleset_name, name in files)
    store.journal.db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)


def remove_replaced(store: Store) -> bool:
    """Remove the files that were replaced, unless somebody may still read them; whether they are gone.

    Raises:
        StoreError: when one cannot be removed.
    """
    keys = _replaced(store)
    if not keys:
        return True
    if not store.journal.is_settled():
        return False
    with store.journal.writing() as db:
        listed = set(store.files())
        for key in keys:
            name, _, file = key.removeprefix(REPLACED).partition("/")
            if (name, file) not in listed:  # a simulation that goes on may have given its name to a new one
                for place in store.archive_folder.glob(f"*/ruleset={name}/{file}.parquet"):
                    remove(place)
                for place in store.folder.glob(f"plies/ruleset={name}/{file}-{'?' * 16}-{'?' * 32}.parquet"):
                    remove(place)  # what was derived from it, see `kifold.replay.ply_files`
            db.execute("DELETE FROM meta WHERE key = ?", (key,))
    return True


def unlisted(store: Store, there: Iterable[tuple[str, str]], only: str | None) -> list[str]:
    """Those archive files (ruleset, name), as RULESET/NAME, that the journal neither lists nor is about to remove.

    Args:
        there: those that were there before the list is read.
        only: the name of a ruleset to restrict to.
    """
    known = {f"{name}/{file}" for name, file in store.files()}
    known |= {key.removeprefix(REPLACED) for key in _replaced(store)}
    return [f"{name}/{file}" for name, file in there if only in (None, name) and f"{name}/{file}" not in known]


def _replaced(store: Store) -> list[str]:
    return store.journal.column("SELECT key FROM meta WHERE key LIKE ?", (REPLACED + "%",))


def remove_old_drafts(store: Store) -> None:
    """Remove what writers that were killed left. None writes to a draft for a day without adding a row group.

    Raises:
        StoreError: when one cannot be removed.
    """
    for draft in (*store.archive_folder.glob("*/ruleset=*/*.writing"), *store.folder.glob("plies/ruleset=*/*.writing")):
        with suppress(FileNotFoundError):
            if draft.stat().st_mtime < time.time() - DAY:
                remove(draft)


def remove(place: Path) -> None:
    """Remove a file, if it is there.

    Raises:
        StoreError: when it cannot be removed.
    """
    try:
        place.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{place}: cannot be removed ({error.strerror})") from None
