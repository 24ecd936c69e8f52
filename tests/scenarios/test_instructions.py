"""Instruction files in whole sessions: what the model is told of them, and when it is told again."""

from pathlib import Path

from agent.offline import MessagesServer, Script, always, says
from tests.support.command import Command
from tests.support.trusting import put


def test_imports_from_outside_headless(tmp_path: Path) -> None:
    """Untrusted: the import stays out, the model and the user are told in one line each; `--trust` brings it in for that run."""
    with MessagesServer(Script(always(says("Done.")))) as server:
        command = Command(root=tmp_path, url=server.url)
        put(tmp_path, "mine.md", "THE TEXT OUTSIDE")
        put(command.project, "AGENTS.md", "See @../mine.md and @inside.md.\n")
        put(command.project, "inside.md", "THE TEXT INSIDE")
        plain, trusting = command.run("-p", "go"), command.run("-p", "go", "--trust")
        first, second = [str(request.body["messages"]) for request in server.queries]
    off = "this project is not trusted: 1 import of its instruction files off"
    assert plain.complaints == [f"agent: {off}; --trust turns it on for this run, `agent` in a terminal asks"]
    assert trusting.complaints == []
    assert ("THE TEXT OUTSIDE" in first, "THE TEXT OUTSIDE" in second) == (False, True)
    assert "[not read: it lies outside of the project, which is not trusted with it" in first
    assert "THE TEXT INSIDE" in first
