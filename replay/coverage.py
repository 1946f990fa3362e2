"""Rule coverage: how many golden logs exercise each reason, effect and reading, and how many matches each effect.

What is not exercised is not tested: a change of its sentence of the rules goes unnoticed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from kifold.core.events import Event
from kifold.core.play import Refused
from kifold.core.registry import pinned, ruleset
from kifold.core.ruleset import Ruleset
from kifold.records.formats import Record, Rejected
from kifold.records.formats.jsonl import JSONL
from kifold.replay.coverage_golden import EFFECT, Item, Tried, exercised, items
from kifold.replay.golden import LOGS, Fold, case_names, folds_path, probe_event, read_folds
from kifold.replay.timeline import Timeline

OnLeftOut = Callable[[str], None]
"""Called with one line for each log that is not counted, and why."""


@dataclass(frozen=True, slots=True)
class Row:
    """An item, and by variant how many golden logs and how many stored matches exercise it (None: that is not seen)."""

    item: Item
    golden: Counter[str]
    stored: Counter[str] | None

    @property
    def order(self) -> tuple[int, int]:
        """What is exercised least comes first."""
        return self.golden.total(), self.stored.total() if self.stored else 0


@dataclass(slots=True)
class Coverage:
    """What is exercised of one ruleset.

    Attributes:
        logs, matches: by variant, how many golden logs and how many stored matches were counted.
        golden: by item and variant, how many golden logs exercise it.
        stored: by effect and variant, how many stored matches have it.
        left_out: how many stored matches could not be counted.
    """

    rules: Ruleset
    logs: Counter[str] = field(default_factory=Counter)
    matches: Counter[str] = field(default_factory=Counter)
    golden: defaultdict[Item, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    stored: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    left_out: int = 0

    def rows(self) -> list[Row]:
        """All items, the least exercised first, else in the order of declaration."""
        found = [
            Row(item, self.golden[item], self.stored[item.name] if item.kind == EFFECT else None)
            for item in items(self.rules)
        ]
        return sorted(found, key=lambda row: row.order)

    def add_log(self, variant: str, found: set[Item]) -> None:
        """Count a golden log and what it exercises."""
        self.logs[variant] += 1
        for item in found:
            self.golden[item][variant] += 1

    def add_matches(self, variant: str, masks: Counter[int]) -> None:
        """Count matches of a variant by the masks of their effects."""
        self.matches[variant] += masks.total()
        for mask, many in masks.items():
            for name in self.rules.effects.of(mask):
                self.stored[name][variant] += many


Coverages = dict[str, Coverage]
"""By the names of rulesets."""


def golden_files(folder: Path) -> list[Path]:
    """The files of golden logs in a folder and those below it."""
    return sorted(folder.rglob(f"*{LOGS}"))


def count_golden(found: Coverages, paths: Sequence[Path], only: str | None, on_left_out: OnLeftOut) -> None:
    """Count what golden logs exercise.

    Args:
        found: is added to.
        paths: the files of the logs; what lies beside them says which events are tried on the way.
        only: the name of a ruleset to restrict to.
    """
    for path in paths:
        for number, record, fold in _golden_logs(path, on_left_out):
            name = record.started.ruleset
            if only in (None, name):
                rules = pinned(record.started, record.promoted)
                try:
                    what = exercised(rules, record.started, record.events, _tried(rules, record, fold))
                except ValueError as error:
                    on_left_out(f"{path}, line {number}: {error}")
                else:
                    found.setdefault(name, Coverage(ruleset(name))).add_log(record.started.variant, what)


def _golden_logs(path: Path, on_left_out: OnLeftOut) -> Iterator[tuple[int, Record, Fold]]:
    try:
        names, folds = case_names(path), read_folds(folds_path(path))
    except ValueError as error:
        on_left_out(str(error))
        return
    for record in JSONL.read(path, {}):
        if isinstance(record, Rejected):
            on_left_out(f"{path}, line {record.number}: {record.reason}")
        else:
            name = names[record.number]
            yield record.number, record, folds.get(name, Fold(name))


def _tried(rules: Ruleset, record: Record, fold: Fold) -> Tried:
    """The events that are tried, where the log comes as far as that."""
    tried: defaultdict[int, list[Event]] = defaultdict(list)
    with suppress(Refused):
        timeline = Timeline(rules, record.started, record.events)
        for probe in fold.refused:
            tried[probe.after].append(probe_event(timeline, probe))
    return tried
