"""A picture of a position: what everybody at the table sees."""

from __future__ import annotations

from kifold.core.events import Started
from kifold.core.rulesets.edgecolor.cards import COLOUR_LETTERS, card_text, mark_of, sides_of
from kifold.core.rulesets.edgecolor.declaration import (
    BLACK_LAST_DUE,
    BLOCKER,
    DRAWN_CARD,
    EXTRA_TURN,
    NOTHING,
    OVER,
    PENALTY_DUE,
    PLACING_BLOCKERS,
    STUCK_DUE,
    TURN,
    State,
)
from kifold.core.rulesets.edgecolor.names import SOLO
from kifold.core.rulesets.edgecolor.notation import cell_text
from kifold.core.scene import Line, Scene, Shape, board_labels

PAINT = ("red", "blue", "yellow", "black")
PITCH = 4
"""A cell is so many units wide: the mark in the middle, the colours at the four sides."""
ARM = 1.3
"""How far from the mark they are."""
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
SIDE_NAMES = ("north", "east", "south", "west")

WAITS_FOR = {
    PLACING_BLOCKERS: "puts blockers on the board",
    TURN: "to play",
    EXTRA_TURN: "may play again",
    DRAWN_CARD: "to play the card just drawn",
    PENALTY_DUE: "draws a penalty",
    BLACK_LAST_DUE: "draws until its black mark is not alone",
    STUCK_DUE: "cannot play and draws",
}
OUTCOMES = ("failure", "success", "great success")
REMARK = (
    "which edge types the cards have is a reconstruction, and so are the names of the colours: "
    "1 red, 2 blue, 3 yellow, K black"
)


def picture(started: Started, state: State) -> Scene:
    """The board, row 1 on top; on each card its mark in the middle and the four colours of its sides."""
    size = state.size
    scene = Scene(PITCH * size + 1, PITCH * size + 1)
    scene.labels = board_labels(size, size, from_top=True, pitch=(PITCH, PITCH), first=(_middle(0) + 1, _middle(0)))
    for cell in range(size * size):
        _add_cell(scene, state, cell)
    for i in range(size + 1):
        at, end = PITCH * i - 0.5, PITCH * size - 0.5
        scene.lines += [Line(0.5, at, end + 1, at), Line(at + 1, -0.5, at + 1, end)]
    for seat in range(state.seats):
        blocker = ", a blocker among them" if state.blocker_in_hand[seat] else ""
        scene.legend.append(f"seat {seat} has {_cards(state.hand_sizes[seat])}{blocker}")
    scene.legend.append(f"the deck has {_cards(state.deck)}")
    if state.phase == OVER and state.variant == SOLO:
        scene.legend.append(OUTCOMES[state.outcome])
    scene.legend.append(REMARK)
    scene.turn = _waits_for(state)
    return scene


def _add_cell(scene: Scene, state: State, cell: int) -> None:
    row, column = divmod(cell, state.size)
    x, y = _middle(column) + 1, _middle(row)
    name = cell_text(state.size, cell)
    top = state.tops[cell]
    if top == BLOCKER:
        scene.shapes.append(Shape("card", x, y, "purple", "#", f"{name} blocker", PITCH))
    elif top != NOTHING:
        flip = state.flips >> cell & 1
        title = f"{name} {card_text(state.edges, top, flip)}"
        scene.shapes.append(Shape("card", x, y, "white", COLOUR_LETTERS[mark_of(top)], title, PITCH))
        for side, colour in enumerate(sides_of(state.edges, top, flip)):
            dx, dy = STEPS[side]
            title = f"{name} {SIDE_NAMES[side]}: {COLOUR_LETTERS[colour]} ({PAINT[colour]})"
            scene.shapes.append(Shape("dot", x + ARM * dx, y + ARM * dy, PAINT[colour], COLOUR_LETTERS[colour], title))
    elif cell == state.deck_cell and state.deck > 0:
        scene.shapes.append(Shape("card", x, y, "grey", "D", f"{name} deck, {_cards(state.deck)}", PITCH))
    elif cell == state.deck_cell and not state.centre_opens:
        scene.shapes.append(Shape("square", x, y, "grey", "x", f"{name} closed", PITCH))
    else:
        scene.shapes.append(Shape("square", x, y, "board", ".", name, PITCH))


def _middle(i: int) -> float:
    return PITCH * i + (PITCH - 1) / 2


def _cards(count: int) -> str:
    return f"{count} card" if count == 1 else f"{count} cards"


def _waits_for(state: State) -> str:
    if state.phase == OVER:
        return ""
    draws = f" ({state.draws} due)" if state.phase == PENALTY_DUE else ""
    return f"seat {state.seat} {WAITS_FOR[state.phase]}{draws}"
