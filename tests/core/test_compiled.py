"""The compiled way: the rules' own code, a cache that follows everything the code depends on, checked bounds."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from kifold.core import code_cache, loops, registry
from kifold.core import kernels as kernel_module
from kifold.core.code_cache import user_cache
from kifold.core.compiled import Binder, Compiled
from kifold.core.corpus import Corpus, Folder
from kifold.core.emit import slot, slot_compiled
from kifold.core.flat import flatten_setup
from kifold.core.kernels import kernels
from kifold.core.ruleset import SNAPSHOT, Ruleset
from kifold.service.compiling import BESIDE, FIRST
from tests.core.toy import RACE
from tests.rulesets.harness import assert_plays_alike, assert_two_ways, folder, random_logs

ROOT = Path(__file__).parents[2]
RULE_NAMES = ("set_up", "check", "apply", "legal", "turn", "actor", "result", "greedy")
RULESETS = [registry.ruleset(name) for name in registry.names()] + [RACE]
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)


# One source


def assert_same_code(compiled: Any, plain: Any, seen: set[Any]) -> None:
    """A compiled function has the plain one's code, and so has every function that it calls."""
    if compiled in seen:
        return
    seen.add(compiled)
    assert isinstance(compiled, Dispatcher)
    assert compiled.py_func.__code__ is plain.__code__
    for name, value in compiled.py_func.__globals__.items():
        called = plain.__globals__.get(name)
        if isinstance(called, FunctionType):
            assert_same_code(value, slot_compiled if called is slot else called, seen)
        elif isinstance(called, list | tuple):
            assert value.tolist() == list(called)


@each_ruleset
def test_every_rule_function_runs_its_own_code(ruleset: Ruleset) -> None:
    code, seen = Compiled(ruleset), set()
    for name in RULE_NAMES:
        assert_same_code(code.rules[name], getattr(ruleset.rules, name), seen)
    assert_same_code(code.rules["chance"], ruleset.rules.chance or loops.no_chance, seen)
    for name, loop in code.loops.items():
        assert_same_code(loop, getattr(loops, name), seen)
        for rule in set(RULE_NAMES) & set(loop.py_func.__globals__):
            assert_same_code(loop.py_func.__globals__[rule], getattr(ruleset.rules, rule), seen)
    names = [(function.py_func.__module__, function.py_func.__qualname__) for function in seen]
    assert len(set(names)) == len(names)
    assert all(name.endswith(f"__{ruleset.name}") or ruleset.name in name for _, name in names)


@each_ruleset
def test_no_ruleset_mentions_the_compiler_or_arrays(ruleset: Ruleset) -> None:
    source = Path(inspect.getfile(ruleset.rules.check))
    modules = source.parent.rglob("*.py") if ruleset.name in registry.names() else [source]
    for module in modules:
        text = module.read_text(encoding="utf-8").lower()
        assert "numba" not in text
        assert "numpy" not in text


def test_the_two_ways_agree_on_the_race() -> None:
    logs = random_logs(RACE, count=10, seed=1) + random_logs(RACE, "more", seats=4, count=10, seed=2, greedy=True)
    logs += random_logs(RACE, options={"goal": 300}, count=5, seed=3, limit=48)
    assert {len(log) % SNAPSHOT for _, log in logs} > {0}
    assert_two_ways(RACE, logs, folder(RACE))
    for greedy in (False, True):
        assert_plays_alike(RACE, RACE.start("more"), folder(RACE), seed=5, count=20, greedy=greedy)


# What rules may use


def uses_text(state: Any) -> int:
    return len("text" + WORD)


def uses_nothing_known(state: Any) -> int:
    return undefined_name  # noqa: F821


WORD = "word"


def test_what_rules_may_not_use_is_said() -> None:
    binder = Binder("tests", [uses_text], {}, {}, boundscheck=True)
    with pytest.raises(TypeError, match=r"uses_text, .* line \d+: uses WORD = 'word': rules use functions, integers"):
        binder.compiled(uses_text)
    with pytest.raises(TypeError, match=r"uses_nothing_known, .* line \d+: uses undefined_name, which is bound"):
        Binder("tests", [uses_nothing_known], {}, {}, boundscheck=True)


def double(number: Any) -> Any:
    return 2 * number


def double_all(bytes_: Any) -> Any:
    return double(bytes_[0]) + double(100) + double(len(bytes_))


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of a test's own."""
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path))
    return tmp_path


def bound(binding: str, *functions: Any) -> Binder:
    return Binder(binding, functions, {}, {}, boundscheck=True)


