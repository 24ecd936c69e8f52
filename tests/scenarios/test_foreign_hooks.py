"""Three hooks written for the other agent, by its documentation, and its settings: they run unchanged."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.offline import MessagesServer, Reply, Script, calls, says
from tests.support.command import Command, Ran
from tests.support.hook_scripts import settings

FOREIGN = Path(__file__).with_name("foreign_hooks")


@contextmanager
def hooked(root: Path, *turns: Reply) -> Iterator[tuple[Command, MessagesServer]]:
    """A project that has the hooks where the other agent has them, and a user whose settings name them."""
    with MessagesServer(Script(*turns)) as server:
        command = Command(root=root, url=server.url)
        shutil.copytree(FOREIGN, command.project / ".claude" / "hooks")
        shutil.copy(FOREIGN / "settings.json", command.home / "settings.json")
        yield command, server


def results(server: MessagesServer) -> list[Any]:
    """The results in the last request."""
    content = server.queries[-1].body["messages"][-1]["content"]
    return [block for block in content if block["type"] == "tool_result"]


def run(command: Command, *args: str) -> Ran:
    """Run a prompt."""
    return command.here("-p", "Go.", *args)


def test_block_a_command(tmp_path: Path) -> None:
    """Exit code 2: the call is not run, in no mode, and the model reads what stderr said."""
    with hooked(tmp_path, calls("bash", command="rm -rf src"), says("Done.")) as (command, server):
        (command.project / "src").mkdir()
        ran = run(command, "--permission-mode", "bypass")
    assert (ran.code, ran.text) == (0, "Done.\n")
    [result] = results(server)
    assert result["is_error"]
    assert result["content"] == "Refused: folders are not removed here: move them to attic/ instead"
    assert (command.project / "src").is_dir()


def test_rewrite_an_input(tmp_path: Path) -> None:
    """`updatedInput` runs in place of what was called, allowed by the hook, and the model is told so."""
    with hooked(tmp_path, calls("bash", command="pytest"), says("Done.")) as (command, server):
        ran = run(command)
    assert ran.code == 0
    [result] = results(server)
    head = "[a hook changed the command to:]\necho quiet pytest\n[its output:]\n"
    assert result["content"].startswith(
        f"{head}[a hook changed `timeout` before this ran, to: 5.0]\nquiet pytest\n"
    )
    [log] = (command.project / ".transcripts").glob("*.jsonl")
    records = [json.loads(line) for line in log.read_text().splitlines()]
    [called] = [record for record in records if record["type"] == "call"]
    assert (called["input"]["command"], called["input"]["timeout"]) == ("echo quiet pytest", 5.0)


@pytest.mark.parametrize(("args", "source"), [((), "startup"), (("-c",), "resume")])
def test_inject_context_at_the_start(tmp_path: Path, args: tuple[str, ...], source: str) -> None:
    """What the hook prints stands beside the first prompt, between marks, also when the session goes on."""
    with hooked(tmp_path, says("Hello."), says("Done.")) as (command, server):
        for more in [(), args] if args else [()]:
            ran = run(command, *more)
    assert ran.code == 0
    text = server.queries[-1].body["messages"][-1]["content"][-1]["text"]
    assert text.startswith('<hook event="SessionStart">\n')
    assert text.endswith(f"\nThe deployment target is staging (session: {source}).\n</hook>")


def test_a_call_that_is_no_concern_of_theirs(tmp_path: Path) -> None:
    """Hooks that say nothing leave the decision to permission."""
    with hooked(tmp_path, calls("bash", command="touch ran"), says("Done.")) as (command, server):
        ran = run(command)
    assert "no rule allows this command" in ran.err
    assert results(server)[0]["content"].startswith("Refused: no rule allows this command")
    assert not (command.project / "ran").exists()


@pytest.mark.parametrize(
    "call",
    [
        calls("write", file_path="guards/check.sh", content="exit 0\n"),
        calls("bash", command="echo exit 0 > guards/check.sh"),
        calls("write", file_path="guards/new.sh", content="exit 0\n"),
    ],
)
def test_what_hooks_run_is_protected(tmp_path: Path, call: Reply) -> None:
    """The model cannot change a program that a hook runs, or make one that it will run, without a question, in any mode."""
    with MessagesServer(Script(call, says("Done."))) as server:
        command = Command(root=tmp_path, url=server.url)
        (command.project / "guards").mkdir()
        (command.project / "guards" / "check.sh").write_text("exit 2\n")
        hooks = settings("Stop", "bash guards/check.sh || true", "./guards/new.sh || true")
        (command.home / "settings.json").write_text(json.dumps({"hooks": hooks}))
        ran = run(command, "--permission-mode", "bypass")
        [result] = results(server)
    assert ran.code == 0
    assert "is protected: " in result["content"]
    assert sorted(path.name for path in (command.project / "guards").iterdir()) == ["check.sh"]
    assert (command.project / "guards" / "check.sh").read_text() == "exit 2\n"
