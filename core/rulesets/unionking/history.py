"""Which positions have been on the board, and how often (4.11): below the rules.

Nothing in this game is irreversible – pairs split, pieces go back – so every position since the start counts. A
position is numbered by the plies before it. `keys` has a hash of each, `times` how often it had been there by then, and
`latest` is an open-addressing table of the last number of each position plus one, at most half full.

A hash alone decides nothing. Where two agree, the moves since (`moved`, `came_from`) are taken back on `earlier` and
all 28 spots are compared; the hash has the side to move as its last bit.

The history follows from the log, but not from the position, and is too long to be digested every 16 events. What the
fingerprint has of it is `past`, the sum of one scattered word per position. Histories with the same positions equally
often, in any order, have equal sums and the same future; two others have equal sums with a chance of about 2^-60.
"""

from __future__ import annotations

from kifold.core.rulesets.unionking.declaration import BLACK, TABLE, State
from kifold.core.rulesets.unionking.layouts import PIECES

KEY_BITS = (1 << 48) - 1
LOW_BITS = (1 << 31) - 1
PAST_BITS = (1 << 62) - 1


def _scattered(number: int) -> int:
    """An odd number of 48 bits, by the finaliser of SplitMix64."""
    word = (1 << 64) - 1
    z = number * 0x9E3779B97F4A7C15 & word
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & word
    z = (z ^ z >> 27) * 0x94D049BB133111EB & word
    return (z ^ z >> 31) & KEY_BITS | 1


WEIGHT = [_scattered(piece + 1) for piece in range(PIECES)]
"""The hash of a position is the sum of the pieces' spots by these weights: no product is over 2^55."""


def remember(state: State, side: int) -> int:
    """Note the position, with the side that is to move in it, as number `plies`; how often it has been there by now.

    One that is nobody's counts as White's: White, too, cannot move in it, so it comes up in no other way.
    """
    key = state.key << 1 | (1 if side == BLACK else 0)
    low, high = key & LOW_BITS, key >> 18
    now = state.plies
    state.keys[now] = low
    state.past = (state.past + (low * high ^ key)) & PAST_BITS
    at = high & (TABLE - 1)
    while state.latest[at]:
        before = state.latest[at] - 1
        if state.keys[before] == low and is_same(state, before, now):
            break
        at = (at + 1) & (TABLE - 1)
    state.times[now] = 1 + (state.times[state.latest[at] - 1] if state.latest[at] else 0)
    state.latest[at] = now + 1
    return state.times[now]


def is_same(state: State, before: int, now: int) -> bool:
    """Whether every piece stood in position number `before` where it stands now."""
    for piece in range(PIECES):
        state.earlier[piece] = state.spots[piece]
    for ply in range(now, before, -1):
        state.earlier[state.moved[ply]] = state.came_from[ply]
    for piece in range(PIECES):
        if state.earlier[piece] != state.spots[piece]:
            return False
    return True
