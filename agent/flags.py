"""The command line as a value; its docstring and fields are what `agent --help` shows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from agent.version import __version__

OutputFormat = Literal["text", "json", "stream-json"]


def _show_version(is_asked: bool) -> bool:
    if is_asked:
        typer.echo(f"agent {__version__}")
        raise typer.Exit
    return is_asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """A coding agent whose context never fills up and never forgets."""

    prompt: Annotated[
        str | None,
        typer.Argument(
            metavar="PROMPT", help="What to do. After `--` it may begin with a dash.", show_default=False
        ),
    ] = None
    is_print: Annotated[
        bool, typer.Option("--print", "-p", help="Work on PROMPT (and stdin), print the answer, exit.")
    ] = False
    is_continue: Annotated[
        bool, typer.Option("--continue", "-c", help="Go on with the newest session of this project.")
    ] = False
    resume: Annotated[
        str | None,
        typer.Option("--resume", "-r", metavar="ID", help="Go on with a session, by id, its end, or title."),
    ] = None
    is_fork: Annotated[
        bool, typer.Option("--fork", help="With -c or -r: go on in a copy; the session stays as it is.")
    ] = False
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="Model to use.")] = None
    effort: Annotated[
        Literal["low", "medium", "high", "xhigh", "max"] | None,
        typer.Option("--effort", help="How much the model thinks."),
    ] = None
    permission_mode: Annotated[
        Literal["ask", "accept-edits", "plan", "bypass"] | None,
        typer.Option("--permission-mode", help="What happens without a rule. Headless, `ask` refuses."),
    ] = None
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="RULE", help="Allow calls, as `bash(git status:*)`. Repeatable."),
    ] = None
    deny: Annotated[
        list[str] | None,
        typer.Option("--deny", metavar="RULE", help="Deny calls, as `edit(secrets/**)`. Repeatable."),
    ] = None
    is_trusting: Annotated[
        bool, typer.Option("--trust", help="Trust this project for this run: its settings count.")
    ] = False
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", metavar="N", min=1, help="End the turn after N steps.")
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost", metavar="USD", min=0, help="End the turn when the session has cost so much."
        ),
    ] = None
    context_window: Annotated[
        int | None,
        typer.Option("--context-window", metavar="TOKENS", help="Working window, at least 16,000."),
    ] = None
    compaction: Annotated[
        str | None,
        typer.Option(
            "--compaction",
            metavar="PRESET",
            help="How the context is kept small: balanced, classic, early, window or off.",
        ),
    ] = None
    append_system_prompt: Annotated[
        str | None, typer.Option("--append-system-prompt", metavar="TEXT", help="Add to the system prompt.")
    ] = None
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="Settings over ~/.agent/settings.json.")
    ] = None
    output_format: Annotated[OutputFormat, typer.Option("--output-format", help="What stdout gets.")] = "text"
    cwd: Annotated[
        Path | None,
        typer.Option("--cwd", metavar="FOLDER", help="The project, instead of the current folder."),
    ] = None
    is_ascii: Annotated[bool, typer.Option("--ascii", help="Draw the screen with ASCII alone.")] = False
    is_verbose: Annotated[bool, typer.Option("--verbose", help="Tell each step on stderr.")] = False
    is_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False
