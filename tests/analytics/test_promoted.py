"""SQL tells of each match the revision that its log names, and the one that it was promoted to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kifold.analytics.catalogue import connect
from kifold.core.events import Resigned
from kifold.records.store import Store
from kifold.replay.promotion import promote
from tests.core.toy import Step
from tests.stores import archive_all, quiet

if TYPE_CHECKING:
    from tests.installing import Revise


def test_promoted_live_and_archived(revise: Revise, tmp_path: Path) -> None:
    rules = revise("most_four")
    with Store(tmp_path / "store") as store:
        begun = rules.at(1).start()
        archived = [store.new(begun, (), [Step(0, amount), Resigned(1)]) for amount in (1, 4)]
        archive_all(store)
        live = [store.new(begun, (), [Step(0, amount)]) for amount in (1, 4)]
        of_today = store.new(rules.start())

        def said() -> dict[int, tuple[int, int | None]]:
            rows = connect(store).sql("SELECT match_id, revision, promoted FROM matches ORDER BY match_id").fetchall()
            assert connect(store).sql("SELECT count(*) FROM race_matches WHERE promoted > 0").fetchall() == [
                (sum(promoted is not None for *_, promoted in rows),)
            ]
            return {match: (revision, promoted) for match, revision, promoted in rows}

        unchanged = dict.fromkeys([*archived, *live], (1, None)) | {of_today: (2, None)}
        assert said() == unchanged
        promote(store, rules, 1, quiet)
        assert said() == unchanged | {archived[0]: (1, 2), live[0]: (1, 2)}
        promote(store, rules.at(1), 1, quiet)
        assert said() == unchanged | {of_today: (2, 1)}, "the revision that the log names is no promotion"
