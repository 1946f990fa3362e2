"""Golden logs as items of pytest, and the rewriting of their folds."""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kifold.core.registry import pinned
from kifold.records.formats import Record, Rejected
from kifold.records.formats.jsonl import JSONL
from kifold.replay.divergence import Divergence
from kifold.replay.golden import (
    UPDATE,
    Fold,
    Mistaken,
    case_names,
    fold_of,
    folds_path,
    logs_path,
    read_folds,
    write_folds,
)

REWRITTEN = "kifold_rewrite"
"""The property of a test that holds a `Rewrite`: tests may run in other processes, only reports come from there."""


class Rewrite(msgspec.Struct, frozen=True):
    """A fold to be written beside the logs of a file, None where only old ones are to be removed, and why."""

    logs: str
    fold: Fold | None
    why: str

    def tell(self, item: pytest.Item) -> None:
        """Send it with the report of a test."""
        item.user_properties.append((REWRITTEN, msgspec.json.encode(self).decode()))


class Wrong(Exception):
    """A golden log that does not hold. The message is all there is to say; a traceback would not help."""


class GoldenFile(pytest.File):
    """A file of golden logs."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test per match, and one that fails for folds without a match; only that one where they cannot be read."""
        names = case_names(self.path)
        try:
            folds = self.folds
        except (ValueError, OSError) as error:
            path = folds_path(self.path)
            yield WrongFolds.from_parent(self, name=path.name, path=path, why=str(error))
            return
        for number, name in names.items():
            yield GoldenItem.from_parent(self, name=name, number=number)
        left = [case for case in folds if case not in names.values()]
        if left:
            yield Leftover.from_parent(self, name=f"{folds_path(self.path).name} without a match", cases=left)

    @cached_property
    def records(self) -> dict[int, Record | Rejected]:
        """What the lines say, by their numbers."""
        return {record.number: record for record in JSONL.read(self.path, {})}

    @cached_property
    def folds(self) -> dict[str, Fold]:
        """What folding gave, by the names of matches."""
        return read_folds(folds_path(self.path))


class GoldenItem(pytest.Item):
    """One match."""

    parent: GoldenFile

    def __init__(self, *, number: int, **more: Any) -> None:
        super().__init__(**more)
        self.number = number
        self.add_marker("kifold")

    def runtest(self) -> None:
        """Fold the match, and compare with what folding it gave."""
        record = self.parent.records[self.number]
        if isinstance(record, Rejected):
            raise Wrong(f"line {record.number} cannot be read: {record.reason}")
        rules, started, events = pinned(record.started, record.promoted), record.started, record.events
        was, is_update = self.parent.folds.get(self.name), self.config.getoption("kifold_update")
        try:
            now = fold_of(rules, started, events, self.name, was)
        except Mistaken as error:
            raise Wrong(f"{folds_path(self.path).name}, {error}") from None
        if was is None:
            if not is_update:
                raise Wrong(f"nobody has written what folding this match gives: {UPDATE} does")
            why = "is new" + (f": event {now.illegal.seq} is refused, {now.illegal.reason}" if now.illegal else "")
            Rewrite(str(self.path), now, why).tell(self)
            return
        divergence = Divergence(rules, started, events, was, now)
        if not is_update:
            if divergence.found:
                raise Wrong(str(divergence))
        elif now.illegal and not was.illegal:
            raise Wrong(f"{divergence}\n\n{UPDATE} does not give up a match that was legal: remove it, or its fold")
        elif now != was:
            why = "\n".join(map(str, divergence.found)) or "is written in full"
            Rewrite(str(self.path), now, why).tell(self)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure in words; a traceback where a ruleset raised something."""
        place = os.path.relpath(self.path, self.config.invocation_params.dir)
        again = f"again: pytest {shlex.quote(f'{place}::{self.name}')}"
        if isinstance(excinfo.value, Wrong):
            return f"{excinfo.value}\n\n{again}"
        return f"{super().repr_failure(excinfo, style)}\n\n{again}"

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the match stands."""
        return self.path, self.number - 1, self.name


class WrongFolds(pytest.Item):
    """Folds that cannot be compared with anything: a test that fails, and says why."""

    def __init__(self, *, why: str, **more: Any) -> None:
        super().__init__(**more)
        self.why = why
        self.add_marker("kifold")

    def runtest(self) -> None:
        """Fail."""
        raise Wrong(self.why)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure in words."""
        return str(excinfo.value) if isinstance(excinfo.value, Wrong) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the folds stand."""
        return self.path, 0, self.name


class FoldsAlone(pytest.File):
    """A file of folds whose file of logs is gone."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test that fails, in an update too: the logs may only be renamed, and states were chosen by hand."""
        logs = logs_path(self.path).name
        why = f"{self.path.name}: there is no {logs} beside it; rename both, or restore {logs}, or remove both"
        yield WrongFolds.from_parent(self, name=f"{self.path.name} without logs", why=why)


class Leftover(WrongFolds):
    """Folds whose matches are gone."""

    def __init__(self, *, cases: list[str], **more: Any) -> None:
        said = ", ".join(cases)
        why = f"there is no match for: {said}; {UPDATE} removes what folding them gave"
        super().__init__(why=why, **more)
        self.removed = f"are removed: {said}"

    def runtest(self) -> None:
        """Fail; or have them removed."""
        if not self.config.getoption("kifold_update"):
            super().runtest()
        Rewrite(str(self.path), None, self.removed).tell(self)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the folds stand."""
        return folds_path(self.path), 0, self.name


class Rewriting:
    """Writes folds at the end of a run, in the process that collects all reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._folds: defaultdict[Path, dict[str, Fold]] = defaultdict(dict)
        self._said: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the folds that tests report."""
        for name, value in report.user_properties if report.when == "call" and report.passed else ():
            if name == REWRITTEN:
                rewrite = msgspec.json.decode(str(value), type=Rewrite)
                new = self._folds[Path(rewrite.logs)]
                if rewrite.fold is not None:
                    new[rewrite.fold.case] = rewrite.fold
                self._said += [report.nodeid, *(f"  {line}" for line in rewrite.why.splitlines())]

    def pytest_sessionfinish(self) -> None:
        """Write them."""
        for path, new in self._folds.items():
            folds = read_folds(folds_path(path)) | new
            names = case_names(path).values()
            write_folds(folds_path(path), {name: folds[name] for name in names if name in folds})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what has changed."""
        if self._said:
            terminalreporter.section("golden logs: what folding them gives was written")
            for line in self._said:
                terminalreporter.line(line)
            terminalreporter.line("Look at the difference before you commit it.")
