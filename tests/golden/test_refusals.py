"""What the tools refuse they refuse with a next step: a model that is only told what was wrong tries the same again."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(ROOT.glob("tools/*.py"))
STEP = re.compile(
    r"(?:^|[.;,:(…] |\bor |\bto |\bthen )"
    r"(?:use|read|give|write|call|find|look|ask|tell|add|leave|go|scale|crop|get|work|reach|do|mend|make|convert|name)\b",
    re.IGNORECASE,
)


COMPOSED = {
    "files.py: `…` ….": "kinds.not_regular",
    "read.py: `…` is not text: it seems to be ….": "kinds.binary_name",
    "edit.py: `old_string` was not found; nothing was changed.\n…": "miss.explain_miss",
    "known.py: `…` exists and was not read in this session; ….": "what to read, by who asks",
}
"""Those whose step is put in, and by what."""


def refusals(module: Path) -> Iterator[str]:
    """Yield the words of each text that a ToolError is raised with, a blank for what is put in."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ToolError":
            words = "".join(_words(node.args[0]))
            if words:
                yield words


def _words(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(value)):
            yield value
        case ast.JoinedStr(values=parts):
            for part in parts:
                yield from _words(part)
        case ast.FormattedValue():
            yield "…"


@pytest.mark.parametrize("module", MODULES, ids=[module.stem for module in MODULES])
def test_a_refusal_says_what_to_do(module: Path) -> None:
    """Each text written where a ToolError is raised holds an order: use, read, give, ask, …"""
    found = [f"{module.name}: {words}" for words in refusals(module) if not STEP.search(words)]
    assert not set(found) - set(COMPOSED)


def test_they_are_looked_at() -> None:
    """The search finds the refusals there are, and is not content with one that only complains; none is excused in vain."""
    all_of_them = {f"{module.name}: {words}" for module in MODULES for words in refusals(module)}
    assert set(COMPOSED) <= all_of_them
    assert len(all_of_them) > 20
    assert not STEP.search("`a` is not text: it seems to be a PDF.")
