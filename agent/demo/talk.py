"""The demo on a screen: the real program in the sample project, with a model that follows the tour on `go`."""

import os
import sys
from collections.abc import Sequence
from textwrap import fill

from agent.demo.play import USE_A_MODEL
from agent.demo.stage import Stage, stage
from agent.demo.tour import ALLOWED, PROMPT, TESTS, summary, tour
from agent.flags import Flags
from agent.interactive import run
from agent.offline import MessagesServer, Reply, Request, Script, always, calls, says
from agent.offline.reply import Call
from agent.offline.script import Answer, Turn

OPENING = f"""\
agent demo: a small project with a bug, and a scripted model. No key, no network;
all else is real. Type `go` and it plays this:
{fill(PROMPT, 78, initial_indent="  ", subsequent_indent="  ")}
"""
HONEST = (
    "I am not a language model: I follow a script, so that you can try the program without a key. I know:\n\n"
    "- `go`: find and fix the bug in this project\n"
    "- `tests`: run its tests\n"
    "- `files`: list its files\n\n"
    "Everything around me is real: type while I work, press Esc, try `/context`, `/compact`, `/help` or `!git diff`."
)
IS_FIXED = "The bug is fixed already. Leave and start `agent demo` again to see it once more."


def talk() -> int:
    """Open the screen and work until the user leaves; return the exit code.

    Raises:    UserError: there is no folder for temporary files.
    """
    with stage() as place:
        guide = Guide(place)
        with MessagesServer(Script(always(guide.reply), routes=[summary()])) as server:
            sys.stdout.write(OPENING)
            sys.stdout.flush()
            code = run(
                Flags(cwd=place.project, permission_mode="accept-edits", allow=[*ALLOWED]),
                stdin=sys.stdin,
                stdout=sys.stdout,
                env={**os.environ, "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": server.api_key},
                is_kept=False,
            )
    sys.stdout.write(f"{place.project} is removed.\n{USE_A_MODEL}\n")
    return int(code)


class Guide:
    """A scripted model that can be talked to, as far as that goes."""

    def __init__(self, place: Stage) -> None:
        self._place = place
        self._left: Sequence[Turn] = ()
        """What is still to come of the tour."""
        self._has_compacted = False

    def reply(self, request: Request) -> Answer:
        """Go on with the tour, begin it, or answer the few words that are known."""
        if not request.results and not self._has_compacted:
            self._left = ()
            return self._heard(request)
        return self._next(request) if self._left else says("That is all there is to it.")

    def _heard(self, request: Request) -> Answer:
        match request.last_text.strip().strip("`.!").casefold():
            case "go" if self._place.is_fixed():
                return says(IS_FIXED)
            case "go":
                self._left = tour(has_git=self._place.has_git)
                return self._next(request)
            case "tests":
                return calls("bash", command=TESTS, description="Run the tests")
            case "files":
                return calls("glob", pattern="**/*")
            case _:
                return says(HONEST)

    def _next(self, request: Request) -> Answer:
        turn, self._left = self._left[0], self._left[1:]
        answer = turn(request) if callable(turn) else turn
        parts = answer.parts if isinstance(answer, Reply) else ()
        self._has_compacted = any(isinstance(part, Call) and part.name == "compact" for part in parts)
        return answer
