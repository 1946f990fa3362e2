"""Where the rows of the views come from: archive files that are read in place, and live matches as Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from kifold.analytics.query import QueryError
from kifold.core.counted import counted
from kifold.core.events import Undone, tag_of
from kifold.core.registry import names, ruleset, why_not
from kifold.core.ruleset import Ruleset
from kifold.core.schema import events_schema
from kifold.records.archive import file_hash, paths
from kifold.records.errors import RESTORE, StoreError
from kifold.records.forking import without_cycles
from kifold.records.ids import id_text
from kifold.records.judge import Judged, judge_logs
from kifold.records.log import batches
from kifold.records.store import Store
from kifold.records.tables import add_events, event_columns, match_row, matches_schema
from kifold.replay.ply_files import damaged_ply_files

OnLeftOut = Callable[[str], None]
"""Called with one line for whatever a view should have and has not, and why."""

PARTS = ("matches", "events")
READ = "hive_partitioning = false, union_by_name = true"
"""How files are read: one that is older than a column has null there."""
FORKS, PINS = "_forks", "_pins"
FORKS_SCHEMA = pa.schema(
    [
        pa.field("match_id", pa.int64()),
        pa.field("parent", pa.int64()),
        pa.field("forked_at", pa.int32()),
        pa.field("n_inherited", pa.int32()),
        pa.field("family", pa.int64()),
    ]
)
PINS_SCHEMA = pa.schema([pa.field("match_id", pa.int64()), pa.field("promoted", pa.int16())])
COVERED_SCHEMA = pa.schema([pa.field("file", pa.string()), pa.field("match_id", pa.int64())])


@dataclass(frozen=True, slots=True)
class Source:
    """The rows of one ruleset.

    Attributes:
        tables: what has to lie in the database, by name: the live matches, their events, and which matches of which
            files were deleted or replaced.
        queries: for `matches` and `events` a query for all rows, live and archived.
        has_undone: whether anything may ever have been taken back: then the views have to look for it.
    """

    tables: dict[str, pa.Table]
    queries: dict[str, str]
    has_undone: bool


def source_of(store: Store, rules: Ruleset, on_left_out: OnLeftOut) -> Source:
    """Find the rows of a ruleset in a store.

    Raises:
        StoreError: when an archive file is missing or no Parquet file: answers without it would be wrong.
    """
    name = rules.name
    live_matches, live_events = _live(store, rules, on_left_out)
    whole, holed = _files(store, name)
    tables = {f"_live_{name}_matches": live_matches, f"_live_{name}_events": live_events}
    if holed:
        tables[f"_covered_{name}"] = _covered(store, name, holed)
    queries = {}
    for at, part in enumerate(PARTS):
        queries[part] = " UNION ALL BY NAME ".join(
            [
                f"SELECT *, false AS archived FROM _live_{name}_{part}",
                *_whole(store, name, whole, at),
                *_holed(store, name, holed, at),
            ]
        )
    return Source(tables, queries, _may_be_undone(store, rules, live_events))


def beside(store: Store) -> dict[str, pa.Table]:
    """What stands in the journal beside matches, of all rulesets, by name: `_forks` and `_pins`, if there are any.

    `_pins` says which revision a match was promoted to. Of `_forks`, `n_inherited` is how many of its first events a
    fork has from its parent; none when the parent was deleted, since nobody else has them then. `family` is one of the
    match and all that go back to the same one: the first of them.
    """
    forks, pins = without_cycles(store.forks()), store.pins()
    held = store.held({fork.parent for fork in forks.values()})
    above = {match: fork.parent for match, fork in forks.items() if fork.parent in held}

    def family(match: int) -> int:
        while match in above:
            match = above[match]
        return match

    of_forks = [
        (match, fork.parent, fork.at_seq, fork.inherited if match in above else 0, family(match))
        for match, fork in forks.items()
    ]
    found = {
        FORKS: pa.table([list(one) for one in zip(*of_forks, strict=True)], FORKS_SCHEMA) if forks else None,
        PINS: pa.table([list(pins), list(pins.values())], PINS_SCHEMA) if pins else None,
    }
    return {name: table for name, table in found.items() if table is not None}


def installed(on_left_out: OnLeftOut) -> list[Ruleset]:
    """The installed rulesets. One of another package that cannot be loaded does not take the others with it."""
    found = []
    for name in names():
        if why := why_not(name):
            on_left_out(f"{name} is left out: {why}")
        else:
            found.append(ruleset(name))
    return found


def not_installed(store: Store) -> Iterator[str]:
    """One line for each ruleset of the store that is not installed, so that its matches are in no view."""
    for name, (live, archived) in store.counts().items():
        if name not in names():
            many = counted(live + archived, f"match of {name} is", f"matches of {name} are")
            yield f"{many} left out: ruleset {name} is not installed"


@contextmanager
def naming_damage(store: Store) -> Iterator[None]:
    """Where a query fails since what it reads is damaged, DuckDB does not always say which file that is.

    The moment in which the files are listed is held, so that those stay which the query is going to read.

    Raises:
        StoreError: with the file.
    """
    with store.journal.reading():
        try:
            yield
        except QueryError as error:
            if error.is_of_data:
                for place in _damaged(store):
                    raise StoreError(f"{place}: is damaged ({error}); {RESTORE}") from None
                for place in damaged_ply_files(store):
                    raise StoreError(f"{place}: is damaged ({error}); `kifold plies` makes it again") from None
            raise


def _damaged(store: Store) -> Iterator[Path]:
    for name, file, *hashes in store.journal.rows("SELECT ruleset, name, matches_hash, events_hash FROM files"):
        for place, written in zip(paths(store.archive_folder, name, file), hashes, strict=True):
            try:
                is_whole = file_hash(place) == written
            except OSError:
                is_whole = False
            if not is_whole:
                yield place


def quoted(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def pattern(path: str) -> str:
    """A path for `read_parquet`, which would take some characters for wild cards and read other files too."""
    return quoted("".join(f"[{char}]" if char in "*?[" else char for char in path))


def _path(store: Store, name: str, file: str, at: int) -> str:
    return str(paths(store.archive_folder.absolute(), name, file)[at])


def _files(store: Store, name: str) -> tuple[list[str], list[str]]:
    """The archive files of a ruleset: those whose rows all count, and those that have covered ones."""
    whole: list[str] = []
    holed: list[str] = []
    for _, file in store.files(name):
        (holed if store.tombstones(file) else whole).append(file)
    return whole, holed


def _whole(store: Store, name: str, files: list[str], at: int) -> Iterator[str]:
    if files:
        listed = ", ".join(pattern(_path(store, name, file, at)) for file in files)
        yield f"SELECT *, true AS archived FROM read_parquet([{listed}], {READ})"


def _holed(store: Store, name: str, files: list[str], at: int) -> Iterator[str]:
    if files:
        listed = ", ".join(pattern(_path(store, name, file, at)) for file in files)
        yield (
            "SELECT * EXCLUDE (_file), true AS archived "
            f"FROM read_parquet([{listed}], {READ}, filename = '_file') AS f "
            f"ANTI JOIN _covered_{name} AS c ON c.file = f._file AND c.match_id = f.match_id"
        )


def _covered(store: Store, name: str, files: list[str]) -> pa.Table:
    rows = [
        {"file": _path(store, name, file, at), "match_id": match}
        for file in files
        for match in sorted(store.tombstones(file))
        for at in range(len(PARTS))
    ]
    return pa.Table.from_pylist(rows, COVERED_SCHEMA)


def _live(store: Store, rules: Ruleset, on_left_out: OnLeftOut) -> tuple[pa.Table, pa.Table]:
    """The live matches of a ruleset as tables, without those that cannot be read or folded."""

    def left_out(match: int, why: object) -> None:
        on_left_out(f"match {id_text(match)} is left out: {why}")

    columns, rows = event_columns(rules), []
    for batch in batches(store.live_logs(store.journal.ids(rules.name), left_out)):
        for log, judged in zip(batch, judge_logs(batch), strict=True):
            if isinstance(judged, Judged):
                rows.append(match_row(log, judged))
                add_events(columns, rules, log.match_id, log.events, judged.seats)
            else:
                left_out(log.match_id, judged)
    return pa.Table.from_pylist(rows, matches_schema(rules)), pa.table(columns, events_schema(rules))


def _may_be_undone(store: Store, rules: Ruleset, live: pa.Table) -> bool:
    """By the statistics of the tag column, which is the lowest for the common events."""
    # Every file is opened, whatever the first ones say: one that cannot be read is to be named here.
    lowest = list(_lowest_tags(store, rules))
    return tag_of(Undone) in {*live["tag"].to_pylist()} or min(lowest, default=tag_of(Undone) + 1) <= tag_of(Undone)


def _lowest_tags(store: Store, rules: Ruleset) -> Iterator[int]:
    for _, file in store.files(rules.name):
        reader = store.reader(rules.name, file)
        for group in range(reader.groups):
            bounds = reader.tag_bounds(group)
            yield bounds[0] if bounds else 0
