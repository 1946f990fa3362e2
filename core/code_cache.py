"""Where compiled code is kept: a folder for each binding, named by a digest of all that goes into its code.

Numba's cache on disk watches the one source file of a function, not what the function calls or reads. So the files in a
folder never go out of date; the folder does, when the code follows from something else, and is removed some time later.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Any

import llvmlite
import numba
import numpy as np

from kifold.core import dispatching, indexing, linking

VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
"""What compiles."""
COMPILER = (dispatching.__file__, indexing.__file__, linking.__file__)
"""The files that say how functions are compiled."""
KEPT, UNUSED = 8, 86_400
"""So many folders of a binding stay, those used last; others while they were used within so many seconds."""

# Numba's settings are attributes that its own types do not know.
config: Any = numba.config
_DECORATING = RLock()


def user_cache() -> Path:
    """The folder for what can be made again: `KIFOLD_CACHE`, or `$XDG_CACHE_HOME/kifold`, or `~/.cache/kifold`."""
    own = os.environ.get("KIFOLD_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kifold"


def folder_of(binding: str, *what: object) -> Path:
    """The folder of a binding, for code that follows from `what` and from what compiles it."""
    compiler = [Path(file).read_bytes() for file in COMPILER]
    digest = blake2b(repr((VERSIONS, compiler, what)).encode(), digest_size=10)
    return user_cache() / "compiled" / f"{binding}-{digest.hexdigest()}"


def is_boundschecked() -> bool:
    """Whether compiled code is to check the bounds of every table and list: `KIFOLD_BOUNDSCHECK=1`."""
    return os.environ.get("KIFOLD_BOUNDSCHECK") == "1"


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Functions that this thread decorates within the `with` are kept in this folder: Numba looks it up then.

    Where it is new, outdated ones of its binding are removed.
    """
    if not folder.exists():
        _remove_outdated(folder)
    with suppress(OSError):  # a folder that cannot be written serves as far as it goes
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    with _DECORATING:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


def _remove_outdated(folder: Path) -> None:
    """Remove the folders that were made for the binding of this one, but for those used last.

    Who uses one of them meanwhile has loaded what it needs, or compiles it again (`kifold.core.linking.Cache`).
    """
    binding = folder.name.rpartition("-")[0]
    name = re.compile(f"{re.escape(binding)}-[0-9a-f]{{20}}")
    if not name.fullmatch(folder.name) or not folder.parent.is_dir():
        return
    others = [other for other in folder.parent.iterdir() if name.fullmatch(other.name) and not other.is_symlink()]
    used = {other: _last_use(other) for other in others}
    for other in sorted(others, key=lambda one: -used[one])[KEPT:]:
        if used[other] < time.time() - UNUSED:
            _remove(other)


def _last_use(folder: Path) -> float:
    """When it was last the folder of `kept_in`; of one that another process has removed, now."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return time.time()


_WRITTEN = re.compile(r".*\.nb[ic](\.tmp\.[0-9a-f]+)?")
"""What Numba calls its files, also those of a process that was killed while it wrote."""


def _remove(folder: Path) -> None:
    """Remove Numba's files, and the folders that are empty then; whatever else lies there stays."""
    with suppress(OSError):
        for inner in folder.iterdir():
            for file in [] if inner.is_symlink() or not inner.is_dir() else inner.iterdir():
                if _WRITTEN.fullmatch(file.name):
                    file.unlink(missing_ok=True)
            with suppress(OSError):
                inner.rmdir()
        folder.rmdir()
