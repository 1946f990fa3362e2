"""One match of a simulation in plain Python, event for event what the compiled `Folder.play` plays.

For what needs a match or two and no compiler: tests, reference pages, a setup drawn for a new match.
"""

from __future__ import annotations

import msgspec

from kifold.core.emit import Out
from kifold.core.events import Started
from kifold.core.flat import flatten_setup, unflatten, unflatten_setup
from kifold.core.play import NothingLegal, Play
from kifold.core.rng import Random, below, seed_random
from kifold.core.ruleset import NOBODY, Ruleset


def started_with_chance(ruleset: Ruleset, started: Started, seed: int, match: int = 0) -> Started:
    """Event 0 with the chance part of its setup drawn; as it is where the ruleset draws nothing.

    Args:
        seed: 0 … 2^62, of the simulation; `match` the number of the match in it.
    """
    if ruleset.rules.chance is None:
        return started
    record, random = flatten_setup(ruleset, started), Random()
    seed_random(random, seed, match, 0)
    ruleset.rules.chance(record, random)
    return msgspec.structs.replace(started, setup=unflatten_setup(ruleset, record))


def sample_match(
    ruleset: Ruleset, started: Started, seed: int, match: int = 0, *, greedy: bool = False, limit: int = 10_000
) -> Play:
    """A match played by random or greedy seats, left unfinished after `limit` events.

    Raises:
        NothingLegal: when somebody has the turn and no legal event, which is a fault in the ruleset.
    """
    play = Play(ruleset, started_with_chance(ruleset, started, seed, match))
    random = Random()
    seed_random(random, seed, match, 1)
    while (seat := play.turn) != NOBODY and len(play.log) < limit:
        out = Out(ruleset.event_record)
        n = ruleset.rules.legal(play.state, seat, out)
        if n == 0:
            raise NothingLegal(f"{ruleset.name}: seat {seat} has the turn and no legal event in {play.state}")
        takes_best = greedy and seat >= 0
        i = ruleset.rules.greedy(play.state, out, n, random) if takes_best else below(random, n)
        play.add(unflatten(ruleset, out[i]))
    return play
