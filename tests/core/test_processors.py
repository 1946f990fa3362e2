"""How many processors there are for this process."""

from __future__ import annotations

import pytest

from kifold.core.processors import processors


def test_processors_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda _process: {0, 5}, raising=False)
    assert processors() == 2
    monkeypatch.delattr("os.sched_getaffinity")
    assert processors() == 64
