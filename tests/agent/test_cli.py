"""The command line: what is parsed, what is imported, and that nothing but an exit code gets out."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from agent import cli
from agent.cli import main, with_bare_resume
from agent.flags import Flags
from agent.version import __version__
from tests.support.command import ROOT, Command

HEAVY = ("anthropic", "prompt_toolkit", "tiktoken", "PIL", "rich")


def parsed(*args: str) -> object:
    return get_command(cli._main).main(args=with_bare_resume(args), prog_name="agent", standalone_mode=False)


def test_every_flag_has_its_place() -> None:
    """All flags in one line come out as one value."""
    line = (
        "-p -c -r ab --model m --effort max --permission-mode plan --allow a --allow b --deny c --max-steps 3"
        " --max-cost 0.5 --context-window 20000 --append-system-prompt s --settings f --output-format json"
        " --cwd d --verbose go"
    )
    assert parsed(*line.split()) == Flags(
        prompt="go",
        is_print=True,
        is_continue=True,
        resume="ab",
        model="m",
        effort="max",
        permission_mode="plan",
        allow=["a", "b"],
        deny=["c"],
        max_steps=3,
        max_cost=0.5,
        context_window=20_000,
        append_system_prompt="s",
        settings=Path("f"),
        output_format="json",
        cwd=Path("d"),
        is_verbose=True,
        is_version=False,
    )


@pytest.mark.parametrize(
    ("args", "resume", "prompt"),
    [
        (["-r"], "", None),
        (["-r", "-p", "go"], "", "go"),
        (["--resume", "ab", "go"], "ab", "go"),
        (["--", "-r"], None, "-r"),
        (["--", "demo"], None, "demo"),
    ],
)
def test_resume_may_stand_without_an_id(args: list[str], resume: str | None, prompt: str | None) -> None:
    """Last, or before another flag; behind `--` everything is the prompt."""
    flags = parsed(*args)
    assert isinstance(flags, Flags)
    assert (flags.resume, flags.prompt) == (resume, prompt)


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(flag: str) -> None:
    """Neither the SDK nor the terminal nor the tokenizer nor images, told by the list of modules."""
    script = (
        "import sys; from agent.cli import main; code = main(sys.argv[1:]);"
        f"print([name for name in {HEAVY!r} if name in sys.modules]); sys.exit(code)"
    )
    command = [sys.executable, "-c", script, flag]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stdout.startswith(f"agent {__version__}" if flag == "--version" else "Usage: agent [OPTIONS]")


def test_help_lists_what_there_is_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    """Flags and sub-commands whose work is still to come are not promised."""
    assert main(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert all(
        word in shown
        for word in (
            "--append-system-prompt",
            "--compaction",
            "--output-format",
            "agent demo",
            "agent doctor",
            "agent replay",
            "agent sessions",
            "agent skills",
            "--fork",
        )
    )
    assert "--sandbox" not in shown


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_first_word_that_is_a_sub_command_is_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`agent demo` has a help of its own."""
    assert main([name, "--help"]) == 0
    assert f"Usage: agent {name}" in capsys.readouterr().out


def test_a_bug_costs_one_line_and_leaves_a_traceback(tmp_path: Path) -> None:
    """Exit 70; the file is the user's alone."""

    class Broken(io.StringIO):
        def isatty(self) -> bool:
            raise KeyError("that was not meant to happen")

    ran = Command(root=tmp_path).here("-p", "hi", stdin=Broken())
    (path,) = (tmp_path / "agent-home/logs").glob("crash-*.log")
    assert ran.code == 70
    assert ran.err.splitlines() == [
        f"agent: a bug of ours, KeyError; the session is saved (`agent -c`), the traceback is in {path}"
    ]
    assert "that was not meant to happen" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_bug_without_a_home_leaves_its_traceback_elsewhere(tmp_path: Path) -> None:
    """A home folder that cannot be made is no reason to lose it."""

    class Interrupting(io.StringIO):
        def isatty(self) -> bool:
            raise ZeroDivisionError

    (tmp_path / "file").write_text("")
    command = Command(root=tmp_path, more={"AGENT_HOME": str(tmp_path / "file")})
    ran = command.here("-p", "hi", stdin=Interrupting())
    path = Path(ran.err.rpartition(" is in ")[2].strip())
    assert ran.code == 70
    assert "ZeroDivisionError" in path.read_text()
    path.unlink()


def test_ctrl_c_before_the_turn_is_quiet(tmp_path: Path) -> None:
    """130 and not a word."""

    class Interrupted(io.StringIO):
        def isatty(self) -> bool:
            raise KeyboardInterrupt

    ran = Command(root=tmp_path).here("-p", "hi", stdin=Interrupted())
    assert (ran.code, ran.err) == (130, "")


def test_a_reader_of_the_help_that_has_gone_is_quiet(tmp_path: Path) -> None:
    """141, as the shell has it for any program."""
    ran = Command(root=tmp_path).shell('agent --help | (exec <&-; sleep 0.5); exit "${PIPESTATUS[0]}"')
    assert (ran.code, ran.err) == (141, "")


def test_a_log_of_what_libraries_warn_of_is_made_when_needed(tmp_path: Path) -> None:
    """Not a byte of it reaches the screen; a folder that cannot be made is no error."""
    script = "import logging, sys; from agent.crash import quieten; quieten(dict(AGENT_HOME=sys.argv[1]));"
    script += "logging.getLogger('x').info('a'); logging.getLogger('x').warning('b')"
    for home in (tmp_path / "home", Path("/dev/null/home")):
        command = [sys.executable, "-c", script, str(home)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=30, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "WARNING x: b" in (tmp_path / "home/logs/agent.log").read_text()
