"""Where compiled code is kept: a folder for each binding, named by a digest of all that goes into its code.

Numba's cache on disk watches the one source file of a function, not what the function calls or reads. So the files in a
folder never go out of date; the folder does, when the code follows from something else, and is removed some time later.
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import llvmlite
import numba
import numpy as np

from kifold.core import code_files, dispatching, indexing, linking

VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
"""What compiles."""
COMPILER = (code_files.__file__, dispatching.__file__, indexing.__file__, linking.__file__)
"""The files that say how functions are compiled, and written."""
KEPT, UNUSED = 8, 86_400
"""So many folders of a binding stay, those used last; others while they were used within so many seconds."""


def user_cache() -> Path:
    """The folder for what can be made again: `KIFOLD_CACHE`, or `$XDG_CACHE_HOME/kifold`, or `~/.cache/kifold`."""
    if own := os.environ.get("KIFOLD_CACHE"):
        return Path(own).absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # One that is not absolute does not count: so says the specification of these folders.
    return (shared if shared.is_absolute() else _home() / ".cache") / "kifold"


def folder_of(binding: str, *what: object) -> Path:
    """The folder of a binding, for code that follows from `what` and from what compiles it."""
    compiler = [Path(file).read_bytes() for file in COMPILER]
    digest = blake2b(repr((VERSIONS, compiler, what)).encode(), digest_size=10)
    return user_cache() / "compiled" / f"{binding}-{digest.hexdigest()}"


def is_boundschecked() -> bool:
    """Whether compiled code is to check the bounds of every table and list: `KIFOLD_BOUNDSCHECK=1`."""
    return os.environ.get("KIFOLD_BOUNDSCHECK") == "1"


def use(folder: Path) -> None:
    """Note that a folder is used now. Where it is new, outdated ones of its binding are removed."""
    with suppress(OSError):
        try:
            os.utime(folder)
        except FileNotFoundError:
            _remove_outdated(folder)


def _remove_outdated(folder: Path) -> None:
    """Remove the folders that were made for the binding of this one, but for those used last.

    Who uses one of them meanwhile has loaded what it needs, or compiles it again (`kifold.core.code_files`).
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
    """When it was last used; of one that another process has removed, now."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return time.time()


_WRITTEN = re.compile(r"(.*\.nbc\.)?[0-9a-f]{8}\.writing|.*\.nbc")
"""The names of files of compiled code, also of what a process left that was killed while it wrote."""


def _remove(folder: Path) -> None:
    """Remove the files of compiled code, and the folder when it is empty then; whatever else lies there stays."""
    with suppress(OSError):
        for file in folder.iterdir():
            if _WRITTEN.fullmatch(file.name):
                file.unlink(missing_ok=True)
        folder.rmdir()


def _home() -> Path:
    """The home of the user; for one that has none, a place where nothing can be written."""
    with suppress(RuntimeError):
        if (home := Path.home()).is_absolute():
            return home
    return Path(os.devnull)
