"""Plies: what counts as one, what each holds, and what is said when there is none."""

import pytest

from kifold.core.events import Event, Finished, Noted, Resigned, Undone
from kifold.core.play import Play, Refused
from kifold.core.registry import names, ruleset
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import Pass
from kifold.core.scene import Scene
from kifold.replay.timeline import captioned, picture_at, ply_states
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


@pytest.mark.parametrize("name", names())
def test_a_ply_lasts_until_the_next_decision(name: str) -> None:
    played_by = ruleset(name)
    started, log = random_log(played_by, played_by.start(), 4, 0, limit=60)
    play, before = Play(played_by, started), []
    for event in log:
        if type(event) in played_by.actions:
            before.append((play.ply, play.state.copy()))
        play.add(event)
    before.append((play.ply, play.state))
    plies = list(ply_states(played_by, started, log))
    assert [(ply.number, ply.state) for ply in plies] == before
    assert [event for ply in plies for event in ply.events] == log
    assert [ply.seq for ply in plies[1:]] == [i for i, event in enumerate(log, 1) if type(event) in played_by.actions]
    assert plies[0].seat is None
    assert all(ply.seat in range(started.seats) for ply in plies[1:])


def test_pictures_at_plies(match: Log) -> None:
    for ply in (0, 1, 7, 12):
        assert picture_at(BLOKUS, *match, ply) == played(match, ply)


@pytest.mark.parametrize("ply", [13, -1])
def test_no_such_ply(match: Log, ply: int) -> None:
    with pytest.raises(ValueError, match=rf"^ply {ply}: the match has plies 0\.\.12$"):
        picture_at(BLOKUS, *match, ply)


def test_what_was_taken_back_is_no_ply(match: Log) -> None:
    started, log = match
    changed: list[Event] = [*log[:5], Noted("comment", ("a slip",)), Undone(3), *log[3:]]
    plies = list(ply_states(BLOKUS, started, changed))
    assert [ply.number for ply in plies] == list(range(13))
    assert [ply.seq for ply in plies[:5]] == [0, 1, 2, 3, 8]
    assert plies[-1].state == list(ply_states(BLOKUS, *match))[-1].state


@pytest.mark.parametrize(
    ("ending", "said"),
    [(Resigned(1), "yellow resigned: the match is over"), (Finished(0), "the match is over: abandoned")],
)
def test_an_ending_stands_below_the_last_picture_only(match: Log, ending: Event, said: str) -> None:
    started, log = match
    closed = [*log, ending]
    assert picture_at(BLOKUS, started, closed, 12).legend[-1] == said
    assert picture_at(BLOKUS, started, closed, 11) == played(match, 11)


def test_a_refused_event_is_named_by_its_number_in_the_log(match: Log) -> None:
    started, log = match
    wrong = [*log[:4], Undone(2), Pass(0), *log[2:]]
    with pytest.raises(Refused) as refused:
        picture_at(BLOKUS, started, wrong, 3)
    assert (refused.value.seq, refused.value.reason, refused.value.event) == (6, "passing_not_allowed", Pass(0))
    assert picture_at(BLOKUS, started, wrong, 2) == played(match, 2), "what follows is not looked at"


def test_captions_say_who_did_what(match: Log) -> None:
    captions = [caption for caption, _ in captioned(BLOKUS, *match)]
    assert len(captions) == 13
    assert captions[0] == "ply 0"
    assert captions[2].startswith("ply 2, yellow:")
    pair = random_log(BLOKUS, BLOKUS.start("two_player"), 1, 0, limit=1)
    assert list(captioned(BLOKUS, *pair))[1][0].startswith("ply 1, blue+red: blue:")
