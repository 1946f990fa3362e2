"""What only compiled code calls is kept to be compiled into its callers; machine code is made of what Python calls.

Numba makes machine code of every function, and of what it calls once more in each caller. Here a function that has no
way in from Python ends as LLVM's code for its callers to take in, optimised once: that takes a third of the time away.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pickle import UnpicklingError
from types import FunctionType
from typing import Any

import llvmlite.binding
from numba.core import caching, codegen, compiler, runtime

# Numba has no types that a strict check can live with.
Library: Any = codegen.JITCodeLibrary
CacheFolder: Any = caching.FunctionCache
IndexedFiles: Any = vars(caching)["IndexDataCacheFile"]
CacheEntries: Any = caching.CompileResultCacheImpl
UserFolder: Any = vars(caching)["UserProvidedCacheLocator"]
rtsys: Any = vars(runtime)["rtsys"]
parse_bitcode: Any = vars(llvmlite.binding)["parse_bitcode"]
lookup_environment: Any = vars(compiler)["lookup_environment"]
compile_result: Any = vars(compiler)["compile_result"]
UNREADABLE = (OSError, EOFError, UnpicklingError)
_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of variables begin that lead from compiled functions to their Python constants."""


class Inner(Library):  # type: ignore[misc]
    """The code of a function that only compiled code calls."""

    is_raw = False
    """Whether its callers are to optimise it."""

    def load(self, code: bytes) -> None:
        """Take the code from what `serialize_using_object_code` gave."""
        self._final_module = self._shared_module = parse_bitcode(code)
        self._finalized = True

    def serialize_using_object_code(self) -> bytes:
        """What is kept in the cache folder: no object code, there is none."""
        return bytes(self._get_module_for_linking().as_bitcode())

    def get_pointer_to_function(self, _name: str) -> int:
        """No place in memory."""
        return 0

    @property
    def codegen(self) -> Any:
        """Whom Numba tells of the function's constants: nobody, its callers have them (`WayIn`)."""
        return _Nobody

    def _optimize_final_module(self) -> None:
        if not self.is_raw:
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class WayIn(Library):  # type: ignore[misc]
    """The code of a function that Python calls, with everything that it calls."""

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith(_ENVIRONMENT) else None
            if environment is not None:
                self._codegen.set_env(variable.name, environment)


class _Nobody:
    @staticmethod
    def set_env(_name: str, _environment: Any) -> None:
        pass


def library(state: Any, *, is_raw: bool) -> Any:
    """Where the code of the function goes that Numba compiles; with `is_raw` the callers are to optimise it."""
    kind = Inner if state.flags.no_cpython_wrapper else WayIn
    made = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    made.is_raw = is_raw
    made.enable_object_caching()
    return made


class Files(IndexedFiles):  # type: ignore[misc]
    """The files of one function in the cache folder; several processes may write them at once.

    Numba numbers the files of a function's forms, and two processes may give one number to two forms. Here a file is
    named by what it holds; what one process leaves out of the index is compiled again at worst.
    """

    def save(self, key: Any, data: Any) -> None:
        """Write one form of the function; `key` says which."""
        name = self._data_name(int.from_bytes(blake2b(repr(key).encode(), digest_size=8).digest()))
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})

    def load(self, key: Any) -> Any:
        """Read one form of the function; None where it is not there, or its file was cut short by a crash."""
        with suppress(*UNREADABLE):
            return super().load(key)
        return None

    def _load_index(self) -> Any:
        with suppress(*UNREADABLE):
            return super()._load_index()
        return {}


class Place(UserFolder):  # type: ignore[misc]
    """The folder that is set when a function is decorated, whether or not it can be written.

    Where it cannot, Numba would take another one, which is not named by all that the code follows from.
    """

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> Any:
        """Numba's question for the place of a function's files."""
        return cls(function, file)


class Entries(CacheEntries):  # type: ignore[misc]
    """Where a function's files are, and how they are read."""

    _locator_classes = (Place,)


class Cache(CacheFolder):  # type: ignore[misc]
    """Numba's cache on disk; what is found there needs nothing of Numba's compiler, which takes 0.3 s to load.

    Another process may remove the folder at any time. What is not there, or cannot be kept, is compiled again.
    """

    _impl_class = Entries

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        self._cache_file = Files(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )
        self.on_miss: Callable[[], None] = _nothing

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for types of arguments, or None; then `on_miss` is told, and it will be compiled."""
        rtsys.initialize(target_context)  # memory of arrays
        found = None
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        if found is None:
            self.on_miss()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, where the folder can be written."""
        with suppress(OSError):
            self._save_overload(sig, data)

    def holds_any(self, target_context: Any) -> bool:
        """Whether it has code for this processor, for whatever types of arguments."""
        processor = target_context.codegen().magic_tuple()
        return any(key[1] == processor for key in self._cache_file._load_index())


def _nothing() -> None:
    pass


class InnerEntries(Entries):
    """How an `Inner` is read from the cache."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Make the result of compiling from what `CompileResult` gave to be written."""
        code, description, environment, signature, *_ = payload
        made = Inner(target_context.codegen(), description.qualname)
        made.load(code)
        return compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=made,
            environment=environment,
            entry_point=target_context.get_executable(made, description, environment),
            fndesc=description,
            signature=signature,
            objectmode=False,
        )


class InnerCache(Cache):
    """The cache of a function that only compiled code calls."""

    _impl_class = InnerEntries
