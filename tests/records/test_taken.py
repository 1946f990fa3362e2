"""What became of the records of a file: told by name and content, however many there are."""

import random
from collections import Counter

import pytest

from kifold.records.errors import StoreError
from kifold.records.taken import REFUSED, Became, Taken

MANY = 4_000
"""More than SQLite keeps in memory, so that the file is used too."""


def test_contents_are_counted_and_names_found_like_in_dictionaries() -> None:
    rng = random.Random(1)
    counts: Counter[int] = Counter()
    names: dict[str, Became] = {}
    with Taken() as taken:
        for _ in range(MANY):
            content = rng.randrange(MANY)
            assert taken.place(b"content %d" % content * 9) == counts[content]
            counts[content] += 1
            name = f"record\0 棋譜 {rng.randrange(MANY)} " * 40
            assert taken.became("race", name) == names.get(name)
            names[name] = rng.choice([REFUSED, Became(rng.getrandbits(60)), Became(rng.getrandbits(60), is_other=True)])
            taken.add("race", name, names[name])
        assert {name: taken.became("race", name) for name in names} == names
        assert taken.became("game", name) is None
    assert max(counts.values()) > 2


def test_a_full_disk_is_said_in_one_line() -> None:
    with Taken() as taken:
        taken._db.execute("PRAGMA max_page_count = 5")
        with pytest.raises(StoreError, match=r"cannot be kept \(database or disk is full\): make room") as said:
            taken.add("race", "name" * 10_000, REFUSED)
    assert "\n" not in str(said.value)
