"""The generic loops over many matches: folding, listing and playing.

They are compiled once per ruleset by `kifold.core.compiled`, which binds the names declared below to that ruleset's
rules. A corpus is three arrays: `setups` (one record per match), `events` (flat records, one after the other) and
`starts` (match m's events are starts[m] … starts[m+1]-1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from kifold.core.names import LEGAL
from kifold.core.rng import below, seed_random
from kifold.core.rules import Rules
from kifold.core.ruleset import NOBODY, SNAPSHOT

if TYPE_CHECKING:
    open_name: Any = None
    set_up = check = apply = legal = turn = actor = result = greedy = phase = chance = open_name

SETUP_REFUSED = -1
"""What is said of a match whose setup the rules refuse."""
NOTHING_LEGAL = -2
"""What is said of a match in which somebody has the turn and nothing legal: a fault of the ruleset."""


def fold_corpus(
    setups: Any,
    events: Any,
    starts: Any,
    state: Any,
    state_bytes: Any,
    matches: Any,
    results: Any,
    per_event: Any,
    snapshots: Any,
) -> int:
    """Fold and validate every match.

    Args:
        setups, events, starts: the corpus.
        state: one state record, as an array of length 1; `state_bytes` is the same memory as bytes.
        matches: per match `done` (legal events folded), `reason` (of the first refused event, or 0), `effects` (their
            union), `turn` (at the end), `snapshot` (row of its first snapshot).
        results: per match the ruleset's result record.
        per_event: per event `seat` and `effects`.
        snapshots: bytes, one row of the essential prefix per snapshot.

    Returns:
        The number of snapshots taken.
    """
    taken = 0
    size = snapshots.shape[1]
    for m in range(len(setups)):
        match = matches[m]
        match.snapshot = taken
        for b in range(len(state_bytes)):
            state_bytes[b] = 0
        match.reason = set_up(state[0], setups[m])
        match.done = SETUP_REFUSED
        match.effects = 0
        if match.reason != LEGAL:
            continue
        first = starts[m]
        done = 0
        union = 0
        for i in range(first, starts[m + 1]):
            event = events[i]
            reason = check(state[0], event)
            if reason != LEGAL:
                match.reason = reason
                break
            per_event[i].seat = actor(state[0], event)
            effects = apply(state[0], event)
            per_event[i].effects = effects
            union |= effects
            done += 1
            if done % SNAPSHOT == 0:
                for b in range(size):
                    snapshots[taken, b] = state_bytes[b]
                taken += 1
        if done % SNAPSHOT != 0 or done == 0:
            for b in range(size):
                snapshots[taken, b] = state_bytes[b]
            taken += 1
        match.done = done
        match.effects = union
        match.turn = turn(state[0])
        result(state[0], results[m])
    return taken


def fold_states(
    setups: Any,
    events: Any,
    starts: Any,
    state: Any,
    state_bytes: Any,
    matches: Any,
    results: Any,
    seats: Any,
    states: Any,
) -> None:
    """Fold and validate every match, and keep every state on the way.

    Args:
        setups, events, starts, state, state_bytes: as `fold_corpus` has them.
        matches: per match `done`, `reason` and `turn`.
        results: per match the ruleset's result record.
        seats: per event who acted.
        states: bytes, one row of the essential prefix per state: match m's after k events is row starts[m] + m + k.
    """
    size = states.shape[1]
    for m in range(len(setups)):
        match = matches[m]
        for b in range(len(state_bytes)):
            state_bytes[b] = 0
        match.reason = set_up(state[0], setups[m])
        match.done = SETUP_REFUSED
        if match.reason != LEGAL:
            continue
        match.done = 0
        for b in range(size):
            states[starts[m] + m, b] = state_bytes[b]
        for i in range(starts[m], starts[m + 1]):
            match.reason = check(state[0], events[i])
            if match.reason != LEGAL:
                break
            seats[i] = actor(state[0], events[i])
            apply(state[0], events[i])
            match.done += 1
            for b in range(size):
                states[i + m + 1, b] = state_bytes[b]
        match.turn = turn(state[0])
        result(state[0], results[m])


def fold_to(setup: Any, events: Any, state: Any) -> int:
    """Fold one match into `state` (an array of one zeroed record); the number of legal events, or `SETUP_REFUSED`."""
    if set_up(state[0], setup[0]) != LEGAL:
        return SETUP_REFUSED
    for i in range(len(events)):
        if check(state[0], events[i]) != LEGAL:
            return i
        apply(state[0], events[i])
    return len(events)


def count_legal(setups: Any, events: Any, starts: Any, state: Any, state_bytes: Any, out: Any, counts: Any) -> int:
    """List the legal events of whoever decides before every event of legal matches: `counts[i]` of them.

    Returns:
        The longest list; when it is longer than `out`, lists were cut and the call is to be made again with a longer
        one.
    """
    longest = 0
    for m in range(len(setups)):
        for b in range(len(state_bytes)):
            state_bytes[b] = 0
        set_up(state[0], setups[m])
        for i in range(starts[m], starts[m + 1]):
            n = legal(state[0], actor(state[0], events[i]), out)
            counts[i] = n
            longest = max(longest, n)
            apply(state[0], events[i])
    return longest


def list_plies(
    setups: Any,
    events: Any,
    starts: Any,
    state: Any,
    state_bytes: Any,
    out: Any,
    matches: Any,
    plies: Any,
    results: Any,
) -> int:
    """Say of every decision by a seat what it was made from and what came of it; matches may be illegal.

    Args:
        setups, events, starts: the corpus.
        state, state_bytes: see `fold_corpus`.
        out: room for a list of legal events.
        matches: per match `plies` (decisions listed) and `reason` (of the first refused event or setup, or 0).
        plies: per decision `event` (its place in the match, from 0), `seat`, `phase` and `legal` (of the state before).
        results: per decision the result record after it and the events of chance that follow it; zeroed.

    Returns:
        The longest list, see `count_legal`.
    """
    longest = 0
    listed = 0
    for m in range(len(setups)):
        match = matches[m]
        match.plies = 0
        for b in range(len(state_bytes)):
            state_bytes[b] = 0
        match.reason = set_up(state[0], setups[m])
        if match.reason != LEGAL:
            continue
        for i in range(starts[m], starts[m + 1]):
            event = events[i]
            match.reason = check(state[0], event)
            if match.reason != LEGAL:
                break
            seat = actor(state[0], event)
            if seat >= 0:
                if match.plies:
                    result(state[0], results[listed - 1])
                ply = plies[listed]
                ply.event = i - starts[m]
                ply.seat = seat
                ply.phase = phase(state[0])
                ply.legal = legal(state[0], seat, out)
                longest = max(longest, ply.legal)
                match.plies += 1
                listed += 1
            apply(state[0], event)
        if match.plies:
            result(state[0], results[listed - 1])
    return longest


def play_corpus(
    seed: int,
    first: int,
    limit: int,
    is_greedy: bool,
    setups: Any,
    events: Any,
    starts: Any,
    state: Any,
    state_bytes: Any,
    out: Any,
    random: Any,
) -> tuple[int, int]:
    """Play matches number `first` … of a simulation, until `setups` is full or `events` is.

    Args:
        seed: the seed of the simulation; match number m draws from its own streams of (seed, m).
        first: the number of the first match.
        limit: a match is left unfinished after so many events.
        is_greedy: seats take the greedy choice instead of any.
        setups: filled with the given settings; chance fills the rest of each.
        events, starts: written.
        out: room for a list of legal events.
        random: one `Random` record, as an array of length 1.

    Returns:
        How many matches were played, and 0; or how long a list did not fit into `out`; or why the next match cannot be
        played: `SETUP_REFUSED`, or `NOTHING_LEGAL` for whoever has to decide.
    """
    at = 0
    for m in range(len(setups)):
        starts[m] = at
        for b in range(len(state_bytes)):
            state_bytes[b] = 0
        seed_random(random[0], seed, first + m, 0)
        chance(setups[m], random[0])
        seed_random(random[0], seed, first + m, 1)
        if set_up(state[0], setups[m]) != LEGAL:
            return m, SETUP_REFUSED
        seat = turn(state[0])
        while seat != NOBODY and at - starts[m] < limit:
            n = legal(state[0], seat, out)
            if n > len(out):
                return m, n
            if n == 0:
                return m, NOTHING_LEGAL
            if at == len(events):
                return m, 0
            i = greedy(state[0], out, n, random[0]) if is_greedy and seat >= 0 else below(random[0], n)
            events[at] = out[i]
            at += 1
            starts[m + 1] = at  # so that a fault of the rules leaves the match that it is in
            apply(state[0], out[i])
            seat = turn(state[0])
        starts[m + 1] = at
    return len(setups), 0


def no_chance(setup: Any, random: Any) -> None:
    """What `chance` is bound to where a setup has no chance part."""


def no_phase(state: Any) -> int:
    """What `phase` is bound to where a match has no phases."""
    return 0


def bound(rules: Rules) -> dict[str, Callable[..., Any]]:
    """What the names that the loops leave open stand for in a ruleset."""
    absent: dict[str, Callable[..., Any]] = {"chance": no_chance, "phase": no_phase}
    declared = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return absent | {name: function for name, function in declared.items() if function is not None}
