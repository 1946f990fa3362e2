"""Time of processes that were begun by this one."""

from __future__ import annotations

import resource


def children() -> float:
    """Seconds of processors that children used which have ended, whatever else the machine did."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