@pytest.mark.usefixtures("cache")
def test_one_form_serves_all_widths_of_numbers() -> None:
    binder = bound("widths", double_all)
    both, one = binder.compiled(double_all), binder.compiled(double, is_entry=False)
    assert both(np.array([-128], np.int8)) == double_all([-128])
    assert len(one.overloads) == 1


def refuse(number: Any) -> Any:
    if number > 3:
        raise ValueError("more than three", number)
    return NUMBERS[number - 1]


def refuse_half(number: Any) -> Any:
    return refuse(number // 2)


@pytest.mark.usefixtures("cache")
def test_what_only_compiled_code_calls_has_no_way_in_from_python() -> None:
    """Nor has it machine code: a call would end the process."""
    binder = bound("inner", refuse_half)
    outer, inner = binder.compiled(refuse_half), binder.compiled(refuse, is_entry=False)
    assert outer(4) == 2
    with pytest.raises(TypeError, match="refuse__inner is compiled into what calls it"):
        inner(1)
    assert [len(one.overloads) for one in (outer, inner)] == [1, 1]


@pytest.mark.usefixtures("cache")
def test_errors_come_out_of_what_compiled_code_calls_also_from_the_cache() -> None:
    for hits in (0, 1):
        outer = bound("errors", refuse_half).compiled(refuse_half)
        with pytest.raises(ValueError, match=r"more than three.*4"):
            outer(8)
        with pytest.raises(IndexError):
            outer(0)
        assert sum(outer.stats.cache_hits.values()) == hits


@pytest.mark.usefixtures("cache")
def test_a_caller_is_compiled_with_what_lies_in_the_cache() -> None:
    bound("kept", refuse_half, refuse).compiled(refuse_half)(2)
    again = bound("kept", refuse_half, refuse)
    outer, inner = again.compiled(refuse), again.compiled(refuse, is_entry=False)
    assert again.compiled(refuse_half)(np.int8(2)) == outer(1) == 1
    assert sum(inner.stats.cache_hits.values()) == 1


@pytest.mark.slow
def test_what_is_compiled_ahead_is_what_the_loops_ask_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path))
    made = Folder(RACE, Compiled(RACE))
    rules: dict[str, Any] = {}
    loops = ("play_corpus", "fold_corpus", "list_plies")
    for loop in loops:
        rules |= made.code.loops[loop].py_func.__globals__
    assert made.code.called(loops) == {*FIRST, *BESIDE}
    made.compile_ahead(FIRST + BESIDE)
    ahead = {name: list(rules[name].overloads) for name in FIRST + BESIDE}
    assert made.code.lacking(loops) == list(loops), "what they call is there, and they are not"
    for corpus in made.play(flatten_setup(RACE, RACE.start()), 0, 0, 1, greedy=True):
        made.fold(corpus)
    assert Compiled(RACE).lacking(loops) == ["list_plies"]
    made.plies(corpus)
    assert Compiled(RACE).lacking(loops) == []
    assert {name: list(rules[name].overloads) for name in FIRST + BESIDE} == ahead
    assert all(len(forms) == 1 for forms in ahead.values())


@pytest.mark.slow
def test_a_loop_that_nobody_announced_says_that_it_compiles(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path))
    for said in (1, 0):
        Folder(RACE, Compiled(RACE)).position(Corpus.blank(RACE, 1), 0, 0)
        assert [record.message.split(" (")[0] for record in caplog.records] == [
            "compiling the rules of race@1 for their first use"
        ] * said
        caplog.clear()
    announced = Compiled(RACE)
    announced.is_announced = True
    Folder(RACE, announced).fold(Corpus.blank(RACE))
    assert caplog.records == []


# The cache on disk. Each step is a process of its own; all share one cache folder.

