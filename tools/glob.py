"""The glob tool: find files by name, newest first, without what git ignores."""

import asyncio
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from tools.base import Facts, ResolvedPath, Tool, ToolContext, ToolError, ToolInput, ToolResult, describe
from tools.glob_pattern import find_breaks, parse
from tools.glob_walk import Found, Limits, Walk
from tools.ignore import IgnoreRules, rules_for
from tools.limits import LIST_CHARS, fit
from tools.paths import show
from tools.visible import escape_line

MAX_RESULTS = 200
MAX_ENTRIES = 200_000
_MAX_PATTERN_CHARS = 4_096
_MAGIC = frozenset("*?[{\\")
_NAMED_FOLDERS = 5


class GlobInput(ToolInput):
    """Input of the glob tool."""

    pattern: str
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """A pattern ready to run, relative to its base."""

    pattern: str
    base: Path
    project: Path
    rules: IgnoreRules

    def run(self, stop: threading.Event) -> Found:
        limits = Limits(
            roots=(self.base, self.project),
            wants_folders=self.pattern.endswith("/"),
            max_entries=MAX_ENTRIES,
            is_stopped=stop.is_set,
        )
        return Walk(limits).run(self.base, parse(self.pattern), rules=self.rules)


async def run(input: GlobInput, ctx: ToolContext) -> ToolResult:
    """Find what fits the pattern. Its text and `Tool.run` tell what to expect."""
    where = ctx.paths["path"]
    if not where.path.is_dir():
        raise ToolError(_explain_base(where))
    pattern = relative_pattern(input.pattern, where.path)
    stop = threading.Event()
    try:
        used, found = await asyncio.to_thread(
            _search, pattern, where.path, project=ctx.services.project, stop=stop
        )
    finally:
        stop.set()  # a cancelled call must not leave its thread walking
    lines = _list(found, ctx.services.project)
    notes = [where.note] if where.note else []
    if used != pattern:
        notes.append("the blanks around the pattern were left out")
    notes += [*find_breaks(used), *_notes(found, where)]
    nothing = f"No files match `{escape_line(used)}`."
    text = "\n".join([*(lines or [nothing]), *(f"[{note}]" for note in notes)])
    content, spill, marks = await fit(text, limit_chars=LIST_CHARS, tool_name="glob", ctx=ctx)
    facts = Facts(note="1 file" if len(found.matches) == 1 else f"{len(found.matches)} files", marks=marks)
    return ToolResult(content=content, spill=spill, facts=facts)


def relative_pattern(pattern: str, base: Path) -> str:
    """Return ``pattern`` relative to ``base``.

    Raises:    ToolError: empty or too long, or it leads out of ``base``, which permission has not judged.
    """
    if not pattern.strip() or "\0" in pattern or len(pattern) > _MAX_PATTERN_CHARS:
        raise ToolError(
            f"Give a `pattern` of 1 to {_MAX_PATTERN_CHARS} characters and without NUL, such as `**/*.py`."
        )
    pattern = pattern.removeprefix(f"{base}/")
    parts = pattern.split("/")
    if ".." in parts or parts[0].startswith("~"):
        raise ToolError("`..` and `~` are not followed in a pattern: give the directory as `path`.")
    if not pattern.startswith("/"):
        return pattern
    plain = next((place for place, part in enumerate(parts) if _MAGIC & set(part)), len(parts) - 1)
    head = Path(os.path.realpath("/".join(parts[:plain]) or "/"))
    if not head.is_relative_to(base):
        raise ToolError(
            f"The pattern leads out of `{base}`: give `{head}` as `path` and the rest as `pattern`."
        )
    return "/".join([*head.relative_to(base).parts, *parts[plain:]])


def _search(pattern: str, base: Path, *, project: Path, stop: threading.Event) -> tuple[str, Found]:
    """Search; a pattern with blanks around it that finds nothing is searched again without them."""
    rules = rules_for(base, project=project)
    found = _Search(pattern=pattern, base=base, project=project, rules=rules).run(stop)
    if found.matches or pattern == pattern.strip():
        return pattern, found
    pattern = pattern.strip()
    return pattern, _Search(pattern=pattern, base=base, project=project, rules=rules).run(stop)


def _list(found: Found, project: Path) -> list[str]:
    """Return one line a match, newest first; of the same moment, by name."""
    ordered = sorted(found.matches, key=lambda path: (-found.matches[path], path))
    return [escape_line(show(Path(path), project=project)) for path in ordered[:MAX_RESULTS]]


def _explain_base(where: ResolvedPath) -> str:
    if where.path.exists():
        return f"`{where.shown}` is a file, not a directory: give its directory as `path`, or `read` it."
    return f"The directory `{where.shown}` does not exist. Leave `path` out to search the project."


def _notes(found: Found, where: ResolvedPath) -> list[str]:
    """Return what the model should know beside the matches."""
    notes = []
    if (more := len(found.matches) - MAX_RESULTS) > 0:
        notes.append(f"{more} more match; narrow the pattern or give `path`")
    notes += _ignored_notes(found, where)
    if found.folders and not found.matches:
        notes.append(f"{found.folders} directories match: add `/**` for the files in them, `/` to list them")
    if found.links_outside:
        named = escape_line(_name(found.links_outside[0], where))
        notes.append(f"`{named}` is a link that leads outside; give where it leads as `path`")
    if found.unreadable:
        notes.append(f"{found.unreadable} directories could not be read")
    if not found.is_complete:
        notes.append(f"stopped after {MAX_ENTRIES} entries, so some files are missing; give `path`")
    return notes


def _ignored_notes(found: Found, where: ResolvedPath) -> list[str]:
    """Say that ignore rules made the result smaller: surely, or, when it is empty, perhaps."""
    skipped = []
    if found.ignored_files:
        skipped.append(f"{found.ignored_files} that match")
    if found.ignored_folders and not found.matches:
        named = ", ".join(
            escape_line(_name(path, where)) + "/" for path in found.ignored_folders[:_NAMED_FOLDERS]
        )
        more = len(found.ignored_folders) - _NAMED_FOLDERS
        skipped.append(f"all in {named}" + (f" and {more} more directories" if more > 0 else ""))
    if not skipped:
        return []
    return [f"ignored files were skipped (.gitignore): {' and '.join(skipped)}; name such a path to see them"]


def _name(path: str, where: ResolvedPath) -> str:
    return str(Path(path).relative_to(where.path))


GLOB = Tool(
    name="glob",
    description=describe("glob"),
    input_model=GlobInput,
    run=run,
    is_read_only=True,
    path_fields={"path": "read"},
)
