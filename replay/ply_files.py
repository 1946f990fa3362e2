"""The files of the table `plies`, beside the archive: they can be deleted at any time and made again.

`plies/ruleset=NAME/FILE-KEY-HASH.parquet` belongs to the archive file FILE. KEY follows from the bytes of that file and
from the rules that folded it, so plies of other bytes or other rules are never taken for it; HASH is that of the file
itself. A file is written beside its place and renamed when it is whole.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kifold.core.loops import bound, list_plies
from kifold.core.ruleset import Ruleset
from kifold.core.scope import Reach
from kifold.records.archive import WRITTEN, file_hash
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.removing import remove
from kifold.records.row_groups import RowGroups
from kifold.records.sqlite import sync
from kifold.records.store import Store
from kifold.replay.plies import group_plies, plies_schema

FORMAT = 1
"""To be raised when the table says something else than before."""

LEFT_OUT = b"left_out"
"""Where a file says which matches of its archive file have no plies."""

OnProgress = Callable[[int, int], None]
Key = tuple[str, str]
"""The archive file, and the KEY."""


def ply_files(store: Store, ruleset: Ruleset) -> dict[str, Path | None]:
    """For each archive file of a ruleset where its plies lie; None where they are not computed."""
    there = {_key_of(place): place for place in _places(store, ruleset.name)}
    return {key[0]: there.get(key) for key in _keys(store, ruleset)}


def left_out(place: Path) -> set[int]:
    """The ids of the matches of the archive file that have no plies.

    Raises:
        StoreError: when the file cannot be read.
    """
    try:
        return set(json.loads(pq.read_metadata(place).metadata[LEFT_OUT]))
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
        raise StoreError(f"{place}: is damaged ({error}); `kifold plies` makes it again") from None


def damaged_ply_files(store: Store, only: str | None = None) -> Iterator[Path]:
    """The files of plies, of one ruleset or of all, that are not what was written."""
    return (place for place in _places(store, only or "*") if not is_whole(place))


def is_whole(place: Path) -> bool:
    """Whether a file of plies is what was written."""
    try:
        return place.stem.rpartition("-")[2] == file_hash(place).hex()
    except OSError:
        return False


def make_ply_files(
    store: Store, ruleset: Ruleset, workers: int, on_progress: OnProgress, on_left_out: Callable[[str], None]
) -> None:
    """Compute the plies of all archive files of a ruleset that have none; remove what is damaged or of no use any more.

    Row groups are folded in parallel; memory is bounded by them.

    Args:
        on_progress: called with the numbers of matches that have plies, and of their events, in each row group; it must
            not write to the store.
        on_left_out: called with one line for each match that has no plies, and each file that cannot be read or made.

    Raises:
        StoreError: when a file cannot be removed.
    """
    _remove_useless(store, ruleset)
    with store.journal.reading():  # so that the files stay which are going to be read
        there = {_key_of(place) for place in _places(store, ruleset.name)}
        for key in _keys(store, ruleset):
            if key not in there:
                try:
                    _make(store, ruleset, key, workers, on_progress, on_left_out)
                except StoreError as error:
                    on_left_out(str(error))


def _remove_useless(store: Store, ruleset: Ruleset) -> None:
    """Remove what is damaged, and what is of no use any more when nobody may read it. Called outside of `reading()`."""
    with store.journal.reading():
        keys, stale = set(_keys(store, ruleset)), []
    for place in _places(store, ruleset.name):
        if _key_of(place) not in keys:
            stale.append(place)
        elif not is_whole(place):
            remove(place)
    if stale and store.journal.is_settled():  # else somebody may read them, who knows of nothing newer
        for place in stale:
            remove(place)


def _make(
    store: Store,
    ruleset: Ruleset,
    key: Key,
    workers: int,
    on_progress: OnProgress,
    on_left_out: Callable[[str], None],
) -> None:
    groups = RowGroups(store.archive_folder, ruleset, key[0], store.tombstones(key[0]))
    pins = store.pins(key[0])
    refused: list[int] = []

    def listed(matches: pa.Table, events: pa.Table) -> tuple[pa.Table, tuple[int, int], list[tuple[int, str]]]:
        said: list[tuple[int, str]] = []
        table = group_plies(ruleset, matches, events, pins, lambda *one: said.append(one))
        without = pa.array([match for match, _ in said], pa.int64())
        have_none = pc.sum(pc.is_in(events["match_id"], without)).as_py() or 0
        return table, (len(matches) - len(said), len(events) - have_none), said

    folder = _folder(store, ruleset.name)
    draft = folder / f"{secrets.token_hex(8)}.writing"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _writer(draft, ruleset) as writer:
            for outcome in groups.each(listed, workers):
                if isinstance(outcome, StoreError):
                    raise outcome
                table, done, said = outcome
                writer.write_table(table, row_group_size=max(len(table), 1))
                on_progress(*done)
                for match, why in said:
                    on_left_out(f"match {id_text(match)} has no plies: {why}")
                    refused.append(match)
            writer.add_key_value_metadata({LEFT_OUT.decode(): json.dumps(refused)})
        sync(draft)
        draft.replace(folder / f"{'-'.join(key)}-{file_hash(draft).hex()}.parquet")
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _writer(draft: Path, ruleset: Ruleset) -> Any:
    # Of scores, which grow with the match, dictionaries cost more than they spare; of ranks they spare two thirds.
    schema = plies_schema(ruleset)
    few = [field.name for field in schema if not pa.types.is_list(field.type)] + ["ranks.list.element"]
    return pq.ParquetWriter(draft, schema, use_dictionary=few, **WRITTEN)


def _keys(store: Store, ruleset: Ruleset) -> list[Key]:
    lifts = [one.lift for one in ruleset.upcasters]
    rules = [
        Reach(bound(one.rules), {}).digest([list_plies, *lifts], FORMAT, one.revision, one.schema, one.result.slots)
        for one in ruleset.revisions.values()
    ]
    pins = store.journal.rows("SELECT file, match, revision FROM pins JOIN archived USING (match) ORDER BY match")
    query = "SELECT id, name, matches_hash, events_hash FROM files WHERE ruleset = ? ORDER BY id"
    keys = []
    for number, name, *hashes in store.journal.rows(query, (ruleset.name,)):
        said = repr((rules, hashes, [pin[1:] for pin in pins if pin[0] == number]))
        keys.append((name, blake2b(said.encode(), digest_size=8).hexdigest()))
    return keys


def _folder(store: Store, name: str) -> Path:
    return store.folder / "plies" / f"ruleset={name}"


def _places(store: Store, name: str) -> Iterator[Path]:
    yield from sorted((store.folder / "plies").glob(f"ruleset={name}/*.parquet"))


def _key_of(place: Path) -> Key:
    file, key, _ = (["", "", *place.stem.rsplit("-", 2)])[-3:]
    return file, key
