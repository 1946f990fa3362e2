"""The archive: finished (and bulk-imported) matches in Parquet.

`archive/matches/ruleset=NAME/FILE.parquet` and `archive/events/ruleset=NAME/FILE.parquet` belong together. In each file
rows are sorted by (match_id, seq) and a match is never split over row groups; row group k of the one file holds the
matches of row group k of the other. A file is written beside its place, flushed to disk, renamed, and only then listed
in the journal's database; a file that is not listed is debris of a crash and nobody reads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kifold.core.ruleset import Ruleset
from kifold.core.schema import events_schema
from kifold.records.errors import StoreError
from kifold.records.log import Log
from kifold.records.tables import matches_schema, rows_to_logs

ROWS_PER_GROUP = 500_000
"""A row group of events is closed at the first match boundary from here on."""
ROWS_PER_FILE = 8_000_000


def paths(root: Path, ruleset: str, name: str) -> tuple[Path, Path]:
    """The matches file and the events file of one archive file."""
    part = f"ruleset={ruleset}"
    return root / "matches" / part / f"{name}.parquet", root / "events" / part / f"{name}.parquet"


class FileWriter:
    """Writes one pair of files, row group by row group. `finish` puts them in place, `abandon` removes them.

    Attributes:
        name: the file's name without ending.
        matches, events: rows written so far.
    """

    def __init__(self, root: Path, ruleset: Ruleset, name: str) -> None:
        self.ruleset = ruleset
        self.name = name
        self.matches = self.events = 0
        self.places = paths(root, ruleset.name, self.name)
        self._drafts = [place.with_suffix(".writing") for place in self.places]
        schemas = (matches_schema(ruleset), events_schema(ruleset))
        try:
            for place in self.places:
                place.parent.mkdir(parents=True, exist_ok=True)
            self._writers = [
                pq.ParquetWriter(draft, schema, compression="zstd", compression_level=3, write_page_checksum=True)
                for draft, schema in zip(self._drafts, schemas, strict=True)
            ]
        except OSError as error:
            raise StoreError(f"{self.places[0].parent}: cannot be written ({error.strerror or error})") from None

    def write(self, matches: pa.Table, events: pa.Table) -> None:
        """Write one row group of each; both sorted, and all events of these matches in them."""
        for writer, table in zip(self._writers, (matches, events), strict=True):
            writer.write_table(table, row_group_size=max(len(table), 1))
        self.matches += len(matches)
        self.events += len(events)

    def finish(self) -> None:
        """Flush to disk and rename into place. The caller lists the file afterwards."""
        for writer in self._writers:
            writer.close()
        for draft, place in zip(self._drafts, self.places, strict=True):
            _sync(draft)
            draft.replace(place)
            _sync(place.parent)

    def abandon(self) -> None:
        """Remove what was written."""
        for writer, draft in zip(self._writers, self._drafts, strict=True):
            writer.close()
            draft.unlink(missing_ok=True)


class FileReader:
    """Reads one pair of files.

    Raises:
        StoreError: when a file is missing, half-written or of another layout.
    """

    def __init__(self, root: Path, ruleset: Ruleset, name: str) -> None:
        self.ruleset = ruleset
        self.places = paths(root, ruleset.name, name)
        self._matches, self._events = (_open(place) for place in self.places)
        if self._matches.num_row_groups != self._events.num_row_groups:
            raise StoreError(f"{self.places[1]}: does not belong to {self.places[0]}; restore both from a copy")

    @property
    def groups(self) -> int:
        """The number of row groups."""
        return int(self._matches.num_row_groups)

    def group(self, number: int) -> tuple[pa.Table, pa.Table]:
        """The matches and the events of one row group.

        Raises:
            StoreError: when a page is damaged.
        """
        return _read(self._matches, self.places[0], number), _read(self._events, self.places[1], number)

    def logs(self) -> Iterator[Log]:
        """All matches of the file, row group by row group."""
        for number in range(self.groups):
            yield from rows_to_logs(self.ruleset, *self.group(number))

    def log(self, match: int) -> Log | None:
        """One match of the file."""
        for number in range(self.groups):
            statistics = self._matches.metadata.row_group(number).column(0).statistics
            if statistics is None or statistics.min <= match <= statistics.max:
                matches, events = self.group(number)
                one = matches.filter(pc.field("match_id") == match)
                if len(one):
                    return next(rows_to_logs(self.ruleset, one, events.filter(pc.field("match_id") == match)))
        return None


def _open(place: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(place, page_checksum_verification=True)
    except FileNotFoundError:
        raise StoreError(f"{place}: is missing; restore it from a copy") from None
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{place}: is damaged or no Parquet file ({_first_line(error)}); restore it from a copy"
        ) from None


def _read(file: pq.ParquetFile, place: Path, number: int) -> pa.Table:
    try:
        return file.read_row_group(number)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{place}: row group {number} is damaged ({_first_line(error)}); restore it from a copy"
        ) from None


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
