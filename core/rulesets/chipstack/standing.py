"""How a match of chipstack stands (000.6), and what a greedy player goes by."""

from __future__ import annotations

from kifold.core.emit import EventRecord
from kifold.core.rulesets.chipstack.board import AREA_CELLS, AREA_SIZE, is_open, kind_of, shape_on, top_colour
from kifold.core.rulesets.chipstack.declaration import CELLS, MOST_SLOTS, N_COLOURS, Result, State
from kifold.core.rulesets.chipstack.rules import PLACE, TALL


def result(state: State, result: Result) -> None:
    """Fewest colours first, then the counts in ascending order, the greater first; equal ones share a rank (000.6)."""
    for seat in range(state.seats):
        first = N_COLOURS * seat
        for colour in range(N_COLOURS):
            count = state.held[first + colour]
            result.chips[seat] += count
            if count:
                result.colours[seat] += 1
            result.sorted_counts[first + place_in_order(state.held, first, colour)] = count
    for seat in range(state.seats):
        own = standing(state, state.held, N_COLOURS * seat)
        result.rank[seat] = 1
        for other in range(state.seats):
            others = standing(state, state.held, N_COLOURS * other)
            if others > own:
                result.rank[seat] += 1


def place_in_order(counts: list[int], first: int, colour: int) -> int:
    """The place 0..4 of a colour's count among the five from `first` on, in ascending order."""
    place = 0
    for other in range(N_COLOURS):
        difference = counts[first + other] - counts[first + colour]
        if difference < 0 or (difference == 0 and other < colour):
            place += 1
    return place


def standing(state: State, counts: list[int], first: int) -> int:
    """A number for five counts from `first` on that is greater for the better ones (000.6, 000-7).

    The colours missing, then the counts in ascending order, five bits each: none is above 20.
    """
    missing = 0
    order = 0
    for colour in range(N_COLOURS):
        count = counts[first + colour]
        if count == 0:
            missing += 1
        order |= count << 5 * (N_COLOURS - 1 - place_in_order(counts, first, colour))
    if missing == N_COLOURS and state.zero_is_worst:
        return -1
    return missing << 5 * N_COLOURS | order


def gain(state: State, event: EventRecord) -> int:
    """How the seat's own chips stand after the event, as if the match ended there (000.6)."""
    for colour in range(N_COLOURS):
        state.imagined[colour] = state.held[N_COLOURS * event.seat + colour]
    if event.tag == PLACE:
        state.imagined[event.colour] += min(bonus_due(state, event), state.supply[event.colour] - event.n_targets)
    else:
        here = CELLS * shape_on(state, event.cell) + event.cell
        for i in range(AREA_SIZE[here]):
            cell = AREA_CELLS[MOST_SLOTS * here + i]
            if is_open(state, cell):
                state.imagined[top_colour(state, cell)] += 1
    return standing(state, state.imagined, 0)


def bonus_due(state: State, event: EventRecord) -> int:
    """The bonus of a placement not yet made: for the last of its kind, and for each chip on four or more (000.4)."""
    bonus = 1 if state.left[kind_of(event.colour, event.shape)] == 1 else 0
    same = 0
    for i in range(event.n_targets):
        same = same + 1 if i and event.targets[i] == event.targets[i - 1] else 0
        if state.heights[event.targets[i]] + same >= TALL:
            bonus += 1
    return bonus
