"""Brute-force oracle for edgecolor, written from shared/rules/edgecolor.md (sections 003.1 to 003.9) alone.

Plain lists, dicts and sets; every legal list is found by asking for every card, cell and flip whether any reason speaks
against it. REASONS and EFFECTS below name every refusal and every consequence with its place in the rule file.

Events: ("blocker_setup", seat, cell), ("play", seat, card, cell, flip), ("play_blocker", seat, cell), ("stop", seat),
("draw", seat, card). card = edge_type * 4 + mark; cell = row * size + column, row 0 on top; flip 1 = half turn.

Where the rule file is silent, this module reads it so:
* The opening card is the first basic card of the match. With blocker_opening=allowed a blocker may come before it, on
  any free cell; the first basic card then still has to lie beside the deck.
* Penalty sources are served in the order blockers, deck. If the deck holds fewer cards than there are draws, or with
  penalty=once, the draws that fall away are the last ones, and only a source that is served gives its effect.
* extra_play is reported whenever step 4 grants one, extra_play_impossible beside it when nothing can be played (not
  with full_turn, where it becomes a normal turn). black_last is reported once, when the chain starts.
* The end by exhaustion is looked for before a pass: a pass that would end the match is no turn_passed.
* Solo keeps its own text where an option speaks of the multiplayer game: the centre always opens, nothing but the legal
  plays is asked after a stuck draw, there are no extra plays. penalty_before_win=false holds in solo too.
* legal(seat) out of turn, and for every seat while a draw is due: the plays of a normal turn on the present board.
  Empty after the end.
* A cell off the grid gives off_board and no other reason about the cell. All other reasons are judged each on its own.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import permutations
from typing import Any

Event = tuple[Any, ...]
Item = tuple[int, int]  # (card, flip); a blocker is (BLOCKER, 0)

BLACK = 3  # both the edge colour K and the black mark
BLOCKER = 48
N_CARDS = 48

VARIANTS = ("beginner", "standard", "hard", "duo", "4x4", "solo")
SIZE = {"beginner": 5, "standard": 5, "hard": 5, "duo": 5, "4x4": 4, "solo": 3}
SEATS = {"beginner": (2, 3, 4), "standard": (2, 3, 4), "hard": (2, 3, 4), "duo": (2,), "4x4": (2, 3, 4), "solo": (1,)}
HAND_SIZE = {1: 10, 2: 15, 3: 10, 4: 8}
SETUP_BLOCKERS = {"standard": 1, "hard": 2}
SOLO_DECK = 5
SEED_CELL = 5  # row 2, column 2, counted from 1

OPTIONS: dict[str, tuple[object, ...]] = {
    "black_mark": ("both", "cover_only"),
    "extra_play": ("optional", "mandatory", "full_turn"),
    "penalty": ("per_source", "once"),
    "penalty_before_win": (True, False),
    "blocker_play_triggers": (True, False),
    "blocker_connects": (True, False),
    "blocker_out": ("allowed", "forbidden"),
    "blocker_opening": ("forbidden", "allowed"),
    "hard_blockers": ("ring8", "cross4"),
    "centre_opens": (True, False),
    "stack_needs_neighbour": (True, False),
    "drawn_card": ("must", "may"),
    "deck_4x4": ("draw", "none"),
    "seed_card": (False, True),
    "solo_stuck": ("draw", "failure"),
}

REASONS: dict[str, str] = {
    "match_over": "003.4/003.5: the match has ended, by going out, by exhaustion or by the end of the solo game",
    "not_your_turn": "003.4: a seat's event, and the turn is another seat's (blocker_setup: the first seat's)",
    "draw_due": "003.4: nothing but the draw is legal while one is due",
    "no_draw_due": "003.4: a draw is an event only when a penalty, a stuck seat or black-last makes one due",
    "wrong_drawer": "003.4: the due draw is another seat's",
    "card_seen": "003.4: the drawn card must be one that nobody has seen; 003.5: no black marks in the solo pool",
    "blockers_to_place": "003.4: blocker_setup comes before the opening",
    "no_blocker_to_place": "003.4: blocker_setup once in standard, twice in hard, never elsewhere or later",
    "no_blocker_in_hand": "003.3: a hand blocker exists in duo only, one per seat",
    "not_in_hand": "003.4: a seat plays cards of its own hand",
    "must_play_drawn_card": "003.4, 003-34: after a stuck draw only the drawn card may be played",
    "off_board": "003.4 a: the cell is not in the grid",
    "deck_cell": "003.4 a, 003-12: the deck lies there, or the centre stays closed",
    "blocker_there": "003.4 a, 003-14: blockers can never be covered",
    "cell_taken": "003.3: a setup blocker needs a free cell",
    "not_around_deck": "003.3, 003-11: hard mode puts its blockers around the deck",
    "opening_not_beside_deck": "003.4 b, 003.5: the opening card lies on an orthogonal neighbour of the deck",
    "opening_with_blocker": "003-25: the opening card is not a blocker",
    "not_connected": "003.4 c, 003-5, 003-13: no neighbour is a card",
    "edge_mismatch": "003.4 d, 003.2: a touching side does not fit",
    "mark_mismatch": "003.4 e, 003-3: the marks do not allow to cover this card",
    "stack_too_early": "003.5, 003-30: solo stacks only when at least 4 cells are covered",
    "last_card_black": "003.4 f, 003-15: the only card in hand has a black mark (or is a blocker that may not go out)",
    "stop_not_allowed": "003.4, 003-6, 003-19: stop belongs to an optional extra play (or to drawn_card=may)",
    "flip_not_canonical": "003.4: flip is 0 for a type equal to its half turn",
}

EFFECTS: dict[str, str] = {
    "stacked": "003.4 e, 003-14: the played card or blocker covers a card",
    "penalty_blocker": "003.4 step 1: at least one draw for a neighbouring blocker became due",
    "penalty_deck": "003.4 step 1, 003.5: a draw for a cell beside the deck became due",
    "black_last": "003.4 step 3: the hand is one black-mark card, draws became due",
    "extra_play": "003.4 step 4: two or more matches, an extra play was granted",
    "extra_play_impossible": "003.4: the granted extra play has no legal play, the turn ended by itself",
    "stuck_draw": "003.4, 003.5: the seat whose turn began has no legal play, a draw became due",
    "turn_passed": "003.4: a seat without a play was passed over (no deck, or the drawn card has no legal play)",
    "deck_emptied": "003.4: the last card of the deck was drawn",
    "centre_opened": "003-12, 003.5: with the deck gone the centre became an ordinary cell",
    "won": "003.4 step 2: a seat's hand is empty",
    "exhausted": "003.4: the deck is empty and no seat has a legal play",
    "solo_failed": "003.5: no playable card and nothing to draw",
    "solo_success": "003.5: the hand is empty, not all cells are covered",
    "solo_great_success": "003.5: the hand is empty and all 9 cells are covered",
}


def canonical(sides: tuple[int, ...]) -> tuple[int, ...]:
    """The smaller of a card's (N, E, S, W) and its half turn (003.1)."""
    north, east, south, west = sides
    return min((north, east, south, west), (south, west, north, east))


