"""Ctrl-C where Python does not hear it: in compiled rules that do not come to an end, and in threads that run such.

Python acts on a signal between two of its own steps, in the main thread. Compiled code has none, but holds no lock
either, so another thread can end the process.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from select import select
from threading import Thread

INTERRUPTED = 130
"""The exit status after Ctrl-C."""
ONE = 0.5
"""What comes within so many seconds of the first is the same Ctrl-C, sent to a process and to its group."""
PATIENCE = 3.0
"""After so many seconds it is said how to end at once."""


def end_at_second() -> None:
    """From now on a second Ctrl-C ends the process at once. What was being written stays as a crash would leave it."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    Thread(target=_watch, args=(reading,), daemon=True).start()


def _watch(reading: int) -> None:
    """Wait for what Python's own handler of signals writes: a byte for each."""
    os.read(reading, 1)
    began = time.monotonic()
    if not select([reading], [], [], PATIENCE)[0]:
        _say("ending; Ctrl-C again ends at once (perhaps a rule runs without end)")
    os.read(reading, 1)
    while time.monotonic() - began < ONE:
        os.read(reading, 1)
    _say("ended at once; what was committed is kept")
    os._exit(INTERRUPTED)


def _say(text: str) -> None:
    shown = "\x1b[?25h" if sys.stderr.isatty() else ""  # a progress bar hides the cursor
    os.write(2, f"{shown}kifold: {text}\n".encode())
