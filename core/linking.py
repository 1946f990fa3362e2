"""What only compiled code calls is kept to be compiled into its callers; machine code is made of what Python calls.

Numba makes machine code of every function, and of what it calls once more in each caller. Here a function that has no
way in from Python ends as LLVM's code for its callers to take in, optimised once: that takes a third of the time away.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from numba.core import codegen, compiler

# Numba has no types that a strict check can live with.
Library: Any = codegen.JITCodeLibrary
parse_bitcode: Any = vars(llvmlite.binding)["parse_bitcode"]
lookup_environment: Any = vars(compiler)["lookup_environment"]
Result: Any = compiler.CompileResult
compile_result: Any = vars(compiler)["compile_result"]
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


def rebuilt(target: Any, payload: Any) -> Any:
    """The result of compiling a `WayIn`, from what `CompileResult` gave to be written."""
    return Result._rebuild(target, *payload)


def rebuilt_inner(target: Any, payload: Any) -> Any:
    """The result of compiling an `Inner`, from what `CompileResult` gave to be written."""
    code, description, environment, signature, *_ = payload
    made = Inner(target.codegen(), description.qualname)
    made.load(code)
    return compile_result(
        target_context=target,
        typing_context=target.typing_context,
        library=made,
        environment=environment,
        entry_point=target.get_executable(made, description, environment),
        fndesc=description,
        signature=signature,
        objectmode=False,
    )
