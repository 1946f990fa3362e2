"""For one step something is otherwise where nobody sits."""

from typing import Any

from tests.core.toy import apply as newer_apply


def apply(state: Any, event: Any) -> int:
    effects = newer_apply(state, event)
    state.gained[3] = 1 if state.steps == 2 else 0
    return effects
