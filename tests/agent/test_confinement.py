"""`sandbox` in the settings: what it makes of commands, and what is said of it before, while and instead."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.confinement import remarks_of, sandbox_of, sandbox_words, told_of, wanted_sandbox
from agent.offline import MessagesServer, Reply, Request, Script, always, calls, says
from agent.settings import SandboxSettings, Settings
from tests.support.command import Command
from tests.support.sandboxes import NEEDS_SANDBOX


def answer(request: Request) -> Reply:
    """Run the prompt as a command; once the call has its result, say that."""
    for result in request.results.values():
        return says(f"It said: {result}")
    return calls("bash", command=request.last_text)


@contextmanager
def command_of(root: Path, sandbox: Any, **more: str) -> Generator[tuple[Command, MessagesServer]]:
    """`agent` with ``sandbox`` in its settings, whose model runs the prompt as a command."""
    with MessagesServer(Script(always(answer))) as server:
        command = Command(root=root, url=server.url, more=more)
        (command.home / "settings.json").write_text(json.dumps({"sandbox": sandbox}))
        yield command, server


@pytest.mark.parametrize(
    ("said", "mode"),
    [
        ((None, None), None),
        (("on", None), "on"),
        (("on", "off"), None),
        (("off", "on"), "on"),
        ((None, "on"), "on"),
    ],
)
def test_the_strongest_layer_decides(said: tuple[Any, Any], mode: str | None) -> None:
    """A file named on the command line before the user's own; nothing said: no sandbox."""
    layers = [
        (name, Settings(sandbox=SandboxSettings(mode=one) if one else None))
        for name, one in zip(("own", "named"), said, strict=True)
    ]
    wanted = wanted_sandbox(layers)
    assert (wanted.mode if wanted else None) == mode


@pytest.mark.parametrize(
    ("own", "of_project", "mode"),
    [("on", "off", "on"), (None, "on", "on"), ("off", "on", None), (None, None, None)],
)
def test_a_project_does_not_undo_what_the_user_says(own: Any, of_project: Any, mode: str | None) -> None:
    """Its own settings count where the user's say nothing of it."""
    layers = [
        (name, Settings(sandbox=SandboxSettings(mode=one) if one else None))
        for name, one in (("/home/me/.agent/settings.json", own), (".agent/settings.local.json", of_project))
    ]
    wanted = wanted_sandbox(layers)
    assert (wanted.mode if wanted else None) == mode


@NEEDS_SANDBOX
def test_commands_are_confined_from_start_to_end(tmp_path: Path) -> None:
    """`"sandbox": "on"` in the user's file: the project is written to, secrets and key are out of reach, the model knows."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id").write_text("geheim")
    with command_of(tmp_path, "on") as (command, server):
        prompt = "echo a >a; cat ~/.ssh/id; cat ~/agent-home/settings.json; echo key:$ANTHROPIC_API_KEY."
        ran = command.run("-p", prompt, "--permission-mode", "bypass")
        assert (ran.code, ran.complaints) == (0, [])
        assert "key:." in ran.text
        assert "geheim" not in ran.text
        assert "mode" not in ran.text
        assert (command.project / "a").read_text() == "a\n"
        assert (
            "\nsandbox: bash can write only to the project"
            in server.queries[0].body["messages"][0]["content"][0]["text"]
        )
        assert not list(Path("/tmp").glob("palimpsest-sandbox-*/tmp/agent-home"))


def test_where_it_does_not_work_nothing_is_run(tmp_path: Path) -> None:
    """It is said at the start, and each call is refused in one line; nothing runs outside."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bash").symlink_to("/bin/bash")
    (tmp_path / "bin" / "git").symlink_to("/usr/bin/git")
    with command_of(tmp_path, {"mode": "on", "network": True}, PATH=str(tmp_path / "bin")) as (command, _):
        ran = command.run("-p", "echo a >a", "--permission-mode", "bypass")
        assert ran.complaints == [
            "agent: commands of the model are refused: `sandbox` is on in the settings, and bubblewrap is not installed (the program `bwrap`)"
        ]
        assert "It said: This was not run: the user wants commands to run in the sandbox only" in ran.text
        assert not (command.project / "a").exists()


def test_without_a_word_on_it_commands_run_as_they_are(tmp_path: Path) -> None:
    """The default, and `off`; the model is told nothing of a sandbox."""
    for number, sandbox in enumerate(("off", {"mode": "off", "write": ["x"]})):
        folder = tmp_path / str(number)
        folder.mkdir()
        with command_of(folder, sandbox) as (command, server):
            ran = command.run("-p", f"echo a >{folder}/a", "--permission-mode", "bypass")
            assert ran.complaints == []
            assert (folder / "a").read_text() == "a\n"
            assert "sandbox" not in server.queries[0].body["messages"][0]["content"][0]["text"]


@NEEDS_SANDBOX
def test_what_is_written_to_is_named_as_users_name_it(tmp_path: Path) -> None:
    """`~/` is the home folder, what is relative lies in the project; what is not there is said, and cannot be written."""
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home / ".cache", project / "sub"):
        folder.mkdir(parents=True)
    wanted = SandboxSettings(mode="on", network=True, write=["~/.cache", "sub", "~/none"])
    sandbox = sandbox_of(wanted, project=project, home=home, own=home / ".agent")
    assert sandbox is not None
    assert sandbox.grounds.write == (home / ".cache", project / "sub", home / "none")
    assert remarks_of(sandbox) == [
        f"`sandbox.write` names {home}/none, which does not exist: it cannot be written"
    ]
    assert sandbox_words(sandbox).endswith(
        f"a /tmp of its own, {home}/.cache, {project}/sub, {home}/none; network on"
    )
    assert "the network is on;" in told_of(sandbox)


def test_an_off_switch_is_told_as_such(tmp_path: Path) -> None:
    """/status and /permissions say what holds also where there is no sandbox; the model needs no word of it."""
    assert sandbox_words(None) == "sandbox off: a command can do whatever you can"
    assert (remarks_of(None), told_of(None)) == ([], "")
