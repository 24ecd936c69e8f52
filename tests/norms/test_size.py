"""Limits on size, by the syntax tree: no line is exempt."""

import ast
from collections.abc import Iterable

from tests.support.sources import Function, Module, program, suite

MODULE_LINES = 300
TEST_MODULE_LINES = 500
CLASS_LINES = 200
CLASS_METHODS = 15
FUNCTION_LINES = 40
TEST_FUNCTION_LINES = 30


def test_modules_are_short() -> None:
    """A module of the program has at most 300 lines, one of the tests 500."""
    assert [_place(module) for module in program() if module.lines > MODULE_LINES] == []
    assert [_place(module) for module in suite() if module.lines > TEST_MODULE_LINES] == []


def test_classes_are_small() -> None:
    """A class has at most 200 lines and 15 methods: this is what stops the one class that does everything."""
    classes = [(module, node) for module in program() for node in module.classes()]
    assert [_place(module, node) for module, node in classes if _length(node) > CLASS_LINES] == []
    assert [_place(module, node) for module, node in classes if _methods(node) > CLASS_METHODS] == []


def test_functions_are_short() -> None:
    """A function has at most 40 lines without its docstring, in a test module 30."""
    assert _too_long(program(), FUNCTION_LINES) == []
    assert _too_long(suite(), TEST_FUNCTION_LINES) == []


def _too_long(modules: Iterable[Module], limit: int) -> list[str]:
    functions = [(module, node) for module in modules for node in module.functions()]
    return [_place(module, node) for module, node in functions if _length(node) - _docstring(node) > limit]


def _length(node: Function | ast.ClassDef) -> int:
    return (node.end_lineno or 0) - node.lineno + 1


def _docstring(node: Function) -> int:
    """How many lines the docstring takes."""
    if ast.get_docstring(node) is None:
        return 0
    first = node.body[0]
    return (first.end_lineno or 0) - first.lineno + 1


def _methods(node: ast.ClassDef) -> int:
    return sum(isinstance(item, Function) for item in node.body)


def _place(module: Module, node: Function | ast.ClassDef | None = None) -> str:
    if node is None:
        return f"{module.shown}: {module.lines} lines"
    return f"{module.shown}:{node.lineno} {node.name}: {_length(node)} lines"
