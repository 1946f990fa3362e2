"""What a seat may see of a position: everything but the chips behind the other seats' screens (000.7)."""

from __future__ import annotations

from kifold.core.events import Started
from kifold.core.rulesets.chipstack.declaration import N_COLOURS, State
from kifold.core.rulesets.chipstack.picture import picture
from kifold.core.scene import Scene


def hide_state(started: Started, state: State, seat: int, is_over: bool) -> State:
    """A copy of the position with the other seats' chips set to 0, unless the match is over: then the screens are gone.

    No event needs hiding: whatever happens is public, so what is behind a screen can be remembered (000-8).
    """
    seen = state.copy()
    if not is_over:
        for other in range(started.seats):
            if other != seat:
                for colour in range(N_COLOURS):
                    seen.held[N_COLOURS * other + colour] = 0
    return seen


def seat_picture(started: Started, state: State, seat: int, is_over: bool) -> Scene:
    """The picture for a seat: of the others it says that their chips are behind screens, until the match is over."""
    behind = () if is_over else [other for other in range(started.seats) if other != seat]
    return picture(started, hide_state(started, state, seat, is_over), behind)
