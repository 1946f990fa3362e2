"""The rules of chipstack, as the rule book has them. Rule file chipstack.md."""

from __future__ import annotations

from kifold.core.emit import EventRecord, Out, slot
from kifold.core.events import tag_of
from kifold.core.names import LEGAL
from kifold.core.rng import Random, below
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.chipstack.board import (
    ALL_CELLS,
    AREA,
    AREA_CELLS,
    AREA_SIZE,
    ROUND,
    SQUARE,
    begin_outcomes,
    can_fill,
    find_direct,
    find_redirects,
    find_slots,
    is_open,
    kind_of,
    lay_chip,
    merge_targets,
    next_outcome,
    put_piece,
    remove_piece,
    take_chip,
)
from kifold.core.rulesets.chipstack.declaration import (
    BONUS_UNPAID,
    CELL_OCCUPIED,
    CELLS,
    LAST_OF_KIND,
    MATCH_ENDED,
    MATCH_OVER,
    MOST_SLOTS,
    N_COLOURS,
    N_KINDS,
    N_SHAPES,
    NO_CHIP_LEFT,
    NO_PIECE_LEFT,
    NO_PIECE_THERE,
    NO_SUCH_SEAT,
    NOT_YOUR_TURN,
    OVER,
    PHASE_ENDED_FULL,
    PHASE_ENDED_NO_KIND,
    REDIRECTED,
    SHORTAGE,
    SLOT_DEAD,
    STACKING,
    TAKING,
    TALL_STACK,
    TARGETS_NOT_ALLOWED,
    TARGETS_NOT_SORTED,
    WRONG_NUMBER_OF_TARGETS,
    WRONG_PHASE,
    ZERO_COLOURS,
    Place,
    State,
    Take,
)

PLACE, TAKE = tag_of(Place), tag_of(Take)
WORST = ZERO_COLOURS.number("worst")
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
    state.zero_is_worst = 1 if setup.zero_colours == WORST else 0
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
    if state.left[kind_of(event.colour, event.shape)] == 0:
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
    kind = kind_of(event.colour, event.shape)
    effects = effects_of_slots(state, event)
    put_piece(state, kind, event.cell)
    due = lay_chips(state, event)
    if due:
        effects |= TALL_STACK
    if state.left[kind] == 0:
        due += 1
        effects |= LAST_OF_KIND
    effects |= pay_bonus(state, event.seat, event.colour, due)
    return effects | end_placing(state, event.seat)


def lay_chips(state: State, event: EventRecord) -> int:
    """Effect a: the chips go on their targets. Returns how many came on four or more, which is part of effect b."""
    tall = 0
    for i in range(event.n_targets):
        if state.heights[event.targets[i]] >= TALL:
            tall += 1
        lay_chip(state, event.targets[i], event.colour)
    state.supply[event.colour] -= event.n_targets
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
        if state.supply[colour] and state.left[kind_of(colour, ROUND)] + state.left[kind_of(colour, SQUARE)]:
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


def turn(state: State) -> int:
    """The seat to move."""
    return NOBODY if state.phase == OVER else state.to_move


def phase(state: State) -> int:
    """Stacking or taking (000.4, 000.5)."""
    phase: int = state.phase
    return phase


def legal(state: State, seat: int, out: Out) -> int:
    """What a seat may do, or could do if it were its turn. Each different outcome of a placement is listed once."""
    n = 0
    for cell in range(CELLS):
        if state.phase == STACKING and not state.pieces[cell]:
            for shape in range(N_SHAPES):
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
    for k in range(1, live):
        # With too few chips for all slots it is a choice which of them get one.
        colours = colours_with(state, shape, live, k)
        if colours:
            begin_outcomes(state, live)
            depth = 0
            while next_outcome(state, live, k, depth):
                merge_targets(state, k, 0)
                n = write_placements(state, seat, shape, cell, colours, k, out, n)
                depth = k - 1
    colours = colours_with(state, shape, live, live)
    if colours:
        # With enough of them, only the chips that go round a piece have a choice.
        direct = AREA[CELLS * shape + cell] & ~state.occupied
        begin_outcomes(state, redirects)
        depth = 0
        while next_outcome(state, redirects, redirects, depth):
            merge_targets(state, redirects, direct)
            n = write_placements(state, seat, shape, cell, colours, live, out, n)
            depth = redirects - 1
    return n


def write_placements(state: State, seat: int, shape: int, cell: int, colours: int, k: int, out: Out, n: int) -> int:
    """Append the placement with the k `targets` of the state in each of the colours; the new number."""
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
    return n


def colours_with(state: State, shape: int, live: int, k: int) -> int:
    """Bit set of the colours in which a piece of this shape can be placed and brings k chips to `live` slots."""
    colours = 0
    for colour in range(N_COLOURS):
        chips = state.supply[colour]
        if chips and state.left[kind_of(colour, shape)] and min(live, chips) == k:
            colours |= 1 << colour
    return colours
