"""A sample of each ruleset's mutants is killed by golden logs; what is listed as equivalent is there, and survives.

All of them: `make mutants`.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from kifold.core.registry import ruleset
from tests.mutation.cases import Case, cases_of
from tests.mutation.judged import Judge, equivalent
from tests.registered import NAMES
from tests.rulesets.harness import assert_two_ways, folder

SEED = 2026
SAMPLE = 40
SURVIVORS = 4

pytestmark = [pytest.mark.slow]


def group(name: str) -> pytest.MarkDecorator:
    return pytest.mark.xdist_group(f"mutants of {name}")


RULESETS = [pytest.param(name, marks=group(name)) for name in NAMES]


@cache
def judge_of(name: str) -> Judge:
    return Judge(ruleset(name))


@cache
def golden(name: str) -> list[Case]:
    return cases_of(ruleset(name))


@pytest.mark.parametrize("name", RULESETS)
def test_a_sample_is_killed(name: str) -> None:
    judge, listed = judge_of(name), equivalent(name)
    mutants = [mutant for mutant in judge.mutants if mutant.name not in listed]
    sample = random.Random(SEED).sample(mutants, SAMPLE)
    assert [str(mutant) for mutant in judge.survivors(sample, golden(name))] == []


@pytest.mark.parametrize("name", RULESETS)
def test_what_is_listed_is_there_and_survives(name: str) -> None:
    judge, listed = judge_of(name), equivalent(name)
    mutants = [mutant for mutant in judge.mutants if mutant.name in listed]
    assert {mutant.name for mutant in mutants} == set(listed), "take what is gone off the list"
    assert min(map(len, listed.values())) > 10
    sample = random.Random(SEED).sample(mutants, SURVIVORS)
    assert judge.survivors(sample, golden(name)) == sample


@pytest.mark.parametrize("name", RULESETS)
def test_the_rules_themselves_survive(name: str) -> None:
    judge = judge_of(name)
    assert len({mutant.name for mutant in judge.mutants}) == len(judge.mutants)
    for case in golden(name):
        assert judge.differs(ruleset(name).rules, case) is None, case.name


@pytest.mark.parametrize("name", NAMES)
def test_logs_for_mutants_fold_alike_compiled(name: str) -> None:
    logs = [(case.started, case.events) for case in golden(name) if case.name.startswith("mutants")]
    assert logs
    assert_two_ways(ruleset(name), logs, folder(ruleset(name)), mutations=0)
