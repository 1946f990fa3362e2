"""The rules of chipstack, as the rule book has them. Rule file chipstack.md."""

from __future__ import annotations

from kifold.core.emit import EventRecord, Out, slot
from kifold.core.names import LEGAL
from kifold.core.rng import Random, below
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.chipstack.board import (
    ALL_CELLS,
    AREA,
    AREA_CELLS,
    AREA_SIZE,
    begin_outcomes,
    can_fill,
    find_direct,
    find_redirects,
    find_slots,
    lay_chip,
    merge_targets,
    next_outcome,
    put_piece,
    remove_piece,
    shape_on,
    take_chip,
    top_colour,
)
from kifold.core.rulesets.chipstack.declaration import (
    BONUS_UNPAID,
    CELL_OCCUPIED,
    CELLS,
    LAST_OF_KIND,
    MATCH_ENDED,
    MATCH_OVER,
    MOST_SLOTS,
    NO_CHIP_LEFT,
    NO_PIECE_LEFT,
    NO_PIECE_THERE,
    NO_SUCH_SEAT,
    NOT_YOUR_TURN,
    PHASE_ENDED_FULL,
    PHASE_ENDED_NO_KIND,
    REDIRECTED,
    SHORTAGE,
    SLOT_DEAD,
    TALL_STACK,
    TARGETS_NOT_ALLOWED,
    TARGETS_NOT_SORTED,
    WRONG_NUMBER_OF_TARGETS,
    WRONG_PHASE,
    Result,
    State,
)

PLACE, TAKE = 16, 17
STACKING, TAKING, OVER = 0, 1, 2
N_COLOURS, N_KINDS = 5, 10
CHIPS_PER_COLOUR = 20
PIECES_PER_KIND = 3
TALL = 4


def chance(setup: EventRecord, random: Random) -> None:
    """Any seat begins."""
    setup.first = below(random, setup.seats)


def set_up(state: State, setup: EventRecord) -> int:
    """An empty board; all chips and pieces in the common supply."""
    if setup.first >= setup.seats:
        return NO_SUCH_SEAT
    state.seats = setup.seats
    state.zero_is_worst = setup.zero_colours
    state.to_move = setup.first
    for colour in range(N_COLOURS):
        state.supply[colour] = CHIPS_PER_COLOUR
    for kind in range(N_KINDS):
        state.left[kind] = PIECES_PER_KIND
    return LEGAL


def check(state: State, event: EventRecord) -> int:
    """Why the event is refused."""
    if state.phase == OVER:
        return MATCH_OVER
    reason = why_not_place(state, event) if event.tag == PLACE else why_not_take(state, event)
    if reason == LEGAL and event.seat != state.to_move:
        return NOT_YOUR_TURN
    return reason


def why_not_place(state: State, event: EventRecord) -> int:
    """A piece and a chip of its colour, a cell without piece, a chip for every slot while the supply lasts (000.4)."""
    if state.phase != STACKING:
        return WRONG_PHASE
    if state.left[2 * event.colour + event.shape] == 0:
        return NO_PIECE_LEFT
    if state.supply[event.colour] == 0:
        return NO_CHIP_LEFT
    if state.pieces[event.cell]:
        return CELL_OCCUPIED
    live = find_slots(state, event.shape, event.cell)
    if event.n_targets != min(live, state.supply[event.colour]):
        return WRONG_NUMBER_OF_TARGETS
    for i in range(1, event.n_targets):
        if event.targets[i] < event.targets[i - 1]:
            return TARGETS_NOT_SORTED
    if not can_fill(state, live, event):
        return TARGETS_NOT_ALLOWED
    return LEGAL


def why_not_take(state: State, event: EventRecord) -> int:
    """Any piece, also one that yields nothing (000.5)."""
    if state.phase != TAKING:
        return WRONG_PHASE
    if not state.pieces[event.cell]:
        return NO_PIECE_THERE
    return LEGAL


def apply(state: State, event: EventRecord) -> int:
    """Place or take, and what the rules make of it."""
    return place(state, event) if event.tag == PLACE else take(state, event)


def place(state: State, event: EventRecord) -> int:
    """The piece, its chips, the bonus, and maybe the end of phase 1; else it is the right neighbour's turn (000.4)."""
    seat, colour, kind = event.seat, event.colour, 2 * event.colour + event.shape
    effects = effects_of_slots(state, event)
    put_piece(state, kind, event.cell)

    bonus = 0
    if state.left[kind] == 0:
        bonus += 1
        effects |= LAST_OF_KIND
    for i in range(event.n_targets):
        if state.heights[event.targets[i]] >= TALL:
            bonus += 1
            effects |= TALL_STACK
        lay_chip(state, event.targets[i], colour)
    state.supply[colour] -= event.n_targets

    paid = min(bonus, state.supply[colour])
    if paid < bonus:
        effects |= BONUS_UNPAID
    state.held[N_COLOURS * seat + colour] += paid
    state.supply[colour] -= paid

    if state.occupied | state.stacked == ALL_CELLS:
        effects |= PHASE_ENDED_FULL
    if not is_any_kind_placeable(state):
        effects |= PHASE_ENDED_NO_KIND
    if effects & (PHASE_ENDED_FULL | PHASE_ENDED_NO_KIND):
        # Whoever placed the last piece takes the first one (000-9): the turn stays where it is.
        state.phase = TAKING
    else:
        state.to_move = (seat + state.seats - 1) % state.seats
    return effects


