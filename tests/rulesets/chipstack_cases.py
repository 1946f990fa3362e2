"""What the tests of chipstack share: its oracle, and positions set up by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kifold.core.corpus import Folder
from kifold.core.events import Event, Started
from kifold.core.play import Play
from kifold.core.records import to_numpy
from kifold.core.rulesets.chipstack import CHIPSTACK
from kifold.core.rulesets.chipstack.board import colour_at, lay_chip
from kifold.core.rulesets.chipstack.declaration import CELLS, Place, State, Take
from kifold.core.rulesets.chipstack.notation import read_cell
from kifold.core.rulesets.chipstack.rules import OVER, TAKING
from tests.rulesets.harness import Adapter, events_of, load_oracle

ORACLE: Any = load_oracle("chipstack")
PURPLE, RED, BLUE, GREEN, YELLOW = range(5)
ROUND, SQUARE = 0, 1
Kind = tuple[int, int]


def to_oracle(event: Event) -> tuple[Any, ...]:
    if isinstance(event, Take):
        return ("take", event.seat, event.cell)
    assert isinstance(event, Place)
    return ("place", event.seat, event.colour, event.shape, event.cell, event.targets)


def build(started: Started) -> Any:
    return ORACLE.Oracle(started.variant, started.options, started.seats, {"first": started.setup.first})


def stack_on(state: State, cell: int) -> list[int]:
    """The colours of a cell's chips from the bottom."""
    return [colour_at(state, cell, height) for height in range(state.heights[cell])]


def position(state: State) -> dict[str, Any]:
    """All but the last placer: in phase 1 the left neighbour of the seat to move, later of no consequence."""
    return {
        "seats": state.seats,
        "phase": 1 if state.phase < TAKING else 2,
        "to_move": None if state.phase == OVER else state.to_move,
        "pieces": {cell: list(divmod(state.pieces[cell] - 1, 2)) for cell in range(CELLS) if state.pieces[cell]},
        "stacks": {cell: stack_on(state, cell) for cell in range(CELLS) if state.heights[cell]},
        "chip_supply": state.supply[:],
        "piece_supply": [state.left[2 * colour : 2 * colour + 2] for colour in range(5)],
        "holdings": [state.held[5 * seat : 5 * seat + 5] for seat in range(state.seats)],
    }


ADAPTER = Adapter(CHIPSTACK, build, to_oracle, position)


def state_of(there: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> State:
    """The state that is a position of the oracle."""
    state = State()
    state.seats = there["seats"]
    state.zero_is_worst = int((options or {}).get("zero_colours") == "worst")
    state.to_move = 0 if there["to_move"] is None else there["to_move"]
    state.phase = there["phase"] - 1 if there["to_move"] is not None else OVER
    state.supply = list(there["chip_supply"])
    state.left = [left for kinds in there["piece_supply"] for left in kinds]
    for seat, counts in enumerate(there["holdings"]):
        state.held[5 * seat : 5 * seat + 5] = counts
    for cell, (colour, shape) in there["pieces"].items():
        state.pieces[cell] = 1 + 2 * colour + shape
        state.occupied |= 1 << cell
    for cell, stack in there["stacks"].items():
        for colour in stack:
            lay_chip(state, cell, colour)
    assert position(state) == {key: there[key] for key in position(state)}
    return state


def table(
    pieces: Mapping[str, Kind] | None = None,
    stacks: Mapping[str, Sequence[int]] | None = None,
    options: dict[str, Any] | None = None,
    **more: Any,
) -> Play:
    """A match that stands at a position set up by hand, cells by their names; `more` as in `Oracle.from_position`."""
    oracle = ORACLE.Oracle.from_position(
        pieces={cell(name): kind for name, kind in (pieces or {}).items()},
        stacks={cell(name): stack for name, stack in (stacks or {}).items()},
        **more,
    )
    play = Play(CHIPSTACK, CHIPSTACK.start(options=options, seats=oracle.seats))
    play.state = state_of(oracle.position(), options)
    return play


cell = read_cell


def cells(names: str) -> tuple[int, ...]:
    """``3-e 6-d`` as ascending cells."""
    return tuple(sorted(map(read_cell, names.split())))


def place(play: Play, kind: Kind, at: str, targets: str) -> list[str]:
    """The seat to move places; the names of the effects."""
    return CHIPSTACK.effects.of(play.add(Place(play.turn, *kind, cell(at), cells(targets))))


def take(play: Play, at: str) -> list[int]:
    """The seat to move takes a piece; what it gets of each colour."""
    seat, before = play.turn, holds(play, play.turn)
    play.add(Take(seat, cell(at)))
    return [now - then for now, then in zip(holds(play, seat), before, strict=True)]


def holds(play: Play, seat: int) -> list[int]:
    """A seat's chips per colour."""
    counts: list[int] = play.state.held[5 * seat : 5 * seat + 5]
    return counts


def why_not(play: Play, event: Event) -> str | None:
    refused = play.why_not(event)
    return refused.reason if refused else None


def outcomes(play: Play, kind: Kind, at: str, folder: Folder | None = None) -> set[tuple[int, ...]]:
    """The different lists of targets with which a piece can be placed, asked plain and, given a folder, compiled."""
    events = play.legal(0)
    if folder:
        to_numpy(play.state, folder.state[0])
        assert events_of(CHIPSTACK, folder.legal(0)) == events
    wanted = (*kind, cell(at))
    found = [e.targets for e in events if isinstance(e, Place) and (e.colour, e.shape, e.cell) == wanted]
    assert len(set(found)) == len(found)
    return set(found)


def lists(*names: str) -> set[tuple[int, ...]]:
    """Lists of targets by the names of their cells."""
    return {cells(each) for each in names}


def conserves(state: State) -> bool:
    """Whether there are 20 chips of each colour, and what is derived follows from the pieces and stacks."""
    stacks: Iterable[list[int]] = [stack_on(state, at) for at in range(CELLS)]
    chips = [chip for stack in stacks for chip in stack]
    totals = [state.supply[c] + chips.count(c) + sum(state.held[c::5]) for c in range(5)]
    occupied = sum(1 << at for at in range(CELLS) if state.pieces[at])
    stacked = sum(1 << at for at in range(CELLS) if state.heights[at])
    return totals == [20] * 5 and (state.occupied, state.stacked) == (occupied, stacked)
