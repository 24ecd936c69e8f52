"""Bad input, through a real process: one clear line on stderr, the right exit code, never a traceback."""

import os
import signal
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, says
from tests.support.command import Command, Ran, ended


def check(ran: Ran, code: int, words: str) -> None:
    """One line that holds ``words``, nothing on stdout."""
    assert "Traceback" not in ran.err
    assert ran.code == code, ran.err
    (line,) = ran.complaints
    assert line.startswith("agent: ")
    assert words in line
    assert ran.out == b""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--cwd", "none"), "--cwd none does not exist: name the folder of the project"),
        (("--cwd", "file"), "--cwd file is not a folder"),
        (("--permission-mode", "yolo"), "'yolo' is not one of 'ask', 'accept-edits', 'plan', 'bypass'"),
        (("--allow", "bash(("), "rule `bash((` in --allow cannot be read; write `tool` or `tool(pattern)`"),
        (("--context-window", "5000"), "5,000 is too small; 16,000 tokens is the least"),
        (
            ("--compaction", "clasic"),
            "--compaction: no preset `clasic`: did you mean `classic`? There are bal",
        ),
        (("--settings", "old.json"), "`compaction`: no preset `full`: did you mean `of"),
        (("--max-cost", "abc"), "'--max-cost': Input should be a valid number"),
        (("--settings", "none.json"), "settings file none.json does not exist"),
        (("--settings", "broken.json"), "settings file broken.json is no JSON: line 2"),
        ((b"caf\xe9", "two"), "unexpected extra argument"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_done(
    tmp_path: Path, args: tuple[str | bytes, ...], words: str
) -> None:
    """Exit 2, and nothing is written."""
    command = Command(root=tmp_path)
    (command.project / "file").touch()
    (command.project / "broken.json").write_text('{"model":\n x}')
    (command.project / "old.json").write_text('{"compaction": "full"}')
    check(command.run("-p", "hi", *args), 2, words)
    assert sorted(path.name for path in command.project.iterdir()) == ["broken.json", "file", "old.json"]


def test_settings_that_cannot_be_read_end_it_at_once(tmp_path: Path) -> None:
    """The user's own file is named."""
    command = Command(root=tmp_path)
    (command.home / "settings.json").mkdir()
    check(
        command.run("-p", "hi"),
        2,
        f"settings file {command.home}/settings.json cannot be read: Is a directory",
    )


def test_a_wrong_key(tmp_path: Path) -> None:
    """Exit 1, and what to check."""
    with MessagesServer(Script(says("x"))) as server:
        ran = Command(root=tmp_path, url=server.url, key="wrong").run("-p", "hi")
    check(ran, 1, "the key was refused: check ANTHROPIC_API_KEY")
    assert ran.err.splitlines()[-1].startswith("resume: agent -r ")


def test_an_unknown_model(tmp_path: Path) -> None:
    """Exit 1, and which flag."""
    with MessagesServer(Script(says("x"))) as server:
        ran = Command(root=tmp_path, url=server.url).run("-p", "hi", "--model", "nope-1")
    check(ran, 1, "the server has no model `nope-1`: choose another with --model")


def test_no_network(tmp_path: Path) -> None:
    """The first refused connection is said with what to check, and Ctrl-C ends the waiting."""
    process = Command(root=tmp_path).start("-p", "hi")
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    process.send_signal(signal.SIGINT)
    ran = ended(process)
    assert line.startswith("agent: cannot reach http://127.0.0.1:9: check the network and ANTHROPIC_BASE_URL")
    assert ran.code == 130
    assert ran.complaints[-1] == "agent: interrupted"


def test_no_key(tmp_path: Path) -> None:
    """Two lines: how to set one, and what needs none; a server of one's own needs none either."""
    without = Command(root=tmp_path, url="", key=" ")
    for args in ((), ("-p", "hi")):
        ran = without.run(*args)
        key, demo = ran.err.splitlines()
        assert ran.code == 2
        assert "set ANTHROPIC_API_KEY" in key
        assert "`agent demo` needs none" in demo


def test_a_local_server_needs_no_key(tmp_path: Path) -> None:
    """A placeholder is sent: the strict server refuses it, another one would not look."""
    with MessagesServer(Script(says("x"))) as server:
        ran = Command(root=tmp_path, url=server.url, key="").here(
            "-p", "hi", "--output-format", "stream-json"
        )
        assert server.requests[0].headers["authorization"] == "Bearer none"
    assert ran.messages[0]["apiKeySource"] == "none"


def test_a_token_is_as_good_as_a_key(tmp_path: Path) -> None:
    """ANTHROPIC_AUTH_TOKEN goes out as a bearer token."""
    with MessagesServer(Script(says("Done."))) as server:
        more = {"ANTHROPIC_AUTH_TOKEN": server.api_key}
        ran = Command(root=tmp_path, url=server.url, key="", more=more).here("-p", "hi")
        assert "authorization" in server.requests[0].headers
    assert ran.code == 0


@pytest.mark.parametrize("prompt", ["", " \n\t"])
def test_f54_g_a_blank_prompt_is_2(tmp_path: Path, prompt: str) -> None:
    """It would cost a request and mean nothing."""
    check(Command(root=tmp_path).here("-p", prompt), 2, "the prompt is empty: give one")


def test_a_terminal_is_not_read_for_a_prompt(tmp_path: Path) -> None:
    """`agent -p` alone on a terminal is told what it lacks, and does not wait."""
    ours, theirs = os.openpty()
    ran = Command(root=tmp_path).run("-p", stdin=theirs)
    os.close(theirs)
    os.close(ours)
    check(ran, 2, "the prompt is empty: give one")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--model", " "), "--model needs the name of a model"),
        (("--allow", "nope(x)"), "rule `nope(x)` in --allow: there is no tool `nope`"),
        (("--max-steps", "0"), "should be greater than or equal to 1"),
        (("--nope",), "No such option: --nope"),
    ],
)
def test_other_flags_that_make_no_sense(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    """Exit 2, one line."""
    check(Command(root=tmp_path).here("-p", "hi", *args), 2, words)


def test_a_rule_of_a_settings_file_is_named_with_the_file(tmp_path: Path) -> None:
    """A deny that names no tool would guard nothing."""
    command = Command(root=tmp_path)
    (command.home / "settings.json").write_text('{"permissions": {"deny": ["bsh(rm:*)"]}}')
    check(
        command.here("-p", "hi"),
        2,
        f"rule `bsh(rm:*)` in {command.home}/settings.json: there is no tool `bsh`",
    )


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    """The current folder was removed under the shell."""
    ran = Command(root=tmp_path).shell("mkdir ../gone && cd ../gone && rmdir ../gone && agent -p hi")
    check(ran, 2, "the current folder cannot be used (No such file or directory): name another with --cwd")
