"""The archive: finished (and bulk-imported) matches in Parquet.

`archive/matches/ruleset=NAME/FILE.parquet` and `archive/events/ruleset=NAME/FILE.parquet` belong together. In each file
rows are sorted by (match_id, seq) and a match is never split over row groups; row group k of the one file holds the
matches of row group k of the other. A file is written beside its place, flushed to disk, renamed, and listed in the
journal's database with the hashes of both files; a file that is not listed is debris of a crash and nobody reads it.
"""

from __future__ import annotations

import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kifold.core.ruleset import Ruleset
from kifold.core.schema import events_schema
from kifold.records.columns import Layout, fitted, misfit, needed
from kifold.records.errors import StoreError
from kifold.records.log import Log
from kifold.records.sqlite import sync
from kifold.records.tables import matches_schema, rows_to_logs
from kifold.records.unreadable import first_line, naming

ROWS_PER_GROUP = 500_000
"""A row group of events is closed at the first match boundary from here on."""
ROWS_PER_FILE = 8_000_000
WRITTEN: dict[str, Any] = {
    "compression": "zstd",
    # As quick to read as level 3, a fiftieth slower to make, and 0.02 bytes less for an event.
    "compression_level": 9,
    "write_page_checksum": True,
    # Nobody reads less than a row group. The usual pages of 20,000 rows cost a twentieth of the bytes, and a fifth of
    # the time of reading goes into beginning them.
    "max_rows_per_page": 1 << 20,
}
"""How files are written."""
TEXTS = (
    "variant",
    "ending",
    *(f"{name}.key_value.{part}" for name in ("options", "tags") for part in ("key", "value")),
)
"""The columns of matches that say the same in most rows."""


def paths(root: Path, ruleset: str, name: str) -> tuple[Path, Path]:
    """The matches file and the events file of one archive file."""
    part = f"ruleset={ruleset}"
    return root / "matches" / part / f"{name}.parquet", root / "events" / part / f"{name}.parquet"


def file_hash(path: Path) -> bytes:
    """The hash of a whole file, 16 bytes: it also covers what no reader looks at, or looks at before it can be checked.

    Raises:
        OSError: when the file cannot be read.
    """
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).digest()


class FileWriter:
    """Writes one pair of files, row group by row group. `close` makes them whole, `place` puts them in their places,
    `abandon` removes them.

    Attributes:
        matches, events: rows written so far.
        layout: the columns of the two files.
    """

    def __init__(self, root: Path, ruleset: Ruleset, layout: Layout) -> None:
        """Begin a pair of files of these columns."""
        self.ruleset = ruleset
        self.root = root
        self.layout = layout
        self.matches = self.events = 0
        # No other process writes to these, also when it makes the same file.
        self._drafts = [path.with_suffix(".writing") for path in paths(root, ruleset.name, secrets.token_hex(8))]
        self._writers: list[pq.ParquetWriter] = []
        try:
            for draft, schema in zip(self._drafts, layout, strict=True):
                draft.parent.mkdir(parents=True, exist_ok=True)
                self._writers.append(pq.ParquetWriter(draft, schema, **WRITTEN))
        except OSError as error:
            self.abandon()
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(f"{self._drafts[0].parent}: cannot be written ({error.strerror or first_line(error)})")

    def write(self, matches: pa.Table, events: pa.Table) -> None:
        """Write one row group of each, for which there are columns: sorted, and all events of these matches in them.

        Raises:
            StoreError: when the disk is full, or cannot be written.
        """
        try:
            for writer, table in zip(self._writers, (matches, fitted(events, self.layout[1])), strict=True):
                writer.write_table(table, row_group_size=max(len(table), 1))
        except OSError as error:
            raise self._unwritable(error) from None
        self.matches += len(matches)
        self.events += len(events)

    def close(self) -> tuple[bytes, bytes]:
        """Make the files whole and have them on the disk; their hashes.

        Raises:
            StoreError: when the disk is full, or cannot be written.
        """
        try:
            for writer, draft in zip(self._writers, self._drafts, strict=True):
                writer.close()
                sync(draft)
            return file_hash(self._drafts[0]), file_hash(self._drafts[1])
        except OSError as error:
            raise self._unwritable(error) from None

    def place(self, name: str) -> None:
        """Rename the closed files to their name. Called where no other process lists a file at the same time.

        Raises:
            StoreError: when they cannot be renamed.
        """
        try:
            for draft, place in zip(self._drafts, paths(self.root, self.ruleset.name, name), strict=True):
                draft.replace(place)
                sync(place.parent)
        except OSError as error:
            raise self._unwritable(error) from None

    def abandon(self) -> None:
        """Remove what was written."""
        for writer in self._writers:
            # On a full disk its end cannot be written either.
            with suppress(OSError, pa.ArrowException):
                writer.close()
        for draft in self._drafts:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


