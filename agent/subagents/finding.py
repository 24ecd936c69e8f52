"""Where agent types lie: in a trusted project, in the user's own folders, in the program; the first of a name holds."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agent.subagents.agent_type import AgentType
from agent.subagents.catalog import BUILT_IN, AgentTypes
from agent.subagents.reading import BrokenType, read_type
from agent.subagents.rights import brief
from agent.trust import GatedFile, Standing
from agent.trust.gathered import AGENT_TYPES, types_in
from tools.visible import escape_line, plain

_BUILTIN = Path(__file__).with_name("builtin")
_SUFFIX = ".md"


def types_of(standing: Standing, user_home: Path) -> AgentTypes:
    """Return the types that hold in a project, and whatever else was found. Never raises for what it finds.

    Those of the project are what was read when it was judged, and none where it is not trusted.
    """
    gathered = standing.in_force
    found = [_of_project(file) for file in (*gathered.named(*AGENT_TYPES), *gathered.below(*AGENT_TYPES))]
    own = tuple(_own(standing.home, standing.project, user_home))
    return AgentTypes((*found, *own, *built_in()), off=tuple(_off(standing)))


def _off(standing: Standing) -> Iterator[str]:
    names = [file.name for file in standing.gathered.below(*AGENT_TYPES)]
    if names and not standing.is_on:
        yield f"off, for {standing.why_off}: {brief(', '.join(names))}"


@cache
def built_in() -> tuple[AgentType | BrokenType, ...]:
    """Return the types that come with the program."""
    files = sorted(_BUILTIN.glob(f"*{_SUFFIX}"))
    return tuple(read_type(file.read_bytes(), stem=file.stem, source=BUILT_IN) for file in files)


def _own(home: Path, project: Path, user_home: Path) -> Iterator[AgentType | BrokenType]:
    """Yield the user's own types: those in our folder ``home``, then those that he has for another agent."""
    places = [(home.parent, f"{home.name}/agents")]
    if user_home.resolve() != project:  # else they are the project's
        places.append((user_home, ".claude/agents"))
    for base, folder in places:
        for file in types_in(base, folder):
            yield _read(file, source=_in_home(base / file.name, user_home))


def _of_project(file: GatedFile) -> AgentType | BrokenType:
    source = plain(escape_line(file.name))
    if file.place.startswith("/"):
        return BrokenType(
            source=source, error="is a link that leads out of the project: copy it there instead"
        )
    return _read(file, source=source)


def _read(file: GatedFile, *, source: str) -> AgentType | BrokenType:
    if file.problem:
        return BrokenType(source=source, error=f"cannot be used: {file.problem}")
    return read_type(file.data, stem=file.name.rpartition("/")[2].removesuffix(_SUFFIX), source=source)


def _in_home(path: Path, user_home: Path) -> str:
    """Return a path as the user writes it."""
    shown = f"~/{path.relative_to(user_home)}" if path.is_relative_to(user_home) else str(path)
    return plain(escape_line(shown))
