"""Files of compiled code: one for each form of a function, believed only where it is the one that was written.

What cannot be read is not there, and is compiled; what cannot be written stays in memory. Only the one folder is looked
at: Numba's own cache goes on to folders of its own where it cannot write, and trusts what it finds there by the date of
one source.
"""

from __future__ import annotations

import logging
import pickle
import secrets
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core import runtime, serialize

from kifold.core.scope import code_digest

# Numba has no types that a strict check can live with.
rtsys: Any = vars(runtime)["rtsys"]
dumps: Any = serialize.dumps

DIGEST_SIZE = 16
"""Bytes at the beginning of a file: the digest of what follows, and of where it belongs."""

_SAID: set[Path] = set()
"""The folders of which was said that nothing can be kept there."""


class CodeFiles:
    """The files of one function in the folder of its binding, as Numba's dispatcher asks for them.

    Several processes may write one at once: any of them has written what all can use.

    Args:
        rebuild: makes the result of compiling, for a target, from what `CompileResult` gives to be written.
    """

    def __init__(self, function: FunctionType, folder: Path, rebuild: Callable[[Any, Any], Any]) -> None:
        self.cache_path = str(folder)
        self._function, self._folder, self._rebuild = function, folder, rebuild
        self._words = function.__qualname__.replace("<", "").replace(">", "")
        self.on_miss: Callable[[], None] = _nothing

    def load_overload(self, arguments: Any, target: Any) -> Any:
        """The compiled form for types of arguments, or None; then `on_miss` is told, and it will be compiled."""
        # Memory of arrays; nothing else of Numba's compiler is needed, which takes 0.3 s to load.
        rtsys.initialize(target)
        content = read(self._place(arguments, target.codegen()))
        if content is not None:
            # Numba has no other form of a result than a pickle. What is read is machine code that a process of the same
            # user wrote to his own cache folder; nothing of a store or a record goes this way.
            with suppress(Exception):  # whatever is in the way of using it, it can be compiled
                return self._rebuild(target, pickle.loads(content))
        self.on_miss()
        return None

    def holds_any(self, target: Any) -> bool:
        """Whether there is code for this processor, for whatever types of arguments."""
        return any(self._folder.glob(f"{self._name(target.codegen())}.*.nbc"))

    def save_overload(self, arguments: Any, result: Any) -> None:
        """Write what was compiled for types of arguments, where that can be."""
        if result.library.has_dynamic_globals:
            logging.getLogger(__name__).warning(
                "%s is compiled anew by every process: it uses a table of more than a million bytes", self._words
            )
        else:
            write(self._place(arguments, result.codegen), dumps(result._reduce()))

    def _place(self, arguments: Any, processor: Any) -> Path:
        return self._folder / f"{self._name(processor)}.{_short(arguments)}.nbc"

    def _name(self, processor: Any) -> str:
        code = code_digest(self._function.__code__)
        return f"{self._words}.{_short(self._function.__module__, code, processor.magic_tuple())}"


def _nothing() -> None:
    pass


def _short(*what: object) -> str:
    return blake2b(repr(what).encode(), digest_size=8).hexdigest()


def read(place: Path) -> memoryview | None:
    """What was written to this file of this folder; None where it is another, not whole, or cannot be read."""
    try:
        whole = memoryview(place.read_bytes())
    except OSError:
        return None
    return whole[DIGEST_SIZE:] if whole[:DIGEST_SIZE] == _digest(place, whole[DIGEST_SIZE:]) else None


def write(place: Path, content: bytes) -> None:
    """Write a file of a folder. Where that cannot be, it is said once."""
    draft = place.with_name(f"{place.name}.{secrets.token_hex(4)}.writing")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_bytes(_digest(place, content) + content)
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        _say_once(place.parent.parent, error.strerror or str(error))


def can_keep(folder: Path) -> bool:
    """Whether files can be written to a folder, which is made. Where they cannot, it is said once."""
    draft = folder / f"{secrets.token_hex(4)}.writing"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.touch()
        draft.unlink()
    except OSError as error:
        _say_once(folder.parent, error.strerror or str(error))
        return False
    return True


def _digest(place: Path, content: bytes | memoryview) -> bytes:
    # With the names, so that a file of another function or of other rules is not taken for this one.
    digest = blake2b(f"{place.parent.name}/{place.name}/".encode(), digest_size=DIGEST_SIZE)
    digest.update(content)
    return digest.digest()


def _say_once(folder: Path, reason: str) -> None:
    if folder not in _SAID:
        _SAID.add(folder)
        logging.getLogger(__name__).warning(
            "compiled rules cannot be kept in %s (%s): each process compiles them anew, some ten seconds a ruleset; "
            "make it writable, make room on its disk, or name another folder in KIFOLD_CACHE",
            folder,
            reason,
        )
