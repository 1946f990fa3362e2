"""SVG that any XML parser reads, and from which the board reads back."""

import xml.etree.ElementTree as ET

import pytest

from kifold.core.play import fold
from kifold.core.rulesets.blokus import BLOKUS
from kifold.core.rulesets.blokus.declaration import COLOURS, SIDE
from kifold.core.scene import PALETTE, Label, Line, Scene, Shape
from kifold.replay.svg import draw_svg
from kifold.replay.tones import contrast, fill, ink
from tests.rulesets.matches import random_log

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>alert('1')</script> \"&amp;<!-- ]]> \x00\x1b[2J\ud800\uffff"


def parsed(scene: Scene, title: str = "a match") -> ET.Element:
    return ET.fromstring(draw_svg(scene, title).encode())


def shapes_of(root: ET.Element) -> list[ET.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == "shape"]


def shown(shape: ET.Element) -> str:
    return "".join(text.text or "" for text in shape.iter(f"{SVG}text"))


@pytest.mark.parametrize(("variant", "events"), [("classic", 0), ("classic", 50), ("duo", 24)])
def test_every_square_of_a_blokus_board_reads_back(variant: str, events: int) -> None:
    started, log = random_log(BLOKUS, BLOKUS.start(variant), 7, 0, limit=events)
    state = fold(BLOKUS, started, log)[0].state
    root = parsed(BLOKUS.picture(started, state))
    read = {}
    for shape in shapes_of(root):
        where, _, colour = (shape.findtext(f"{SVG}title") or "").partition(" ")
        place = ("abcdefghijklmnopqrst".index(where[0]), int(where[1:]) - 1)
        assert (float(shape.get("data-x", "")), float(shape.get("data-y", ""))) == (
            place[0] + 1,
            state.side - 1 - place[1],
        )
        assert shape.get("data-colour") == (colour or "board")
        if colour:
            assert shown(shape) == colour[0].upper()
            assert [rect.get("fill") for rect in shape.iter(f"{SVG}rect")] == [fill(colour)]
        read[place] = colour
    assert read == {
        (x, y): "".join(COLOURS[c] for c in range(state.colours) if state.own[c * SIDE + y] >> x & 1)
        for x in range(state.side)
        for y in range(state.side)
    }


def test_it_is_named_and_stands_alone() -> None:
    started, log = random_log(BLOKUS, BLOKUS.start(), 7, 0, limit=9)
    scene = BLOKUS.picture(started, fold(BLOKUS, started, log)[0].state)
    text = draw_svg(scene, "final, ply 9")
    root = parsed(scene, "final, ply 9")
    assert (root.tag, root.get("role"), root.get("aria-label")) == (f"{SVG}svg", "img", "final, ply 9")
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "final, ply 9"
    assert len((root.get("viewBox") or "").split()) == 4
    assert text.count("http") == 1, "nothing but the namespace"
    assert not {"href", "src", "style"} & {name for element in root.iter() for name in element.keys()}  # noqa: SIM118
    legend = next(group for group in root.iter(f"{SVG}g") if group.get("class") == "legend")
    assert [(line.text or "").replace("\N{NO-BREAK SPACE}", " ") for line in legend] == scene.legend


def test_everything_lies_inside_the_frame() -> None:
    shapes = [Shape("square", -2, -3, "red", "R", "", 3), Shape("disc", 30, 1, "blue", "B")]
    root = parsed(Scene(4, 4, shapes, [Line(0, 0, 0, 40)], [Label(0, -9, "up")], ["a legend " * 30]))
    left, top, width, height = map(float, (root.get("viewBox") or "").split())
    assert (root.get("width"), root.get("height")) == (f"{width:g}", f"{height:g}")
    for element in root.iter():
        for name, least, most in (("x", left, left + width), ("y", top, top + height), ("cx", left, left + width)):
            assert least <= float(element.get(name, least)) <= most
        assert float(element.get("y2", top)) <= top + height
    assert len([text for text in root.iter(f"{SVG}text") if "legend" in (text.text or "")]) > 1, (
        "long lines are wrapped"
    )


@pytest.mark.parametrize("place", ["title", "shape", "letter", "label", "legend"])
def test_hostile_text_stays_text(place: str) -> None:
    said = {name: HOSTILE if name == place else "fine" for name in ("title", "shape", "letter", "label", "legend")}
    shape = Shape("square", 0, 0, "red", said["letter"], said["shape"])
    root = parsed(Scene(1, 1, [shape], [], [Label(0, 1, said["label"])], [said["legend"]]), said["title"])
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "title", "rect", "g", "text"}
    assert "alert('1')" in "".join(root.itertext())


def test_every_kind_and_colour_is_drawn() -> None:
    kinds = ("square", "hexagon", "disc", "ring", "dot", "card")
    shapes = [Shape(kind, i, j, colour, "A") for i, kind in enumerate(kinds) for j, colour in enumerate(PALETTE)]
    drawn = shapes_of(parsed(Scene(6, len(PALETTE), shapes)))
    assert len(drawn) == len(shapes)
    assert all(shown(shape) == "A" and len(shape) >= 3 for shape in drawn)


@pytest.mark.parametrize("colour", PALETTE)
def test_letters_stand_out_from_their_colour(colour: str) -> None:
    assert contrast(ink(colour), fill(colour)) >= 4, "WCAG asks 3 of large bold letters, 4.5 of small ones"


def test_contrast_is_as_defined() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


def test_of_a_pile_only_the_highest_letter_is_written() -> None:
    pile = [
        Shape("square", 0, 0, "board", "."),
        Shape("ring", 0, 0, "white", "A", "outer", 0.8),
        Shape("disc", 0, 0, "white", "A", "inner", 0.5),
        Shape("dot", 0, 0, "board", "", "nothing", 0.1),
    ]
    drawn = shapes_of(parsed(Scene(1, 1, pile)))
    assert [(shape.findtext(f"{SVG}title"), shown(shape)) for shape in drawn] == [
        ("", ""), ("outer", ""), ("inner", "A"), ("nothing", ""),
    ]  # fmt: skip


def test_lines_lie_above_cells_and_below_pieces() -> None:
    scene = Scene(1, 1, [Shape("disc", 0, 0, "red", "R"), Shape("square", 0, 0, "board", ".")], [Line(0, 0, 1, 0)])
    order = [
        element for element in parsed(scene).iter() if element.tag == f"{SVG}line" or element.get("class") == "shape"
    ]
    cell, line, piece = order
    assert (cell.get("data-colour"), line.tag, piece.get("data-colour")) == ("board", f"{SVG}line", "red")


@pytest.mark.parametrize(("kind", "colour"), [("blob", "red"), ("disc", "mauve")])
def test_an_unknown_kind_or_colour_is_named(kind: str, colour: str) -> None:
    with pytest.raises(ValueError, match=r"no shape 'blob' in pictures|no colour 'mauve' in pictures"):
        draw_svg(Scene(1, 1, [Shape(kind, 0, 0, colour, "M")]), "")
