"""What the tests of edgecolor share: its oracle, cards by what one sees of them, and positions set up by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kifold.core.events import Event, Started, kind_of
from kifold.core.fields import fields_of
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.cards import CATALOGUE_A, table_digest
from kifold.core.rulesets.edgecolor.declaration import (
    BLACK_LAST_DUE,
    BLOCKER,
    DRAWN_CARD,
    EXTRA_TURN,
    NO_CARD,
    NO_SEED,
    NOTHING,
    OVER,
    OWN,
    PENALTY_DUE,
    PLACING_BLOCKERS,
    STUCK_DUE,
    TURN,
)
from kifold.core.rulesets.edgecolor.notation import edges_of, read_card
from tests.rulesets.harness import Adapter, load_oracle

ORACLE: Any = load_oracle("edgecolor")
MULTIPLAYER = ("beginner", "standard", "hard", "duo", "4x4")
OWN_EDGES = tuple(sorted({min(s, (s[2], s[3], s[0], s[1])) for s in [
    (0, 3, 0, 3), (1, 3, 1, 3), (2, 3, 2, 3), (3, 0, 3, 0), (0, 0, 3, 3), (1, 1, 3, 3),
    (2, 2, 3, 3), (0, 1, 0, 3), (1, 2, 1, 3), (2, 0, 2, 3), (0, 1, 2, 3), (3, 3, 3, 3),
]}))  # fmt: skip
"""A catalogue of its own: some types look the same after a half turn."""
OWN_CATALOGUE = {
    "catalogue": OWN,
    "edges": tuple(colour for sides in OWN_EDGES for colour in sides),
    "catalogue_digest": table_digest([colour for sides in OWN_EDGES for colour in sides]),
}


def card(text: str, edges: Sequence[int] = CATALOGUE_A) -> tuple[int, int]:
    """(card, flip) of ``12K3/2``."""
    return read_card(edges, text)


def cards(*texts: str) -> list[int]:
    """Cards by what one sees of them, any way up."""
    return [card(text)[0] for text in texts]


def to_oracle(event: Event) -> tuple[Any, ...]:
    return (kind_of(type(event)), *(getattr(event, field.name) for field in fields_of(type(event))))


def oracle_class(started: Started) -> Any:
    """The oracle, with the catalogue of the match."""
    edges = edges_of(started)
    types = [tuple(edges[at : at + 4]) for at in range(0, 48, 4)]
    return type("Oracle", (ORACLE.Oracle,), {"edge_types": types})


def build(started: Started) -> Any:
    setup = started.setup
    hands = [setup.hand_0, setup.hand_1, setup.hand_2, setup.hand_3][: started.seats]
    dealt: dict[str, Any] = {"hands": [list(hand) for hand in hands]}
    if setup.seed != NO_SEED:
        dealt["seed"] = {"card": setup.seed, "cell": setup.seed_cell, "flip": setup.seed_flip}
    return oracle_class(started)(started.variant, started.options, started.seats, dealt)


PHASES = {
    PLACING_BLOCKERS: "blocker_setup",
    TURN: "turn",
    EXTRA_TURN: "extra",
    DRAWN_CARD: "drawn",
    PENALTY_DUE: "draw",
    BLACK_LAST_DUE: "draw",
    STUCK_DUE: "draw",
    OVER: "over",
}


def bits(cards: int) -> list[int]:
    return [i for i in range(cards.bit_length()) if cards >> i & 1]


def position(state: Any) -> dict[str, Any]:
    board: list[dict[str, Any] | None] = []
    for cell in range(state.size * state.size):
        top = state.tops[cell]
        if top == NOTHING:
            board.append(None)
        elif top == BLOCKER:
            board.append({"blocker": True})
        else:
            board.append({"card": top, "flip": state.flips >> cell & 1, "mark": top % 4})
    return {
        "board": board,
        "blockers": bits(state.blockers),
        "hands": [bits(state.hands[seat]) for seat in range(state.seats)],
        "hand_blockers": state.blocker_in_hand[: state.seats],
        "deck": state.deck,
        "turn": None if state.phase == OVER else state.seat,
        "drawn": None if state.drawn == NO_CARD else state.drawn,
        "blockers_due": state.blockers_to_place,
        "played": state.played[: state.seats],
    }


def chance(oracle: Any) -> set[tuple[Any, ...]]:
    drawn: set[tuple[Any, ...]] = oracle.legal_draws()
    return drawn


ADAPTER = Adapter(EDGECOLOR, build, to_oracle, position, chance, compares_result_before_end=False)
