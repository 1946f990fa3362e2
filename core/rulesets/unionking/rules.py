"""The rules of the three Union King games, as the rule book has them. Rule file unionking.md."""

from __future__ import annotations

from kifold.core.emit import EventRecord, Out, slot
from kifold.core.events import tag_of
from kifold.core.names import LEGAL
from kifold.core.ruleset import NOBODY
from kifold.core.rulesets.unionking.board import (
    LINES,
    POINT_OF_SPOT,
    POINTS,
    SPOT_OF_POINT,
    SPOTS,
    STEP,
    board_number,
    is_board,
    step_to,
)
from kifold.core.rulesets.unionking.declaration import (
    BAD_BOARD,
    BLACK,
    DECLINE_NOT_ALLOWED,
    ENDED_BY_GOAL,
    ENDED_BY_LENGTH,
    ENDED_BY_REPETITION,
    ENDED_STUCK,
    JUMPED,
    LAST_MOVE,
    LAST_MOVE_GRANTED,
    LAYOUTS,
    MATCH_OVER,
    MERGED,
    N_FIGURES,
    N_PARTS,
    NOT_ON_A_LINE,
    NOT_REACHABLE,
    NOT_YOUR_TURN,
    OFF_BOARD,
    OUTER,
    POINT_OFF_BOARD,
    POINTS_NOT_DISTINCT,
    SPLIT,
    TURN_SKIPPED,
    WHITE,
    Decline,
    Move,
    State,
)
from kifold.core.rulesets.unionking.history import KEY_BITS, WEIGHT, remember
from kifold.core.rulesets.unionking.layouts import PIECES, SIDE
from kifold.core.rulesets.unionking.pairs import is_at_goal, partner, piece_of

MOVE, DECLINE = tag_of(Move), tag_of(Decline)
MUST = LAST_MOVE.number("must")
FREE, EDGE = 0, -1


def set_up(state: State, setup: EventRecord) -> int:
    """The pieces on their points (3). A side that cannot move at the start lets the other begin (4.11)."""
    state.variant = setup.variant
    state.width = setup.width
    state.height = setup.height
    state.jump_merge = setup.jump_merge
    state.must_move_last = 1 if setup.last_move == MUST else 0
    state.repetition = setup.repetition
    state.max_plies = setup.max_plies
    if not is_board(state.width, state.height):
        return BAD_BOARD
    if setup.n_layout == 0 and (state.width != SIDE or state.height != SIDE):
        return BAD_BOARD
    if setup.n_layout != 0 and setup.n_layout != PIECES:
        return POINT_OFF_BOARD
    state.number = board_number(state.width, state.height)
    clear_board(state)
    for i in range(setup.n_layout):
        if setup.layout[i] >= state.width * state.height:
            return POINT_OFF_BOARD
    for piece in range(PIECES):
        point = setup.layout[piece] if setup.n_layout else LAYOUTS[state.variant * PIECES + piece]
        if not put(state, piece, SPOT_OF_POINT[state.width * POINTS + point]):
            return POINTS_NOT_DISTINCT
    state.to_move = side_that_moves(state, WHITE)
    if state.repetition:
        remember(state, state.to_move)
    return LEGAL


def clear_board(state: State) -> None:
    """Every point free, and the rim around them."""
    for spot in range(SPOTS):
        state.board[spot] = EDGE
    for point in range(state.width * state.height):
        state.board[SPOT_OF_POINT[state.width * POINTS + point]] = FREE


def put(state: State, piece: int, spot: int) -> bool:
    """Put a piece down at the start; whether the spot was free or its partner's."""
    if state.board[spot] != FREE and state.spots[partner(piece)] != spot:
        return False
    state.board[spot] += 1
    state.spots[piece] = spot
    state.key = (state.key + WEIGHT[piece] * spot) & KEY_BITS
    return True


def check(state: State, event: EventRecord) -> int:
    """Why the event is refused."""
    if state.to_move == NOBODY:
        return MATCH_OVER
    if event.tag == DECLINE:
        return LEGAL if may_decline(state, event.colour) else DECLINE_NOT_ALLOWED
    reason = why_not_move(state, event)
    if reason != LEGAL:
        return reason
    return LEGAL if event.colour == state.to_move else NOT_YOUR_TURN


def may_decline(state: State, colour: int) -> bool:
    """There is no pass (4.1) but for Black's last move, where that is a permission (4.7): then it is Black's turn."""
    return state.is_last_move != 0 and not state.must_move_last and colour == BLACK


def why_not_move(state: State, event: EventRecord) -> int:
    """A piece goes along a line of the board, no farther than to the next point unless it jumps (4.3, 4.4)."""
    if event.to >= state.width * state.height:
        return OFF_BOARD
    piece = piece_of(event.colour, event.part, event.figure)
    start, target = state.spots[piece], SPOT_OF_POINT[state.width * POINTS + event.to]
    step = step_to(start, target)
    if step == 0:
        return NOT_ON_A_LINE
    spot = start + step
    while spot != target and state.board[spot] != FREE:
        spot += step
    if spot != target:
        return NOT_REACHABLE
    if state.board[target] == FREE:
        return LEGAL
    if target == state.spots[partner(piece)] and may_merge(state, start + step, target):
        return LEGAL
    return NOT_REACHABLE


