"""Golden logs fold, compiled, to what is written beside them, and exercise all that the rules name.

That they do so in plain Python the pytest plugin tests, a test for each match: see `kifold.replay.pytest_plugin`.
`KIFOLD_ADD_GOLDEN=1 pytest tests/test_golden.py` adds logs that are missing, and `pytest --kifold-update tests/golden`
writes what folding them gives now, to be looked at.
"""

from __future__ import annotations

import os

import msgspec
import pytest

from kifold.core.registry import ruleset
from kifold.replay.golden import folds_path, read_folds
from tests.golden_logs import add_missing, case_of, coverage_of, folded_compiled, logs_path, read_logs
from tests.registered import NAMES, VARIANTS
from tests.rulesets.matches import folder


@pytest.fixture(scope="module", autouse=True)
def _added() -> None:
    if "KIFOLD_ADD_GOLDEN" in os.environ:
        for name in NAMES:
            add_missing(ruleset(name))


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_compiled_folds_arrive_where_they_did(name: str, variant: str) -> None:
    rules = ruleset(name)
    path = logs_path(rules, rules.variant(variant))
    logs, written = read_logs(path), read_folds(folds_path(path))
    assert [case_of(log) for log in logs] == list(written)
    expected = [msgspec.structs.replace(fold, states={}, refused=[]) for fold in written.values()]
    assert folded_compiled(rules, logs, folder(rules)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_exercised(name: str) -> None:
    """Every reason, every effect and every reading: see `kifold coverage --golden tests/golden`."""
    missing = [row.item for row in coverage_of(ruleset(name)).rows() if not row.golden]
    assert missing == [], "for readings KIFOLD_ADD_GOLDEN=1 may find logs; what is tried may be added by hand"
