"""The third step is marked where nobody sits."""

from typing import Any

from tests.core.toy import apply as newer_apply


def apply(state: Any, event: Any) -> int:
    effects = newer_apply(state, event)
    if state.steps == 3:
        state.gained[3] += 1
    return effects