EDGE_TYPES: list[tuple[int, ...]] = sorted({canonical(sides) for sides in permutations((0, 1, 2, BLACK))})


def mark_of(card: int) -> int:
    """The mark of a basic card."""
    return card % 4


def find_card(sides: tuple[int, ...], mark: int) -> Item:
    """The basic card, and the flip, that shows these sides with this mark."""
    edge_type = EDGE_TYPES.index(canonical(sides))
    return edge_type * 4 + mark, 0 if EDGE_TYPES[edge_type] == tuple(sides) else 1


def pool(variant: str) -> list[int]:
    """All basic cards that take part in a variant."""
    return [card for card in range(N_CARDS) if variant != "solo" or mark_of(card) != BLACK]


def resolve(options: dict[str, object] | None) -> dict[str, object]:
    """Every option with its value; the first value of each is the default."""
    resolved = {name: values[0] for name, values in OPTIONS.items()}
    for name, value in (options or {}).items():
        if name in OPTIONS:
            if value not in OPTIONS[name]:
                raise ValueError(f"no such value of {name}: {value!r}")
            resolved[name] = value
    return resolved


@cache
def neighbours(size: int, cell: int) -> list[int | None]:
    """The cells to the north, east, south, west; None beyond the border."""
    row, column = divmod(cell, size)
    around = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
    inside = range(size)
    return [r * size + c if r in inside and c in inside else None for r, c in around]


