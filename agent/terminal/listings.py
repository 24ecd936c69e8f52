"""/skills, /agents and /hooks: what holds here, and where it comes from; nothing is changed by looking."""

from pathlib import Path

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from agent.glyphs import drawn
from agent.hook_lines import listed as hooks_listed
from agent.models import row
from agent.subagents.lines import explained, listed
from agent.terminal.desk import SessionDesk
from agent.terminal.figures import tokens
from agent.terminal.render import plain
from agent.token_counter import Counter
from skills.discover import BUILTIN
from tools.base import ToolError
from tools.paths import show


async def skills(desk: SessionDesk, words: str) -> None:
    """Show the skills: name, size in tokens once loaded, where it lies, what it is for; and what cannot be used."""
    found = desk.agent.shared.skills.found
    count = Counter(row(desk.agent.session.state.model).family).text_tokens
    lines: list[str] = []
    for skill in found.skills:
        about = " ".join(skill.front.description.split())
        lines += [
            f"{skill.front.name}  {tokens(count(skill.front.body))} tokens  {_place(desk, skill.path.parent)}",
            f"    {about}",
        ]
    lines += [f"{_place(desk, broken.path)} {broken.error}" for broken in found.broken]
    desk.say(
        lines or ["no skills: put one into .agent/skills/NAME/SKILL.md or ~/.agent/skills/NAME/SKILL.md"]
    )


async def agents(desk: SessionDesk, words: str) -> None:
    """Show the agent types, or one of them in full."""
    types, model = desk.agent.shared.types, desk.agent.session.state.model
    try:
        lines = explained(types.named(words), types, model) if words else listed(types, model)
    except ToolError as problem:
        lines = [str(problem)]
    desk.draw([_indented(line) for line in lines])


async def hooks(desk: SessionDesk, words: str) -> None:
    """Show the hooks of the settings, in the order in which they count."""
    desk.say(hooks_listed(desk.agent.shared.hooks.commands.hooks))


def _indented(line: str) -> RenderableType:
    """Return a line that, where it has to be wrapped, goes on below its own beginning."""
    words = line.lstrip(" ")
    return Padding(Text(plain(drawn(words)), style="dim"), (0, 0, 0, len(line) - len(words)))


def _place(desk: SessionDesk, path: Path) -> str:
    return (
        "built in" if path.is_relative_to(BUILTIN) else show(path, project=desk.agent.session.state.project)
    )