def effects_of_slots(state: State, event: EventRecord) -> int:
    """Whether slots are dead, chips too few, or a chip goes round a piece; asked before the piece is put down."""
    here = CELLS * event.shape + event.cell
    live = find_slots(state, event.shape, event.cell)
    effects = 0
    if live < AREA_SIZE[here]:
        effects |= SLOT_DEAD
    if state.supply[event.colour] < live:
        effects |= SHORTAGE
    direct = AREA[here] & ~state.occupied
    for i in range(event.n_targets):
        target = 1 << event.targets[i]
        if not direct & target:
            effects |= REDIRECTED
        # Only the first chip on a cell can have come there directly.
        direct &= ~target
    return effects


def is_any_kind_placeable(state: State) -> bool:
    """Whether there is a piece left with a chip of its colour in the supply (000-11)."""
    for colour in range(N_COLOURS):
        if state.supply[colour] and state.left[2 * colour] + state.left[2 * colour + 1]:
            return True
    return False


def take(state: State, event: EventRecord) -> int:
    """The piece leaves the game, the seat gets the top chips of its area; the left neighbour is next (000.5)."""
    here = CELLS * remove_piece(state, event.cell) + event.cell
    for i in range(AREA_SIZE[here]):
        cell = AREA_CELLS[MOST_SLOTS * here + i]
        if is_open(state, cell):
            state.held[N_COLOURS * event.seat + take_chip(state, cell)] += 1
    if state.occupied == 0:
        state.phase = OVER
        return MATCH_ENDED
    state.to_move = (event.seat + 1) % state.seats
    return 0


def is_open(state: State, cell: int) -> bool:
    """Whether a chip can be taken from a cell: it has chips and no piece on them."""
    return state.heights[cell] > 0 and state.pieces[cell] == 0


def turn(state: State) -> int:
    """The seat to move."""
    return NOBODY if state.phase == OVER else state.to_move


def actor(state: State, event: EventRecord) -> int:
    """The seat that the event names."""
    seat: int = event.seat
    return seat


def legal(state: State, seat: int, out: Out) -> int:
    """What a seat may do, or could do if it were its turn. Each different outcome of a placement is listed once."""
    n = 0
    for cell in range(CELLS):
        if state.phase == STACKING and not state.pieces[cell]:
            for shape in range(2):
                n = list_placements(state, seat, shape, cell, out, n)
        elif state.phase == TAKING and state.pieces[cell]:
            event = slot(out, n)
            event.tag = TAKE
            event.seat = seat
            event.cell = cell
            n += 1
    return n


def list_placements(state: State, seat: int, shape: int, cell: int, out: Out, n: int) -> int:
    """Append the placements of a shape on a cell, in every colour, from number n on; the new number."""
    redirects = find_redirects(state, shape, cell)
    live = find_direct(state, shape, cell, redirects)
    for k in range(live + 1):
        colours = colours_with(state, shape, live, k)
        if colours == 0:
            continue
        # Where every slot is filled, only the chips that go round a piece have a choice.
        direct = AREA[CELLS * shape + cell] & ~state.occupied if k == live else 0
        slots, chips = (redirects, redirects) if k == live else (live, k)
        begin_outcomes(state, slots)
        is_found = next_outcome(state, slots, chips, 0)
        while is_found:
            merge_targets(state, chips, direct)
            for colour in range(N_COLOURS):
                if colours >> colour & 1:
                    event = slot(out, n)
                    event.tag = PLACE
                    event.seat = seat
                    event.colour = colour
                    event.shape = shape
                    event.cell = cell
                    event.n_targets = k
                    for i in range(k):
                        event.targets[i] = state.targets[i]
                    n += 1
            is_found = next_outcome(state, slots, chips, chips - 1)
    return n


def colours_with(state: State, shape: int, live: int, k: int) -> int:
    """Bit set of the colours in which a piece of this shape can be placed and brings k chips to `live` slots."""
    colours = 0
    for colour in range(N_COLOURS):
        chips = state.supply[colour]
        if chips and state.left[2 * colour + shape] and min(live, chips) == k:
            colours |= 1 << colour
    return colours


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


def greedy(state: State, out: Out, n: int, random: Random) -> int:
    """Any of the events after which the seat's own chips stand best, as if the match ended there (000.6)."""
    best, ties, chosen = -2, 0, 0
    for i in range(n):
        gain = standing_after(state, out[i])
        if gain > best:
            best, ties = gain, 0
        if gain == best:
            ties += 1
            if below(random, ties) == 0:
                chosen = i
    return chosen


def standing_after(state: State, event: EventRecord) -> int:
    """How the chips of the seat that acts stand after a legal event."""
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
    bonus = 1 if state.left[2 * event.colour + event.shape] == 1 else 0
    same = 0
    for i in range(event.n_targets):
        same = same + 1 if i and event.targets[i] == event.targets[i - 1] else 0
        if state.heights[event.targets[i]] + same >= TALL:
            bonus += 1
    return bonus
