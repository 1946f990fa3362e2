"""A broken record costs nothing but itself; and no text, however long, deep or broken, costs too much."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from kifold.records.formats import sgf_reader
from kifold.records.formats.sgf import Broken, Tree, read_file, read_trees, write_tree
from kifold.records.formats.sgf_scan import Scan

ONE = "(;GM[Blokus];1[a20,b20];2[t20])"
TWO = "(;GM[Blokus]C[one\\]two];1[a19](;2[t19];3[t1])(;2[t18]))"
THREE = "(;GM[Blokus];1[a18];2[t18];3[t2];4[b1])"


def only(text: str) -> Tree:
    (tree,) = read_trees(text)
    assert isinstance(tree, Tree), tree
    return tree


def outline(text: str) -> list[str]:
    """For each record how it is written on one line, for each broken stretch its reason."""
    return [record.reason if isinstance(record, Broken) else write_tree(record) for record in read_trees(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["empty file"]),
        ("\ufeff \r\n", ["empty file"]),
        ("()", ["record without a node"]),
        ("(;A[1]())", ["variation without a node"]),
        ("((;A[1]))", ["variation without a node"]),
        ("(A[1];B[2])", ["property before the first node"]),
        ("([1])", ["value without a property name"]),
        ("(;[1])", ["value without a property name"]),
        ("(;A[1];[2])", ["value without a property name"]),
        ("(;A)", ["property 'A' has no value"]),
        ("(;A;B[1])", ["property 'A' has no value"]),
        ("(;A[1](;B[2]);C[3])", ["node after a variation"]),
        ("(;A[1](;B[2])C[3])", ["property after a variation"]),
        ("(;A[1](;B[2])[3])", ["value without a property name"]),
        ("(;A[1]])", ["unexpected ']'"]),
        ("(;é[1])", ["unexpected 'é'"]),
        ("(;A_B[1])", ["property 'A' has no value"]),
        ("(;A[1]\0\0\n" + ONE, [r"unexpected '\x00'", ONE]),
        ("(;A[1", ["value not closed"]),
        ("(;A[1\\", ["value not closed"]),
        ("(;A[1\\]", ["value not closed"]),
        ("(;A[1]", ["record not closed"]),
        ("(;A[1](;B[2])", ["record not closed"]),
        ("(", ["record not closed"]),
        ("(;A", ["record not closed"]),
        (")", ["text outside a record: ')'"]),
        ("(;A[1]))(;B[2])", ["(;A[1])", "text outside a record: ')'", "(;B[2])"]),
        (
            "# games\n(;A[1])\n-- \n(;B[2])end",
            [
                "text outside a record: '# games'",
                "(;A[1])",
                "text outside a record: '--'",
                "(;B[2])",
                "text outside a record: 'end'",
            ],
        ),
        ("(see below)\n(;A[1])", ["property before the first node", "(;A[1])"]),
        ("(;A[1];B(2[3];C[4])\n(;D[5])", ["property 'B' has no value", "(;D[5])"]),
        # cut off and followed by the next without a line end, or after white space
        ("(;GM[1];A[1]" + ONE, ["record not closed before the next one", ONE]),
        ("(;GM[1];A[1]\n ( ; GM [2])", ["record not closed before the next one", "(;GM[2])"]),
        # records that do not say what they are: any line that begins like one
        ("(;A[1]\n(;B[2])\n (;C[3])\n", ["record not closed before the next one", "(;B[2])", "(;C[3])"]),
        ("(;A[1];A[2\n(;A[3])\n(;A[4])\n", ["value not closed before the next record", "(;A[3])", "(;A[4])"]),
        # ... but not the variations of one that does
        ("(;GM[1]\n(;B[2])\n(;B[3])\n", ["record not closed"]),
        ("(\n;GM[1]\n(\n ;B[2]\n)\n(\n;GM[2]\n)\n", ["record not closed before the next one", "(;GM[2])"]),
    ],
)
def test_broken_texts(text: str, expected: list[str]) -> None:
    assert outline(text) == expected


@pytest.mark.parametrize(
    ("style", "heads", "cut"),
    [
        (None, "GM", ONE),
        (None, "GM", TWO),
        (None, "XY", ONE),
        (None, "XY", TWO),
        (1, "GM", ONE),
        (1, "GM", TWO),
        (1, "XY", ONE),  # XY with variations: they look like the beginnings of such records
    ],
)
def test_a_record_cut_off_anywhere_costs_only_itself(style: int | None, heads: str, cut: str) -> None:
    first, second, third, fourth = (
        write_tree(only(text.replace("GM", heads)), style).strip() for text in (ONE, cut, THREE, ONE)
    )
    for length in range(1, len(second)):
        found = list(read_trees(f"{first}\n{second[:length]}\n{third}\n{fourth}\n"))
        assert [type(record) for record in found] == [Tree, Broken, Tree, Tree], second[:length]
        assert [found[0], found[2], found[3]] == [only(first), only(third), only(fourth)]
        last = list(read_trees(f"{first}\n{third}\n{second[:length]}"))
        assert [type(record) for record in last] == [Tree, Tree, Broken], second[:length]


@pytest.mark.parametrize(
    "value",
    [
        "a\n(;b",
        "a\n(;GM",
        "a\n(;GM\\]",
        "\n(;GM[Blokus\\];1[a20\\];2[t20\\])\n",
        "like this:\n(;1[a20\\])\nor this:\n(;C[",
        "\n(;GM[x\\]\n(\n;GM",
    ],
)
def test_a_value_may_quote_records(value: str) -> None:
    text = f"(;GM[Blokus];1[a20]C[{value}];2[t20])"
    assert [tree.nodes[1].first("C") for tree in read_trees(f"{text}\n{ONE}\n") if isinstance(tree, Tree)] == [
        value.replace("\\", ""),
        None,
    ]


# Files


def read_bytes(path: Path, content: bytes) -> list[Tree | Broken]:
    path.write_bytes(content)
    return list(read_file(path))


@pytest.mark.parametrize("chunk", [1, 2, 3, 50, 1 << 18])
def test_bytes_that_are_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(sgf_reader, "_CHUNK", chunk)
    path = tmp_path / "a.sgf"
    good = "(;GM[Blokus]C[é\U0001f600];1[a20])\n".encode()
    bad = b"(;GM[Blokus]\n;C[caf\xe9])\r\n"
    tree, broken, after = read_bytes(path, b"\xef\xbb\xbf" + good + bad + b"\xef\xbb\xbf" + good)
    assert tree == after
    assert (tree.offset, after.offset, after.line) == (3, 3 + len(good) + len(bad) + 3, 4)
    assert isinstance(broken, Broken)
    assert broken.reason == "not UTF-8: byte 0xe9"
    assert (broken.offset, broken.line, broken.size) == (3 + len(good), 2, len(bad) - 2)
    assert (broken.fault_offset, broken.fault_line) == (broken.offset + bad.index(b"\xe9"), 3)
    assert broken.text.encode("utf-8", "surrogateescape") == bad.rstrip()

    assert [str(record) for record in read_bytes(path, good + good[:18])[1:]] == [
        "record 2, line 2: not UTF-8: byte 0xf0"
    ]
    assert [str(record) for record in read_bytes(path, ONE.encode("utf-16"))] == [
        "record 1, line 1: not UTF-8: byte 0xff"
    ]
    assert [str(record) for record in read_bytes(path, b"\xff\n" + good)][:1] == [
        "record 1, line 1: not UTF-8: byte 0xff"
    ]
    assert [str(record) for record in read_bytes(path, b"")] == ["record 1, line 1: empty file"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(read_file(tmp_path / "a.sgf"))


@pytest.mark.slow
def test_a_long_file_needs_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sgf_reader, "_CHUNK", 4096)
    path = tmp_path / "a.sgf"
    path.write_text((f"{ONE}\n(;GM[1];A[1\n{THREE}\n" + "junk " * 9 + "\n") * 10_000)
    tracemalloc.start()
    count = sum(1 for _ in read_file(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 40_000
    assert path.stat().st_size > 1_000_000 > 5 * peak


# Size


@pytest.mark.slow
@pytest.mark.parametrize("length", [40_000])
@pytest.mark.parametrize(
    "shape",
    [
        lambda n: "(" + ";1[a20]" * n + ")",
        lambda n: "(;1[a20]" * n + ")" * n,
        lambda n: "(;1[a20]" + "(;2[t20])" * (n - 1) + ")",
        lambda n: "(;1[a20](;2[t20])" * (n // 2) + ")" * (n // 2),
    ],
    ids=["line", "nested", "side by side", "comb"],
)
def test_neither_length_nor_depth_is_a_problem(shape: Callable[[int], str], length: int) -> None:
    tree = only(shape(length))
    assert len(tree.nodes) == length
    assert only(write_tree(tree)) == tree
    assert len(repr(tree)) > length
    assert sum(len(children) for children in tree.children()) == length - 1


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("(;A[1]\n", 20_000),
        ("(;A[1](;B[2])\n", 20_000),
        ("(;GM[1](;A[1]", 20_000),
        ("(;GM[1];A[1\n", 20_000),
        ("(;A[\n(;B[", 20_000),
        ("(;A[1])(", 20_000),
        ("(;A[1]))(\n", 20_000),
        ("(;", 100_000),
        ("(", 200_000),
        ("[", 200_000),
        ("(;A[", 50_000),
    ],
)
def test_reading_hopeless_texts_takes_time_in_proportion(
    text: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0
    look = Scan._run

    def counted(self: Scan, end: int, shift: int, line: int) -> None:
        nonlocal looked_at
        look(self, end, shift, line)
        looked_at += (end if self.stop is None else self.stop) - self.start

    monkeypatch.setattr(Scan, "_run", counted)
    text *= times
    assert sum(record.size for record in read_trees(text)) >= len(text) - times
    assert looked_at < 10 * len(text)


def test_a_record_without_end_is_given_up_at_the_limit() -> None:
    text = "(;A[1]" + ";B[2]" * 1000 + "\n" + ONE
    long, after = read_trees(text, limit=500)
    assert isinstance(long, Broken)
    assert (long.reason, long.offset, long.size) == ("record longer than 500 characters", 0, text.index("\n") + 1)
    assert after == only(ONE)
