"""What every earlier format wrote is read today: same logs, same digests, same folds, same exports."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kifold.analytics.catalogue import connect
from kifold.core.events import Noted
from kifold.core.registry import ruleset
from kifold.records.errors import KeyUsed
from kifold.records.formats import format_named
from kifold.records.importing import import_file, quarantine
from kifold.records.sqlite import FORMAT
from kifold.records.store import Store
from kifold.replay.timeline import Timeline
from tests.format_sample import EXPORTS, described, export
from tests.stores import archive_all, assert_exact, quiet

FOLDER = Path(__file__).parent / "data" / "formats"
SAMPLES = sorted(path for path in FOLDER.iterdir() if path.is_dir())
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=[path.name for path in SAMPLES])


@pytest.fixture
def store(sample: Path, tmp_path: Path) -> Any:
    """A copy of the sample's store: what is committed is never written to."""
    shutil.copytree(sample / "store", tmp_path / "store")
    with Store(tmp_path / "store", create=False) as store:
        yield store


def manifest(sample: Path) -> list[dict[str, Any]]:
    matches: list[dict[str, Any]] = json.loads((sample / "manifest.json").read_text(encoding="utf-8"))["matches"]
    return matches


def test_every_format_has_a_sample() -> None:
    assert [path.name for path in SAMPLES] == [str(number) for number in range(1, FORMAT + 1)], (
        "make the one of a new format with: python -m tests.format_sample tests/data/formats/N"
    )


@each_sample
def test_a_sample_is_small(sample: Path) -> None:
    assert sum(path.stat().st_size for path in sample.rglob("*") if path.is_file()) < 200_000


@each_sample
def test_every_log_reads_and_folds_as_it_did(store: Store, sample: Path) -> None:
    logs = sorted(store.logs(), key=lambda log: log.match_id)
    assert list(described(logs)) == manifest(sample)
    assert_exact(store.folder, len(logs))
    for log in logs:
        assert len(list(Timeline(ruleset(log.started.ruleset), log.started, log.events))) > 1


@each_sample
def test_exports_are_the_same(store: Store, sample: Path, tmp_path: Path) -> None:
    logs = sorted(store.logs(), key=lambda log: log.match_id)
    for name in EXPORTS:
        export(logs, tmp_path / name)
        assert (tmp_path / name).read_bytes() == (sample / name).read_bytes()


@each_sample
@pytest.mark.parametrize("name", EXPORTS)
def test_exports_are_imported_with_their_digests(sample: Path, name: str, tmp_path: Path) -> None:
    wanted = sorted(row["digest"] for row in manifest(sample) if row["ruleset"] in EXPORTS[name])
    form = format_named(name.partition(".")[2])
    with Store(tmp_path / "new") as store:
        report = import_file(store, sample / name, form, {}, quiet)
        assert (report.imported, report.quarantined) == (len(wanted), 0)
        assert sorted(log.digest.hex() for log in store.logs()) == wanted


@each_sample
def test_its_matches_go_on(store: Store, sample: Path) -> None:
    rows = manifest(sample)
    for row in rows:
        match = store.find(row["match"])
        store.append(match, [Noted("comment", ("still here",))], expected_seq=row["events"])
    archive_all(store)
    assert_exact(store.folder, len(rows))


@each_sample
def test_what_lies_beside_the_matches(store: Store, sample: Path) -> None:
    keys = store.journal.rows("SELECT key FROM keys ORDER BY key")
    assert ("came back",) in keys
    times = store.journal.column("SELECT at_ms FROM events WHERE at_ms IS NOT NULL")
    assert set(times) == ({1_700_000_000_000} if int(sample.name) < 3 else set()), "they do no harm"
    assert [text.partition(b",")[0] for *_, text in quarantine(store)] == [b'{"ruleset": "blokus"']
    assert store.journal.rows("SELECT count(*) FROM tombstones")[0][0] == 2


@each_sample
def test_an_append_key_stands_for_its_events(store: Store, sample: Path) -> None:
    keys = store.journal.rows("SELECT key, match, first_seq, last_seq FROM keys WHERE key LIKE '% 9'")
    assert {row[2:] for row in keys} == {(None if int(sample.name) < 3 else 6, 9)}
    for key, match, _, last in keys:
        events = store.log(match).events
        assert store.append(match, events[5:9], key=key) == last
        with pytest.raises(KeyUsed):
            store.append(match, events[4:8], key=key)


@each_sample
def test_sql_answers(store: Store, sample: Path) -> None:
    rows = manifest(sample)
    connection = connect(store)
    assert connection.execute("SELECT count(*) FROM matches").fetchone() == (len(rows),)
    found = connection.execute("SELECT match, n_events, ending FROM matches ORDER BY match_id").fetchall()
    assert found == [(row["match"], row["events"], row["ending"]) for row in rows]
    seats = connection.execute("SELECT count(*) FROM scores").fetchone()
    assert seats == (sum(len(row["result"]) for row in rows),)
