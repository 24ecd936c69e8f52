"""Completions: `/` commands with what they do, `@` paths of the project."""

import re
from collections.abc import Callable, Iterable, Mapping

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

MOST_PATHS = 50
MENTION = re.compile(r"""(?:^|(?<=[\s(\[{,;'"]))@(?:"([^"]*)|([^\s"]*))$""")
"""`@path`, or `@"path with blanks"`, that is being typed; not the address of a letter."""
QUOTED = re.compile(r"[\s,;()\[\]{}'\"]")
"""Characters for which a path is put in quotes, so that it is seen where it ends."""

Find = Callable[[str, int], list[str]]
"""What is wanted, and at most how many -> paths, the likeliest first; a folder ends in `/`."""


class InputCompleter(Completer):
    """Completes a command at the start of the input, and `@path` anywhere.

    Args:  commands: name -> what it does; find: looks for paths of the project.
    """

    def __init__(self, commands: Mapping[str, str], find: Find) -> None:
        self._commands = commands
        self._find = find

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield what the word before the cursor can become."""
        before = document.text_before_cursor
        if before.startswith("/") and " " not in before and "\n" not in before:
            for name, about in self._commands.items():
                if name.startswith(before[1:]):
                    yield Completion(f"/{name}", -len(before), display_meta=about)
        elif mention := MENTION.search(document.current_line_before_cursor):
            yield from self._mentions(mention)

    def _mentions(self, mention: re.Match[str]) -> Iterable[Completion]:
        typed, wanted = mention[0], mention[1] or mention[2] or ""
        for path in self._find(wanted, MOST_PATHS):
            if (made := mentioned(path)) != typed:
                yield Completion(made, -len(typed), display=path)


def mentioned(path: str) -> str:
    """Return how ``path`` is mentioned in a prompt."""
    if not QUOTED.search(path):
        return f"@{path}"
    return f"@'{path}'" if '"' in path else f'@"{path}"'
