"""The tree of ARCHITECTURE.md: one line a module, from the module's own first line.

`python -m tests.norms.tree` writes it anew; a test compares.
"""

import ast
import re
from pathlib import Path

from tests.support.sources import ENTRY, PACKAGES, ROOT, program_paths

DOCUMENT = ROOT / "ARCHITECTURE.md"
_BLOCK = re.compile(r"(?s)(<!-- tree: written by `python -m tests\.norms\.tree` -->\n```\n).*?(```\n)")
_WIDTH = 26


def tree() -> str:
    """The program's modules, package by package, each with what it is."""
    paths = program_paths()
    lines = [_line(path.name, path, indent="") for path in paths if path == ENTRY]
    for package in PACKAGES:
        lines += _folder(ROOT / package, [path for path in paths if path.is_relative_to(ROOT / package)])
    return "\n".join(lines) + "\n"


def document(text: str) -> str:
    """``text`` with the tree as it is now."""
    return _BLOCK.sub(lambda match: f"{match[1]}{tree()}{match[2]}", text)


def _folder(folder: Path, paths: list[Path]) -> list[str]:
    """A folder's own line, its modules, then its folders."""
    depth = len(folder.relative_to(ROOT).parts) - 1
    own = [path for path in paths if path.parent == folder and path.name != "__init__.py"]
    lines = [_line(f"{folder.name}/", folder / "__init__.py", indent="  " * depth)]
    lines += [_line(path.name, path, indent="  " * (depth + 1)) for path in own]
    below = {path.relative_to(folder).parts[0] for path in paths if path.parent != folder}
    for name in sorted(below):
        lines += _folder(folder / name, [path for path in paths if path.is_relative_to(folder / name)])
    return lines


def _line(name: str, path: Path, *, indent: str) -> str:
    first = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n\n")[0]
    about = " ".join(first.split()).removesuffix(".")
    return f"{indent + name:<{_WIDTH}} {about}".rstrip()


if __name__ == "__main__":
    DOCUMENT.write_text(document(DOCUMENT.read_text("utf-8")), "utf-8")