def random_setup(
    variant: str, seats: int, rng: random.Random, options: dict[str, object] | None = None
) -> dict[str, Any]:
    """A dealt setup; with a seed card in a random place where the options ask for one."""
    cards = pool(variant)
    rng.shuffle(cards)
    size = HAND_SIZE[seats]
    setup: dict[str, Any] = {"hands": [cards[seat * size : (seat + 1) * size] for seat in range(seats)]}
    if variant == "4x4" and resolve(options)["seed_card"]:
        setup["seed"] = {"card": cards[seats * size], "cell": rng.randrange(16), "flip": rng.randrange(2)}
    return setup


class Oracle:
    """One match; see the module's text for events and readings."""

    edge_types = EDGE_TYPES  # a table, so that another catalogue can be tried in a subclass

    def __init__(
        self,
        variant: str,
        options: dict[str, object] | None = None,
        seats: int | None = None,
        setup: dict[str, Any] | None = None,
    ) -> None:
        dealt = (setup or {}).get("hands", [])
        if len(dealt) not in SEATS[variant] or seats not in (None, len(dealt)):
            raise ValueError("wrong_number_of_hands")
        self._blank(variant, resolve(options), dealt)
        seed = self._checked_seed(setup or {})
        self._check_hands(dealt, seed)
        if variant == "duo":
            self.hand_blockers = [1, 1]
        if seed is not None:
            self.board[seed["cell"]] = [(seed["card"], seed["flip"])]
        self.deck = SOLO_DECK if variant == "solo" else self._full_deck()
        self.blockers_due = SETUP_BLOCKERS.get(variant, 0)
        if self.blockers_due:
            self.phase = "blocker_setup"
        else:
            self._start_turn(0, self.start_effects)

    @classmethod
    def from_position(
        cls,
        variant: str,
        hands: list[list[int]],
        board: dict[int, list[Item]] | None = None,
        *,
        options: dict[str, object] | None = None,
        deck: int | None = None,
        turn: int = 0,
        hand_blockers: list[int] | None = None,
        blockers_due: int = 0,
        extra: bool = False,
    ) -> Oracle:
        """A constructed position at the start of a normal turn of seat `turn` (extra=True: at a granted extra play).

        board: cell -> stack from bottom to top of (card, flip), a blocker is (BLOCKER, 0). deck: its number of cards,
        by default every unseen card. What the rules force at once is done; its effects are in start_effects.
        """
        self = cls.__new__(cls)
        self._blank(variant, resolve(options), hands)
        self.board = {cell: list(stack) for cell, stack in (board or {}).items()}
        if hand_blockers is not None:
            self.hand_blockers = list(hand_blockers)
        self.deck = self._full_deck() if deck is None else deck
        self.turn = turn
        self.blockers_due = blockers_due
        if blockers_due:
            self.phase = "blocker_setup"
        elif extra:
            self._grant_extra(self.start_effects)
        else:
            self._start_turn(turn, self.start_effects)
        return self

    def _blank(self, variant: str, options: dict[str, object], hands: list[list[int]]) -> None:
        self.variant = variant
        self.options = options
        self.seats = len(hands)
        self.solo = variant == "solo"
        self.size = SIZE[variant]
        self.centre = None if variant == "4x4" else self.size * self.size // 2
        self.board: dict[int, list[Item]] = {}
        self.hands = [set(hand) for hand in hands]
        self.hand_blockers = [0] * len(hands)
        self.deck = 0
        self.turn = 0
        self.phase = "turn"  # blocker_setup, turn, extra, drawn, draw, over
        self.blockers_due = 0
        self.draw_kind: str | None = None  # penalty, black_last, stuck
        self.draws_left = 0
        self.extra_due = False  # the last play earned an extra play, which waits for draws
        self.drawn: int | None = None
        self.played = [0] * len(hands)
        self.ending: str | None = None
        self.winners: list[int] = []
        self.start_effects: set[str] = set()

    def _checked_seed(self, setup: dict[str, Any]) -> dict[str, Any] | None:
        if self.variant != "4x4" or not self.options["seed_card"]:
            return None
        given = setup.get("seed") or {}
        seed = {"card": given.get("card"), "cell": given.get("cell", SEED_CELL), "flip": given.get("flip", 0)}
        if seed["card"] is None or seed["cell"] not in range(self.size * self.size):
            raise ValueError("seed_missing")
        return seed

    def _check_hands(self, hands: list[list[int]], seed: dict[str, Any] | None) -> None:
        if any(len(hand) != HAND_SIZE[self.seats] for hand in hands):
            raise ValueError("wrong_hand_size")
        cards = [card for hand in hands for card in hand] + ([seed["card"]] if seed else [])
        if len(set(cards)) != len(cards):
            raise ValueError("card_twice")
        if self.solo and any(mark_of(card) == BLACK for card in cards):
            raise ValueError("black_mark_in_solo")

    def _full_deck(self) -> int:
        if self.variant == "4x4" and self.options["deck_4x4"] == "none":
            return 0
        return len(self.unseen())

    def copy(self) -> Oracle:
        """An independent copy."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.board = {cell: list(stack) for cell, stack in self.board.items()}
        other.hands = [set(hand) for hand in self.hands]
        other.hand_blockers = list(self.hand_blockers)
        other.played = list(self.played)
        other.winners = list(self.winners)
        other.start_effects = set(self.start_effects)
        return other

    # The board

    def sides(self, card: int, flip: int) -> tuple[int, ...]:
        """(N, E, S, W) of a basic card as it lies."""
        north, east, south, west = self.edge_types[card // 4]
        return (south, west, north, east) if flip else (north, east, south, west)

    def top(self, cell: int | None) -> Item | None:
        """The top card of a cell."""
        return self.board[cell][-1] if cell in self.board else None

    def facing(self, cell: int) -> list[int | None]:
        """Per side what touches it: a neighbour's colour, BLOCKER, or None where nothing does."""
        result: list[int | None] = []
        for side, neighbour in enumerate(neighbours(self.size, cell)):
            item = self.top(neighbour)
            touched = None if item is None else BLOCKER if item[0] == BLOCKER else self.sides(*item)[(side + 2) % 4]
            result.append(touched)
        return result

    def compatible(self, own: int, other: int | None) -> bool:
        """003.2: may this side touch that."""
        if other is None or other in (BLOCKER, own):
            return True
        return not self.solo and BLACK in (own, other)

    def matches(self, card: int, cell: int, flip: int) -> int:
        """003.2: how many basic-card neighbours show the same colour, black aside."""
        pairs = zip(self.sides(card, flip), self.facing(cell), strict=True)
        return sum(own == other != BLACK for own, other in pairs)

    def unseen(self) -> set[int]:
        """The cards that may be in the deck: in no hand and nowhere on the board."""
        seen = {card for hand in self.hands for card in hand}
        seen |= {card for stack in self.board.values() for card, _ in stack}
        return set(pool(self.variant)) - seen

    def beside_deck(self, cell: int) -> bool:
        """An orthogonal neighbour of the centre cell."""
        return self.centre is not None and self.centre in neighbours(self.size, cell)

    def around_deck(self) -> set[int]:
        """003-11: where hard mode may put its blockers."""
        assert self.centre is not None
        row, column = divmod(self.centre, self.size)
        ring = {(row + r) * self.size + column + c for r in (-1, 0, 1) for c in (-1, 0, 1)} - {self.centre}
        return ring if self.options["hard_blockers"] == "ring8" else {cell for cell in ring if self.beside_deck(cell)}

    def centre_blocked(self) -> bool:
        """The deck lies on the centre, or the centre stays closed after it."""
        return self.centre is not None and (self.deck > 0 or not (self.solo or self.options["centre_opens"]))

    def opening(self) -> bool:
        """No basic card has been laid yet."""
        return all(card == BLOCKER for stack in self.board.values() for card, _ in stack)

    def hand_size(self, seat: int) -> int:
        """Cards in hand, blockers included."""
        return len(self.hands[seat]) + self.hand_blockers[seat]

    # Reasons

    def reasons(self, event: Event) -> set[str]:
        """Every reason against an event, each judged on its own; empty when it is legal."""
        name, seat = event[0], event[1]
        if name == "draw":
            return self._draw_reasons(seat, event[2])
        found = self._turn_reasons(seat)
        if name == "blocker_setup":
            return found | self._setup_reasons(event[2])
        if name == "stop":
            return found if self._may_stop(seat) else found | {"stop_not_allowed"}
        if self.phase == "blocker_setup":
            found.add("blockers_to_place")
        if self.phase == "drawn" and seat == self.turn and (name == "play_blocker" or event[2] != self.drawn):
            found.add("must_play_drawn_card")
        if name == "play_blocker":
            return found | self._blocker_reasons(seat, event[2])
        return found | self._play_reasons(seat, *event[2:])

    def _draw_reasons(self, seat: int, card: int) -> set[str]:
        found = set()
        if self.phase == "over":
            found.add("match_over")
        if self.phase != "draw":
            found.add("no_draw_due")
        elif seat != self.turn:
            found.add("wrong_drawer")
        if card not in self.unseen():
            found.add("card_seen")
        return found

    def _turn_reasons(self, seat: int) -> set[str]:
        if self.phase == "over":
            return {"match_over"}
        found = set()
        if seat != self.turn:
            found.add("not_your_turn")
        if self.phase == "draw":
            found.add("draw_due")
        return found

    def _setup_reasons(self, cell: int) -> set[str]:
        found = set()
        if self.phase != "blocker_setup":
            found.add("no_blocker_to_place")
        if cell >= self.size * self.size:
            return found | {"off_board"}
        if cell == self.centre and self.centre_blocked():
            found.add("deck_cell")
        if cell in self.board:
            found.add("cell_taken")
        if self.variant == "hard" and cell not in self.around_deck():
            found.add("not_around_deck")
        return found

    def _may_stop(self, seat: int) -> bool:
        if seat != self.turn:
            return False
        if self.phase == "extra":
            return self.options["extra_play"] == "optional"
        return self.phase == "drawn" and self.options["drawn_card"] == "may"

    def _blocker_reasons(self, seat: int, cell: int) -> set[str]:
        """003.4 play_blocker: what speaks against it on a normal turn of the seat."""
        found = set()
        in_hand = seat < self.seats and self.hand_blockers[seat] > 0
        if not in_hand:
            found.add("no_blocker_in_hand")
        elif self.hand_size(seat) == 1 and self.options["blocker_out"] == "forbidden":
            found.add("last_card_black")
        if self.opening() and self.options["blocker_opening"] == "forbidden":
            found.add("opening_with_blocker")
        if cell >= self.size * self.size:
            return found | {"off_board"}
        if cell == self.centre and self.centre_blocked():
            found.add("deck_cell")
        item = self.top(cell)
        if item is not None and item[0] == BLOCKER:
            found.add("blocker_there")
        return found

    def _play_reasons(self, seat: int, card: int, cell: int, flip: int) -> set[str]:
        """003.4 a to f: what speaks against it on a normal turn of the seat."""
        found = self._hand_reasons(seat, card)
        if flip not in self._flips(card):
            found.add("flip_not_canonical")
        if cell >= self.size * self.size:
            return found | {"off_board"}
        found |= self._cell_reasons(cell) | self._mark_reasons(card, cell)
        if not self._sides_fit(card, flip, self.facing(cell)):
            found.add("edge_mismatch")
        return found

    def _hand_reasons(self, seat: int, card: int) -> set[str]:
        if seat >= self.seats or card not in self.hands[seat]:
            return {"not_in_hand"}
        return {"last_card_black"} if self.hand_size(seat) == 1 and mark_of(card) == BLACK else set()

    def _cell_reasons(self, cell: int) -> set[str]:
        """What speaks against the cell whatever the card."""
        found = set()
        item = self.top(cell)
        if cell == self.centre and self.centre_blocked():
            found.add("deck_cell")
        if item is not None and item[0] == BLOCKER:
            found.add("blocker_there")
        elif item is not None and self.solo and len(self.board) < 4:
            found.add("stack_too_early")
        if self.opening():
            if self.centre is not None and not self.beside_deck(cell):
                found.add("opening_not_beside_deck")
        elif not self._connected(cell, self.facing(cell)):
            found.add("not_connected")
        return found

    def _mark_reasons(self, card: int, cell: int) -> set[str]:
        item = self.top(cell)
        if item is None or item[0] == BLOCKER or mark_of(card) in (mark_of(item[0]), BLACK):
            return set()
        freed = mark_of(item[0]) == BLACK and self.options["black_mark"] == "both"
        return set() if freed else {"mark_mismatch"}

    def _flips(self, card: int) -> tuple[int, ...]:
        return (0,) if self.sides(card, 0) == self.sides(card, 1) else (0, 1)

    def _sides_fit(self, card: int, flip: int, facing: list[int | None]) -> bool:
        return all(self.compatible(own, other) for own, other in zip(self.sides(card, flip), facing, strict=True))

    def _connected(self, cell: int, facing: list[int | None]) -> bool:
        item = self.top(cell)
        if item is not None and item[0] != BLOCKER and not self.options["stack_needs_neighbour"]:
            return True
        if self.options["blocker_connects"]:
            return any(other is not None for other in facing)
        return any(other is not None and other != BLOCKER for other in facing)

    # Legal events

    def to_move(self) -> int | str | None:
        """The seat that decides, "chance" while a draw is due, None after the end."""
        if self.phase == "over":
            return None
        return "chance" if self.phase == "draw" else self.turn

    def card_plays(self, seat: int, cards: set[int]) -> set[Event]:
        """Every legal play of these cards on a normal turn: what _play_reasons asks, but each question only once."""
        plays: set[Event] = set()
        playable = [card for card in cards if not self._hand_reasons(seat, card)]
        for cell in range(self.size * self.size):
            if self._cell_reasons(cell):
                continue
            facing = self.facing(cell)
            for card in playable:
                if not self._mark_reasons(card, cell):
                    fitting = [flip for flip in self._flips(card) if self._sides_fit(card, flip, facing)]
                    plays.update(("play", seat, card, cell, flip) for flip in fitting)
        return plays

    def blocker_plays(self, seat: int) -> list[Event]:
        """Every legal play of the hand blocker on a normal turn."""
        cells = range(self.size * self.size)
        return [("play_blocker", seat, cell) for cell in cells if not self._blocker_reasons(seat, cell)]

    def normal_plays(self, seat: int) -> set[Event]:
        """Every play on a normal turn."""
        return self.card_plays(seat, self.hands[seat]) | set(self.blocker_plays(seat))

    def can_play(self, seat: int) -> bool:
        """Whether a normal turn of the seat has a legal play."""
        return bool(self.normal_plays(seat))

    def legal(self, seat: int) -> set[Event]:
        """All legal events of a seat; out of turn, or while a draw is due, the plays of a normal turn."""
        if self.phase == "over" or seat >= self.seats:
            return set()
        if self.to_move() != seat:
            return self.normal_plays(seat)
        if self.phase == "blocker_setup":
            tries = [("blocker_setup", seat, cell) for cell in range(self.size * self.size)]
            return {event for event in tries if not self.reasons(event)}
        plays = self.normal_plays(seat) if self.drawn is None else self.card_plays(seat, {self.drawn})
        return plays | {("stop", seat)} if self._may_stop(seat) else plays

    def legal_draws(self) -> set[Event]:
        """All draws that chance may turn up now."""
        return {("draw", self.turn, card) for card in self.unseen()} if self.phase == "draw" else set()

    def random_event(self, rng: random.Random) -> Event:
        """A uniformly chosen legal event, or a due draw."""
        events = self.legal_draws() if self.phase == "draw" else self.legal(self.turn)
        return rng.choice(sorted(events))

    # What events do

    def apply(self, event: Event) -> set[str]:
        """A legal event: changes the state, returns the names of the effects."""
        found = self.reasons(event)
        if found:
            raise ValueError(f"{event}: {sorted(found)}")
        effects: set[str] = set()
        name, seat = event[0], event[1]
        if name == "blocker_setup":
            self._apply_setup(event[2], effects)
        elif name == "play":
            self._apply_play(seat, event[2], event[3], event[4], effects)
        elif name == "play_blocker":
            self._apply_blocker(seat, event[2], effects)
        elif name == "draw":
            self._apply_draw(seat, event[2], effects)
        else:
            self._start_turn(self._next(), effects)
        return effects

    def _next(self) -> int:
        return (self.turn + 1) % self.seats

    def _apply_setup(self, cell: int, effects: set[str]) -> None:
        self.board[cell] = [(BLOCKER, 0)]
        self.blockers_due -= 1
        if not self.blockers_due:
            self._start_turn(0, effects)

    def _apply_play(self, seat: int, card: int, cell: int, flip: int, effects: set[str]) -> None:
        self.hands[seat].remove(card)
        self.extra_due = not self.solo and self.matches(card, cell, flip) >= 2
        self._lay(seat, (card, flip), cell, effects)
        self._penalties(cell, effects)

    def _apply_blocker(self, seat: int, cell: int, effects: set[str]) -> None:
        self.hand_blockers[seat] -= 1
        self.extra_due = False
        self._lay(seat, (BLOCKER, 0), cell, effects)
        if self.options["blocker_play_triggers"]:
            self._penalties(cell, effects)
        else:
            self._after_penalties(effects)

    def _lay(self, seat: int, item: Item, cell: int, effects: set[str]) -> None:
        self.drawn = None
        self.played[seat] += 1
        if cell in self.board:
            effects.add("stacked")
        self.board.setdefault(cell, []).append(item)

    def _penalties(self, cell: int, effects: set[str]) -> None:
        """Step 1."""
        if self.hand_size(self.turn) == 0 and not self.options["penalty_before_win"]:
            self._after_penalties(effects)
            return
        sources = ["penalty_blocker"] * self.facing(cell).count(BLOCKER)
        if self.beside_deck(cell) and self.seats <= 2:  # two players, or solo
            sources.append("penalty_deck")
        if self.options["penalty"] == "once":
            sources = sources[:1]
        sources = sources[: self.deck]
        effects.update(sources)
        if sources:
            self._make_due("penalty", len(sources))
        else:
            self._after_penalties(effects)

    def _make_due(self, kind: str, count: int) -> None:
        self.phase, self.draw_kind, self.draws_left = "draw", kind, count

    def _after_penalties(self, effects: set[str]) -> None:
        """Steps 2 and 3."""
        if self.hand_size(self.turn) == 0:
            self._go_out(effects)
        elif self._black_last() and self.deck > 0:
            effects.add("black_last")
            self._make_due("black_last", 1)
        else:
            self._after_black_last(effects)

    def _black_last(self) -> bool:
        if self.solo or self.hand_size(self.turn) != 1:
            return False
        if self.hand_blockers[self.turn]:
            return self.options["blocker_out"] == "forbidden"
        return all(mark_of(card) == BLACK for card in self.hands[self.turn])

    def _after_black_last(self, effects: set[str]) -> None:
        """Step 4."""
        if self.solo:
            self._start_turn(0, effects)
        elif self.extra_due:
            self._grant_extra(effects)
        else:
            self._start_turn(self._next(), effects)

    def _grant_extra(self, effects: set[str]) -> None:
        self.extra_due = False
        effects.add("extra_play")
        if self.options["extra_play"] == "full_turn":
            self._start_turn(self.turn, effects)
        elif self.can_play(self.turn):
            self._decide("extra")
        else:
            effects.add("extra_play_impossible")
            self._start_turn(self._next(), effects)

    def _decide(self, phase: str) -> None:
        self.phase, self.draw_kind, self.draws_left = phase, None, 0

    def _start_turn(self, seat: int, effects: set[str]) -> None:
        """A normal turn of the seat: it plays, draws when stuck, or is passed over."""
        self.drawn = None
        self.turn = seat
        if self.solo:
            self._start_solo(effects)
        elif self._exhausted():
            self._end("exhausted", effects)
            fewest = min(self.hand_size(seat) for seat in range(self.seats))
            self.winners = [seat for seat in range(self.seats) if self.hand_size(seat) == fewest]
        elif self.can_play(seat):
            self._decide("turn")
        elif self.deck > 0:
            effects.add("stuck_draw")
            self._make_due("stuck", 1)
        else:
            effects.add("turn_passed")
            self._start_turn(self._next(), effects)

    def _start_solo(self, effects: set[str]) -> None:
        if self.can_play(0):
            self._decide("turn")
        elif self.deck > 0 and self.options["solo_stuck"] == "draw":
            effects.add("stuck_draw")
            self._make_due("stuck", 1)
        else:
            self._end("solo_failed", effects)

    def _exhausted(self) -> bool:
        return self.deck == 0 and not any(self.can_play(seat) for seat in range(self.seats))

    def _go_out(self, effects: set[str]) -> None:
        if not self.solo:
            self._end("won", effects)
            self.winners = [self.turn]
        elif len(self.board) == self.size * self.size:
            self._end("solo_great_success", effects)
        else:
            self._end("solo_success", effects)

    def _end(self, ending: str, effects: set[str]) -> None:
        self._decide("over")
        self.extra_due = False
        self.ending = ending
        effects.add(ending)

    def _apply_draw(self, seat: int, card: int, effects: set[str]) -> None:
        self.hands[seat].add(card)
        self.deck -= 1
        self.draws_left -= 1
        if self.deck == 0:
            effects.add("deck_emptied")
            if self.centre is not None and not self.centre_blocked():
                effects.add("centre_opened")
        if self.draw_kind == "penalty":
            if self.draws_left == 0:
                self._after_penalties(effects)
        elif self.draw_kind == "black_last":
            self._go_on_black_last(card, effects)
        elif self.solo:
            self._start_turn(0, effects)
        else:
            self._after_stuck_draw(card, effects)

    def _go_on_black_last(self, card: int, effects: set[str]) -> None:
        if mark_of(card) == BLACK and self.deck > 0:
            self._make_due("black_last", 1)
        else:
            self._after_black_last(effects)

    def _after_stuck_draw(self, card: int, effects: set[str]) -> None:
        if self.card_plays(self.turn, {card}):
            self._decide("drawn")
            self.drawn = card
            return
        if not self._exhausted():
            effects.add("turn_passed")
        self._start_turn(self._next(), effects)

    # What can be read off

    def result(self) -> list[dict[str, Any]]:
        """Per seat; before the end as if the match were decided by the fewest cards now (solo: no score yet)."""
        if self.solo:
            scores = {"solo_failed": 0, "solo_success": 1, "solo_great_success": 2}
            score = scores[self.ending] if self.ending else None
            return [self._line(0, 1, False, score)]
        fewest = min(self.hand_size(seat) for seat in range(self.seats))
        winners = self.winners or [seat for seat in range(self.seats) if self.hand_size(seat) == fewest]
        lines = []
        for seat in range(self.seats):
            first = seat in winners
            sharing = len(winners) if first else self.seats - len(winners)
            lines.append(self._line(seat, 1 if first else len(winners) + 1, sharing > 1, -self.hand_size(seat)))
        return lines

    def _line(self, seat: int, rank: int, shared: bool, score: int | None) -> dict[str, Any]:
        left = self.hand_size(seat)
        return {"rank": rank, "shared": shared, "score": score, "cards_left": left, "played": self.played[seat]}

    def _shown(self, cell: int) -> dict[str, Any] | None:
        item = self.top(cell)
        if item is None:
            return None
        if item[0] == BLOCKER:
            return {"blocker": True}
        return {"card": item[0], "flip": item[1], "mark": mark_of(item[0])}

    def position(self) -> dict[str, Any]:
        """Everything essential about the state."""
        due = None
        if self.phase == "draw":
            due = {"seat": self.turn, "kind": self.draw_kind, "count": self.draws_left}
        stacks = [[card for card, _ in self.board.get(cell, [])] for cell in range(self.size * self.size)]
        return {
            "board": [self._shown(cell) for cell in range(self.size * self.size)],
            "stacks": stacks,
            "covered": sorted(card for stack in stacks for card in stack[:-1]),
            "blockers": [cell for cell, stack in enumerate(stacks) if stack and stack[-1] == BLOCKER],
            "hands": [sorted(hand) for hand in self.hands],
            "hand_blockers": list(self.hand_blockers),
            "deck": self.deck,
            "to_move": self.to_move(),
            "turn": None if self.phase == "over" else self.turn,
            "phase": self.phase,
            "draw_due": due,
            "extra_due": self.extra_due,
            "drawn": self.drawn,
            "blockers_due": self.blockers_due,
            "played": list(self.played),
            "ending": self.ending,
            "winners": list(self.winners),
        }
