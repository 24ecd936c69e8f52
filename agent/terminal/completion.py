"""Completions: `/` commands with what they do, `@` paths of the project."""

import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from agent.terminal.render import as_lines, plain, styled, to_ansi

MENU_ROWS = 6
MOST_PATHS = 50
LIST_TIMEOUT_S = 5.0


class InputCompleter(Completer):
    """Completes a command at the start of the input, and `@path` anywhere.

    Args:  commands: name -> what it does; paths: the project's files.
    """

    def __init__(self, commands: Mapping[str, str], paths: Callable[[], Sequence[str]]) -> None:
        self._commands = commands
        self._paths = paths

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield what the word before the cursor can become."""
        before = document.text_before_cursor
        if before.startswith("/") and " " not in before and "\n" not in before:
            for name, about in self._commands.items():
                if name.startswith(before[1:]):
                    yield Completion(f"/{name}", -len(before), display_meta=about)
            return
        word = document.get_word_before_cursor(WORD=True)
        if word.startswith("@"):
            yield from (Completion(f"@{path}", -len(word)) for path in self._found(word[1:]))

    def _found(self, wanted: str) -> list[str]:
        """Paths that hold ``wanted``, those whose name begins with it first."""
        folded = wanted.casefold()
        found = [path for path in self._paths() if folded in path.casefold()]
        found.sort(key=lambda path: (not Path(path).name.casefold().startswith(folded), len(path), path))
        return found[:MOST_PATHS]


def project_files(project: Path) -> list[str]:
    """Return the project's files as git lists them, relative; without git, those of the first two levels."""
    command = ["git", "-C", str(project), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LIST_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        found = [path for pattern in ("*", "*/*") for path in project.glob(pattern) if path.is_file()]
        return sorted(str(path.relative_to(project)) for path in found if ".git" not in path.parts)
    return [name for name in done.stdout.decode("utf-8", "replace").split("\0") if name]


def menu_lines(buffer: Buffer, width: int) -> list[str]:
    """Return the open completion menu, a line a choice, the chosen one marked."""
    state = buffer.complete_state
    if state is None or not state.completions:
        return []
    chosen = state.complete_index or 0
    first = max(0, min(chosen - MENU_ROWS // 2, len(state.completions) - MENU_ROWS))
    lines: list[str] = []
    for index, completion in enumerate(state.completions[first : first + MENU_ROWS], first):
        is_chosen = index == state.complete_index
        mark, style = ("▸ ", "bold") if is_chosen else ("  ", "")
        about = f"  {completion.display_meta_text}" if completion.display_meta_text else ""
        line = styled((mark, "cyan"), (plain(completion.text), style), (about, "dim"))
        lines += as_lines(to_ansi(line, width))
    if len(state.completions) > MENU_ROWS:
        lines += as_lines(to_ansi(styled((f"  {len(state.completions)} in all", "dim")), width))
    return lines
