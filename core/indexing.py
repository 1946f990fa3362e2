"""Indices of compiled code count from 0: a step of Numba's compiler that says so.

NumPy counts a negative index from the end, so compiled code tests the sign of every index. Rules and kernels have no
negative indices, and most of what they do is reading numbers out of lists: without those tests Blokus folds in three
quarters of the time. Where bounds are checked, as in the tests, a negative index is an error.
"""

from __future__ import annotations

from typing import Any

from numba.core import compiler, compiler_machinery, ir, typed_passes, types, typing

from kifold.core.linking import library

# Numba's compiler has no types that a strict check can live with.
nodes: Any = ir
signature: Any = vars(typing)["signature"]
Pass: Any = compiler_machinery.FunctionPass
Compiler: Any = compiler.CompilerBase
Steps: Any = compiler.DefaultPassBuilder
register: Any = compiler_machinery.register_pass


@register(mutates_CFG=False, analysis_only=False)
class IndexFromZero(Pass):  # type: ignore[misc]
    """Makes the index of every access to an array an unsigned number; Numba takes those as they are."""

    _name = "index_from_zero"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Numba's entry: `state` is the function that is compiled, its types are known by now."""
        for block in state.func_ir.blocks.values():
            block.body = [step for statement in block.body for step in _with_unsigned_index(state, block, statement)]
        return True


def _with_unsigned_index(state: Any, block: Any, statement: Any) -> list[Any]:
    access = statement.value if isinstance(statement, nodes.Assign) else statement
    if isinstance(access, nodes.SetItem):
        array = access.target
    elif isinstance(access, nodes.Expr) and access.op == "getitem":
        array = access.value
    else:
        return [statement]
    kind = state.typemap[access.index.name]
    is_signed = isinstance(kind, types.Integer) and vars(kind)["signed"]
    if not is_signed or not isinstance(state.typemap[array.name], types.Array):
        return [statement]
    unsigned = block.scope.redefine("$index", access.loc)
    state.typemap[unsigned.name] = types.uintp
    before = state.calltypes.pop(access)
    state.calltypes[access] = signature(before.return_type, before.args[0], types.uintp, *before.args[2:])
    cast = nodes.Assign(nodes.Expr.cast(access.index, access.loc), unsigned, access.loc)
    access.index = unsigned
    return [cast, statement]


class RulesCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with that step in it, and with our ways to keep code."""

    is_raw = False

    def define_pipelines(self) -> list[Any]:
        self.state.library = library(self.state, is_raw=self.is_raw)
        steps = Steps.define_nopython_pipeline(self.state)
        steps.add_pass_after(IndexFromZero, typed_passes.NopythonTypeInference)
        steps.finalize()
        return [steps]


class RawRulesCompiler(RulesCompiler):
    """The same for functions that only one or two large loops call, which optimise what they take in."""

    is_raw = True
