"""The rules of nibble, as the rule book has them. Rule file nibble.md."""

from __future__ import annotations

from kifold.core.emit import EventRecord, Out, slot
from kifold.core.events import tag_of
from kifold.core.names import LEGAL
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.nibble.board import (
    COLUMN,
    MAJORITY,
    N_CELLS,
    N_COLOURS,
    ROW,
    THREE_NEEDED,
    can_go_together,
    cover,
    find_bridges,
    is_bridge,
    lies_there,
    lift,
    sort_loose_tiles,
    why_not_loose,
)
from kifold.core.rulesets.nibble.declaration import (
    BOARD_EMPTIED,
    BY_COLOUR,
    BY_MAJORITY,
    BY_THREE,
    DECIDED_EARLY,
    DISCONNECTS,
    MATCH_OVER,
    MIXED_COLOURS,
    MOST_CELLS,
    MOST_COLOURS,
    NOT_ASCENDING,
    NOT_YOUR_TURN,
    OFF_BOARD,
    STILL_ON,
    TILE_GONE,
    WON_BY_COLOUR,
    WON_BY_MAJORITY,
    WON_BY_THREE,
    State,
    Take,
)
from kifold.core.rulesets.nibble.layout import why_not_setup

TAKE = tag_of(Take)


def set_up(state: State, setup: EventRecord) -> int:
    """A tile on every cell, the colour table beside the board."""
    reason = why_not_setup(state, setup)
    if reason != LEGAL:
        return reason
    state.variant = setup.variant
    state.early_stop = setup.early_stop
    state.to_move = setup.first
    for cell in range(N_CELLS[setup.variant]):
        state.layout[cell] = setup.layout[cell]
    for place in range(N_COLOURS[setup.variant]):
        state.table[place] = setup.table[place]
        state.place[setup.table[place]] = place
    cover(state)
    return LEGAL


def check(state: State, event: EventRecord) -> int:
    """Why the event is refused."""
    if state.win_type != STILL_ON:
        return MATCH_OVER
    reason = why_not_named(state, event)
    if reason == LEGAL:
        reason = why_not_taken(state, event)
    if reason != LEGAL:
        return reason
    return LEGAL if event.seat == state.to_move else NOT_YOUR_TURN


def why_not_named(state: State, event: EventRecord) -> int:
    """Tiles that lie on the board, in ascending order, all of one colour. None at all is no take: nobody may pass."""
    before = -1
    for i in range(event.n_tiles):
        tile = event.tiles[i]
        if tile <= before:
            return NOT_ASCENDING
        if tile >= N_CELLS[state.variant]:
            return OFF_BOARD
        if not lies_there(state, tile):
            return TILE_GONE
        if state.layout[tile] != state.layout[event.tiles[0]]:
            return MIXED_COLOURS
        before = tile
    return LEGAL if event.n_tiles else NOT_ASCENDING


def why_not_taken(state: State, event: EventRecord) -> int:
    """Each tile may be taken alone, and no two of them are needed to hold the rest together (004-1 to 004-4)."""
    for i in range(event.n_tiles):
        at = state.variant * MOST_CELLS + event.tiles[i]
        reason = why_not_loose(state, COLUMN[at], ROW[at])
        if reason != LEGAL:
            return reason
    for i in range(1, event.n_tiles):
        for j in range(i):
            if is_bridge(state, event.tiles[j], event.tiles[i]):
                return DISCONNECTS
    return LEGAL


def apply(state: State, event: EventRecord) -> int:
    """The tiles go to the player's column of their colour; then the player may have won (004.5)."""
    seat, colour = event.seat, state.layout[event.tiles[0]]
    for i in range(event.n_tiles):
        lift(state, event.tiles[i])
    state.tiles_left -= event.n_tiles
    state.taken[seat * MOST_COLOURS + colour] += event.n_tiles
    state.to_move = 1 - seat
    effects = BOARD_EMPTIED if state.tiles_left == 0 else 0
    if has_all_tiles(state, seat, colour):
        win(state, seat, BY_COLOUR)
        return effects | WON_BY_COLOUR
    if has_three_neighbours(state, seat, colour):
        win(state, seat, BY_THREE)
        return effects | WON_BY_THREE
    if state.tiles_left == 0:
        win(state, seat if has_majority(state, seat) else 1 - seat, BY_MAJORITY)
        return effects | WON_BY_MAJORITY
    if state.early_stop and is_decided_for(state, seat):
        win(state, seat, BY_MAJORITY)
        return effects | WON_BY_MAJORITY | DECIDED_EARLY
    return effects