class FileReader:
    """Reads one pair of files: whatever these may hold, nothing else than a StoreError comes of it.

    Raises:
        StoreError: when a file is missing, half-written or of another layout.
    """

    def __init__(self, root: Path, ruleset: Ruleset, name: str, *, coded: bool = False) -> None:
        """Open them; with `coded`, texts that repeat are read as numbers of a dictionary, in a fifth of the time."""
        self.ruleset = ruleset
        self.places = paths(root, ruleset.name, name)
        of_matches, of_events = needed(ruleset)
        self._matches = _open(self.places[0], matches_schema(ruleset), of_matches, TEXTS if coded else ())
        self._events = _open(self.places[1], events_schema(ruleset), of_events)
        if self._matches.num_row_groups != self._events.num_row_groups:
            raise StoreError(f"{self.places[1]}: does not belong to {self.places[0]}; restore both from a copy")

    @property
    def matches(self) -> int:
        """The number of matches in all row groups."""
        return int(self._matches.metadata.num_rows)

    @property
    def events(self) -> int:
        """The number of events in all row groups."""
        return int(self._events.metadata.num_rows)

    @property
    def groups(self) -> int:
        """The number of row groups."""
        return int(self._matches.num_row_groups)

    @property
    def layout(self) -> Layout:
        """The columns that the two files have."""
        return self._matches.schema_arrow, self._events.schema_arrow

    def group(self, number: int, columns: pa.Schema | None = None) -> tuple[pa.Table, pa.Table]:
        """The matches of one row group in the columns that the file has, and its events in `columns`: those that are
        written today, or others of the same types.

        Raises:
            StoreError: when a page is damaged.
        """
        matches, events = _read(self._matches, self.places[0], number), _read(self._events, self.places[1], number)
        with naming(self.places[1], f"row group {number} is damaged"):
            return matches, fitted(events, columns or events_schema(self.ruleset))

    def lengths(self, number: int) -> pa.Table:
        """`match_id` and `n_events` of the matches of one row group, none of them null.

        Raises:
            StoreError: when a page is damaged, or one is null.
        """
        table = _read(self._matches, self.places[0], number, ["match_id", "n_events"])
        with naming(self.places[0], f"row group {number} is damaged"):
            for name in table.column_names:
                if table[name].null_count:
                    raise ValueError(f"a {name} is missing")
        return table

    def digests(self) -> pa.Table:
        """`match_id`, `n_events`, `digest` and `players` of all matches, ascending by their ids.

        Raises:
            StoreError: when a page is damaged.
        """
        columns = ["match_id", "n_events", "digest", "players"]
        groups = [_read(self._matches, self.places[0], number, columns) for number in range(self.groups)]
        with naming(self.places[0]):
            return pa.concat_tables(groups).combine_chunks()

    def tag_bounds(self, number: int) -> tuple[int, int] | None:
        """The lowest and the highest tag of the events of one row group; None where its statistics do not say.

        Raises:
            StoreError: when the file is damaged.
        """
        return _bounds(self._events, self.places[1], number, "tag")

    def logs(self, groups: Iterable[int] | None = None) -> Iterator[Log]:
        """All matches of the file, row group by row group, or those of some row groups.

        Raises:
            StoreError: when a page is damaged, or rows are not what a writer wrote.
        """
        for number in range(self.groups) if groups is None else groups:
            yield from self._logs(*self.group(number))

    def some(self, matches: Iterable[int]) -> Iterator[Log]:
        """Those of the matches that the file holds; each row group is read once.

        Raises:
            StoreError: when a page is damaged, or rows are not what a writer wrote.
        """
        wanted = sorted(matches)
        for number in range(self.groups):
            here = wanted
            if bounds := self._id_bounds(number):
                here = wanted[bisect_left(wanted, bounds[0]) : bisect_right(wanted, bounds[1])]
            if here:
                chosen = pc.field("match_id").isin(here)
                yield from self._logs(*(table.filter(chosen) for table in self.group(number)))

    def log(self, match: int) -> Log | None:
        """One match of the file, if it holds that.

        Raises:
            StoreError: when it cannot be read.
        """
        tables = self.tables(match)
        return None if tables is None else next(self._logs(*tables))

    def tables(self, match: int) -> tuple[pa.Table, pa.Table] | None:
        """The row and the events of one match, if the file holds it.

        Raises:
            StoreError: when a page is damaged.
        """
        for number in range(self.groups):
            bounds = self._id_bounds(number)
            if bounds is None or bounds[0] <= match <= bounds[1]:
                matches, events = self.group(number)
                one = matches.filter(pc.field("match_id") == match)
                if len(one):
                    return one, events.filter(pc.field("match_id") == match)
        return None

    def _id_bounds(self, number: int) -> tuple[int, int] | None:
        return _bounds(self._matches, self.places[0], number, "match_id")

    def _logs(self, matches: pa.Table, events: pa.Table) -> Iterator[Log]:
        with naming(self.places[0]):
            yield from rows_to_logs(self.ruleset, matches, events)


def _open(place: Path, schema: pa.Schema, needed: frozenset[str], coded: tuple[str, ...] = ()) -> pq.ParquetFile:
    with naming(place, "is damaged or no Parquet file"):
        try:
            file = pq.ParquetFile(place, page_checksum_verification=True, read_dictionary=coded)
        except KeyError:  # for a column that it lacks
            file = pq.ParquetFile(place, page_checksum_verification=True)
        said = misfit(file.schema.to_arrow_schema(), schema, needed)
    if said:
        raise StoreError(
            f"{place}: has other columns than this kifold writes ({said}); install the one that wrote it, or restore "
            "the file from a copy"
        )
    return file


def _read(file: pq.ParquetFile, place: Path, number: int, columns: list[str] | None = None) -> pa.Table:
    with naming(place, f"row group {number} is damaged"):
        table = file.read_row_group(number, columns)
        table.validate(full=True)
        return table


def _bounds(file: pq.ParquetFile, place: Path, number: int, name: str) -> tuple[int, int] | None:
    with naming(place):
        group = file.metadata.row_group(number)
        column = next(part for at in range(group.num_columns) if (part := group.column(at)).path_in_schema == name)
        found = column.statistics
        return (found.min, found.max) if found is not None and found.has_min_max else None
