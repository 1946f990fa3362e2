"""The table of promises: for each group of benchmarks our speed, the peer's, their ratio, and what is promised.

A benchmark says in `extra_info` how many `items` one round handles and `who` it is ("kifold" or the peer); ours also
says the ratio that is promised (`at_least`).
"""

from __future__ import annotations

from typing import Any

import pytest


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    rows = list(ratios(config))
    if rows:
        terminalreporter.section("promises")
        for line in table(rows):
            terminalreporter.write_line(line)


def pytest_sessionfinish(session: pytest.Session) -> None:
    short = [row for row in ratios(session.config) if row["ratio"] < row["at_least"]]
    if short and session.exitstatus == 0:
        session.exitstatus = 1


def ratios(config: pytest.Config) -> list[dict[str, Any]]:
    """One row for each group in which both sides were measured."""
    found = getattr(config, "_benchmarksession", None)
    groups: dict[str, dict[str, Any]] = {}
    for one in found.benchmarks if found else ():
        if one.group and one.extra_info.get("who"):
            speed = one.extra_info["items"] / one.stats.min
            side = "ours" if one.extra_info["who"] == "kifold" else "theirs"
            group = groups.setdefault(one.group, {"group": one.group})
            group[side] = speed
            group["peer" if side == "theirs" else "at_least"] = one.extra_info[
                "who" if side == "theirs" else "at_least"
            ]
    return [
        group | {"ratio": group["ours"] / group["theirs"]}
        for group in groups.values()
        if "ours" in group and "theirs" in group
    ]


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as lines of text; speeds in items per second."""
    lines = [f"{'work':44} {'kifold':>12} {'peer':>12}  {'ratio':>7} {'at least':>9}"]
    for row in rows:
        mark = "" if row["ratio"] >= row["at_least"] else "  falls short"
        speeds = f"{row['group']:44} {row['ours']:12,.0f} {row['theirs']:12,.0f}"
        lines.append(f"{speeds}  {row['ratio']:5.1f} × {row['at_least']:7.1f} × {row['peer']}{mark}")
    return lines