def may_merge(state: State, next_spot: int, target: int) -> bool:
    """A piece joins its partner at the next point, and beyond a jump where that is played (option jump_merge)."""
    return target == next_spot or state.jump_merge != 0


def apply(state: State, event: EventRecord) -> int:
    """Move the piece, then see whether that ends the match, and who is next."""
    state.plies += 1
    if event.tag == DECLINE:
        return end(state, ENDED_BY_GOAL)
    effects = move(state, event)
    if state.is_last_move:
        return effects | end(state, ENDED_BY_GOAL)
    if is_at_goal(state, event.colour):
        return effects | after_goal(state, event.colour)
    return effects | after_move(state, event.colour)


def end(state: State, why: int) -> int:
    """The match is over."""
    state.to_move = NOBODY
    state.is_last_move = 0
    return why


def move(state: State, event: EventRecord) -> int:
    """Take the piece from its point to the other; what came of it."""
    piece = piece_of(event.colour, event.part, event.figure)
    start, target = state.spots[piece], SPOT_OF_POINT[state.width * POINTS + event.to]
    mate = state.spots[partner(piece)]
    state.board[start] -= 1
    state.board[target] += 1
    state.spots[piece] = target
    state.key = (state.key + WEIGHT[piece] * (target - start)) & KEY_BITS
    state.moved[state.plies] = piece
    state.came_from[state.plies] = start
    effects = JUMPED if start + step_to(start, target) != target else 0
    if start == mate:
        effects |= SPLIT
    if target == mate:
        effects |= MERGED
    return effects


def after_goal(state: State, colour: int) -> int:
    """When White is the one to reach the goal, Black – if it can – moves once more (4.7); no other end is looked at."""
    if colour == WHITE and has_move(state, BLACK):
        state.is_last_move = 1
        state.to_move = BLACK
        return LAST_MOVE_GRANTED
    return end(state, ENDED_BY_GOAL)


def after_move(state: State, colour: int) -> int:
    """The ends of 4.11, in this order: repetition, length, nobody can move; else who moves next."""
    following = side_that_moves(state, 1 - colour)
    if state.repetition and remember(state, following) >= state.repetition:
        return end(state, ENDED_BY_REPETITION)
    if state.plies >= state.max_plies:
        return end(state, ENDED_BY_LENGTH)
    if following == NOBODY:
        return end(state, ENDED_STUCK)
    state.to_move = following
    return TURN_SKIPPED if following == colour else 0


def side_that_moves(state: State, colour: int) -> int:
    """A side that can move; without a move its turn is skipped, and with both stuck it is nobody's (4.11)."""
    if has_move(state, colour):
        return colour
    if has_move(state, 1 - colour):
        return 1 - colour
    return NOBODY


def has_move(state: State, colour: int) -> bool:
    """Whether any piece of a side can move."""
    for piece in range(piece_of(colour, OUTER, 0), piece_of(colour + 1, OUTER, 0)):
        if can_move(state, piece):
            return True
    return False


def can_move(state: State, piece: int) -> bool:
    """Whether a free point, or the partner, can be reached along some line."""
    start, mate = state.spots[piece], state.spots[partner(piece)]
    for way in range(LINES[start]):
        spot = start + STEP[way]
        while state.board[spot] > FREE:
            if spot == mate and may_merge(state, start + STEP[way], spot):
                return True
            spot += STEP[way]
        if state.board[spot] == FREE:
            return True
    return False


def turn(state: State) -> int:
    """The side to move."""
    return state.to_move


def actor(state: State, event: EventRecord) -> int:
    """White is seat 0, Black seat 1."""
    return event.colour  # type: ignore[no-any-return]


def legal(state: State, seat: int, out: Out) -> int:
    """The moves of a side, and Black's declining of the last one; out of turn the moves that the side would have."""
    if state.to_move == NOBODY:
        return 0
    n = 0
    for part in range(N_PARTS):
        for figure in range(N_FIGURES):
            n = list_moves(state, seat, part, figure, out, n)
    if may_decline(state, seat):
        event = slot(out, n)
        event.tag = DECLINE
        event.colour = seat
        n += 1
    return n


def list_moves(state: State, colour: int, part: int, figure: int, out: Out, n: int) -> int:
    """Append every move of a piece to `out`, from number n on; the new number."""
    piece = piece_of(colour, part, figure)
    start, mate = state.spots[piece], state.spots[partner(piece)]
    for way in range(LINES[start]):
        spot = start + STEP[way]
        while state.board[spot] > FREE:
            if spot == mate and may_merge(state, start + STEP[way], spot):
                write_move(state, slot(out, n), colour, part, figure, spot)
                n += 1
            spot += STEP[way]
        if state.board[spot] == FREE:
            write_move(state, slot(out, n), colour, part, figure, spot)
            n += 1
    return n


def write_move(state: State, event: EventRecord, colour: int, part: int, figure: int, spot: int) -> None:
    """Fill in the event of a piece that moves to a spot."""
    event.tag = MOVE
    event.colour = colour
    event.part = part
    event.figure = figure
    event.to = POINT_OF_SPOT[state.width * SPOTS + spot]
