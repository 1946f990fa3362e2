"""Golden logs fold, in both ways of running, to what is written beside them. See `tests/golden_logs.py`."""

from __future__ import annotations

import os

import pytest

from kifold.core.registry import ruleset
from kifold.records.tables import option_text
from tests import golden_logs
from tests.registered import NAMES, VARIANTS
from tests.rulesets.matches import folder


@pytest.fixture(scope="module", autouse=True)
def _updated(request: pytest.FixtureRequest) -> None:
    if "KIFOLD_UPDATE_GOLDEN" in os.environ:
        for name in NAMES:
            golden_logs.update(ruleset(name))


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_both_ways_arrive_where_they_did(name: str, variant: str) -> None:
    rules = ruleset(name)
    logs = golden_logs.read_logs(golden_logs.logs_path(rules, rules.variant(variant)))
    expected = golden_logs.read_folds(golden_logs.folds_path(rules, rules.variant(variant)))
    assert [golden_logs.case_of(log) for log in logs] == [fold["case"] for fold in expected]
    assert [golden_logs.folded_plainly(rules, log) for log in logs] == expected
    assert golden_logs.folded_compiled(rules, logs, folder(rules)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_every_reading_has_a_log(name: str) -> None:
    rules = ruleset(name)
    played = {
        (option, option_text(value))
        for variant in rules.variants
        for log in golden_logs.read_logs(golden_logs.logs_path(rules, variant))
        for option, value in log.started.options.items()
    }
    assert {(option.name, option_text(value)) for option, value in golden_logs.readings(rules)} <= played
