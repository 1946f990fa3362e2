"""One cache folder for compiled rules, shared by all workers of a run and by later runs, under pytest's own cache; and
what tests of all folders begin with.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kifold.records.store import Store
    from tests.installing import Revise

pytest.register_assert_rewrite("tests.rulesets.harness", "tests.rulesets.two_ways")

MADE = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Set `KIFOLD_CACHE`, unless it is set; compiled code checks its bounds. Workers and subprocesses inherit both."""
    os.environ.setdefault("KIFOLD_BOUNDSCHECK", "1")
    if "KIFOLD_CACHE" in os.environ:
        return
    cache = getattr(config, "cache", None)
    if cache is None:
        config.stash[MADE] = Path(tempfile.mkdtemp(prefix="kifold-tests-"))
        os.environ["KIFOLD_CACHE"] = str(config.stash[MADE])
    else:
        os.environ["KIFOLD_CACHE"] = str(cache.mkdir("kifold"))


def pytest_unconfigure(config: pytest.Config) -> None:
    if MADE in config.stash:
        del os.environ["KIFOLD_CACHE"]
        shutil.rmtree(config.stash[MADE], ignore_errors=True)


@pytest.fixture
def revise(monkeypatch: pytest.MonkeyPatch) -> Iterator[Revise]:
    """Installs the race of the tests with earlier revisions."""
    from kifold.core import registry
    from tests.installing import install, revised

    yield lambda *pages: install(revised(*pages), monkeypatch)
    registry.ruleset.cache_clear()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store that waits for no disk."""
    from kifold.records.store import Store

    with Store(tmp_path / "store", durability="off") as store:
        yield store
