"""Matches out of archive files whose journal was lost: read as records, to be imported into another store.

What only the journal knew is not there: which matches were deleted, which are forks of which, and which were promoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np

from kifold.core.registry import ruleset, why_not
from kifold.records.archive import FileReader, paths
from kifold.records.errors import StoreError
from kifold.records.formats import Format, FormatError, Record, Rejected, jsonl
from kifold.records.ids import id_text
from kifold.records.log import Log
from kifold.records.unlisted import archive_files


def read(folder: Path, options: Mapping[str, str]) -> Iterator[Record | Rejected]:
    """The matches of a folder laid out as an archive; of one that lies in several files the longest log, its last.

    A match that is not what was written, by its digest, is rejected, and so is a row group that cannot be read. No
    digest covers names of players.

    Raises:
        FormatError: when options are given: these matches say theirs.
    """
    if options:
        raise FormatError("the matches of an archive have their options: leave out --set")
    readers, number = [], 0
    for name, file in archive_files(folder):
        place = paths(folder, name, file)[0]
        try:
            if why := why_not(name):
                raise StoreError(f"{place}: {why}")
            readers.append(FileReader(folder, ruleset(name), file))
        except StoreError as error:
            yield Rejected(number := number + 1, str(error))
    last = _lengths_of_repeated(readers)
    for reader in readers:
        for group in range(reader.groups):
            try:
                for log in reader.logs([group]):
                    if len(log.events) == last.get(log.match_id, len(log.events)):
                        yield _record(number := number + 1, log)
            except StoreError as error:
                yield Rejected(number := number + 1, f"row group {group}: {error}")


def _record(number: int, log: Log) -> Record | Rejected:
    name = id_text(log.match_id)
    if log.is_intact:
        return Record(number, log.started, tuple(log.events), log.players, name=name, match=log.match_id)
    text = BytesIO()
    with suppress(ValueError, LookupError, TypeError):  # values that no event has
        jsonl.write([log], text)
    return Rejected(number, f"match {name}: its log is not the one that was written", text.getvalue())


def _lengths_of_repeated(readers: Iterable[FileReader]) -> dict[int, int]:
    """The greatest number of events of each match that lies in several files: as it was, and as it went on."""
    found = [np.zeros((0, 2), np.int64)]
    for reader in readers:
        for group in range(reader.groups):
            with suppress(StoreError):  # said where it is read
                rows = reader.lengths(group)
                found.append(np.column_stack([rows["match_id"].to_numpy(), rows["n_events"].to_numpy()]))
    rows = np.concatenate(found)
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    again = rows[1:][rows[1:, 0] == rows[:-1, 0]]
    return dict(again.tolist())  # of several the last, which is the longest


def _write(logs: Iterable[Log], file: IO[bytes]) -> None:
    raise FormatError("archive files are written by a store: import into one")


ARCHIVE = Format("archive", (), read, _write)
"""An archive as something to import."""
