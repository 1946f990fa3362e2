"""What the tests of every ruleset share: matches to look at, an oracle to agree with, and the two ways of running.

A ruleset's tests say once how its events look to its oracle (`Adapter`), and then ask for agreement:

    logs = random_logs(CHIPSTACK, count=5, seed=1) + random_logs(CHIPSTACK, count=1, seed=2, greedy=True)
    seen = assert_agrees_with_oracle(ADAPTER, logs, every=3, folder=folder(CHIPSTACK))
    seen += assert_agrees_with_oracle(ADAPTER, constructed_positions, folder=folder(CHIPSTACK))
    assert_covers(CHIPSTACK, seen, minimum=50)
    assert_two_ways(CHIPSTACK, logs, folder(CHIPSTACK))
    assert_plays_alike(CHIPSTACK, CHIPSTACK.start(), folder(CHIPSTACK), seed=3, count=4)

A log is a pair (Started, list of the ruleset's own events); a constructed position is a log without events.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from kifold.core.corpus import Folder, array_of
from kifold.core.events import Event, Started
from kifold.core.names import LEGAL
from kifold.core.play import Play
from kifold.core.records import to_numpy
from kifold.core.ruleset import CHANCE, NOBODY, Ruleset
from tests.rulesets.matches import (
    Log,
    chosen_log,
    events_of,
    folder,
    logs_of,
    random_log,
    random_logs,
    started_with_chance,
)
from tests.rulesets.mutants import changed, mutants, random_event, wrong_events
from tests.rulesets.two_ways import assert_plays_alike, assert_two_ways

__all__ = [
    "Adapter",
    "Log",
    "Seen",
    "assert_agrees_with_oracle",
    "assert_covers",
    "assert_plays_alike",
    "assert_two_ways",
    "changed",
    "chosen_log",
    "events_of",
    "folder",
    "load_oracle",
    "logs_of",
    "mutants",
    "random_event",
    "random_log",
    "random_logs",
    "started_with_chance",
    "wrong_events",
]

ORACLES = Path(__file__).parents[1] / "oracles"


def load_oracle(name: str) -> ModuleType:
    """The module tests/oracles/<name>.py."""
    full = f"tests.oracles.{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, ORACLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        spec.loader.exec_module(module)
    return sys.modules[full]


@dataclass(frozen=True)
class Adapter:
    """How a ruleset looks to its oracle.

    Attributes:
        ruleset: the ruleset.
        build: the oracle at the beginning of a match; ValueError for a setup that it refuses.
        to_oracle: an event as the oracle's tuple.
        position: parts of a plain state as they stand in the oracle's `position()`, or None to compare none.
        chance: the oracle's tuples of what chance may decide now, where the ruleset has chance events.
        compares_result_before_end: whether results are compared at every position, or at the end only.
    """

    ruleset: Ruleset
    build: Callable[[Started], Any]
    to_oracle: Callable[[Event], tuple[Any, ...]]
    position: Callable[[Any], dict[str, Any]] | None = None
    chance: Callable[[Any], set[tuple[Any, ...]]] | None = None
    compares_result_before_end: bool = True


@dataclass
class Seen:
    """At how many positions each reason was given, how often each effect came up, how many positions were compared."""

    reasons: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)
    positions: int = 0

    def __add__(self, other: Seen) -> Seen:
        return Seen(self.reasons + other.reasons, self.effects + other.effects, self.positions + other.positions)


def assert_agrees_with_oracle(
    adapter: Adapter,
    logs: Iterable[Log],
    *,
    every: int = 1,
    probes: int = 40,
    seed: int = 0,
    folder: Folder | None = None,
) -> Seen:
    """Walk matches beside the oracle; compare the positions number 0, `every`, … and the last in full.

    Args:
        adapter: how to ask the oracle.
        logs: legal matches.
        every: effects are compared after every event, the rest at every so many positions.
        probes: about how many events, mostly wrong ones, `check` is asked at each position.
        seed: for the choice of probes.
        folder: compiled rules to ask the same of.
    """
    rng, seen = random.Random(seed), Seen()
    for started, log in logs:
        play, oracle = Play(adapter.ruleset, started), adapter.build(started)
        for ply, event in enumerate(log):
            if ply % every == 0:
                _compare_position(adapter, play, oracle, log, probes, rng, seen, folder)
            effects = set(adapter.ruleset.effects.of(play.add(event)))
            expected = oracle.apply(adapter.to_oracle(event))
            assert effects == expected, _where(play, f"effects of {event}")
            seen.effects.update(effects)
        _compare_position(adapter, play, oracle, log, probes, rng, seen, folder)
    return seen


def assert_covers(ruleset: Ruleset, seen: Seen, minimum: int = 50, *, never: Sequence[str] = ()) -> None:
    """Every reason was given and every effect came up at least `minimum` times, except those named in `never`."""
    short = {
        f"{what} {name.name}": count[name.name]
        for what, names, count in (("reason", ruleset.reasons, seen.reasons), ("effect", ruleset.effects, seen.effects))
        for name in names
        if name.name not in never and count[name.name] < minimum
    }
    assert not short, f"seen at fewer than {minimum} positions: {short}"


def _compare_position(
    adapter: Adapter, play: Play, oracle: Any, log: list[Event], probes: int, rng: random.Random, seen: Seen,
    folder: Folder | None,
) -> None:  # fmt: skip
    ruleset = adapter.ruleset
    seen.positions += 1
    expected_turn = {None: NOBODY, "chance": CHANCE}.get(oracle.to_move(), oracle.to_move())
    assert play.turn == expected_turn, _where(play, "turn")
    if folder:
        to_numpy(play.state, folder.state[0])
        assert folder.code.rules["turn"](folder.state[0]) == expected_turn, _where(play, "turn, compiled")
    if adapter.position:
        ours, theirs = adapter.position(play.state), oracle.position()
        assert ours == {key: theirs[key] for key in ours}, _where(play, "position")
    if play.turn == NOBODY or adapter.compares_result_before_end:
        _compare_result(play, oracle)
    legal = _compare_legal(adapter, play, oracle, folder)
    asked = rng.sample(legal, min(len(legal), 3)) + wrong_events(ruleset, legal, probes, rng)
    asked += wrong_events(ruleset, log, probes // 4, rng)
    reasons = {_compare_check(adapter, play, oracle, event, folder) for event in asked}
    seen.reasons.update(reasons - {""})


def _compare_legal(adapter: Adapter, play: Play, oracle: Any, folder: Folder | None) -> list[Event]:
    """Lists of all seats, and of chance where it is due; all events of all of them."""
    found: list[Event] = []
    due = [CHANCE] if adapter.chance and play.turn == CHANCE else []
    for seat in [*range(play.started.seats), *due]:
        events = play.legal(seat)
        assert len(set(events)) == len(events), _where(play, f"seat {seat}: an event is listed twice")
        expected = adapter.chance(oracle) if adapter.chance and seat == CHANCE else oracle.legal(seat)
        ours = {adapter.to_oracle(event) for event in events}
        said = f"legal events of {seat}, too many: {_some(ours - expected)}; missing: {_some(expected - ours)}"
        assert ours == expected, _where(play, said)
        if seat == play.turn:
            assert all(play.why_not(event) is None for event in events), _where(play, "listed and refused")
        if folder:
            rows = folder.legal(seat)
            assert events_of(play.ruleset, rows) == events, _where(play, f"legal events of {seat}, compiled")
        found += events
    return found


def _compare_check(adapter: Adapter, play: Play, oracle: Any, event: Event, folder: Folder | None) -> str:
    refused = play.why_not(event)
    reason = refused.reason if refused else ""
    expected = oracle.reasons(adapter.to_oracle(event))
    assert reason in (expected or {""}), _where(play, f"{event}: {reason!r}, the oracle: {expected}")
    if folder:
        row = array_of(play.ruleset.event_record, [play.ruleset.flatten(event)])[0]
        number = folder.code.rules["check"](folder.state[0], row)
        said = "" if number == LEGAL else play.ruleset.reasons[number].name
        assert said == reason, _where(play, f"{event}, compiled")
    return reason


def _compare_result(play: Play, oracle: Any) -> None:
    for standing, expected in zip(play.result(), oracle.result(), strict=True):
        ours: dict[str, Any] = {"rank": standing.rank, "shared": standing.shared, "score": standing.score}
        ours |= standing.components
        theirs = {key: list(v) if isinstance(v, tuple) else v for key, v in expected.items() if key in ours}
        assert {key: ours[key] for key in theirs} == theirs, _where(play, f"result of seat {standing.seat}")


def _some(events: set[Any]) -> str:
    return f"{len(events)} {sorted(map(repr, events))[:3]}"


def _where(play: Play, what: str) -> str:
    return f"{what}\nafter {len(play.log)} events of {play.started}\n{play.log}"
