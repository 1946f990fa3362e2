"""Files of the archive that are lost are given up as one: their matches go, and all else stays as it is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kifold.core.events import Resigned
from kifold.records.archive import paths
from kifold.records.forking import fork
from kifold.records.lost import give_up, lost_files
from kifold.records.store import Store
from tests.stores import archive_all, assert_exact, game, record, verified


def places(store: Store, at: int) -> tuple[Path, Path]:
    return paths(store.archive_folder, *store.files()[at])


@pytest.mark.parametrize("parts", [[0], [1], [0, 1]])
def test_only_the_matches_of_lost_files_go(store: Store, parts: list[int]) -> None:
    lost = [record(store, number) for number in range(3)]
    archive_all(store)
    store.delete(lost.pop())
    kept = [record(store, 3)]
    archive_all(store)
    kept.append(record(store, 0, 4))
    for part in parts:
        places(store, 0)[part].unlink()
    assert [(one.place, one.matches) for one in lost_files(store)] == [(places(store, 0)[parts[0]], 2)]
    gone = places(store, 0)
    assert [one.matches for one in give_up(store, lost_files(store))] == [2]
    assert (lost_files(store), give_up(store, lost_files(store))) == ([], [])
    assert {log.match_id for log in store.logs()} == set(kept)
    assert not any(place.exists() for place in gone)
    assert store.journal.rows("SELECT * FROM tombstones UNION ALL SELECT key, 0 FROM meta WHERE key <> 'format'") == []
    assert_exact(store.folder, 2)
    report = verified(store.folder)
    assert (report.not_readable, report.unlisted) == (0, [])


@pytest.mark.parametrize("seed", range(8))
def test_forks_go_on_without_their_parents_or_without_their_forks(store: Store, seed: int) -> None:
    """What is listed of forks stays true, whichever of them lie in the lost file."""
    rng = random.Random(seed)
    matches = [record(store, 0)]
    for _ in range(9):
        parent = rng.choice(matches)
        matches.append(fork(store, parent, rng.randrange(len(store.log(parent).events) + 1)))
        if not store.play(matches[-1]).is_over:
            store.append(matches[-1], [rng.choice(store.play(matches[-1]).legal())])
    for match in rng.sample(matches, 5):  # some lie in the archive, the others are live
        if store.journal.last_seq(match) is not None and not store.play(match).is_over:
            store.append(match, [Resigned(0)])
    archive_all(store)
    lost = {match for match in matches if store.file_of(match)}
    for place in places(store, 0):
        place.unlink()
    give_up(store, lost_files(store))
    assert {log.match_id for log in store.logs()} == set(matches) - lost
    assert store.forks().keys() <= set(matches) - lost
    assert_exact(store.folder, len(matches) - len(lost))


def test_a_file_that_is_there_again_is_kept(store: Store) -> None:
    match = record(store, 0)
    archive_all(store)
    place = places(store, 0)[1]
    data = place.read_bytes()
    place.unlink()
    lost = lost_files(store)
    place.write_bytes(data)
    assert give_up(store, lost) == []
    assert store.log(match).events == list(game(0))
