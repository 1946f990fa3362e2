"""Steps that an interruption must not cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C until the end of a short step that has to be whole, such as a row group in both of its files."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python interrupts the main thread alone
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(signal.SIGINT, None)  # not the signal once more: a second one ends the process at once
        elif came:
            signal.raise_signal(signal.SIGINT)
