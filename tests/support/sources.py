"""The project's own files, for the norms."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("agent", "tools", "compaction", "skills", "hooks")
ENTRY = ROOT / "palimpsest_agent.py"
SAMPLE = ROOT / "agent" / "demo" / "project"
"""The demo's sample project: data, not a part of the program."""
TEXT_SUFFIXES = frozenset(
    {".py", ".md", ".toml", ".json", ".txt", ".csv", ".cfg", ".yml", ".yaml", ".sh", ""}
)
FOREIGN_FOLDERS = frozenset(
    {
        ".git",
        ".hypothesis",
        ".import_linter_cache",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".task_outputs",
        ".transcripts",
        ".venv",
        "__pycache__",
        "build",
        "dist",
        "htmlcov",
    }
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A Python file: its path as the norms show it, its text, its tree."""

    shown: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    def functions(self) -> Iterator[Function]:
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def classes(self) -> Iterator[ast.ClassDef]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))


@cache
def program() -> tuple[Module, ...]:
    """The program's modules."""
    return tuple(_module(path) for path in program_paths())


@cache
def suite() -> tuple[Module, ...]:
    """The tests' modules."""
    return tuple(_module(path) for path in sorted((ROOT / "tests").rglob("*.py")))


def program_paths() -> list[Path]:
    """The program's Python files, sorted."""
    found = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [path for path in [*found, ENTRY] if path.is_file() and not path.is_relative_to(SAMPLE)]


def text_files() -> list[Path]:
    """Every text file of the project."""
    found = [path for path in ROOT.rglob("*") if path.suffix in TEXT_SUFFIXES and path.is_file()]
    return sorted(path for path in found if not _is_foreign(path))


def shown(path: Path) -> str:
    """A path as the norms name it."""
    return path.relative_to(ROOT).as_posix()


def _is_foreign(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    is_made = path.name.startswith(".coverage") or any(part.endswith(".egg-info") for part in parts)
    return is_made or not FOREIGN_FOLDERS.isdisjoint(parts)


def _module(path: Path) -> Module:
    text = path.read_text("utf-8")
    return Module(shown=shown(path), text=text, tree=ast.parse(text))
