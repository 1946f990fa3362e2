"""What mutants are run over: the golden logs of a ruleset, with the events that are tried on the way.

A *look* is what is asked of the rules at one ply beside folding: of some events, mostly illegal ones, whether they are
refused and why; then whose turn it is, how the seats stand, and how many events are legal for each of them. There is a
look where golden logs have probes, at the start and at the end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from kifold.core.events import Event, Started, Undone
from kifold.core.flat import flatten_setup
from kifold.core.play import standing_events
from kifold.core.records import Record
from kifold.core.ruleset import CHANCE, Ruleset
from kifold.records.formats import Record as Read
from kifold.records.formats.jsonl import JSONL
from kifold.replay.golden import LOGS, Fold, case_names, folds_path, probe_event, read_folds
from kifold.replay.timeline import Timeline

FOLDER = Path(__file__).parents[1] / "golden"
Looks = Mapping[int, Sequence[Event]]
"""By ply, which events are tried there."""


class Case:
    """A match as the rules read it, and the looks on the way."""

    def __init__(self, ruleset: Ruleset, name: str, started: Started, events: Sequence[Event], looks: Looks) -> None:
        self.ruleset = ruleset
        self.name = name
        self.started = started
        self.events = [event for _, event in standing_events(events) if type(event) in ruleset.events]
        self.looks = {ply: tuple(dict.fromkeys(looks.get(ply, ()))) for ply in {*looks, 0, len(self.events)}}
        self.records = [ruleset.flatten(event) for event in self.events]
        self.asked = {ply: [ruleset.flatten(event) for event in tried] for ply, tried in self.looks.items()}
        self.seats = [*range(started.seats), *([CHANCE] if ruleset.chance else [])]

    def __str__(self) -> str:
        return self.name

    def setup(self) -> Record:
        return flatten_setup(self.ruleset, self.started)

    def only(self, name: str, until: int, looks: Looks) -> Case:
        """The first events of this match, and fewer looks."""
        return Case(self.ruleset, name, self.started, self.events[:until], looks)


def cases_of(ruleset: Ruleset) -> list[Case]:
    """Every golden log of a ruleset."""
    return [case for path in sorted((FOLDER / ruleset.name).glob(f"*{LOGS}")) for case in _cases_in(ruleset, path)]


def _cases_in(ruleset: Ruleset, path: Path) -> Iterator[Case]:
    names, folds = case_names(path), read_folds(folds_path(path))
    for read in JSONL.read(path, {}):
        assert isinstance(read, Read), f"{path.name}, line {read.number}: {read.reason}"
        name = names[read.number]
        looks = _looks(ruleset, read, folds[name]) if name in folds else {}
        yield Case(ruleset, f"{path.name}: {name}", read.started, read.events, looks)


def _looks(ruleset: Ruleset, read: Read, fold: Fold) -> Looks:
    """The events that a golden log has tried, by ply. None where events were taken back: plies changed then."""
    looks: dict[int, list[Event]] = defaultdict(list)
    if not fold.refused or any(isinstance(event, Undone) for event in read.events):
        return looks
    timeline = Timeline(ruleset, read.started, read.events)
    own = list(accumulate((type(event) in ruleset.events for event in read.events), initial=0))
    for probe in fold.refused:
        event = probe_event(timeline, probe)
        if type(event) in ruleset.events:
            looks[own[probe.after]].append(event)
    return looks
