"""`agent`: from the arguments of the process to its exit code."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, TextIO

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from agent import glyphs
from agent.crash import keep_traceback, quieten
from agent.errors import SessionError, UserError
from agent.exits import Exit
from agent.flags import Flags
from agent.hooking import command as cli_hooks
from agent.output import Output
from agent.skill_report import command as cli_skills

_STDERR = 2
_BARE_RESUME = ("-r", "--resume")
_logger = logging.getLogger(__name__)
_settings = {"help_option_names": ["-h", "--help"]}
_main = typer.Typer(
    rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False, context_settings=_settings
)
_main.command(
    epilog="Sub-commands: `agent demo` shows the agent at work, without a key or network; `agent doctor` says what is "
    "missing and what to do; `agent replay FILE...` shows what compaction would have made of recorded sessions; `agent sessions list|show|export|prune` looks after the sessions "
    "of this project; `agent skills list|check` shows the skills and checks them against their standard; "
    "`agent hooks list|test` shows the hooks of the settings and tries them."
)(Flags)
_commands = typer.Typer(
    rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False, context_settings=_settings
)
_sessions = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    context_settings=_settings,
    help="List, show, export and prune the sessions of a project; no transcript is ever written to.",
)
_commands.add_typer(_sessions, name="sessions")
_commands.add_typer(cli_hooks.app, name="hooks")
_commands.add_typer(cli_skills.app, name="skills")
DUMB = ("dumb", "unknown")
"""Names of terminals (TERM) that know no escapes."""
COMMANDS = ("demo", "doctor", "hooks", "replay", "sessions", "skills")
"""A first word that is one of these is the sub-command; `agent -- demo` sends the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """The standard streams; None where one is closed."""

    stdin: TextIO | None
    stdout: TextIO | None
    stderr: TextIO | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a sub-command finds around it."""

    output: Output
    stdin: TextIO | None
    env: Mapping[str, str]


Cwd = Annotated[
    Path | None, typer.Option("--cwd", metavar="FOLDER", help="The project, instead of the current folder.")
]
Wanted = Annotated[str, typer.Argument(metavar="ID", help="Id of the session, the end of it, or its title.")]


@_commands.command()
def doctor(
    context: typer.Context,
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="Settings over ~/.agent/settings.json.")
    ] = None,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
    cwd: Cwd = None,
) -> int:
    """Look whether everything is there that is needed, and say what to do where it is not; costs nothing.

    Exit code 1 when something has to be done.
    """
    run = import_module("agent.doctor").run_doctor
    return int(run(context.obj, cwd=cwd, settings=settings, is_json=is_json))


@_commands.command()
def demo() -> int:
    """Show the agent at work on a small sample project, with a scripted model: no key, no network."""
    code: int = import_module("agent.demo").run_demo()
    return code


@_commands.command()
def replay(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Transcripts of sessions, ours or published ones.")
    ],
    preset: Annotated[
        list[str] | None,
        typer.Option(
            "--preset", metavar="NAME", help="Preset to replay with. Repeatable; all if none is named."
        ),
    ] = None,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    context_window: Annotated[
        int | None,
        typer.Option("--context-window", metavar="TOKENS", help="Working window, 200,000 if not said."),
    ] = None,
) -> int:
    """Replay recorded sessions: what they would have cost under a preset, and what would have stood in view.

    No model is queried: the recorded replies are taken as they are.
    """
    run = import_module("agent.replay").run_replay
    return int(run(files, preset or [], context.obj.output, is_json=is_json, window=context_window))


@_sessions.command("list")
def list_sessions(
    context: typer.Context,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    cwd: Cwd = None,
) -> int:
    """List the sessions, the last written first: id, age, size on disk, turns, context tokens, branch, title or prompt.

    `~` marks what is estimated: something came after the last measure.
    """
    place = import_module("agent.sessions.place").Place.of(context.obj, cwd)
    return int(import_module("agent.sessions.listing").run_list(place, is_json=is_json))


@_sessions.command()
def show(context: typer.Context, wanted: Wanted, cwd: Cwd = None) -> int:
    """Show a session: its prompts, the context size over time, every compaction, its cost."""
    sessions = import_module("agent.sessions.command")
    return int(sessions.run_show(sessions.Place.of(context.obj, cwd), wanted))


@_sessions.command()
def export(
    context: typer.Context,
    wanted: Wanted,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="md, html or jsonl.")],
    file: Annotated[
        Path | None, typer.Option("-o", metavar="FILE", help="Write to this file instead of stdout.")
    ] = None,
    cwd: Cwd = None,
) -> int:
    """Export a session in the order in which it was appended; the HTML is one file that needs no script."""
    sessions = import_module("agent.sessions.command")
    return int(sessions.run_export(sessions.Place.of(context.obj, cwd), wanted, to=to, file=file))


@_sessions.command()
def prune(
    context: typer.Context,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="Last written so long ago: `12h`, `30d`, `8w`.")
    ],
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    is_agreed: Annotated[bool, typer.Option("--yes", help="Remove it without a question.")] = False,
    cwd: Cwd = None,
) -> int:
    """Remove old sessions with all their files, after a question.

    A session that is open, or that a fork still needs, stays.
    """
    sessions = import_module("agent.sessions.command")
    place = sessions.Place.of(context.obj, cwd)
    return int(sessions.run_prune(place, older_than, is_dry_run=is_dry_run, is_agreed=is_agreed))


def start() -> int:
    """Run with the arguments, the environment and the streams of this process; return the exit code."""
    _fill_standard_descriptors()
    quieten(os.environ)
    code = main(sys.argv[1:])
    # All is said and saved: a further Ctrl-C must not turn the end into a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The interpreter would search all that was loaded for garbage first, which takes longer than most of the rest.
    gc.freeze()
    return code


def main(args: Sequence[str], streams: Streams | None = None, env: Mapping[str, str] = os.environ) -> int:
    """Run the command line ``args``; return the exit code. Never raises.

    ``streams``: None: those of this process.
    """
    streams = streams or Streams(stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr)
    output = Output(streams.stdout, streams.stderr)
    glyphs.choose(is_ascii=not glyphs.can_show(streams.stdout.encoding if streams.stdout else None, env))
    if os.name == "nt":
        output.complain("Windows itself is not supported: run it inside WSL (https://aka.ms/wsl)")
        return Exit.USAGE
    try:
        return _run(args, streams.stdin, output, env)
    except TyperException as error:
        output.complain(f"{_one_line(error)}; see `agent --help`")
        return Exit.USAGE
    except (UserError, SessionError) as error:
        output.complain(str(error))
        return Exit.USAGE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except SystemExit:
        # So ends Typer when whoever read the help has gone.
        output.give_up()
        return Exit.NO_READER
    except Exception as error:  # the outermost boundary: the user gets one line, the file the rest
        _logger.debug("bug", exc_info=True)
        _report(error, output, env)
        return Exit.BUG


def _run(args: Sequence[str], stdin: TextIO | None, output: Output, env: Mapping[str, str]) -> int:
    """Return the exit code of a sub-command, of --help, or of the work itself."""
    if args and args[0] in COMMANDS:
        around = Around(output=output, stdin=stdin, env=env)
        return int(
            get_command(_commands).main(args=list(args), prog_name="agent", standalone_mode=False, obj=around)
            or Exit.DONE
        )
    flags = get_command(_main).main(args=with_bare_resume(args), prog_name="agent", standalone_mode=False)
    if not isinstance(flags, Flags):
        return int(flags or Exit.DONE)
    if flags.is_ascii:
        glyphs.choose(is_ascii=True)
    # Imported only now: --help and --version need none of it.
    if is_interactive(flags, stdin, env):
        can_draw = env.get("TERM") not in DUMB
        run = import_module("agent.interactive" if can_draw else "agent.plain_repl").run
        return int(run(flags, stdin=stdin, stdout=sys.stdout, env=env))
    code: int = import_module("agent.launch").launch(flags, output, stdin=stdin, env=env)
    return code


def is_interactive(flags: Flags, stdin: TextIO | None, env: Mapping[str, str]) -> bool:
    """True when a person sits at both ends, and did not ask for the answer alone."""
    if flags.is_print or flags.output_format != "text":
        return False
    return all(stream is not None and stream.isatty() for stream in (stdin, sys.stdout))


def with_bare_resume(args: Sequence[str]) -> list[str]:
    """Return ``args`` with an empty id after each `-r` that stands without one."""
    end = list(args).index("--") if "--" in args else len(args)
    given: list[str] = []
    for index, arg in enumerate(args):
        given.append(arg)
        is_last = index + 1 >= len(args) or args[index + 1].startswith("-")
        if index < end and arg in _BARE_RESUME and is_last:
            given.append("")
    return given


def _one_line(error: TyperException) -> str:
    return " ".join(error.format_message().replace("Value error, ", "").split()).rstrip(".")


def _report(error: Exception, output: Output, env: Mapping[str, str]) -> None:
    path = keep_traceback(error, env)
    place = f"the traceback is in {path}" if path else "no folder takes the traceback"
    output.complain(f"a bug of ours, {type(error).__name__}; the session is saved (`agent -c`), {place}")


def _fill_standard_descriptors() -> None:
    """Put /dev/null where a standard descriptor is closed: else the next file that is opened takes its place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        continue
    os.close(descriptor)
