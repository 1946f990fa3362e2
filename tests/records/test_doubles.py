"""Which ids stand in several files, however they are spread over files and row groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records import doubles as module
from kifold.records.archive import paths
from kifold.records.doubles import doubles
from kifold.records.errors import StoreError
from kifold.records.store import Store
from tests.stores import archive_all, fill

spread = st.lists(st.lists(st.lists(st.integers(0, 40), max_size=6), max_size=4), max_size=5)


def ascending(groups: list[list[int]]) -> list[list[int]]:
    """Row groups of so many ids as these, one after the other."""
    ids = iter(sorted({number for group in groups for number in group}))
    return [[one for one, _ in zip(ids, group, strict=False)] for group in groups]


@given(spread)
def test_they_are_those_that_a_count_of_all_finds(numbers: list[list[list[int]]]) -> None:
    files = {str(at): ascending(groups) for at, groups in enumerate(numbers)}

    def ids(folder: Path, rules: Ruleset, file: str) -> Iterator[module.Ids]:
        return (np.array(group, np.int64) for group in files[file])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ids", ids)
        found = doubles(Path(), BLOKUS, list(files))
    counts = Counter(number for groups in files.values() for group in groups for number in group)
    twice = sorted(number for number, times in counts.items() if times > 1)
    if found is None:
        assert twice == []
    else:
        where = [file for file, groups in files.items() if any(twice[0] in group for group in groups)]
        assert (found.count, found.first, found.files) == (len(twice), twice[0], where)


def test_row_groups_in_another_order_are_told(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        fill(store)
        archive_all(store)
        (name,) = (name for _, name in store.files())
        for place in paths(store.archive_folder, "blokus", name):
            table = pq.ParquetFile(place).read()
            pq.write_table(table.take(list(reversed(range(len(table))))), place)
        with pytest.raises(StoreError, match=r"parquet: its matches are not in the order of their ids"):
            doubles(store.archive_folder, BLOKUS, [name])
        place.unlink()
        assert doubles(store.archive_folder, BLOKUS, [name]) is None
