"""`agent doctor`: all findings in order, and an exit code that says whether one of them is a fault."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from agent.doctor.agent_types import type_findings
from agent.doctor.choices import model_finding, model_of, settings_findings, trust_findings
from agent.doctor.finding import Finding
from agent.doctor.instructions import instruction_findings
from agent.doctor.places import ranks_finding, sandbox_finding, transcript_findings
from agent.doctor.prompt import prompt_finding
from agent.doctor.scene import Scene
from agent.doctor.server import server_findings
from agent.doctor.skills import skill_findings
from agent.doctor.surroundings import program_findings, startup_findings, terminal_findings, version_findings
from agent.exits import Exit
from agent.home import agent_home, user_home
from agent.sessions.place import Around, columns, project_at
from agent.trust import standing_of


def run_doctor(around: Around, *, cwd: Path | None, settings: Path | None, is_json: bool) -> Exit:
    """Look at everything and say what is there; exit code 1 when something has to be done.

    Raises:    UsageError: ``cwd`` is no folder.
    """
    project, home = project_at(cwd), agent_home(around.env)
    scene = Scene(
        project=project,
        home=home,
        user_home=user_home(around.env),
        env=around.env,
        standing=standing_of(project, home),
        named=settings,
    )
    faults = 0
    for finding in _findings(scene, is_terminal=_has_terminal(around.stdin), encoding=sys.stdout.encoding):
        faults += finding.mark == "fault"
        if is_json:
            around.output.message({"mark": finding.mark, "about": finding.about, "text": finding.text})
        else:
            around.output.lines(finding.wrapped(columns()) if sys.stdout.isatty() else finding.line)
    if not is_json:
        around.output.lines(f"\n{_summed(faults)}")
    return Exit.FAILED if faults or around.output.fault is not None else Exit.DONE


def _findings(scene: Scene, *, is_terminal: bool, encoding: str) -> Iterator[Finding]:
    yield from version_findings()
    yield from settings_findings(scene)
    yield from trust_findings(scene)
    yield from type_findings(scene)
    yield from skill_findings(scene)
    yield from instruction_findings(scene)
    yield model_finding(scene)
    yield prompt_finding(scene)
    yield from server_findings(scene.env, model_of(scene)[0])
    yield from terminal_findings(scene.env, is_terminal=is_terminal, encoding=encoding)
    yield from program_findings(scene.env)
    yield sandbox_finding(scene)
    yield from transcript_findings(scene)
    yield ranks_finding()
    yield from startup_findings(scene.env)


def _has_terminal(stdin: TextIO | None) -> bool:
    return stdin is not None and stdin.isatty() and sys.stdout.isatty()


def _summed(faults: int) -> str:
    if not faults:
        return "nothing has to be done"
    return (
        "1 fault: its line says what to do" if faults == 1 else f"{faults} faults: their lines say what to do"
    )
