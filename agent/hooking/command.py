"""`agent hooks`: which commands of the settings run when, and what they would do."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from agent.exits import Exit

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="List the hooks of the settings, and try them.",
)
Cwd = Annotated[
    Path | None, typer.Option("--cwd", metavar="FOLDER", help="The project, instead of the current folder.")
]
Trust = Annotated[bool, typer.Option("--trust", help="Trust this project for this run: its settings count.")]


@app.command("list")
def list_hooks(context: typer.Context, cwd: Cwd = None, is_trusting: Trust = False) -> int:
    """List the hooks in force, in the order in which they count: event, matcher, time, file, command."""
    place = import_module("agent.hooking.place").HookPlace.of(context.obj, cwd, is_trusting=is_trusting)
    lines = import_module("agent.hooking.lines").listed(place.commands.hooks)
    context.obj.output.lines("\n".join(lines))
    return int(Exit.DONE)


@app.command("test")
def try_hooks(
    context: typer.Context,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="As PreToolUse, UserPromptSubmit, Stop.")],
    tool: Annotated[str, typer.Option("--tool", metavar="NAME", help="Of a call, as bash or Edit.")] = "",
    input: Annotated[
        str, typer.Option("--input", metavar="JSON", help="Input of the call, or fields of another event.")
    ] = "",
    cwd: Cwd = None,
    is_trusting: Trust = False,
) -> int:
    """Run the hooks that match an event which did not happen, and show what they do and what that comes to.

    They are really run. Exit code 1: something refuses, or a hook failed.
    """
    place = import_module("agent.hooking.place").HookPlace.of(context.obj, cwd, is_trusting=is_trusting)
    made = import_module("agent.hooking.trial_event").event_of(event, tool, input, place.project)
    tried = import_module("agent.hooking.trial").tried
    lines, is_clear = tried(made, place.commands, place.permission, place.project)
    context.obj.output.lines("\n".join(lines))
    return int(Exit.DONE if is_clear else Exit.FAILED)
