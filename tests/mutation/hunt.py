"""Looks for golden logs that kill mutants which survive: `python -m tests.mutation.hunt blokus --seconds 300`.

Matches and what to try in them are drawn by seed. Of a match that kills, the events up to there are kept and the probes
that did it. What is found is added to `tests/golden/<ruleset>/mutants.kifold.jsonl` with what the rules say of it: look
at it, since a mutant may well be right where the rules are wrong.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import msgspec

from kifold.core.codec import to_json
from kifold.core.events import Event
from kifold.core.options import parse_options
from kifold.core.play import Play
from kifold.core.registry import ruleset
from kifold.core.ruleset import CHANCE, Ruleset
from kifold.records.formats import jsonl
from kifold.records.ids import derived_id
from kifold.records.log import Log
from kifold.replay.golden import LOGS, Fold, Probe, fold_of, folds_path, write_folds
from tests.mutation.by_hand import BY_HAND, KINDS, MADE, POLICIES, TRIES
from tests.mutation.cases import FOLDER, Case, cases_of
from tests.mutation.judged import Judge, equivalent
from tests.mutation.mutants import Mutant
from tests.mutation.starts import Given, any_log, any_start, damaged, is_refused
from tests.rulesets.mutants import wrong_events

FILE = f"mutants{LOGS}"
LIMITS = (6, 20, 20, 60, 60, 400, 400)
OFTEN = 20
"""So often positions of a kind are looked at."""


def candidate(rules: Ruleset, given: Given, seed: int, seen: Counter[Any]) -> Case:
    """A match to try, by its number."""
    rng = random.Random(seed)
    started = any_start(rules, rng, BY_HAND.get(rules.name), given)
    if rng.random() < 0.3:
        started = damaged(rules, started, rng)
    if is_refused(rules, started):
        return Case(rules, f"mutants {seed}", started, [], {})
    log = any_log(rules, started, rng, rng.choice(LIMITS), POLICIES.get(rules.name))
    step = max(1, len(log) // rng.choice((3, 6, 12)))
    looks = {}
    play = Play(rules, started)
    for ply, event in enumerate([*log, None]):
        kind = KINDS[rules.name](play) if rules.name in KINDS else ()
        seen[kind] += 1
        if ply % step == 0 or event is None or (kind and seen[kind] <= OFTEN):
            looks[ply] = events_near(play, rng)
        if event is not None:
            play.add(event)
    return Case(rules, f"mutants {seed}", started, log, looks)


def candidates(rules: Ruleset, given: Given, seed: int) -> Iterator[Case]:
    """Matches to try: those made by hand, then any from number `seed` on."""
    for number, make in enumerate(MADE.get(rules.name, ())):
        yield Case(rules, f"made {number}", *make(), {})
    seen: Counter[Any] = Counter()
    for number in count(seed):
        yield candidate(rules, given, number, seen)


def events_near(play: Play, rng: random.Random) -> list[Event]:
    """Events to try: near legal ones of all seats, near those played, and anywhere."""
    seats = [*range(play.started.seats), *([CHANCE] if play.ruleset.chance else [])]
    legal = [event for seat in seats for event in play.legal(seat)]
    near = rng.sample(legal, min(len(legal), 40))
    asked = near[:2] + wrong_events(play.ruleset, near, 30, rng)
    if play.ruleset.name in TRIES:
        asked += TRIES[play.ruleset.name](play, rng)
    return asked + wrong_events(play.ruleset, play.log, 8, rng)


def reduced(judge: Judge, case: Case, survivors: Sequence[Mutant]) -> tuple[Case, list[Mutant]]:
    """As little of a match as kills the mutants that it kills, and these."""
    killed, until = [], 0
    looks: dict[int, list[Event]] = defaultdict(list)
    expected = judge.expected(case)
    for mutant in survivors:
        found = judge.difference(mutant, case, expected)
        if found:
            what, ply, _ = found
            killed.append(mutant)
            word, _, number = what.partition(" ")
            if word == "probe":
                looks[ply].append(case.looks[ply][int(number)])
            elif number == "asked":
                looks[ply] += case.looks[ply][:1]
            until = max(until, ply if number else ply + 1)
    return case.only(case.name, until, looks), killed


def hunt(judge: Judge, survivors: Sequence[Mutant], candidates: Iterator[Case], seconds: float) -> list[Case]:
    """Cases that kill survivors."""
    found, left, end = [], list(survivors), time.monotonic() + seconds
    while left and time.monotonic() < end:
        case, killed = reduced(judge, next(candidates), left)
        if killed:
            still = [mutant for mutant in killed if not judge.kills(mutant, case)]
            left = [mutant for mutant in left if mutant not in killed or mutant in still]
            found.append(case)
            print(f"{case.name}: {len(killed) - len(still)} killed, {len(left)} left", flush=True)
    return found


def thinned(judge: Judge, cases: Sequence[Case], mutants: Sequence[Mutant]) -> list[Case]:
    """The cases that are needed to kill what all of them kill, small ones first."""
    kept, left = [], list(mutants)
    for case in sorted(cases, key=lambda one: len(one.events) + sum(map(len, one.looks.values()))):
        smaller, killed = reduced(judge, case, left)
        if killed:
            kept.append(smaller)
            left = [mutant for mutant in left if not judge.kills(mutant, smaller)]
    return kept


def write(rules: Ruleset, cases: Sequence[Case]) -> None:
    """Write cases as golden logs, with what the rules say of them."""
    logs, folds = [], {}
    for number, case in enumerate(cases, start=1):
        name = f"mutants {number}"
        started = msgspec.structs.replace(case.started, tags={"case": name})
        logs.append(Log(derived_id(f"{rules.name} {name}".encode()), started, case.events))
        probes = [Probe(ply, to_json(event)) for ply in sorted(case.looks) for event in case.looks[ply]]
        folds[name] = fold_of(rules, started, case.events, name, Fold(name, refused=probes))
    path = FOLDER / rules.name / FILE
    with path.open("wb") as file:
        jsonl.write(logs, file)
    write_folds(folds_path(path), folds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ruleset")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--variant", default="")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=READING")
    given = parser.parse_args()
    judge = Judge(ruleset(given.ruleset))
    cases = cases_of(judge.ruleset)
    own = [case for case in cases if case.name.startswith(FILE)]
    others = [case for case in cases if case not in own]
    survivors = judge.survivors(judge.mutants, others)
    listed = equivalent(given.ruleset)
    left = [mutant for mutant in judge.survivors(survivors, own) if mutant.name not in listed]
    print(f"{given.ruleset}: {len(judge.mutants)} mutants, {len(survivors)} survive other logs, {len(left)} all")
    readings = parse_options(judge.ruleset.options, dict(option.split("=") for option in given.option))
    found = hunt(judge, left, candidates(judge.ruleset, (given.variant, readings), given.seed), given.seconds)
    new = thinned(judge, found, left)
    if new:
        write(judge.ruleset, own + new)
    for mutant in judge.survivors(left, new):
        print(mutant)


if __name__ == "__main__":
    main()
