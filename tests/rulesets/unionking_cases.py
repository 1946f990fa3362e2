"""What the tests of unionking share: positions set up by hand, and playing in short notation."""

from __future__ import annotations

from kifold.core.events import Event
from kifold.core.play import Play
from kifold.core.rulesets.unionking import UNIONKING
from kifold.core.rulesets.unionking.declaration import Move, UnionkingSetup
from kifold.core.rulesets.unionking.standing import gain

WHITE, BLACK = 0, 1
GAMES = ("game1", "game2", "game3")
NAMES = [colour + part + figure for colour in "wb" for part in "oi" for figure in "ABCDEFG"]


def point(name: str, width: int = 7) -> int:
    return (int(name[1:]) - 1) * width + ord(name[0]) - ord("a")


def name_of(number: int, width: int = 7) -> str:
    return f"{'abcdefghi'[number % width]}{number // width + 1}"


def setup(text: str, free: str = "", width: int = 7, height: int = 7) -> UnionkingSetup:
    """The pieces that `text` names on their points, ``woA a1 wiA b1``; the others singly from the last point down,
    except on those that are to stay free.
    """
    words = text.split()
    at = {piece: point(where, width) for piece, where in zip(words[::2], words[1::2], strict=True)}
    kept = {*at.values(), *(point(where, width) for where in free.split())}
    rest = (number for number in reversed(range(width * height)) if number not in kept)
    return UnionkingSetup(width, height, tuple(at[name] if name in at else next(rest) for name in NAMES))


def begin(text: str = "", free: str = "", variant: str = "game1", options: dict | None = None, **size: int) -> Play:
    return Play(UNIONKING, UNIONKING.start(variant, options, setup=setup(text, free, **size) if text else None))


def go(play: Play, *words: str) -> list[set[str]]:
    """Play events in short notation; the effects of each."""
    events = [UNIONKING.notation.read(play.started, play.state, word) for word in words]
    return [set(UNIONKING.effects.of(play.add(event))) for event in events]


def why_not(play: Play, word: str) -> str:
    refused = play.why_not(UNIONKING.notation.read(play.started, play.state, word))
    return refused.reason if refused else ""


def targets(play: Play, piece: str) -> set[str]:
    """Where a piece may go, in turn or out of it."""
    colour, part, figure = "wb".index(piece[0]), "oi".index(piece[1]), "ABCDEFG".index(piece[2])
    return {
        name_of(event.to, play.started.setup.width)
        for event in play.legal(colour)
        if isinstance(event, Move) and (event.part, event.figure) == (part, figure)
    }


def totals(play: Play) -> list[int | None]:
    return [standing.score for standing in play.result()]


def pairs_at(colour: str, *points: str) -> str:
    """``woA b2 wiA b2 woB …``: merged pairs of the first figures."""
    return " ".join(f"{colour}o{f} {at} {colour}i{f} {at}" for f, at in zip("ABCDEFG", points))  # noqa: B905


def idle(play: Play, colour: int | None = None) -> Event:
    """A move that changes no pair, of the side to move or of one that is not."""
    moves = [event for event in play.legal(colour) if isinstance(event, Move)]
    return next(event for event in moves if not gain(play.state, UNIONKING.flatten(event)))


def go_words(play: Play, words: tuple[str, ...]) -> list[set[str]]:
    return [go(play, word)[0] for word in words]


FOUR = ("a1", "c1", "e1", "g1")
READY = {
    # White's E merges at the next move and reaches the goal: five pairs, 76 points, 102 points.
    "game1": pairs_at("w", *FOUR) + " woE a2 wiE a3",
    "game2": pairs_at("w", "b2", "d2", "f2", "b4") + " woE d3 wiE d4",
    "game3": pairs_at("w", "b2", "d2", "f2", "b4") + " woE d3 wiE d4",
}
THERE = {"game1": "woE-a3", "game2": "woE-d4", "game3": "woE-d4"}


AND_BACK = ("woA-a3", "boA-g5", "woA-a1", "boA-g7")
