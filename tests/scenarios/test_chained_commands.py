"""F35 with the agent headless: what hangs on an allowed command does not run, what is allowed runs."""

import subprocess
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Reply, Request, Script, always, calls, says
from tests.support.command import Command

ALLOW = ("--allow", "bash(git status:*)", "--allow", "bash(ls:*)", "--allow", "bash(echo:*)")
REFUSED = {
    "a": "git status && touch pwned",
    "b": "git status; touch pwned",
    "c": "echo touch pwned | sh",
    "d": "git status\ntouch pwned",
    "e": "echo $(touch pwned)",
    "f": "echo `touch pwned`",
    "g": "ls <(touch pwned)",
    "h": "ls & touch pwned",
    "i": "echo x > pwned",
    "j": 'echo "$(touch pwned)"',
    "k": "echo <<EOF\n$(touch pwned)\nEOF",
    "l": "git status\\\n; touch pwned",
    "m": "ls ${x:=$(touch pwned)}",
    "n": 'touch pwned\necho "a',
}
RUN = {
    "o": ("echo 'a; b && c'", "a; b && c"),
    "p": ('echo "x | y"', "x | y"),
    "q": ("git status && ls", "notes.txt"),
    "r": ("echo '$(x)'", "$(x)"),
    "s": ("ls # ; rm", "notes.txt"),
}


def results_of(folder: Path, commands: list[str], *args: str) -> tuple[Command, list[str]]:
    """Have the model call bash with each of ``commands``, one after the other; return their results."""
    results: list[str] = []

    def model(request: Request) -> Reply:
        results.extend(request.results.values())
        waiting = commands[len(results) :]
        return calls("bash", command=waiting[0]) if waiting else says("Done.")

    with MessagesServer(Script(always(model))) as server:
        command = Command(root=folder, url=server.url)
        (command.project / "notes.txt").touch()
        subprocess.run(["git", "init", "-q"], cwd=command.project, check=True)
        command.here("-p", "go", *args)
        assert server.refusals == []
    return command, results


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "plan"])
def test_f35_what_is_chained_to_an_allowed_command_never_runs(tmp_path: Path, mode: str) -> None:
    """a to n: each is refused with a reason, the agent goes on, and no file appears."""
    command, results = results_of(tmp_path, [*REFUSED.values()], *ALLOW, "--permission-mode", mode)
    assert len(results) == len(REFUSED)
    assert [result[:9] for result in results] == ["Refused: "] * len(REFUSED)
    assert not list(command.project.rglob("pwned"))


def test_f35_what_is_allowed_runs_unasked(tmp_path: Path) -> None:
    """o to s: quoted operators, chains of allowed commands and comments need no further rule."""
    _, results = results_of(tmp_path, [text for text, _ in RUN.values()], *ALLOW)
    assert [said in result for (_, said), result in zip(RUN.values(), results, strict=True)] == [True] * len(
        RUN
    )
