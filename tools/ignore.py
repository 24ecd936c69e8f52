"""Which paths git would ignore: nested .gitignore files and .git/info/exclude."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from pathspec import GitIgnoreSpec, RegexPattern

OWN_FOLDERS = frozenset({".git", ".transcripts", ".task_outputs"})
"""Never searched unless named: git's own files, and copies of what the model has seen already."""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules that hold in one folder; the deepest file that speaks of a path decides."""

    layers: tuple[tuple[str, tuple[RegexPattern, ...]], ...] = ()
    """(folder with a slash at its end, its patterns, last line first), the deepest first."""
    is_off: bool = False
    """The folder itself is ignored and was asked for: everything in it counts as asked for."""

    def enter(self, folder: str) -> "IgnoreRules":
        """Return the rules inside ``folder``, an absolute path without a slash at its end."""
        spec = None if self.is_off else _read_rules(Path(folder, ".gitignore"))
        return (
            self if spec is None else replace(self, layers=((f"{folder.rstrip('/')}/", spec), *self.layers))
        )

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Tell whether ``path`` is ignored, provided that the folder it lies in is not."""
        if self.is_off:
            return False
        name = path.rpartition("/")[2]
        return name in OWN_FOLDERS or self._is_listed(f"{path}/" if is_folder else path)

    def turned_off(self) -> "IgnoreRules":
        """Return rules that ignore nothing."""
        return IgnoreRules(is_off=True)

    def _is_listed(self, path: str) -> bool:
        return next(
            (
                bool(pattern.include)
                for root, patterns in self.layers
                for pattern in patterns
                if _speaks_of(pattern, path.removeprefix(root))
            ),
            False,
        )


def rules_for(base: Path, *, project: Path) -> IgnoreRules:
    """Return the rules that hold in ``base``, from the top of its repository down.

    Without a repository the project is the top, outside the project ``base`` itself. A base that is ignored was
    asked for by name: there the rules are off.
    """
    top = _top(base, project)
    rules = IgnoreRules()
    exclude = _read_rules(top / ".git" / "info" / "exclude")
    if exclude:
        rules = replace(rules, layers=((f"{str(top).rstrip('/')}/", exclude),))
    rules = rules.enter(str(top))
    for depth in range(len(top.parts), len(base.parts)):
        folder = str(Path(*base.parts[: depth + 1]))
        rules = rules.turned_off() if rules.ignores(folder, is_folder=True) else rules.enter(folder)
    return rules


def _top(base: Path, project: Path) -> Path:
    for folder in (base, *base.parents):
        if (folder / ".git").exists():
            return folder
    return project if base.is_relative_to(project) else base


def _speaks_of(pattern: RegexPattern, path: str) -> bool:
    """Tell whether ``pattern`` is about ``path`` itself and not only about a folder above it.

    pathspec matches what lies below, too, which would let `!src` bring back an ignored `src/build`: only a match
    that reaches the path's end is one of the path itself.
    """
    return pattern.regex is not None and any(
        match.end() == len(path) for match in pattern.regex.finditer(path)
    )


def _read_rules(file: Path) -> tuple[RegexPattern, ...]:
    """Return the patterns of ``file``, last line first, without the lines that are none."""
    try:
        lines = file.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ()
    spec = GitIgnoreSpec.from_lines(_below(line) for line in lines if _is_pattern(line))
    return tuple(reversed(list(spec.patterns)))


def _below(line: str) -> str:
    """Return ``line`` so that `a/**` holds for what is in `a` and not for `a` itself, as git has it."""
    return re.sub(r"/\*\*(/?)\s*$", r"/**/*\1", line)


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):  # git skips such lines too
        return False
    return True
