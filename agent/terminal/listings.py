"""/agents and /hooks: what holds here, and where it comes from; nothing is changed by looking."""

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from agent.glyphs import drawn
from agent.hooking.lines import listed as hooks_listed
from agent.subagents.lines import explained, listed
from agent.terminal.desk import SessionDesk
from agent.terminal.render import plain
from tools.base import ToolError


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
