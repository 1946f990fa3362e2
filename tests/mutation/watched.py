"""Rules watched while they fold a case: everything that golden logs, `verify` and looks would show of them, in order.

Two rules that show the same over all cases cannot be told apart by them. What a mutant shows is compared with what the
rules show, one thing after the other, until something differs: then the mutant is killed.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kifold.core.emit import Out
from kifold.core.names import LEGAL
from kifold.core.records import Record
from kifold.core.ruleset import SNAPSHOT, Rules
from tests.mutation.cases import Case

Shown = tuple[str, int, Any]
"""What was shown: a word for what it is, the ply, and the value."""

TURNS = 30_000
"""So many turns of `while` loops may pass between two things shown."""
SECONDS = 60
"""A mutant that takes so long with one case is killed; the loops of a `for` can be long too."""


class Endless(Exception):
    """A mutant does not come to an end."""


class Clock:
    """Counts the turns of loops, so that a mutant that never ends is killed at the same place on every machine."""

    def __init__(self) -> None:
        self.left = TURNS

    def tick(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Endless("a loop does not end")


def shown(rules: Rules, case: Case, clock: Clock) -> Iterator[Shown]:
    """What rules show of a case."""
    state: Any = case.ruleset.state()
    clock.left = TURNS
    reason = rules.set_up(state, case.setup())
    yield "set_up", 0, reason
    if reason != LEGAL:
        return
    for ply, record in enumerate([*case.records, None]):
        clock.left = TURNS
        if ply in case.looks:
            yield from _looked(rules, case, state, ply, clock)
        if record is None:
            break
        reason = rules.check(state, record)
        yield "check", ply, reason
        if reason != LEGAL:
            return
        yield "actor", ply, rules.actor(state, record)
        yield "apply", ply, rules.apply(state, record)
        if (ply + 1) % SNAPSHOT == 0:
            yield "fingerprint", ply, state.essential()
    yield "fingerprint", ply, state.essential()
    yield "turn", ply, rules.turn(state)
    yield "standings", ply, standings(rules, case, state)


def _looked(rules: Rules, case: Case, state: Any, ply: int, clock: Clock) -> Iterator[Shown]:
    for number, probe in enumerate(case.asked[ply]):
        yield f"probe {number}", ply, rules.check(state, probe)
    yield "turn asked", ply, rules.turn(state)
    yield "standings asked", ply, standings(rules, case, state)
    for seat in case.seats:
        clock.left = TURNS
        yield "legal asked", ply, rules.legal(state, seat, Out(case.ruleset.event_record))


def standings(rules: Rules, case: Case, state: Any) -> dict[str, list[int]]:
    """The result record."""
    result: Record = case.ruleset.result()
    rules.result(state, result)
    return {slot.name: getattr(result, slot.name) for slot in result.slots}


def difference(rules: Rules, case: Case, expected: Sequence[Shown], clock: Clock) -> Shown | None:
    """The first thing that rules show otherwise than expected; what it was to be, and as its value what is wrong.

    The time limit works in the main thread of a process only.
    """
    at, seen = 0, shown(rules, case, clock)
    try:
        with _time_limit():
            for thing in seen:
                if thing != expected[at]:
                    return (*expected[at][:2], thing[2])
                at += 1
    except Exception as error:
        return (*expected[min(at, len(expected) - 1)][:2], repr(error))
    return None if at == len(expected) else (*expected[at][:2], "nothing more")


@contextmanager
def _time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Endless("it takes too long")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
