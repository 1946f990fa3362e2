"""What the tests of edgecolor share: its oracle, cards by what one sees of them, and positions set up by hand."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kifold.core.events import Event, OptionValue, Started, kind_of
from kifold.core.fields import fields_of
from kifold.core.names import LEGAL
from kifold.core.play import Play
from kifold.core.ruleset import Ruleset
from kifold.core.rulesets.edgecolor import EDGECOLOR
from kifold.core.rulesets.edgecolor.board import lay_blocker, lay_card, matches
from kifold.core.rulesets.edgecolor.cards import ALL_CARDS, BASIC_CARDS, CATALOGUE_A, sides_of, table_digest
from kifold.core.rulesets.edgecolor.deal import set_board, take_catalogue
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
    EdgecolorSetup,
)
from kifold.core.rulesets.edgecolor.declaration import (
    Play as PlayCard,
)
from kifold.core.rulesets.edgecolor.notation import edges_of, read_card, read_cell
from kifold.core.rulesets.edgecolor.places import note_all_places
from kifold.core.rulesets.edgecolor.turns import go_on, start_solo_turn, start_turn
from tests.rulesets.harness import Adapter, Log, chosen_log, load_oracle, random_log

Item = tuple[int, int]
"""(card, flip); a blocker is (48, 0)."""
BLOCK: Item = (BLOCKER, 0)
ORACLE: Any = load_oracle("edgecolor")
MULTIPLAYER = ("beginner", "standard", "hard", "duo", "4x4")
OWN_EDGES = tuple(sorted({min(s, (s[2], s[3], s[0], s[1])) for s in [
    (0, 3, 0, 3), (1, 3, 1, 3), (2, 3, 2, 3), (3, 0, 3, 0), (0, 0, 3, 3), (1, 1, 3, 3),
    (2, 2, 3, 3), (0, 1, 0, 3), (1, 2, 1, 3), (2, 0, 2, 3), (0, 1, 2, 3), (3, 3, 3, 3),
]}))  # fmt: skip
"""A catalogue of its own: some types look the same after a half turn."""
OWN_CATALOGUE: dict[str, Any] = {
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


def at(name: str, size: int = 5) -> int:
    """The cell of ``c2``."""
    return read_cell(size, name)


def layout(size: int = 5, /, **tops: str | Item) -> dict[int, list[Item]]:
    """``c2="123K/1"`` as a board."""
    return {at(name, size): [card(top) if isinstance(top, str) else top] for name, top in tops.items()}


def put(seat: int, text: str, name: str, size: int = 5) -> PlayCard:
    """A card, as one sees it lie, on a cell."""
    number, flip = card(text)
    return PlayCard(seat, number, at(name, size), flip)


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


# Positions set up by hand: rare things happen late, with small hands and small decks, and a deal cannot begin there.


@dataclass(frozen=True)
class Position:
    """A position at the start of a seat's turn, or with `earned` at an extra play that has just been earned.

    `board` holds stacks from bottom to top. The deck has `deck` cards, any that lie nowhere else.
    """

    variant: str
    hands: Sequence[Sequence[int]]
    board: Mapping[int, Sequence[Item]] = field(default_factory=dict)
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    deck: int | None = None
    turn: int = 0
    hand_blockers: Sequence[int] = (0, 0)
    earned: bool = False
    setup: EdgecolorSetup = field(default_factory=EdgecolorSetup)

    @property
    def started(self) -> Started:
        return EDGECOLOR.start(self.variant, self.options, len(self.hands), setup=self.setup)

    @property
    def ruleset(self) -> Ruleset:
        """Edgecolor, but matches begin here."""
        rules = dataclasses.replace(EDGECOLOR.rules, set_up=self.set_up, chance=None)
        return dataclasses.replace(EDGECOLOR, rules=rules)

    @property
    def adapter(self) -> Adapter:
        return dataclasses.replace(ADAPTER, ruleset=self.ruleset, build=lambda _: self.oracle())

    def oracle(self) -> Any:
        return oracle_class(self.started).from_position(
            self.variant,
            [list(hand) for hand in self.hands],
            {cell: list(stack) for cell, stack in self.board.items()},
            options=dict(self.options),
            deck=self.deck,
            turn=self.turn,
            hand_blockers=list(self.hand_blockers)[: len(self.hands)] if self.variant == "duo" else None,
            extra=self.earned,
        )

    def set_up(self, state: Any, setup: Any) -> int:
        assert take_catalogue(state, setup) == LEGAL
        set_board(state, setup)
        state.blockers_to_place = 0
        laid = 0
        for cell, stack in self.board.items():
            for card, flip in stack:
                if card == BLOCKER:
                    lay_blocker(state, cell)
                else:
                    lay_card(state, card, cell, flip)
                    laid |= 1 << card
        state.opened = 1 if laid else 0
        for seat, hand in enumerate(self.hands):
            state.hands[seat] = sum(1 << card for card in hand)
            state.blocker_in_hand[seat] = self.hand_blockers[seat] if self.variant == "duo" else 0
            state.hand_sizes[seat] = len(hand) + state.blocker_in_hand[seat]
        pool = BASIC_CARDS if self.variant == "solo" else ALL_CARDS
        state.unseen = pool & ~laid & ~sum(state.hands)
        state.deck = state.unseen.bit_count() if self.deck is None else self.deck
        note_all_places(state)
        state.seat, state.earned = self.turn, int(self.earned)
        if self.variant == "solo":
            start_solo_turn(state)
        elif self.earned:
            go_on(state)
        else:
            start_turn(state, self.turn)
        return LEGAL


class Table:
    """A match from a position, ruleset and oracle side by side: they must agree on whatever is asked."""

    def __init__(self, position: Position) -> None:
        self.play = Play(position.ruleset, position.started)
        self.oracle = position.oracle()
        self._compare()

    @property
    def state(self) -> Any:
        return self.play.state

    @property
    def turn(self) -> int:
        return self.play.turn

    def hand(self, seat: int) -> list[int]:
        return bits(self.state.hands[seat])

    def do(self, *events: Event) -> list[set[str]]:
        """Play events; the effects of each."""
        said = []
        for event in events:
            effects = set(EDGECOLOR.effects.of(self.play.add(event)))
            assert effects == self.oracle.apply(to_oracle(event))
            self._compare()
            said.append(effects)
        return said

    def why(self, event: Event) -> str:
        """Why an event is refused, or nothing."""
        refused = self.play.why_not(event)
        reasons = self.oracle.reasons(to_oracle(event))
        assert (refused.reason if refused else "") in (reasons or {""})
        return refused.reason if refused else ""

    def legal(self, seat: int | None = None) -> set[Event]:
        return set(self.play.legal(seat))

    def cells(self, seat: int, card: int) -> set[tuple[int, int]]:
        """(cell, flip) where a seat may lay a card."""
        return {(e.cell, e.flip) for e in self.play.legal(seat) if isinstance(e, PlayCard) and e.card == card}

    def _compare(self) -> None:
        ours, theirs = position(self.state), self.oracle.position()
        assert ours == {key: theirs[key] for key in ours}
        assert self.turn == {None: -1, "chance": -2}.get(self.oracle.to_move(), self.oracle.to_move())
        for seat in range(self.state.seats):
            assert {to_oracle(event) for event in self.play.legal(seat)} == self.oracle.legal(seat)


def full_board(size: int, fixed: Mapping[int, Item] | None = None) -> dict[int, list[Item]]:
    """A card with the mark 1 or 3 on every cell but the deck's: nothing but these marks and black can be laid on it."""
    board = {cell: [item] for cell, item in (fixed or {}).items()}
    used = {stack[0][0] for stack in board.values()}
    spare = [card for card in range(48) if card % 4 in {0, 2} and card not in used]
    for cell in range(size * size):
        if cell not in board and not (size % 2 and cell == size * size // 2):
            board[cell] = [(spare.pop(0), 0)]
    return board


def fitting_solo_board(rng: random.Random) -> dict[int, list[Item]]:
    """Nine solo cards that fit on all sides."""
    laid: list[Item] = []

    def sides(item: Item) -> tuple[int, ...]:
        return sides_of(CATALOGUE_A, *item)

    def extend() -> bool:
        if len(laid) == 9:
            return True
        row, column = divmod(len(laid), 3)
        items = [(card, flip) for card in bits(BASIC_CARDS) for flip in range(2)]
        for item in rng.sample(items, len(items)):
            fits_above = row == 0 or sides(laid[-3])[2] == sides(item)[0]
            fits_left = column == 0 or sides(laid[-1])[1] == sides(item)[3]
            if fits_above and fits_left and all(item[0] != other for other, _ in laid):
                laid.append(item)
                if extend():
                    return True
                laid.pop()
        return False

    assert extend()
    return {cell: [item] for cell, item in enumerate(laid)}


def late_solo_position(seed: int) -> Position:
    """Solo, the deck gone or nearly, a cell or two free, a hand that can be played out with some luck."""
    rng = random.Random(seed)
    board = fitting_solo_board(rng)
    removed = [board.pop(cell)[0][0] for cell in rng.sample(range(9), rng.choice((1, 1, 2, 2)))]
    hand = removed[: rng.choice((1, 1, 2))]
    rest = [
        card for card in bits(BASIC_CARDS) if card not in hand and all(stack[0][0] != card for stack in board.values())
    ]
    extra = rng.sample(rest, rng.choice((0, 0, 1)))
    return Position(
        "solo", [hand + extra], board, deck=rng.choice((0, 0, 0, 1)) if 4 in board or rng.random() < 0.5 else 0
    )


def stuck_position(variant: str, options: Mapping[str, OptionValue], seats: int, seed: int) -> Position:
    """Every cell covered with marks 1 and 3, hands of mark 2: only black marks and drawn cards can be played."""
    rng = random.Random(seed)
    board = full_board(EDGECOLOR_SIZES[variant])
    hidden = [card for card in range(48) if card % 4 in {1, 3}]
    rng.shuffle(hidden)
    hidden.sort(key=lambda card: card % 4)
    hands = [[hidden.pop(0) for _ in range(rng.choice((1, 2)))] for _ in range(seats)]
    deck = rng.choice((0, 1, 2, 3))
    rng.shuffle(hidden)
    board[0] = [*((card, 0) for card in hidden[6:]), *board[0]]
    return Position(variant, hands, board, options, min(deck, 0 if options.get("deck_4x4") == "none" else 6))


EDGECOLOR_SIZES = {"beginner": 5, "standard": 5, "hard": 5, "duo": 5, "4x4": 4}
LATE_KINDS = ("any", "stuck", "black", "match")


def late_position(
    variant: str, options: Mapping[str, OptionValue], seats: int, seed: int, kind: str = "any", **setup: Any
) -> Position:
    """The board of a random match, its hands and deck cut down to a few cards; the others lie covered somewhere.

    What the hands are like: ``black`` all keep a black mark, ``match`` the seat to move can earn an extra play and has
    nothing for it, ``stuck`` see `stuck_position`.
    """
    if kind == "stuck" and variant in EDGECOLOR_SIZES:
        return stuck_position(variant, options, seats, seed)
    rng = random.Random(seed)
    started = EDGECOLOR.start(variant, options, seats, setup=EdgecolorSetup(**setup))
    started, log = random_log(EDGECOLOR, started, seed, 0, greedy=rng.random() < 0.5)
    play = Play(EDGECOLOR, started)
    for event in log[: rng.randint(len(log) // 3 + 1, len(log))]:
        play.add(event)
    state: Any = play.state
    board: dict[int, list[Item]] = {}
    for cell in range(state.size * state.size):
        if state.tops[cell] != NOTHING:
            board[cell] = [(state.tops[cell], state.flips >> cell & 1)]
    tops = {stack[0][0] for stack in board.values()}
    rest = [card for card in bits(BASIC_CARDS if variant == "solo" else ALL_CARDS) if card not in tops]
    rng.shuffle(rest)
    turn, deck = rng.randrange(seats), rng.choice((0, 0, 1, 2, 4))
    hands = [[rest.pop() for _ in range(rng.choice((1, 1, 2, 3)))] for _ in range(seats)]
    if kind == "match" and (matching := [card for card in rest if _most_matches(state, card, 1)]):
        others = [card for card in rest if not _most_matches(state, card, -1) or card % 4 == 3]
        hands[turn] = [*{matching[0], *others[:1]}]
        deck = 0
    if kind == "black":
        black = [card for card in rest if card % 4 == 3]
        hands = [[black.pop()] if black else hand for hand in hands]
        hands[turn] += [card for card in rest if _most_matches(state, card, -1) and card % 4 != 3][:1]
        deck = rng.choice((0, 1, 2, 3, 4))
    if variant == "4x4" and options.get("deck_4x4") == "none":
        deck = 0
    has_blockers = [rng.randrange(2), rng.randrange(2)] if variant == "duo" and kind == "any" else [0, 0]
    below = next(iter(board))
    rest = [card for card in rest if all(card not in hand for hand in hands)]
    board[below] = [*((card, 0) for card in rest[deck:]), *board[below]]
    is_earned = kind == "any" and variant != "solo" and rng.random() < 0.2
    return Position(variant, hands, board, options, deck, turn, has_blockers, is_earned, started.setup)


def _most_matches(state: Any, card: int, above: int) -> bool:
    """Whether a card has a place where it touches its own colours more than so many times."""
    places = [(cell, flip) for cell in range(25) for flip in range(2) if state.places[2 * cell + flip] >> card & 1]
    return any(matches(state, card, cell, flip) > above for cell, flip in places)


def late_match(position: Position, seed: int) -> Log:
    """A match from there: any legal event, or one with the most matches."""

    def choose(play: Play, events: list[Event], rng: random.Random) -> Event:
        rng.shuffle(events)
        if rng.random() < 0.5:
            return events[0]
        return max(events, key=lambda e: isinstance(e, PlayCard) and matches(play.state, e.card, e.cell, e.flip))

    return chosen_log(position.ruleset, position.started, choose, seed)
