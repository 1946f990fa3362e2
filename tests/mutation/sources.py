"""Rule functions as source: found, read as trees, made to tick, and compiled."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Sequence
from functools import cache
from types import CodeType, FunctionType
from typing import Any

SHARED = ("kifold.core.bits", "kifold.core.ranking")
"""Modules of functions that rules of several games call."""


def reached(roots: Sequence[Any]) -> list[FunctionType]:
    """The functions of a ruleset that these reach, in the order of their modules and lines."""
    found: set[FunctionType] = set()
    todo = [root for root in roots if isinstance(root, FunctionType)]
    while todo:
        function = todo.pop()
        if function not in found and _is_rule(function):
            found.add(function)
            values = (function.__globals__.get(name) for name in names_in(tree_of(function)))
            todo += [value for value in values if isinstance(value, FunctionType)]
    return sorted(found, key=lambda f: (f.__module__, f.__code__.co_firstlineno))


def _is_rule(function: FunctionType) -> bool:
    return function.__module__.startswith("kifold.core.rulesets.") or function.__module__ in SHARED


def short_name(module: str) -> str:
    return module.rpartition(".")[2]


@cache
def _text(module: str) -> str:
    return inspect.getsource(sys.modules[module])


def source_lines(function: FunctionType) -> list[str]:
    return _text(function.__module__).splitlines()


def tree_of(function: FunctionType) -> ast.FunctionDef:
    """A tree of a function, to be changed."""
    for node in ast.parse(_text(function.__module__)).body:
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            return node
    raise LookupError(f"{function.__module__} has no function {function.__name__} of its own")


def names_in(tree: ast.AST) -> list[str]:
    """The names that a tree uses."""
    return sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})


def code_of(function: FunctionType, tree: ast.FunctionDef) -> CodeType:
    """The code of a tree, under the file name of the function."""
    future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    module = ast.fix_missing_locations(ast.Module([future, tree], []))
    code = compile(module, function.__code__.co_filename, "exec")
    return next(part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == tree.name)


def ticking(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The tree, calling `ticking` at every turn of a `while`: what a mutant may make endless."""
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            node.body.insert(0, ast.Expr(ast.Call(ast.Name(ticking.__name__, ast.Load()), [], [])))
    return tree
