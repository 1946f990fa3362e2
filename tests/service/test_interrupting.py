"""A second Ctrl-C ends the process also where Python does not hear the first: in compiled code without an end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

BEGIN = """
import signal, sys, time
from kifold.service.interrupting import end_at_second
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run where it is ignored
end_at_second()
"""
ENDLESS = """
from pathlib import Path
import numpy as np
from kifold.core.dispatching import compile_later

def spin(numbers):
    while numbers[0] >= 0:
        numbers[0] = 1 - numbers[0]

def run(numbers):
    spun = compile_later(spin, Path("cache"), is_entry=True)
    spun.compile("void(int64[::1])")
    print("spinning", flush=True)
    spun(numbers)
"""
IN_MAIN = "run(np.zeros(1, np.int64))"
IN_THREAD = """
from concurrent.futures import ThreadPoolExecutor
try:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run, np.zeros(1, np.int64)).result()
except KeyboardInterrupt:
    sys.exit(130)
"""
LATE = """
signal.signal(signal.SIGINT, lambda *_: None)
print("waiting", flush=True)
time.sleep(1.2)
sys.exit(5)
"""


def started(folder: Path, *parts: str) -> subprocess.Popen[str]:
    """A process that runs a program, once it has said that it is there."""
    program = folder / "program.py"
    program.write_text("".join(parts))
    process = subprocess.Popen(
        [sys.executable, str(program)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


@pytest.mark.parametrize("where", [IN_MAIN, IN_THREAD])
def test_a_second_interrupt_ends_compiled_code(tmp_path: Path, where: str) -> None:
    process = started(tmp_path, BEGIN, ENDLESS, where)
    time.sleep(0.3)  # now it spins
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    lines = err.splitlines()
    assert lines[0] == "kifold: ending; Ctrl-C again ends at once (perhaps a rule runs without end)"
    # Python ends by itself when the wait for a thread is interrupted a second time, and may be the first to do so.
    assert where == IN_THREAD or lines[1:] == ["kifold: ended at once; what was committed is kept"]


def test_one_ctrl_c_that_comes_twice_is_one(tmp_path: Path) -> None:
    """As from `timeout`, which sends it to a process and to the group that it is in."""
    process = started(tmp_path, BEGIN, LATE)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (5, "")


HELD_BACK = """
from kifold.records.uninterrupted import uninterrupted
try:
    with uninterrupted():
        print("writing", flush=True)
        time.sleep(1.2)
except KeyboardInterrupt:
    time.sleep(0.5)
    sys.exit(7)
"""


def test_one_that_was_held_back_is_still_the_first(tmp_path: Path) -> None:
    process = started(tmp_path, BEGIN, HELD_BACK)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (7, "")


def test_nobody_watches_where_the_signal_is_ignored(tmp_path: Path) -> None:
    process = started(
        tmp_path,
        BEGIN,
        "signal.signal(signal.SIGINT, signal.SIG_IGN)",
        LATE.replace("lambda *_: None", "signal.SIG_IGN"),
    )
    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.6)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(30) == 5
    process.communicate()
