"""What no module may hold, beyond what ruff and mypy see."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from agent.glyphs import ASCII
from tests.support.sources import Module, program, suite

_SUPPRESSIONS = re.compile(
    r"#\s*(noqa|type:\s*ignore|ruff:\s*noqa|pragma:|mypy:|pylint:|fmt:)", re.IGNORECASE
)
_WITH_CODE = re.compile(r"#\s*(noqa:\s*[A-Z]+\d+|type:\s*ignore\[[\w, -]+\])")
_WITH_REASON = re.compile(_WITH_CODE.pattern + r".*\s#\s*\w+")
_UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
_BANNER = re.compile(r"#\s*[-=#*~_]{3,}")

DRAWING = (
    "agent/terminal/",
    "agent/sessions/",
    "agent/replay/table.py",
    "agent/replay/recovery.py",
    "agent/demo/",
    "agent/interactive.py",
    "agent/opening.py",
    "agent/output.py",
    "agent/headless.py",
    "agent/progress.py",
    "agent/stdin.py",
    "agent/preview_compaction.py",
    "agent/calls/batch.py",
    "agent/api/api_errors.py",
    "tools/change.py",
    "tools/diffs.py",
    "compaction/digest.py",
)
"""Where what is shown to people is written."""
CATCH_ALL = {
    "hooks/call.py": "a hook's fault costs its answer, not the session",
    "tools/registry.py": "a tool's bug costs its call, not the session",
    "agent/cli.py": "a bug becomes exit code 70 and a log file",
}
"""The boundaries where `except Exception` may stand, and why."""


def test_every_module_says_what_it_is() -> None:
    """A module opens with a docstring, its first line a sentence of its own."""
    silent = [module.shown for module in (*program(), *suite()) if not ast.get_docstring(module.tree)]
    assert silent == []


def test_every_test_states_its_rule() -> None:
    """A test's docstring is the rule that it proves."""
    functions = [(module, node) for module in suite() for node in module.functions()]
    silent = [
        f"{module.shown}:{node.lineno} {node.name}"
        for module, node in functions
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert silent == []


def test_suppressions_name_code_and_reason() -> None:
    """An ignored complaint names its code; in the program its reason, too."""
    bare = [place for place, comment in _suppressions(*suite()) if not _WITH_CODE.search(comment)]
    unexplained = [place for place, comment in _suppressions(*program()) if not _WITH_REASON.search(comment)]
    assert (bare, unexplained) == ([], [])


def test_no_error_is_swallowed() -> None:
    """No handler does nothing: what may fail harmlessly stands under `contextlib.suppress` with its reason."""
    assert [place for place, handler in _handlers(*program(), *suite()) if _is_empty(handler)] == []


def test_everything_is_caught_at_named_boundaries_only() -> None:
    """`except Exception` stands where a stranger's code is run, and nowhere else, unless it raises again."""
    found = [
        place for place, handler in _handlers(*program()) if _catches_all(handler) and not _raises(handler)
    ]
    assert {place.partition(":")[0] for place in found} == CATCH_ALL.keys()


def test_nothing_unfinished_is_kept() -> None:
    """No comment promises later work, and none is a banner: a banner wants to be a function."""
    found = [
        place
        for place, comment in _comments(*program(), *suite())
        if _UNFINISHED.search(comment) or _BANNER.match(comment)
    ]
    assert found == []


def _comments(*modules: Module) -> Iterator[tuple[str, str]]:
    for module in modules:
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
            if token.type == tokenize.COMMENT:
                yield f"{module.shown}:{token.start[0]} {token.string}", token.string


def _suppressions(*modules: Module) -> Iterator[tuple[str, str]]:
    return ((place, text) for place, text in _comments(*modules) if _SUPPRESSIONS.search(text))


def _handlers(*modules: Module) -> Iterator[tuple[str, ast.ExceptHandler]]:
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler):
                yield f"{module.shown}:{node.lineno}", node


def _is_empty(handler: ast.ExceptHandler) -> bool:
    only = handler.body[0]
    is_ellipsis = isinstance(only, ast.Expr) and isinstance(only.value, ast.Constant)
    return len(handler.body) == 1 and (isinstance(only, ast.Pass) or is_ellipsis)


def _catches_all(handler: ast.ExceptHandler) -> bool:
    caught = (
        []
        if handler.type is None
        else [node for node in ast.walk(handler.type) if isinstance(node, ast.Name)]
    )
    return handler.type is None or any(name.id in ("Exception", "BaseException") for name in caught)


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def test_every_glyph_has_a_replacement() -> None:
    """What the screen's modules write beyond ASCII, comments and docstrings aside, is in the table of glyphs."""
    drawing = [module for module in program() if module.shown.startswith(DRAWING)]
    found = [
        f"{module.shown}:{token.start[0]} {char}"
        for module in drawing
        for token in _literals(module)
        for char in token.string
        if not char.isascii() and char not in ASCII
    ]
    assert found == []
    assert {"agent/terminal/status_bar.py", "agent/progress.py"} <= {module.shown for module in drawing}


def _literals(module: Module) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a module that hold text, as it stands in the source."""
    statements = [node for node in ast.walk(module.tree) if isinstance(node, ast.Expr)]
    documented = {
        line
        for node in statements
        if isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL) and token.start[0] not in documented:
            yield token
