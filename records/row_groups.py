"""The row groups of an archive file, read in several threads; parts of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from kifold.core.ruleset import Ruleset
from kifold.records.archive import FileReader
from kifold.records.errors import StoreError
from kifold.records.parallel import in_order

if TYPE_CHECKING:
    import numpy as np

R = TypeVar("R")


class RowGroups:
    """An archive file, without the matches that were deleted or replaced.

    Attributes:
        rules: its ruleset, of any revision.
        matches, events: how many it holds, those included.
    """

    def __init__(self, folder: Path, rules: Ruleset, file: str, gone: set[int]) -> None:
        """Open a file of an archive folder.

        Raises:
            StoreError: when it cannot be read.
        """
        # Arrow's own heap gives memory back to the kernel between row groups, and NumPy takes it from there again.
        pa.set_memory_pool(pa.system_memory_pool())
        reader = FileReader(folder, rules, file, coded=True)
        self.rules, self.matches, self.events = rules, reader.matches, reader.events
        self._count, self._readers = reader.groups, [reader]
        self._folder, self._file, self._gone = folder, file, gone
        self._place = reader.places[0]

    def each(self, task: Callable[[pa.Table, pa.Table], R], workers: int) -> Iterator[R | StoreError]:
        """What `task(matches, events)` gives for each row group, in their order; at most two per thread are under way.

        Where a row group cannot be read, or the task raises a StoreError, that stands in its place.
        """
        own = local()

        def done(number: int) -> R | StoreError:
            try:
                if not hasattr(own, "reader"):
                    own.reader = self._reader()
                tables = own.reader.group(number)
            except StoreError as error:  # that says where
                return error
            try:
                return task(*(self._without_gone(table) for table in tables))
            except StoreError as error:
                return StoreError(f"{self._place}: row group {number}: {error}")

        return in_order(done, range(self._count), workers)

    def _reader(self) -> FileReader:
        """One for a thread alone: a Parquet file is not to be shared between threads."""
        try:
            return self._readers.pop()
        except IndexError:
            return FileReader(self._folder, self.rules, self._file, coded=True)

    def _without_gone(self, table: pa.Table) -> pa.Table:
        if not self._gone:
            return table
        return table.filter(pc.invert(pc.is_in(table["match_id"], pa.array(self._gone, pa.int64()))))


def revisions_of(matches: pa.Table, pins: Mapping[int, int]) -> np.ndarray[Any, Any]:
    """The revision that each match of a row group is played under; 0 where its row does not say.

    Args:
        pins: the revision of each match that was promoted to another than its log names.
    """
    revisions: np.ndarray[Any, Any] = matches["revision"].fill_null(0).to_numpy().astype("int64")
    if pins:
        for m, match in enumerate(matches["match_id"].to_pylist()):
            revisions[m] = pins.get(match, revisions[m])
    return revisions


def only(wanted: np.ndarray[Any, Any], matches: pa.Table, events: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Those matches of a row group for which `wanted` is true, with their events."""
    if wanted.all():
        return matches, events
    chosen = matches.filter(pa.array(wanted))
    return chosen, events.filter(pc.is_in(events["match_id"], chosen["match_id"]))
