"""All mutants of a ruleset over all of its golden logs, in several processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache

from kifold.core.registry import ruleset
from tests.mutation.cases import cases_of
from tests.mutation.judged import Judge, Name, Standing, standing

PART = 60
"""So many mutants are run at a time by one process."""


@cache
def judge_of(name: str) -> Judge:
    return Judge(ruleset(name))


def survivors_in(name: str, first: int) -> list[Name]:
    """The survivors among `PART` mutants from number `first` on."""
    judge = judge_of(name)
    return [left.name for left in judge.survivors(judge.mutants[first : first + PART], cases_of(judge.ruleset))]


def standings_of(names: Sequence[str], processes: int) -> Iterator[Standing]:
    """How each ruleset stands, one after the other."""
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        for name in names:
            mutants = [mutant.name for mutant in judge_of(name).mutants]
            firsts = range(0, len(mutants), PART)
            parts = pool.map(survivors_in, [name] * len(firsts), firsts)
            yield standing(name, mutants, [left for part in parts for left in part])