GAME = """
import json, sys
import numpy as np
from kifold.core.compiled import Compiled
from kifold.core.records import dtype_of
from tests.core.toy import RACE, State, race, chance, check, actor, greedy, legal, result, set_up, turn
from kifold.core.ruleset import Rules
import game_rules, game_other


def rules(apply):
    return Rules(set_up, check, apply, legal, turn, result, actor=actor, greedy=greedy, chance=chance)


said = []
for name, module, boundscheck in json.loads(sys.argv[1]):
    code = Compiled(race(name, rules=rules(globals()[module].apply)), boundscheck=boundscheck)
    was_cold = not code.rules["apply"].is_kept
    state = np.zeros(1, dtype_of(State))
    state["goal"], state["seats"] = 30, 2
    setup = np.zeros(1, dtype_of(RACE.setup_record))
    setup["goal"], setup["seats"] = 30, 2
    event = np.zeros(2, dtype_of(RACE.event_record))
    event["tag"], event["amount"], event["seat"] = 16, 2, [0, 1]
    try:
        value = int(code.rules["apply"](state[0], event[0]))
    except IndexError:
        value = "index"
    hits = sum(code.rules["apply"].stats.cache_hits.values())
    state["total"] = state["turn"] = state["is_roll_due"] = 0
    folded = code.loops["fold_to"](setup, event, state) if value != "index" else 0
    hits += sum(code.loops["fold_to"].stats.cache_hits.values())
    said.append([value, int(state["total"][0]), folded, hits, was_cold, code.folder.name])
print(json.dumps(said))
"""
RULES = """
from game_helper import gain
from game_table import TABLE


def apply(state, event):
    state.total += gain(event.amount)
    state.turn = (state.turn + 1) % state.seats
    return TABLE[event.amount] + state.gained[event.amount + 2 * (TABLE[0] - 7)]
"""
HELPER = "def gain(amount):\n    return amount + 10\n"
TABLE = "TABLE = [7, 8, 9]\n"


