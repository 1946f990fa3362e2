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
    """The piece goes down, then comes what follows from it, in the order a–d of 000.4."""
    effects = effects_of_slots(state, event)
    is_last, tall = is_last_of_kind(state, event), tall_chips(state, event)
    put_piece(state, kind_of(event.colour, event.shape), event.cell)
    lay_chips(state, event)
    if is_last:
        effects |= LAST_OF_KIND
    if tall:
        effects |= TALL_STACK
    effects |= pay_bonus(state, event.seat, event.colour, is_last + tall)
    return effects | end_placing(state, event.seat)


def lay_chips(state: State, event: EventRecord) -> None:
    """Effect a: the chips go on their targets."""
    for i in range(event.n_targets):
        lay_chip(state, event.targets[i], event.colour)
    state.supply[event.colour] -= event.n_targets


def is_last_of_kind(state: State, event: EventRecord) -> int:
    """Effect b: 1 for a placement, not yet made, of the last piece of its kind."""
    return 1 if state.left[kind_of(event.colour, event.shape)] == 1 else 0


def tall_chips(state: State, event: EventRecord) -> int:
    """Effect b: how many chips of a placement, not yet made, come on four or more, one laid after the other."""
    tall = 0
    same = 0
    for i in range(event.n_targets):
        same = same + 1 if i and event.targets[i] == event.targets[i - 1] else 0
        if state.heights[event.targets[i]] + same >= TALL:
            tall += 1
    return tall


def pay_bonus(state: State, seat: int, colour: int, due: int) -> int:
    """Effect c: the seat gets the bonus, as far as the supply has chips of the colour."""
    paid = min(due, state.supply[colour])
    state.held[N_COLOURS * seat + colour] += paid
    state.supply[colour] -= paid
    return BONUS_UNPAID if paid < due else 0


def end_placing(state: State, seat: int) -> int:
    """Effect d: phase 1 may be over; else it is the right neighbour's turn."""
    effects = 0
    if state.occupied | state.stacked == ALL_CELLS:
        effects |= PHASE_ENDED_FULL
    if not is_any_kind_placeable(state):
        effects |= PHASE_ENDED_NO_KIND
    if effects:
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
    for k in range(live):
        colours = colours_with(state, shape, live, k)
        if colours:
            # Too few chips: it is a choice which slots get one.
            n = list_outcomes(state, live, k, 0, colours, out, n)
    colours = colours_with(state, shape, live, live)
    if colours:
        # Every slot gets one: only the chips that go round a piece have a choice.
        direct = AREA[CELLS * shape + cell] & ~state.occupied
        n = list_outcomes(state, redirects, redirects, direct, colours, out, n)
    return n


def colours_with(state: State, shape: int, live: int, k: int) -> int:
    """Bit set of the colours in which a piece of this shape can be placed and brings k chips to `live` slots."""
    colours = 0
    for colour in range(N_COLOURS):
        chips = state.supply[colour]
        if chips and state.left[2 * colour + shape] and min(live, chips) == k:
            colours |= 1 << colour
    return colours
