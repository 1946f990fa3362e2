"""Pictures of plies and the lines above and below them."""

import pytest

from kifold.core.events import ENDINGS, Event, Finished, Noted, Resigned, Undone
from kifold.core.play import Play, fold
from kifold.core.registry import ruleset
from kifold.core.ruleset import SPECTATOR
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.nibble import NIBBLE
from kifold.core.scene import Scene
from kifold.replay.frames import captioned, picture_at, picture_of
from kifold.replay.timeline import Timeline
from tests.registered import NAMES
from tests.rulesets.matches import Log, random_log


@pytest.fixture(scope="module")
def match() -> Log:
    return random_log(BLOKUS, BLOKUS.start(), 11, 0, limit=12)


def played(match: Log, plies: int) -> Scene:
    started, log = match
    play = Play(BLOKUS, started)
    for event in log[:plies]:
        play.add(event)
    scene = BLOKUS.picture(started, play.state)
    assert scene.turn == f"{BLOKUS.seat_names(started)[play.turn]} to move"
    scene.legend.append(scene.turn)
    return scene


def test_pictures_at_plies(match: Log) -> None:
    for ply in (0, 1, 7, 12):
        assert picture_at(BLOKUS, *match, ply) == played(match, ply)


def test_a_ruleset_need_not_say_whose_turn_it_is() -> None:
    started, log = random_log(NIBBLE, NIBBLE.start(), 3, 0)
    play = Play(NIBBLE, started)
    for ply, event in enumerate(log):
        assert picture_at(NIBBLE, started, log, ply).legend[-1] == f"seat {play.turn} to move"
        play.add(event)
    first, second = sorted(play.result(), key=lambda standing: standing.rank)
    end = f"match over: 1. seat {first.seat}, 2. seat {second.seat}"
    assert picture_at(NIBBLE, started, log, len(log)).legend[-1] == end


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("ending", "why"),
    [
        (Resigned(0), "{first} resigned"),
        (Finished(ENDINGS.index("abandoned")), "abandoned"),
        (Finished(ENDINGS.index("agreed")), "agreed"),
    ],
)
def test_after_an_ending_nobody_is_to_move(name: str, ending: Event, why: str) -> None:
    """Of no game, and for nobody who looks; how it ended and how the seats stand comes last, and not one ply before."""
    rules = ruleset(name)
    started, log = random_log(rules, rules.start(), 5, 0, limit=6)
    play, _ = fold(rules, started, [*log, ending])
    names = rules.seat_names(started)
    best = min(play.result(), key=lambda standing: standing.rank)
    said = f"match over, {why.format(first=names[0])}: 1. {names[best.seat]}"
    for seat in (None, 0, SPECTATOR):
        before, after = (
            picture_of(rules, started, Timeline(rules, started, events).at(play.ply), seat)
            for events in (log, play.log)
        )
        assert "match over" not in "\n".join(before.legend)
        assert after.legend[-1].startswith(said)
        assert not [line for line in after.legend if before.turn and before.turn in line]
        assert not [line for line in after.legend if line.endswith(" to move")]


def test_players_with_a_name_stand_above_the_rest(match: Log) -> None:
    started, log = match
    timeline = Timeline(BLOKUS, started, log)
    nobody = picture_of(BLOKUS, started, timeline.at(3))
    for players in ((), ("", "", "", "")):
        assert picture_of(BLOKUS, started, timeline.at(3), players=players) == nobody
    named = picture_of(BLOKUS, started, timeline.at(3), players=("Ada", "", "Cleo"))
    assert named.legend == ["blue: Ada, red: Cleo", *nobody.legend]
    pages = captioned(BLOKUS, started, log, players=("Ada", "", "Cleo"))
    assert [scene.legend[0] for _, scene in pages] == 13 * ["blue: Ada, red: Cleo"]


def test_what_was_noted_stands_below_its_ply(match: Log) -> None:
    """At that ply only, in order, also after the end; not what was taken back, nor what a file says of itself."""
    started, log = match
    first, second, odd = (
        Noted("comment", ("a fine move", "and\nanother")),
        Noted("judge", ()),
        Noted("blksgf:AP", ("x",)),
    )
    taken_back = [log[3], Noted("comment", ("no",)), Undone(6)]
    noted = [Noted("comment", ("before",)), *log[:3], first, second, *taken_back, odd, *log[3:], Finished(0), first]
    for ply in range(13):
        plain = picture_at(BLOKUS, started, [*log, Finished(0)], ply).legend
        said = {
            0: ["comment: before"],
            3: ["comment: a fine move; and\nanother", "judge: "],
            12: ["comment: a fine move; and\nanother"],
        }
        assert picture_at(BLOKUS, started, noted, ply).legend == [*plain[:-1], *said.get(ply, []), plain[-1]]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_noted_is_shown_to_a_seat_only_where_all_lies_open(name: str) -> None:
    rules = ruleset(name)
    started, log = random_log(rules, rules.start(), 5, 0, limit=3)
    ply = Timeline(rules, started, [*log, Noted("comment", ("you hold K",))]).at_seq(len(log) + 1)
    shown = ["comment: you hold K" in picture_of(rules, started, ply, seat).legend for seat in (None, 0, SPECTATOR)]
    assert shown == [True, rules.views is None, rules.views is None]


def test_captions_say_who_did_what(match: Log) -> None:
    captions = [caption for caption, _ in captioned(BLOKUS, *match)]
    assert len(captions) == 13
    assert captions[0] == "ply 0"
    assert captions[2].startswith("ply 2, yellow:")
    pair = random_log(BLOKUS, BLOKUS.start("two_player"), 1, 0, limit=1)
    assert list(captioned(BLOKUS, *pair))[1][0].startswith("ply 1, blue+red: blue:")
