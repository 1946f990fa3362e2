"""Cells as Blokus records write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifold.records.formats.sgf import cells, cells_text, point_text


def test_cells_of_a_value() -> None:
    assert cells("a20,b20", 20, 20) == ((0, 19), (1, 19))
    assert cells(" A20 ,\tt1\n,i007", 20, 20) == ((0, 19), (19, 0), (8, 6))
    assert cells("a1,a1", 1, 1) == ((0, 0), (0, 0))
    assert cells("z9,AA10,ab1", 28, 10) == ((25, 8), (26, 9), (27, 0))


@pytest.mark.parametrize(
    "value",
    ["", "u1", "a0", "a21", "a00", "null", "pass", "a", "1", "a 1", "a-1", "a²", "é1", "\u017f1", "a1,", ",a1", "a1b1"],
)
def test_values_that_are_no_cells(value: str) -> None:
    point = {"a1,": "", ",a1": ""}.get(value, value)
    with pytest.raises(ValueError, match=f"^invalid point '{point}'$"):
        cells(value, 20, 20)


def test_messages_stay_one_short_line() -> None:
    with pytest.raises(ValueError, match=r"^invalid point 'a\\n9{35}\.\.\.'$") as caught:
        cells("a\n" + "9" * 10_000, 20, 20)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"invalid point 'a9{36}\.\.\.'"):
        cells("a" + "9" * 10_000, 20, 20)


@given(st.sets(st.tuples(st.integers(0, 799), st.integers(0, 99)), min_size=1, max_size=6))
def test_cells_are_written_in_canonical_order(found: set[tuple[int, int]]) -> None:
    value = cells_text(found)
    back = cells(value, 800, 100)
    assert set(back) == found
    assert list(back) == sorted(found, key=lambda cell: (cell[1], cell[0]))


def test_points_that_cannot_be_written() -> None:
    assert [point_text(x, 0) for x in (0, 19, 25, 26, 51, 52, 701, 702)] == [
        *("a1", "t1", "z1", "aa1", "az1", "ba1", "zz1", "aaa1")
    ]
    with pytest.raises(ValueError, match=r"invalid cell \(-1, 0\)"):
        point_text(-1, 0)
    with pytest.raises(ValueError, match="no cells"):
        cells_text([])
