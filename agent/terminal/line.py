"""A line as it was typed: a command, a shell's, or a prompt, which may ask for a skill."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.skilled.asked import asked
from agent.terminal import commands
from agent.terminal.compacting import is_receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What a line is; ``name`` and ``words`` of the command `/name words`, both empty where it is none."""

    text: str
    name: str
    words: str

    @property
    def is_shell(self) -> bool:
        """A command of the user's own, for the shell."""
        return self.text.startswith("!")

    @property
    def is_done_by_us(self) -> bool:
        """A command or a shell's: begun it is done, and never done again after a crash."""
        return self.is_shell or bool(self.name)

    @property
    def is_immediate(self) -> bool:
        """A command that runs at once also while a turn runs; so is said of one that there is none."""
        command = commands.find(self.name)
        if command is None:
            return bool(self.name)
        return command.is_immediate or (self.name == "compact" and is_receipt(self.words))


def read_line(text: str, skills: Sequence[str]) -> Line:
    """Return what a line is.

    A path such as `/etc/hosts is odd` is a prompt, and so is what asks for one of ``skills``. A lone `/`, also one that
    a blank parts from the name of a command, is a slip: its name is one that there is not.
    """
    name, _, words = text.partition(" ")
    is_command = text.startswith("/") and "/" not in name[1:] and "\n" not in name
    if name == "/":
        meant = words.strip().partition(" ")[0]
        is_slip = not meant or commands.find(meant.casefold()) is not None
        return Line(text=text, name=f" {meant}" if is_slip else "", words="")
    if not is_command or asked(text, skills, commands.COMMANDS) is not None:
        return Line(text=text, name="", words="")
    return Line(text=text, name=name[1:], words=words.strip())