class Game:
    """Rule modules in a folder, and processes that compile and run them with one cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write(game=GAME, game_rules=RULES, game_other=RULES, game_helper=HELPER, game_table=TABLE)

    def write(self, **modules: str) -> None:
        for name, text in modules.items():
            (self.folder / f"{name}.py").write_text(text)

    def run(self, *bindings: tuple[str, str, bool]) -> list[list[Any]]:
        """For each (ruleset's name, module, bounds flag): value, total, folded, cache hits, whether cold, folder."""
        env = os.environ | {"KIFOLD_CACHE": str(self.folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        env["PYTHONPATH"] = os.pathsep.join([str(self.folder), str(ROOT)])
        command = [sys.executable, "-W", "error", str(self.folder / "game.py"), json.dumps(bindings)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        answers: list[list[Any]] = json.loads(done.stdout)
        return answers


@pytest.fixture
def game(tmp_path: Path) -> Game:
    return Game(tmp_path)


PLAIN = ("race", "game_rules", False)
CHECKED = ("race", "game_rules", True)


@pytest.mark.slow
def test_a_second_process_compiles_nothing_until_a_helper_or_a_table_changes(game: Game) -> None:
    """The helper and the table are in files of their own; the file of the rules stays as it is."""
    [[value, total, folded, hits, is_cold, name]] = game.run(PLAIN)
    assert (value, total, folded, hits, is_cold) == (9, 24, 2, 0, True)
    assert game.run(PLAIN) == [[9, 24, 2, 2, False, name]]
    game.write(game_helper=HELPER.replace("10", "12"))
    assert game.run(PLAIN)[0][:5] == [9, 28, 2, 0, True]
    game.write(game_table=TABLE.replace("9", "1"))
    assert game.run(PLAIN)[0][:5] == [1, 28, 2, 0, True]


@pytest.mark.slow
def test_the_bounds_flag_is_seen(game: Game) -> None:
    """Index 4 of a list of four, which lies within the record: no harm without checks, an error with them."""
    game.write(game_table=TABLE.replace("7", "8"))
    plain, checked = game.run(PLAIN, CHECKED)
    assert (plain[0] != "index", plain[3:5]) == (True, [0, True])
    assert checked[:5] == ["index", 0, 0, 0, True]
    checked, plain = game.run(CHECKED, PLAIN)
    assert (plain[0] != "index", plain[3:5]) == (True, [2, False])
    assert checked[:5] == ["index", 0, 0, 1, False]


@pytest.mark.slow
def test_bindings_of_the_same_functions_do_not_share_code(game: Game) -> None:
    """The generic loops are one function each; so are the rules of two rulesets, or of two revisions of one."""
    game.write(game_other=RULES.replace("gain(event.amount)", "100"))
    first, other, revision = PLAIN, ("other", "game_other", False), ("race", "game_other", False)
    answers = game.run(first, other)
    assert [answer[1] for answer in answers] == [24, 100]
    answers = game.run(revision, other, first)
    assert [answer[1] for answer in answers] == [100, 100, 24]
    assert [answer[3] for answer in answers] == [0, 2, 2], "the revision is new, the others come from the cache"
    answers = game.run(other, first, revision)
    assert [answer[1] for answer in answers] == [100, 24, 100]
    assert [answer[3] for answer in answers] == [2, 2, 2]
    assert len({answer[5] for answer in answers}) == 3


NUMBERS = [1, 2, 3]


def number_at(i: int) -> int:
    return NUMBERS[i]


def put_seven(values: Any, i: int) -> None:
    values[i] = 7


@pytest.mark.usefixtures("cache")
def test_indices_count_from_zero() -> None:
    """A negative index, which plain Python counts from the end, is refused where bounds are checked."""
    functions = (number_at, put_seven)
    checked = Binder("checked", functions, {}, {}, boundscheck=True)
    free = Binder("free", functions, {}, {}, boundscheck=False)
    for binder in (checked, free):
        assert [binder.compiled(number_at)(i) for i in range(3)] == NUMBERS
        values = np.zeros(3, np.int8)
        binder.compiled(put_seven)(values, 2)
        assert values.tolist() == [0, 0, 7]
    for wrong in (-1, -3, 3):
        with pytest.raises(IndexError):
            checked.compiled(number_at)(wrong)
        with pytest.raises(IndexError):
            checked.compiled(put_seven)(np.zeros(3, np.int8), wrong)
    # Where they are not, there is no choice between an index and one from the end.
    assert " select " not in next(iter(free.compiled(put_seven).inspect_llvm().values()))


def element(values: Any, i: int) -> Any:
    return values[i]


def next_to(values: Any, i: int) -> Any:
    return element(values, i) + 1


def test_kernels_check_bounds_where_rules_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path))
    places = set()
    for flag in "10":
        monkeypatch.setenv("KIFOLD_BOUNDSCHECK", flag)
        made = kernels(element, next_to)["next_to"]
        assert made(np.array(NUMBERS), 2) == 4
        places.add(made.stats.cache_path)
        if flag == "1":
            for wrong in (-1, 3):
                with pytest.raises(IndexError):
                    made(np.array(NUMBERS), wrong)
    assert len(places) == 2


def folder_of(text: str, binding: str = "tests", *, boundscheck: bool = False) -> str:
    scope: dict[str, Any] = {"__name__": "tests.made"}
    exec(text, scope)
    return Binder(binding, [scope["f"]], {}, {slot: slot_compiled}, boundscheck=boundscheck).folder.name


def test_the_folder_follows_whatever_goes_into_the_code() -> None:
    text = "T = [1, 2]\nN = 3\ndef g(a, b=4): return a + b + T[N - 3]\ndef f(a): return g(a)"
    changes = [("[1, 2]", "[1, 5]"), ("N = 3", "N = 4"), ("b=4", "b=5"), ("a + b", "a - b"), ("g(a)", "g(a) + 1")]
    folders = [folder_of(text), *(folder_of(text.replace(*change)) for change in changes)]
    folders += [folder_of(text, "other"), folder_of(text, boundscheck=True)]
    assert len(set(folders)) == len(folders)
    assert folder_of(text) == folder_of("\n\n" + text + "  # a remark")


def test_the_cache_folder_follows_what_compiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For rules and for what all rulesets share alike: both are kept as code of one version of LLVM."""
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path))

    def folders() -> set[str]:
        return {Compiled(RACE).folder.name, kernels(double)["double"].stats.cache_path}

    assert llvmlite.__version__ in code_cache.VERSIONS
    before = folders()
    monkeypatch.setattr(code_cache, "VERSIONS", (*code_cache.VERSIONS[1:], "0"))
    assert before.isdisjoint(folders())


# Where the cache is


def test_kernels_of_all_rulesets_say_once_that_they_compile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path))
    kernel_module._say_once.cache_clear()
    made = kernels(double)
    assert caplog.records == [], "nothing is compiled yet"
    made["double"](1)
    made["double"](1.5)
    assert [record.message for record in caplog.records] == [
        "compiling what all rulesets share for its first use (some seconds)"
    ]
    caplog.clear()
    kernel_module._say_once.cache_clear()
    kernels(double)["double"](1)
    assert caplog.records == []


def test_the_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KIFOLD_CACHE", str(tmp_path / "own"))
    assert user_cache() == tmp_path / "own"
    assert Compiled(RACE).folder.parent == tmp_path / "own" / "compiled"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIFOLD_CACHE", "own")
    assert user_cache() == tmp_path / "own"
    monkeypatch.delenv("KIFOLD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert user_cache() == tmp_path / "xdg" / "kifold"
    monkeypatch.setenv("HOME", str(tmp_path))
    for is_none in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", is_none)
        assert user_cache() == tmp_path / ".cache" / "kifold"
    monkeypatch.setenv("HOME", "relative")
    assert user_cache().is_relative_to("/dev/null"), "nobody's home, and not a folder of the working directory"
