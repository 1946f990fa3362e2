"""Files of compiled code: what is not what was written is not there, what cannot be written is kept in memory."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numba
import pytest

from kifold.core import code_files
from kifold.core.code_files import can_keep, read, write
from kifold.core.compiled import Binder
from kifold.core.kernels import kernels
from kifold.core.once import once

CONTENT = bytes(range(256)) * 40


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of a test's own, of which nothing was said."""
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(code_files, "_SAID", set())
    return tmp_path / "cache"


# One file


def a_bit(place: Path, at: int) -> None:
    found = bytearray(place.read_bytes())
    found[at] ^= 16
    place.write_bytes(found)


def in_its_place(place: Path, make: Callable[[Path], object]) -> None:
    place.unlink()
    make(place)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": lambda place: place.unlink(),
    "empty": lambda place: place.write_bytes(b""),
    "cut in the digest": lambda place: os.truncate(place, 7),
    "cut": lambda place: os.truncate(place, 5000),
    "longer": lambda place: place.write_bytes(place.read_bytes() + b"\0"),
    "zeros": lambda place: place.write_bytes(bytes(place.stat().st_size)),
    "zeros at the end": lambda place: place.write_bytes(place.read_bytes()[:4096] + bytes(place.stat().st_size - 4096)),
    "a bit of the digest": lambda place: a_bit(place, 3),
    "a bit": lambda place: a_bit(place, 3000),
    "the last bit": lambda place: a_bit(place, -1),
    "a folder": lambda place: in_its_place(place, Path.mkdir),
    "a link to nowhere": lambda place: in_its_place(place, lambda it: it.symlink_to("nowhere")),
    "a link to itself": lambda place: in_its_place(place, lambda it: it.symlink_to(it)),
}
each_damage = pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)


@each_damage
def test_a_file_is_what_was_written_or_not_there(damage: Callable[[Path], object], tmp_path: Path) -> None:
    place = tmp_path / "rules-1" / "apply.nbc"
    write(place, CONTENT)
    assert (read(place), list(place.parent.iterdir())) == (CONTENT, [place]), "no draft is left"
    damage(place)
    assert read(place) is None
    write(place, CONTENT)
    assert read(place) == (None if place.is_dir() else CONTENT)


@pytest.mark.parametrize("other", ["rules-1/check.nbc", "rules-2/apply.nbc"], ids=["of a function", "of other rules"])
def test_a_file_from_elsewhere_is_not_there(other: str, tmp_path: Path) -> None:
    place, elsewhere = tmp_path / "rules-1/apply.nbc", tmp_path / other
    write(place, CONTENT)
    write(elsewhere, CONTENT[1:])
    place.replace(elsewhere)
    assert read(elsewhere) is None


def test_what_was_written_may_move_with_all_folders(tmp_path: Path) -> None:
    """As when a cache is made for a container."""
    write(tmp_path / "made" / "rules-1" / "apply.nbc", CONTENT)
    (tmp_path / "made").rename(tmp_path / "used")
    assert read(tmp_path / "used" / "rules-1" / "apply.nbc") == CONTENT
    write(tmp_path / "made" / "rules-1" / "apply.nbc", CONTENT)
    assert read(tmp_path / "made" / "rules-1" / "apply.nbc") == CONTENT, "a folder that is gone is made again"


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """No file gets longer than so many bytes."""
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_what_cannot_be_written_whole_leaves_nothing_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "compiled" / "rules-1"
    write(folder / "apply.nbc", CONTENT)
    with full_disk(5000):
        for name in ("apply.nbc", "check.nbc"):
            write(folder / name, CONTENT + b"more")
    assert [place.name for place in folder.iterdir()] == ["apply.nbc"]
    assert read(folder / "apply.nbc") == CONTENT
    [said] = [record.message for record in caplog.records]
    assert said == (
        f"compiled rules cannot be kept in {folder.parent} (File too large): each process compiles them anew, some ten "
        "seconds a ruleset; make it writable, make room on its disk, or name another folder in KIFOLD_CACHE"
    )


