"""Completions: `/` commands with what they do and what can stand behind them, `@` paths of the project."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from agent.terminal.arguments import Offer
from agent.terminal.help import Command, usage
from agent.terminal.skill_offers import SkillOffer

MOST_PATHS = 50
NAME = re.compile(r"/(\S*)")
ARGUMENT = re.compile(r"/(\S+) +(\S.*)?")
MENTION = re.compile(r"""(?:^|(?<=[\s(\[{,;'"]))@(?:"([^"]*)|([^\s"]*))$""")
"""`@path`, or `@"path with blanks"`, that is being typed; not the address of a letter."""
QUOTED = re.compile(r"[\s,;()\[\]{}'\"]")
"""Characters for which a path is put in quotes, so that it is seen where it ends."""

Find = Callable[[str, int], list[str]]
"""What is wanted, and at most how many -> paths, the likeliest first; a folder ends in `/`. It may take a while."""
Offering = Callable[[str, str], Awaitable[Sequence[Offer]]]
"""The name of a command, and what is typed behind it -> what can stand there."""


class InputCompleter(Completer):
    """Completes a command at the start of the input, and `@path` anywhere.

    Args:  commands: by name; skills: what can be asked for by name beside them; offering: what can stand behind a
    command; find: looks for paths of the project, on a thread.
    """

    def __init__(
        self,
        commands: Mapping[str, Command],
        offering: Offering,
        find: Find,
        *,
        skills: Callable[[], Sequence[SkillOffer]],
    ) -> None:
        self._commands = commands
        self._skills = skills
        self._offering = offering
        self._find = find

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield nothing: all is found beside the event loop."""
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """Yield what the word before the cursor, or the words behind a command, can become."""
        before = document.text_before_cursor
        if mention := MENTION.search(document.current_line_before_cursor):
            for path in await asyncio.to_thread(self._find, mention[1] or mention[2] or "", MOST_PATHS):
                if (made := mentioned(path)) != mention[0]:
                    yield Completion(made, -len(mention[0]), display=path)
        elif typed := NAME.fullmatch(before):
            for completion in (*self._named(typed[1]), *self._skills_named(typed[1])):
                yield completion
        elif argument := ARGUMENT.fullmatch(before):
            words = argument[2] or ""
            for offer in await self._offering(argument[1], words):
                yield Completion(offer.words, -len(words), display_meta=offer.about)

    def _named(self, typed: str) -> Iterable[Completion]:
        """Yield the commands that begin so, then those that hold it."""
        for name in sorted(self._commands, key=lambda name: not name.startswith(typed)):
            if typed in name and typed != name:
                command = self._commands[name]
                made = f"/{name} " if command.takes else f"/{name}"
                yield Completion(
                    made, -len(typed) - 1, display=usage(name, command), display_meta=command.about
                )

    def _skills_named(self, typed: str) -> Iterable[Completion]:
        """Yield the skills that begin so, then those that hold it."""
        for one in sorted(self._skills(), key=lambda one: not one.name.startswith(typed)):
            if typed in one.name and typed != one.name:
                yield Completion(
                    f"/{one.name} ",
                    -len(typed) - 1,
                    display=f"/{one.name} {one.hint}".rstrip(),
                    display_meta=one.about,
                )


def mentioned(path: str) -> str:
    """Return how ``path`` is mentioned in a prompt."""
    if not QUOTED.search(path):
        return f"@{path}"
    return f"@'{path}'" if '"' in path else f'@"{path}"'
