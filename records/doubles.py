"""Matches that stand in more than one file of a folder of archive files, where no journal says which of them count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kifold.core.ruleset import Ruleset
from kifold.records.archive import FileReader
from kifold.records.errors import RESTORE, StoreError

Ids = np.ndarray[Any, Any]
"""Ids of matches, ascending."""


@dataclass(frozen=True, slots=True)
class Doubles:
    """Matches that stand in more than one file.

    Attributes:
        count: how many.
        first: the id of one.
        files: the files in which that one stands.
    """

    count: int
    first: int
    files: Sequence[str]


def doubles(folder: Path, rules: Ruleset, files: Sequence[str]) -> Doubles | None:
    """The matches of a ruleset that stand in several of the files; None where each is there once.

    In memory lie the ids of one row group of each file. A file is passed over from where it cannot be read.

    Raises:
        StoreError: when the matches of a file are not in the order of their ids.
    """
    count, first = 0, None
    for part in _parts({file: _ids(folder, rules, file) for file in files}):
        ids, times = np.unique(np.concatenate(list(part.values())), return_counts=True)
        twice = ids[times > 1]
        count += len(twice)
        if first is None and len(twice):
            first = int(twice[0]), [file for file, own in part.items() if twice[0] in own]
    return None if first is None else Doubles(count, *first)


def _parts(coming: dict[str, Iterator[Ids]]) -> Iterator[dict[str, Ids]]:
    """The ids of the files, cut into ranges so that whatever is equal comes together."""
    heads: dict[str, Ids] = {}
    while coming:
        for file in [file for file in coming if not len(heads.get(file, ()))]:
            if (ids := next(coming[file], None)) is None:
                del coming[file]
                heads.pop(file, None)
            else:
                heads[file] = ids
        if heads and all(map(len, heads.values())):
            last = min(ids[-1] for ids in heads.values())
            ends = {file: int(np.searchsorted(ids, last, "right")) for file, ids in heads.items()}
            yield {file: ids[: ends[file]] for file, ids in heads.items()}
            heads = {file: ids[ends[file] :] for file, ids in heads.items()}


def _ids(folder: Path, rules: Ruleset, file: str) -> Iterator[Ids]:
    """The ids of each row group. The file is open only while one is read: there may be many files."""
    number, last = 0, -1
    while True:
        try:
            reader = FileReader(folder, rules, file)
            if number == reader.groups:
                return
            ids = reader.lengths(number)["match_id"].to_numpy()
        except StoreError:
            return
        if len(ids) and (ids[0] <= last or (np.diff(ids) <= 0).any()):
            place = reader.places[0]
            raise StoreError(f"{place}: its matches are not in the order of their ids; {RESTORE}")
        last = ids[-1] if len(ids) else last
        number += 1
        yield ids