NOWHERE = {
    "/proc/nowhere": "No such file or directory",
    "/dev/null/cache": "Not a directory",
    f"/tmp/{'long' * 100}": "File name too long",
}


@pytest.mark.parametrize(("where", "reason"), NOWHERE.items(), ids=["missing", "a file", "long"])
def test_whether_a_folder_can_be_written_is_asked_before(
    where: str, reason: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fine, folder = tmp_path / "compiled" / "rules-1", Path(where) / "rules-1"
    assert can_keep(fine)
    assert list(fine.iterdir()) == caplog.records == []
    assert not can_keep(folder)
    write(folder / "apply.nbc", CONTENT)
    assert read(folder / "apply.nbc") is None
    assert [record.message.partition(": ")[0] for record in caplog.records] == [
        f"compiled rules cannot be kept in {folder.parent} ({reason})"
    ]


# Functions


def twice(number: Any) -> Any:
    return 2 * number


def four_times(number: Any) -> Any:
    return twice(twice(number))


def made(binding: str = "tests") -> tuple[Any, Any]:
    """Compiled anew, or read: the inner function and the one that Python calls."""
    binder = Binder(binding, [four_times], {}, {}, boundscheck=True)
    return binder.compiled(twice, is_entry=False), binder.compiled(four_times)


def hits() -> int:
    """How often one call finds what it needs."""
    inner, outer = made()
    assert outer(3) == 12
    return sum((inner.stats.cache_hits + outer.stats.cache_hits).values())


def places(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.nbc"))


@pytest.mark.parametrize("what", ["empty", "a bit", "a folder"])
def test_a_damaged_function_is_compiled_and_written_anew(what: str, cache: Path) -> None:
    damage = DAMAGE[what]
    assert (hits(), hits()) == (0, 1)
    inner, outer = places(cache)[::-1]
    assert (inner.name[:6], outer.name[:6]) == ("twice_", "four_t")
    damage(outer)
    assert hits() == 1, "the inner one"
    damage(inner)
    assert hits() == (0 if outer.is_dir() else 1)
    assert hits() == (0 if outer.is_dir() else 1)


def test_what_is_whole_and_cannot_be_used_is_compiled(cache: Path) -> None:
    assert (hits(), hits()) == (0, 1)
    for place in places(cache):
        write(place, pickle.dumps(("nothing", "that", "was", "compiled")))
    assert (hits(), hits()) == (0, 1)


def test_a_form_is_not_taken_for_another(cache: Path) -> None:
    _, outer = made()
    assert [outer(3), outer(1.5)] == [12, 6.0]
    whole, broken = (place for place in places(cache) if place.name.startswith("four"))
    one, other = whole.read_bytes(), broken.read_bytes()
    whole.write_bytes(other)
    broken.write_bytes(one)
    _, outer = made()
    assert [outer(3), outer(1.5)] == [12, 6.0]
    assert sum(outer.stats.cache_hits.values()) == 0


def test_whether_code_is_kept_is_told_of_each_function(cache: Path) -> None:
    assert [one.is_kept for one in made()] == [False, False]
    hits()
    assert [one.is_kept for one in made()] == [True, True]
    assert not made("other")[1].is_kept
    cache.rename(cache.with_name("gone"))
    cache.write_text("a file")
    assert [one.is_kept for one in made()] == [False, False]


def test_a_cache_that_is_there_is_used_where_nothing_can_be_written(
    cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    hits()
    for name in ("mkdir", "write_bytes", "touch", "replace", "unlink"):
        monkeypatch.setattr(Path, name, refused)
    assert hits() == 1
    assert caplog.records == []
    assert made()[1](1.5) == 6.0, "of which there is no form yet"
    assert [record.message.partition(": ")[0] for record in caplog.records] == [
        f"compiled rules cannot be kept in {cache / 'compiled'} (Read-only file system)"
    ]


LARGE = [1] * 130_000


def at_large(i: Any) -> Any:
    return LARGE[i]


def test_what_holds_addresses_of_this_process_is_not_kept(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert Binder("large", [at_large], {}, {}, boundscheck=True).compiled(at_large)(5) == 1
    assert places(cache) == []
    assert [record.message.partition(": ")[0] for record in caplog.records] == [
        "at_large__large_entry is compiled anew by every process"
    ]


# Nothing but the folder

CHANGED = """
import sys
sys.path.insert(0, sys.argv[1])
from kifold.core.compiled import Binder
from made_rules import legal
binder = Binder("made", [legal], {}, {}, boundscheck=False)
print(binder.compiled(legal)(1))
"""


def names(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["cache", "/proc/nowhere"])
def test_nothing_is_read_or_written_anywhere_else_and_changed_code_is_seen(folder: str, tmp_path: Path) -> None:
    """Numba itself would write beside the source, and there believe what has the date and the size of the source."""
    work, home, sources = (tmp_path / name for name in ("work", "home", "sources"))
    for one in (work, home, sources):
        one.mkdir()
    (sources / "made_helper.py").write_text("def helped(n): return n + 1\n")
    (sources / "made_rules.py").write_text("from made_helper import helped\ndef legal(n): return helped(n)\n")
    environment = os.environ | {
        "KIFOLD_CACHE": str(tmp_path / folder),
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.pop("XDG_CACHE_HOME", None)
    for answer in (2, 6):
        done = subprocess.run(
            [sys.executable, "-c", CHANGED, str(sources)],
            cwd=work, env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == f"{answer}\n"
        said = "compiled rules cannot be kept in /proc/nowhere/compiled (No such file or directory)"
        assert done.stderr.partition(": ")[0] == (said if folder.startswith("/") else "")
        (sources / "made_helper.py").write_text("def helped(n): return n + 5\n")
    assert names(tmp_path) == sorted({"work", "home", "sources", *(["cache"] * (folder == "cache"))})
    assert list(work.iterdir()) == list(home.iterdir()) == []
    assert names(sources) == ["made_helper.py", "made_rules.py"]


# Threads


def test_threads_that_ask_first_get_one_thing(cache: Path) -> None:
    """Two bindings, made and called in eight threads at once: each has its folder, and is made once."""
    asked: list[str] = []

    @once
    def bound(binding: str) -> Any:
        asked.append(binding)
        return made(binding)[1]

    @once
    def kernel() -> Any:
        asked.append("kernel")
        return kernels(twice, four_times)["four_times"]

    go, answers = Barrier(8), []

    def ask(number: int) -> None:
        go.wait()
        answers.append((bound("one")(number), kernel()(number), bound("two")(number)))

    threads = [Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [(4 * number,) * 3 for number in range(8)]
    assert sorted(asked) == ["kernel", "one", "two"]
    assert numba.config.CACHE_DIR == ""
    for folder in (cache / "compiled").iterdir():
        words = {place.name.split(".")[0] for place in folder.iterdir()}
        binding = folder.name.rpartition("-")[0]
        if binding == "kernels_test_code_files":
            assert words == {"twice", "four_times"}
        else:
            assert words == {f"twice__{binding}", f"four_times__{binding}_entry"}


def test_what_could_not_be_made_is_tried_again() -> None:
    tries: list[int] = []

    @once
    def half(number: int) -> int:
        tries.append(number)
        if len(tries) == 1:
            raise ValueError("not yet")
        return number // 2

    with pytest.raises(ValueError, match="not yet"):
        half(4)
    assert (half(4), half(4), half(6), tries) == (2, 2, 3, [4, 4, 6])
    half.cache_clear()
    assert (half(4), tries) == (2, [4, 4, 6, 4])