def win(state: State, seat: int, win_type: int) -> None:
    """A seat wins the match."""
    state.winner = seat
    state.win_type = win_type


def has_all_tiles(state: State, seat: int, colour: int) -> bool:
    """Whether a seat has every tile of a colour."""
    return state.taken[seat * MOST_COLOURS + colour] == N_COLOURS[state.variant]


def has_three_neighbours(state: State, seat: int, colour: int) -> bool:
    """Whether a seat has enough tiles in each of three neighbouring colours of the table, one of them the given one.

    The table is a line, its ends are no neighbours; enough means enough of each (004-10).
    """
    low = high = state.place[colour]
    if not has_enough(state, seat, low):
        return False
    while low > 0 and has_enough(state, seat, low - 1):
        low -= 1
    while high + 1 < N_COLOURS[state.variant] and has_enough(state, seat, high + 1):
        high += 1
    return high - low >= 2


def has_enough(state: State, seat: int, place: int) -> bool:
    """Whether a seat has as many tiles of the colour at a place of the table as three neighbouring colours need."""
    return state.taken[seat * MOST_COLOURS + state.table[place]] >= THREE_NEEDED[state.variant]


def colours_owned(state: State, seat: int) -> int:
    """In how many colours a seat has the majority of the tiles."""
    owned = 0
    for colour in range(N_COLOURS[state.variant]):
        if state.taken[seat * MOST_COLOURS + colour] >= MAJORITY[state.variant]:
            owned += 1
    return owned


def has_majority(state: State, seat: int) -> bool:
    """Whether a seat has the majority in the majority of the colours: there are as many colours as tiles of each."""
    return colours_owned(state, seat) >= MAJORITY[state.variant]


def is_decided_for(state: State, seat: int) -> bool:
    """Whether a seat has the majority already, and the other can neither get all tiles of a colour nor enough in three
    neighbouring ones (004-6).
    """
    if not has_majority(state, seat):
        return False
    n_colours = N_COLOURS[state.variant]
    open_run = 0
    for place in range(n_colours):
        held = state.taken[seat * MOST_COLOURS + state.table[place]]
        if held == 0:
            return False
        open_run = 0 if held > n_colours - THREE_NEEDED[state.variant] else open_run + 1
        if open_run == 3:
            return False
    return True


def turn(state: State) -> int:
    """The seat whose turn it is: players alternate, and nobody can pass or be stuck."""
    return state.to_move if state.win_type == STILL_ON else NOBODY


def legal(state: State, seat: int, out: Out) -> int:
    """Every set of tiles of one colour that a seat may take, each once, colour by colour.

    n loose tiles of a colour make 2^n − 1 sets, less those with a bridge: at most 511 a colour with nine colours and
    8191 with thirteen, so 4 599 and 106 483 in all. Random play has 11 to 15 on average; the longest list of 12 000
    simulated matches, random and greedy, had 522.
    """
    if state.win_type != STILL_ON:
        return 0
    sort_loose_tiles(state)
    n = 0
    for colour in range(N_COLOURS[state.variant]):
        if state.n_loose[colour]:
            n = list_takes(state, seat, colour, out, n)
    return n


def list_takes(state: State, seat: int, colour: int, out: Out, n: int) -> int:
    """Append every set of loose tiles of a colour that can go together to `out`, from number n on; the new number."""
    first, n_loose = colour * MOST_COLOURS, state.n_loose[colour]
    has_bridges = find_bridges(state, colour)
    for chosen in range(1, 1 << n_loose):
        if has_bridges and not can_go_together(state, n_loose, chosen):
            continue
        event = slot(out, n)
        event.tag = TAKE
        event.seat = seat
        count = 0
        for i in range(n_loose):
            if chosen >> i & 1:
                event.tiles[count] = state.loose[first + i]
                count += 1
        event.n_tiles = count
        n += 1
    return n
