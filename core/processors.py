"""How many things this process can do at once."""

from __future__ import annotations

import os


def processors() -> int:
    """How many processors this process may use; the machine may have more."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # noqa: TID251  # banned elsewhere: here nothing else can be asked
