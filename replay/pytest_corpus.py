"""The matches of a store as items of pytest."""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kifold.core.processors import processors
from kifold.records.errors import StoreError
from kifold.records.ids import id_text
from kifold.records.store import Store
from kifold.replay.causes import EXACT, Report
from kifold.replay.telling import told
from kifold.replay.verify import Work, verify_match, verify_store

SHOWN = 10
"""So many failures of a whole store are shown."""
IDS = """SELECT id FROM matches WHERE ruleset = ?1
UNION ALL SELECT match FROM archived JOIN files ON files.id = file WHERE ruleset = ?1 ORDER BY 1"""


class Failed(Exception):
    """What was stored does not hold. The message is all there is to say."""


class Corpus(pytest.Collector):
    """A store, called by its path."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test per ruleset; of a sample, a test per match."""
        sample = self.config.getoption("kifold_sample")
        with Store(self.name, create=False) as store:
            for name in sorted(store.counts()):
                if sample is None:
                    yield RulesetItem.from_parent(self, name=name)
                    continue
                ids = store.journal.column(IDS, (name,))
                # The same in every process: tests may be spread over some.
                for match in sorted(random.Random(0).sample(ids, min(sample, len(ids)))):
                    yield MatchItem.from_parent(self, name=f"{name} {id_text(match)}", match=match)


class CorpusItem(pytest.Item):
    """Something of a store."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.store = self.parent.name if self.parent else ""
        # Tests that come between may change the directory.
        self.folder = Path(self.store).absolute()
        self.add_marker("kifold")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure in words; a traceback where something was raised that is no verdict."""
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the store lies."""
        return self.folder, None, f"{self.store}: {self.name}"


class RulesetItem(CorpusItem):
    """All matches of a ruleset."""

    def runtest(self) -> None:
        """Verify them."""
        report = Report()
        with Store(self.folder, create=False) as store:
            verify_store(store, Work(report, self.name, processors()))
        if not report.is_fine:
            counts = ", ".join(f"{count:,} {verdict}" for verdict, count in report.counts.items() if count)
            causes = report.by_cause()
            lines = [f"{len(each.matches):,} × {cause}; the shortest: {each.example}" for cause, each in causes[:SHOWN]]
            if len(causes) > SHOWN:
                lines.append(f"… and {len(causes) - SHOWN:,} more causes")
            again = f"again: kifold verify {shlex.quote(self.store)} --ruleset {self.name}"
            raise Failed("\n".join([f"{self.name}: {counts}", *lines, *report.unreadable, "", again]))


class MatchItem(CorpusItem):
    """One match."""

    def __init__(self, *, match: int, **more: Any) -> None:
        super().__init__(**more)
        self.match = match

    def runtest(self) -> None:
        """Verify it."""
        with Store(self.folder, create=False) as store, store.journal.reading():
            try:
                verdict = verify_match(store, self.match)
            except StoreError as error:
                raise Failed(str(error)) from None
            if verdict.verdict == EXACT:
                return
            parts = [str(verdict), told(store, verdict, None)]
        again = f"again: kifold --store {shlex.quote(self.store)} verify --match {id_text(self.match)}"
        raise Failed("\n\n".join(part for part in (*parts, again) if part))
