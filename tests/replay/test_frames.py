"""Pictures of plies and the lines above and below them."""

import pytest

from kifold.core.events import Event, Finished, Resigned
from kifold.core.play import Play
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.scene import Scene
from kifold.replay.frames import captioned, picture_at
from tests.rulesets.matches import Log, random_log


@pytest.fixture(scope="module")
def match() -> Log:
    return random_log(BLOKUS, BLOKUS.start(), 11, 0, limit=12)


def played(match: Log, plies: int) -> Scene:
    started, log = match
    play = Play(BLOKUS, started)
    for event in log[:plies]:
        play.add(event)
    return BLOKUS.picture(started, play.state)


def test_pictures_at_plies(match: Log) -> None:
    for ply in (0, 1, 7, 12):
        assert picture_at(BLOKUS, *match, ply) == played(match, ply)


@pytest.mark.parametrize(
    ("ending", "said"),
    [(Resigned(1), "yellow resigned: the match is over"), (Finished(0), "the match is over: abandoned")],
)
def test_an_ending_stands_below_the_last_picture_only(match: Log, ending: Event, said: str) -> None:
    started, log = match
    closed = [*log, ending]
    assert picture_at(BLOKUS, started, closed, 12).legend[-1] == said
    assert picture_at(BLOKUS, started, closed, 11) == played(match, 11)


def test_captions_say_who_did_what(match: Log) -> None:
    captions = [caption for caption, _ in captioned(BLOKUS, *match)]
    assert len(captions) == 13
    assert captions[0] == "ply 0"
    assert captions[2].startswith("ply 2, yellow:")
    pair = random_log(BLOKUS, BLOKUS.start("two_player"), 1, 0, limit=1)
    assert list(captioned(BLOKUS, *pair))[1][0].startswith("ply 1, blue+red: blue:")
