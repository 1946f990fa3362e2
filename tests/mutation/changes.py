"""What a mutant changes: one comparison, constant, operator, condition or statement of a rule function.

`changes` walks the syntax tree of a function and gives every pair (node, what stands there instead). The tree is not
touched; `swapped` puts one in for the time of a `with`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Change = tuple[ast.AST, ast.AST]

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


def changes(function: ast.FunctionDef, numbers: Mapping[str, bool]) -> Iterator[Change]:
    """Every change of a function's body.

    Args:
        function: its tree.
        numbers: the global names that are integers; True for one that is a name in a set (a reason, an effect, a tag),
            which is changed into one other, while a quantity is changed into the next and the one before.
    """
    for statement in function.body:
        for node in _walk(statement):
            for other in _instead_of(node, numbers):
                yield node, ast.fix_missing_locations(ast.copy_location(other, node))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what lies below it in order, without annotations and docstrings."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name != "annotation":
            for below in value if isinstance(value, list) else [value]:
                if isinstance(below, ast.AST):
                    yield from _walk(below)


def _instead_of(node: ast.AST, numbers: Mapping[str, bool]) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        yield from _other_comparisons(node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in numbers:
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        if not numbers[node.id]:
            yield ast.BinOp(node, ast.Sub(), ast.Constant(1))
    elif isinstance(node, ast.BinOp):
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield node.operand
    elif isinstance(node, ast.AugAssign):
        yield ast.AugAssign(node.target, OPERATORS[type(node.op)](), node.value)
        yield ast.Pass()
    elif _is_effect(node):
        yield ast.Pass()
    if isinstance(node, ast.If | ast.While | ast.IfExp) and _has_no_negation_yet(node.test):
        yield _copy(node, test=ast.UnaryOp(ast.Not(), node.test))


def _other_comparisons(node: ast.Compare) -> Iterator[ast.AST]:
    for at, op in enumerate(node.ops):
        for other in COMPARISONS[type(op)]:
            yield ast.Compare(node.left, [*node.ops[:at], other(), *node.ops[at + 1 :]], node.comparators)


def _other_constants(value: int) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    else:
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1) if value > 0 else ast.UnaryOp(ast.USub(), ast.Constant(1))


def _is_effect(node: ast.AST) -> bool:
    """Whether a statement does nothing but change a record: it can be left out without leaving a name unbound."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _has_no_negation_yet(test: ast.expr) -> bool:
    """A single comparison is turned round by another comparison, and a `not` by leaving it out."""
    return not isinstance(test, ast.Compare | ast.UnaryOp)


def _copy(node: ast.AST, **fields: Any) -> ast.AST:
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


@contextmanager
def swapped(tree: ast.AST, change: Change) -> Iterator[None]:
    """The tree with one change, for the time of a `with`."""
    node, other = change
    _Swap(node, other).visit(tree)
    try:
        yield
    finally:
        _Swap(other, node).visit(tree)


class _Swap(ast.NodeTransformer):
    def __init__(self, node: ast.AST, other: ast.AST) -> None:
        self.node, self.other = node, other

    def visit(self, node: ast.AST) -> Any:
        return self.other if node is self.node else self.generic_visit(node)


def change_text(change: Change) -> str:
    """A change in words: `a < b → a <= b`. Of an `if` or a loop only the condition is named."""
    node, other = change
    if isinstance(node, ast.If | ast.While):
        return f"{ast.unparse(node.test)} → {ast.unparse(other.test)}"
    return f"{ast.unparse(node)} → {ast.unparse(other)}"
