"""What `--out` writes is what the ending of its file promises."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from tests.service.conftest import Kifold

ANSWERS: dict[str, Callable[[Path], object]] = {
    "a.csv": lambda path: [*csv.DictReader(path.read_text(encoding="utf-8").splitlines())] == [{"n": "4"}],
    "a.JSON": lambda path: json.loads(path.read_text(encoding="utf-8")) == [{"n": 4}],
    "a.b.parquet": lambda path: pq.read_table(path).to_pylist() == [{"n": 4}],
    "a.txt": lambda path: path.read_text(encoding="utf-8") == "n\n─\n4\n",
    "a": lambda path: path.read_text(encoding="utf-8") == "n\n─\n4\n",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_written_as_its_file_is_called(kifold: Kifold, match: str, tmp_path: Path, name: str) -> None:
    query = f"SELECT n_events::INTEGER AS n FROM matches WHERE match = '{match}'"
    said = kifold("sql", query, "--out", tmp_path / name)
    assert (said.status, said.out, said.err) == (0, "", "")
    assert ANSWERS[name](tmp_path / name)


@pytest.mark.parametrize("name", ["a.png", "a.xlsx", "a.svgz", "a.csv.gz", ".b.pdf"])
def test_an_ending_that_says_no_format_is_refused(kifold: Kifold, match: str, tmp_path: Path, name: str) -> None:
    for command, option in ((["sql", "SELECT 1"], "--format"), (["show", match], "--as")):
        said = kifold(*command, "--out", tmp_path / name)
        assert (said.status, said.out) == (2, "")
        assert "its ending says no format (." in said.err
        assert said.err.endswith(f"); name one with {option}\n")
        assert not (tmp_path / name).exists()


def test_what_is_asked_for_counts_more_than_the_ending(kifold: Kifold, match: str, tmp_path: Path) -> None:
    assert kifold("sql", "SELECT 4 AS n", "--format", "csv", "--out", tmp_path / "a.dat").status == 0
    assert (tmp_path / "a.dat").read_text(encoding="utf-8") == "n\n4\n"
    assert kifold("show", match, "--as", "svg", "--out", tmp_path / "a.txt").status == 0
    assert ElementTree.parse(tmp_path / "a.txt").getroot().tag.endswith("svg")


def test_columns_are_listed_as_their_file_is_called(kifold: Kifold, match: str, tmp_path: Path) -> None:
    assert kifold("sql", "--schema", "--out", tmp_path / "a.csv").status == 0
    header, *_ = csv.reader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines())
    assert header == ["view", "column", "type", "meaning"]
    said = kifold("sql", "--schema", "--out", tmp_path / "a.parquet")
    assert said.status == 2
    assert "columns are listed as table, csv or json" in said.err
