"""What the journal says of forks and of promoted matches, held against the logs.

A fork is a whole log and a promotion is a number beside one, so no fold finds a row that is wrong. Each file that holds
forks or their parents is read once, and only those; of each fork the digest of what it shares is kept until the other
side has been read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from kifold.core.registry import names, why_not
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.log import Fork, Log, shared_by_fork, shared_by_parent
from kifold.records.store import Store

_NO_MATCH = "NOT IN (SELECT id FROM matches UNION ALL SELECT match FROM archived)"
_SOUND = """WITH RECURSIVE sound(match) AS (
    SELECT match FROM forks WHERE parent NOT IN (SELECT match FROM forks)
    UNION ALL SELECT forks.match FROM sound JOIN forks ON parent = sound.match)
"""
_NUMBERS = "typeof(parent) || typeof(at_seq) || typeof(inherited)"
_FAULTS = (
    ("promoted matches are not there", f"SELECT 1 FROM pins WHERE match {_NO_MATCH}"),
    ("promoted matches have no revision", "SELECT 1 FROM pins WHERE typeof(revision) <> 'integer' OR revision < 1"),
    ("forks are not there", f"SELECT 1 FROM forks WHERE match {_NO_MATCH}"),
    ("forks do not say what they share", f"SELECT 1 FROM forks WHERE {_NUMBERS} <> 'integerintegerinteger'"),
    ("forks go back to themselves", f"{_SOUND} SELECT 1 FROM forks WHERE match NOT IN sound"),
)
# Forks whose own log, or whose parent's, lies among the live matches or in a file. What was deleted is nowhere.
_LIVE = "JOIN matches AS m ON m.id = forks.{side} WHERE m.ruleset = ?"
_IN_FILE = "JOIN archived AS a ON a.match = forks.{side} JOIN files ON files.id = a.file WHERE files.name = ?"
_SIDES = {"match": shared_by_fork, "parent": shared_by_parent}


def family_faults(store: Store, only: str | None = None) -> Iterator[str]:
    """A line for each kind of rows that is wrong by itself; where there are none, for each fork that is not what is
    said of it. A parent that was deleted is no fault, and what cannot be read is a matter of verifying the matches.

    Args:
        only: the name of a ruleset to restrict the forks to.

    Raises:
        StoreError: when the journal cannot be read.
    """
    path = store.journal.path
    is_sound = True
    for fault, query in _FAULTS:
        ((count,),) = store.journal.rows(f"SELECT count(*) FROM ({query})")
        if count:
            is_sound = False
            yield f"{path}: is damaged ({count:,} {fault}); restore it from a copy"
    for match, fork in _untrue(store, only) if is_sound else ():
        yield (
            f"{path}: is damaged (match {id_text(match)} is listed as a fork of {id_text(fork.parent)} that shares "
            f"{fork.inherited:,} events as of event {fork.at_seq:,}, and does not); restore it from a copy"
        )


def _untrue(store: Store, only: str | None) -> Iterator[tuple[int, Fork]]:
    """The forks of which what their own log has is not what stood in their parent's."""
    waiting: dict[int, bytes | None] = {}
    for match, fork, shared in _shared(store, only):
        if match not in waiting:
            waiting[match] = shared
        elif waiting.pop(match) != shared or shared is None:
            yield match, fork


def _shared(store: Store, only: str | None) -> Iterator[tuple[int, Fork, bytes | None]]:
    """Each fork, and the digest of what it shares: once from its own log and once from that of its parent."""
    if store.journal.row("SELECT 1 FROM forks LIMIT 1") is None:  # as in most stores: no ruleset need be loaded
        return
    for name in names():
        if only not in (None, name) or why_not(name):
            continue
        yield from _shared_in(store, _LIVE, name, lambda some: store.live_logs(some, lambda match, why: None))
        for _, file in store.files(name):
            with suppress(StoreError):  # what cannot be read is said where files are verified
                yield from _shared_in(store, _IN_FILE, file, partial(_some, store, name, file))


def _some(store: Store, name: str, file: str, wanted: Iterable[int]) -> Iterator[Log]:
    return store.reader(name, file).some(wanted)


def _shared_in(
    store: Store, place: str, value: str, read: Callable[[Iterable[int]], Iterator[Log]]
) -> Iterator[tuple[int, Fork, bytes | None]]:
    """The same for what lies in one place."""
    wanted: dict[int, list[tuple[str, int, Fork]]] = defaultdict(list)
    for side in _SIDES:
        query = f"SELECT forks.{side}, forks.match, parent, at_seq, inherited FROM forks {place.format(side=side)}"
        for here, match, *said in store.journal.rows(query, (value,)):
            wanted[here].append((side, match, Fork(*said)))
    for log in read(wanted) if wanted else ():
        for side, match, fork in wanted[log.match_id]:
            yield match, fork, _SIDES[side](fork, log)
