"""Progress of long work: a bar on a terminal, and one line at the end that says how much and how fast."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from kifold.core.counted import counted


class Progress:
    """Counts matches and events; give it as `on_progress`.

    On a terminal a bar runs on standard error. `summary` says what was done, with the speed. With `keeps` what is done
    stays when the rest is interrupted, and that is said.
    """

    def __init__(self, what: str, total: int | None = None, *, keeps: bool = False) -> None:
        self.what = what
        self.keeps = keeps
        self.matches = self.events = 0
        self._began = time.perf_counter()
        self._bar = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[speed]}"),
                TimeRemainingColumn(),
            )
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(what, total=total, speed="")

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()
        if isinstance(error, KeyboardInterrupt):
            kept = "; what was finished is kept" if self.keeps else ""
            print(f"{self.what}: stopped after {self.summary()}{kept}", file=sys.stderr)

    def __call__(self, matches: int, events: int) -> None:
        """Count what was just done."""
        self.matches += matches
        self.events += events
        if self._bar:
            self._bar.update(self._task, completed=self.matches, speed=f"{self.speed:,.0f} events/s")

    @property
    def speed(self) -> float:
        """Events per second so far."""
        return self.events / max(time.perf_counter() - self._began, 1e-9)

    def summary(self) -> str:
        """What was done, in words."""
        seconds = time.perf_counter() - self._began
        done = f"{counted(self.matches, 'match', 'matches')}, {counted(self.events, 'event', 'events')}"
        return f"{done} in {seconds:.1f} s ({self.speed:,.0f} events/s)"
