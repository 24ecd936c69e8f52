"""A session in memory around the tools: build a context, call a tool as the agent would."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skills.catalog import Catalog
from skills.discover import SkillPlaces
from tools.base import KnownFile, ResolvedPath, Services, Todo, Tool, ToolContext, ToolError, ToolResult
from tools.known import merge
from tools.orders import Spawn
from tools.registry import ToolRegistry
from tools.running import Jobs
from tools.sandbox import Sandbox


@dataclass(slots=True)
class FakeFacts:
    """Session facts as plain attributes; `apply` takes in what a result says, as the session does."""

    cwd: Path
    known: dict[str, KnownFile] = field(default_factory=dict)
    todos: list[Todo] = field(default_factory=list)
    own_files: set[Path] = field(default_factory=set)
    own_marks: set[str] = field(default_factory=set)
    shown: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """(path, sha256, key) -> id of the call that showed it; delete one to say it left the view."""

    def is_own_file(self, path: Path) -> bool:
        return path in self.own_files

    def is_own_mark(self, mark: str) -> bool:
        return mark in self.own_marks

    def shown_before(self, path: str, sha256: str, key: str) -> str | None:
        return self.shown.get((path, sha256, key))

    def apply(self, result: ToolResult, *, call_id: str, project: Path) -> None:
        """Merge the facts of a finished call."""
        facts = result.facts
        for path, entry in facts.get("known", {}).items():
            self.known[path] = merge(self.known.get(path), entry)
        self.todos = facts.get("todos", self.todos)
        self.cwd = Path(facts.get("cwd", str(self.cwd)))
        self.own_marks.update(facts.get("marks", []))
        if "shown" in facts:
            shown = facts["shown"]
            self.shown[(shown["path"], shown["sha256"], shown["key"])] = call_id
        if result.spill is not None:
            self.own_files.add((project / result.spill.path).resolve())


class FakeLocks:
    """One asyncio lock a path."""

    def __init__(self) -> None:
        self._locks: dict[Path, asyncio.Lock] = {}

    def of(self, path: Path) -> asyncio.Lock:
        return self._locks.setdefault(path, asyncio.Lock())


@dataclass(slots=True)
class Bench:
    """A project folder with a session around it."""

    project: Path
    facts: FakeFacts
    services: Services
    live: list[str] = field(default_factory=list)
    """Every chunk that the tools streamed to the screen."""
    step: int = 0

    def context(
        self, *, paths: Mapping[str, ResolvedPath] | None = None, index: int = 0, call_id: str = "call_0"
    ) -> ToolContext:
        """Build the context of one call of the present step."""
        return ToolContext(
            facts=self.facts,
            services=self.services,
            call_id=call_id,
            step=self.step,
            index=index,
            paths=paths or {},
            progress=self.live.append,
        )

    async def call(self, tool: Tool, **arguments: Any) -> ToolResult:
        """Validate, run and take in the facts; each call is a step of its own, `call_<step>` its id.

        A refusal before the run (bad input, bad path) comes back as an is_error result, as the model gets it.
        """
        self.step += 1
        registry = ToolRegistry([tool])
        try:
            prepared = registry.prepare(tool.name, arguments, facts=self.facts, project=self.project)
        except ToolError as problem:
            return ToolResult(content=str(problem), is_error=True)
        call_id = f"call_{self.step}"
        result = await registry.run(prepared, self.context(paths=prepared.paths, call_id=call_id))
        self.facts.apply(result, call_id=call_id, project=self.project)
        return result


def make_bench(
    project: Path,
    *,
    spawn: Spawn | None = None,
    skills: Path | None = None,
    spill_folder: Path | None = None,
    sandbox: Sandbox | None = None,
) -> Bench:
    """Build a session around ``project`` (resolved); spills go where a session named `s` puts them.

    ``skills``: the folder that holds them.
    """
    root, places = project.resolve(), SkillPlaces([skills] if skills else [])
    services = Services(
        project=root,
        spill_folder=spill_folder or root / ".task_outputs" / "tool-results" / "s",
        locks=FakeLocks(),
        jobs=Jobs(sandbox=sandbox),
        skills=Catalog(places.found(), places),
        spawn=spawn,
    )
    return Bench(project=root, facts=FakeFacts(cwd=root), services=services)


def text_of(result: ToolResult) -> str:
    """Return the text of a result: its content, or its text blocks joined."""
    if isinstance(result.content, str):
        return result.content
    return "\n".join(block["text"] for block in result.content if block["type"] == "text")


def count_descriptors() -> int:
    """Return how many file descriptors this process has open."""
    return len(list(Path("/dev/fd").iterdir()))
