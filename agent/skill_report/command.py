"""`agent skills`: which skills there are, and whether one keeps to the standard."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="List the skills that a session would have, and check skills against the standard of agentskills.io.",
)


@app.command("list")
def list_skills(
    context: typer.Context,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    cwd: Annotated[
        Path | None,
        typer.Option("--cwd", metavar="FOLDER", help="The project, instead of the current folder."),
    ] = None,
) -> int:
    """List the skills: name, size in tokens once loaded, where it lies, what it is for; and what is wrong with any.

    Of two with one name the first counts: the project's .agent/skills, .claude/skills, .agents/skills, then ~/.agent/skills,
    ~/.agents/skills, then those that ship.
    """
    run = import_module("agent.skill_report.listing").run_list
    return int(run(context.obj, cwd=cwd, is_json=is_json))


@app.command("check")
def check_skills(
    context: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="A skill's folder, its SKILL.md, or a folder of many skills."),
    ],
) -> int:
    """Check skills: a line for each problem, with what to do about it.

    Exit code 1: something is against the standard. A `note` is advice only, and something other agents put up with.
    """
    return int(import_module("agent.skill_report.checking").run_check(context.obj.output, path))
