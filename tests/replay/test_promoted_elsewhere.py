"""A match that was promoted and went on stays what it is where it is exported to: in another store, as a golden log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from kifold.core.events import Resigned
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.records.formats import FormatError
from kifold.records.formats.blksgf import BLKSGF
from kifold.records.formats.jsonl import JSONL
from kifold.records.importing import Report, import_file, quarantine
from kifold.records.log import Log
from kifold.records.store import Store
from kifold.replay.promotion import promote
from kifold.service.verifying import print_report, verify_folder
from tests.core.toy import Roll, Step
from tests.replay.plugged import run
from tests.stores import archive_all, assert_exact, duo, game, quiet

if TYPE_CHECKING:
    from tests.installing import Revise

pytest_plugins = "pytester"


def gone_on(store: Store, rules: Ruleset) -> int:
    """The id of a match of revision 2 that was promoted to 1, where a four is allowed, and went on with one."""
    match = store.new(rules.start(tags={"case": "four"}), ("Ada", "Bo"), [Step(0, 1)])
    assert promote(store, rules.at(1), 1, quiet).matches == 1
    store.append(match, [Step(1, 4), Step(0, 1)])
    return match


def line_of(store: Store, match: int) -> bytes:
    file = BytesIO()
    JSONL.write(store.logs([match]), file)
    return file.getvalue()


def taken(store: Store, line: bytes) -> Report:
    file = store.folder / "race.jsonl"
    file.write_bytes(line)
    return import_file(store, file, JSONL, {}, quiet)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "other") as store:
        yield store


@pytest.mark.parametrize("is_archived", [False, True])
def test_in_another_store(store: Store, other: Store, revise: Revise, *, is_archived: bool) -> None:
    match = gone_on(store, revise("most_four"))
    if is_archived:
        store.append(match, [Resigned(0)])
        archive_all(store)
    line = line_of(store, match)
    assert (json.loads(line)["revision"], json.loads(line)["promoted"]) == (2, 1)
    assert (taken(other, line).imported, taken(other, line).present) == (1, 1)
    (log,) = other.logs()
    assert (log.digest, log.promoted) == (store.log(match).digest, 1)
    assert line_of(other, log.match_id) == line
    if not is_archived:
        other.append(log.match_id, [Roll(1), Step(1, 4)])
    assert_exact(other.folder, 1)


def test_that_it_was_promoted_makes_no_other_match_of_it(store: Store, other: Store, revise: Revise) -> None:
    """The id follows from the log, whatever it is pinned to."""
    rules = revise("most_four")
    match = store.new(rules.at(1).start(), (), [Step(0, 1)])
    before = line_of(store, match)
    assert promote(store, rules, 1, quiet).matches == 1
    after = line_of(store, match)
    assert b"promoted" not in before
    assert (taken(other, before).imported, taken(other, after).present) == (1, 1)
    assert promote(store, rules.at(1), 1, quiet).matches == 1
    assert line_of(store, match) == before


def test_the_revision_of_the_log_need_not_be_installed(store: Store, other: Store, revise: Revise) -> None:
    match = gone_on(store, revise("most_four"))
    line = line_of(store, match).replace(b'"revision":2', b'"revision":7')
    assert taken(other, line).imported == 1
    assert_exact(other.folder, 1)
    refused = line.replace(b'"promoted":1', b'"promoted":5')
    assert taken(other, refused).quarantined == 1
    assert [row[3] for row in quarantine(other)] == ["revision 5 of race is not installed; there is 2, 1"]
    assert taken(other, line.replace(b"7", b"32768")).quarantined == 1  # no column has room for it


def test_as_a_golden_log(store: Store, revise: Revise, pytester: pytest.Pytester) -> None:
    match = gone_on(store, revise("most_four"))
    logs = pytester.path / "tests" / "golden" / "race.kifold.jsonl"
    logs.parent.mkdir(parents=True)
    logs.write_bytes(line_of(store, match))
    run(pytester, "--kifold-update").assert_outcomes(passed=1)
    (fold,) = json.loads(logs.with_name("race.folded.json").read_text("utf-8"))
    assert ("illegal" in fold, fold["states"]["3"]["total"]) == (False, 6)
    run(pytester).assert_outcomes(passed=1)
    logs.write_bytes(logs.read_bytes().replace(b'"promoted":1,', b""))
    run(pytester).assert_outcomes(failed=1)


def test_blksgf_cannot_say_it(tmp_path: Path) -> None:
    log = Log(1 << 59, msgspec.structs.replace(duo(), revision=7), game(0), promoted=BLOKUS.revision)
    with (tmp_path / "a.blksgf").open("wb") as file, pytest.raises(FormatError, match="promoted to 1; write it as"):
        BLKSGF.write([log], file)


def test_a_folder_without_a_journal_says_that_it_knows_of_none(
    store: Store, revise: Revise, capsys: pytest.CaptureFixture[str]
) -> None:
    store.append(gone_on(store, revise("most_four")), [Resigned(0)])
    archive_all(store)

    def said(folder: Path) -> str:
        report, summary = verify_folder(folder, None, 1)
        print_report(report, summary, folder)
        return capsys.readouterr().out

    assert "1 exact" in said(store.folder)
    text = said(store.archive_folder)
    assert "1 illegal" in text
    assert text.splitlines()[-1] == (
        f"{store.archive_folder} has no journal, which knows promoted matches: each is folded under the revision "
        "that its log names"
    )
