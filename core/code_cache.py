"""Where compiled code is kept: a folder for each binding, named by a digest of all that goes into its code.

Numba's cache on disk watches the one source file of a function, not what the function calls or reads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Functions that this thread decorates within the `with` are kept in this folder: Numba looks it up then."""
    with _DECORATING:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before
