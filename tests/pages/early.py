"""Who arrives within three steps gets six more."""

from typing import Any

from tests.core.toy import apply as newer_apply


def apply(state: Any, event: Any) -> int:
    effects = newer_apply(state, event)
    if state.total >= state.goal and state.steps < 3:
        state.gained[event.seat] += 6
    return effects
