"""Gathers the promises of a run, prints their table, and lets the run fail where one is not kept.

A benchmark says in `extra_info` how many `items` one round handles and `who` it is ("kifold" or the peer); ours also
says what is promised (`at_least`), what is aimed at (`stretch`) and what stands `beside`. Both sides share a group:
the name of the row. A figure without a peer is stated with the fixture `promise`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.promises import BASELINE, Promise, read_baseline, save_baseline, table

STATED = pytest.StashKey[list[Promise]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kifold benchmarks")
    group.addoption("--short", action="store_true", help="Small sizes and few of them: a smoke, no measurement.")
    group.addoption(
        "--margin", type=float, default=1.0, help="A promise is kept if it is when made better so many times."
    )
    group.addoption("--save-baseline", action="store_true", help=f"Save the figures of this run in {BASELINE.name}.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--save-baseline") and (reason := _why_no_measurement(config)):
        raise pytest.UsageError(f"--save-baseline saves what was measured, and with {reason} nothing is")
    config.stash[STATED] = []


def _why_no_measurement(config: pytest.Config) -> str:
    """The option with which the figures of a run are no measurement; empty when they are."""
    options = [option for option in ("--short", "--benchmark-disable") if config.getoption(option)]
    return options[0] if options else ""


@pytest.fixture(scope="session")
def short(request: pytest.FixtureRequest) -> bool:
    """Whether this is a smoke."""
    return bool(request.config.getoption("--short"))


@pytest.fixture(scope="session")
def promise(request: pytest.FixtureRequest) -> Callable[[Promise], None]:
    """States a promise with a figure that was measured otherwise than by the fixture `benchmark`."""
    return request.config.stash[STATED].append


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    found = promises(config)
    if config.getoption("--benchmark-disable"):
        terminalreporter.write_line("no speed was measured, and none is in the table (--benchmark-disable)")
    if not found:
        return
    terminalreporter.section("promises")
    for line in table(found, read_baseline(), config.getoption("--margin")):
        terminalreporter.write_line(line)
    if config.getoption("--save-baseline"):
        save_baseline(found)
        terminalreporter.write_line(f"saved in {BASELINE}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    margin = session.config.getoption("--margin")
    if session.exitstatus == 0 and any(not one.reaches(one.bound, margin) for one in promises(session.config)):
        session.exitstatus = 1


def promises(config: pytest.Config) -> list[Promise]:
    """What was measured in this run, one promise for each group with our side in it, then what was stated."""
    session = getattr(config, "_benchmarksession", None)
    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for one in session.benchmarks if session else ():
        if one.group and one.extra_info.get("who"):
            (ours if one.extra_info["who"] == "kifold" else theirs)[one.group] = one
    return [_promise(one, theirs.get(group)) for group, one in ours.items()] + config.stash[STATED]


def _promise(ours: Any, theirs: Any) -> Promise:
    said = ours.extra_info
    return Promise(
        ours.group,
        said["items"] / ours.stats.min,
        said["at_least"],
        said.get("stretch"),
        theirs.extra_info["who"] if theirs else said.get("peer", "the peer"),
        theirs.extra_info["items"] / theirs.stats.min if theirs else None,
        said.get("beside", ""),
    )
