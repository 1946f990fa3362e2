"""Where a rule raised something: compiled code does not say. Folded again in plain Python the matches do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kifold.core.declared import RulesFault
from kifold.core.emit import Out
from kifold.core.names import LEGAL
from kifold.core.records import Record, from_numpy
from kifold.core.rng import Random, seed_random
from kifold.core.ruleset import NOBODY, Ruleset

if TYPE_CHECKING:
    from kifold.core.corpus import Corpus


def retrace(corpus: Corpus, error: Exception) -> None:
    """Run the rules plainly over matches in which compiled ones raised an error, so that it is raised where it arises.

    Raises:
        Exception: what a rule raises.
        RulesFault: when plainly none raises anything. Nothing is raised where the error is none of the rules.
    """
    if isinstance(error, RulesFault | MemoryError | OSError) or type(error).__module__.startswith("numba"):
        return
    rules = corpus.ruleset
    for m in range(len(corpus)):
        state: Any = rules.state()
        if rules.rules.set_up(state, from_numpy(rules.setup_record, corpus.setups[m])) != LEGAL:
            continue
        for row in corpus.events[corpus.starts[m] : corpus.starts[m + 1]]:
            event = from_numpy(rules.event_record, row)
            if rules.rules.check(state, event) != LEGAL:
                break
            _look(rules, state, rules.rules.actor(state, event))
            rules.rules.apply(state, event)
        _look(rules, state, rules.rules.turn(state))
        rules.rules.result(state, rules.result())
    said = f"it or another rule raises {type(error).__name__} ({error}) compiled, and in plain Python none does"
    raise RulesFault(rules.rules.apply, f"{said}: look for an index below 0")


def retrace_chance(rules: Ruleset, template: Record, seed: int, match: int) -> None:
    """Draw the setup of a match of a simulation plainly.

    Raises:
        Exception: what the rule raises.
    """
    if rules.rules.chance is not None:
        random = Random()
        seed_random(random, seed, match, 0)
        rules.rules.chance(template.copy(), random)


def _look(rules: Ruleset, state: Any, seat: int) -> None:
    """Ask what loops ask about a state."""
    if seat == NOBODY:
        return
    out, random = Out(rules.event_record), Random()
    seed_random(random, 0, 0, 0)
    if (n := rules.rules.legal(state, seat, out)) and seat >= 0:
        rules.rules.greedy(state, out, n, random)
    if rules.rules.phase is not None:
        rules.rules.phase(state)
