"""The bash tool: run a command exactly as given, show its output live, never outlive its limits."""

import errno
import os
import signal
from contextlib import suppress
from pathlib import Path

from pydantic import Field, field_validator

from tools.base import Facts, Tool, ToolContext, ToolError, ToolInput, ToolResult, describe
from tools.collector import Collector
from tools.command import Command, Ending, Live
from tools.denied import denial
from tools.jobs import named_to_end, start_job
from tools.limits import BASH_CHARS, Fitted, spill_id, spill_path
from tools.paths import show
from tools.process import complete, end_group, wait_for_end
from tools.spill import describe_problem

DEFAULT_TIMEOUT_S = 120
MAX_TIMEOUT_S = 600
_LIKELY_MILLISECONDS = 1000
_SIGNAL_BASE = 128
_EARLY_END_S = 0.2
"""A background command that ends within this time is reported as ended."""
_CALM = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
"""All that we change in the user's environment: nothing may wait for a key that nobody can press."""

REFUSED = (
    "This was not run: the user wants commands to run in the sandbox only, and {problem}. Tell the user; do the work"
    " without commands. (User: install bubblewrap, see `agent doctor`, or set `sandbox` to `off`.)"
)


class BashInput(ToolInput):
    """Input of the bash tool."""

    command: str
    timeout: float | None = Field(default=None, description="Seconds")
    description: str | None = Field(default=None, description="What it does, for the user, in 5 to 10 words")
    run_in_background: bool = False

    @field_validator("timeout")
    @classmethod
    def _in_range(cls, timeout: float | None) -> float | None:
        if timeout is None or 0 < timeout <= MAX_TIMEOUT_S:
            return timeout
        if timeout >= _LIKELY_MILLISECONDS:
            raise ValueError(
                f"seconds, at most {MAX_TIMEOUT_S}, not milliseconds ({timeout / 1000:g} if that was meant);"
                " use run_in_background for longer"
            )
        raise ValueError(f"seconds, more than 0 and at most {MAX_TIMEOUT_S}")

    @field_validator("command")
    @classmethod
    def _can_be_passed(cls, command: str) -> str:
        if "\0" in command or any("\ud800" <= char <= "\udfff" for char in command):
            raise ValueError("text without NUL characters and lone surrogates; write such bytes with printf")
        return command


async def run(input: BashInput, ctx: ToolContext) -> ToolResult:
    """Run the command. Its text and `Tool.run` tell what to expect."""
    jobs = ctx.services.jobs
    if jobs.sandbox is not None:
        if jobs.sandbox.problem:
            raise ToolError(REFUSED.format(problem=jobs.sandbox.problem))
        if (job := named_to_end(jobs, input.command)) is not None:
            # A command in the sandbox does not even see the processes of another.
            await complete(end_group(job))
            return ToolResult(content=f"Ended pid {job.pid} and all it started.", facts=Facts(note="ended"))
    cwd, lead = _directory(ctx)
    try:
        if input.run_in_background:
            return await _run_in_background(input.command, ctx, cwd=cwd, lead=lead)
        return await _run_in_foreground(input, ctx, cwd=cwd, lead=lead)
    except OSError as problem:
        raise ToolError(_explain_start(problem)) from problem


def _directory(ctx: ToolContext) -> tuple[Path, str]:
    """Return where to run, and a line that says so if it is not where the last command left off."""
    cwd, sandbox = ctx.facts.cwd, ctx.services.jobs.sandbox
    if sandbox.is_directory(cwd) if sandbox else cwd.is_dir():
        return cwd, ""
    return ctx.services.project, f"[the directory `{cwd}` is gone; this ran in the project]\n"


def _explain_start(problem: OSError) -> str:
    if problem.errno == errno.E2BIG:
        return (
            "The command is too long for the system. Write it to a script with `write`, then run the script."
        )
    return f"The command could not be started: {describe_problem(problem)} (`{problem.filename or 'bash'}`)."


async def _run_in_foreground(input: BashInput, ctx: ToolContext, *, cwd: Path, lead: str) -> ToolResult:
    collector = Collector(spill_path(ctx, "bash"), limit_chars=BASH_CHARS)
    timeout_s = input.timeout or DEFAULT_TIMEOUT_S
    command = Command(
        input.command,
        cwd=cwd,
        env={**os.environ, **_CALM},
        timeout_s=timeout_s,
        sandbox=ctx.services.jobs.sandbox,
    )
    try:
        ending = await command.run(collector, Live(ctx.progress))
        output = await complete(collector.finish(mark_id=spill_id(ctx, "bash"), project=ctx.services.project))
    except BaseException:
        collector.discard()
        raise
    if ending.has_left_behind:
        _list_left_behind(input.command, ending, ctx=ctx)
    return _result(ending, output, lead=lead, was=cwd, ctx=ctx, lines=collector.lines)


def _list_left_behind(command: str, ending: Ending, *, ctx: ToolContext) -> None:
    """Make what still runs a job, so that it shows and ends with the session."""
    jobs, pid = ctx.services.jobs, ending.process.pid
    jobs.running[pid] = (command, "")
    jobs.processes[pid] = ending.process
    if ending.open_pipe:
        jobs.pipes[pid] = ending.open_pipe


async def _run_in_background(command: str, ctx: ToolContext, *, cwd: Path, lead: str) -> ToolResult:
    log = spill_path(ctx, "bash").with_suffix(".log")
    shown = show(log, project=ctx.services.project)
    process = start_job(
        ctx.services.jobs, command, cwd=cwd, env={**os.environ, **_CALM}, log=log, shown_log=shown
    )
    await wait_for_end(process, timeout_s=_EARLY_END_S, tick=lambda: None)
    state = (
        "still runs"
        if process.returncode is None
        else f"has ended already: {_exit_words(process.returncode)}"
    )
    return ToolResult(
        content=f"{lead}Started in the background as pid {process.pid}; it {state}.\n"
        f"Its output goes to {shown} (read it with `read`). End it with `kill -- -{process.pid}`.",
        facts=Facts(
            cwd=str(cwd),
            job={"pid": process.pid, "log": shown, "command": command},
            note=f"pid {process.pid}",
        ),
    )


def _result(
    ending: Ending, output: Fitted, *, lead: str, was: Path, ctx: ToolContext, lines: int
) -> ToolResult:
    cwd = ending.cwd or was
    code = _exit_code(ending.process.returncode)
    body = output.content or "(no output)"
    notes = [] if body.endswith("\n") else [""]
    if ending.problem:
        notes.append(f"[{ending.problem}; the command and all it started were ended{_more_time(ending)}]")
    if ending.has_left_behind:
        notes.append(
            f"[something it started still runs in the background, process group {ending.process.pid};"
            " its further output is not kept; it ends with the session]"
        )
    if cwd != was:
        notes.append(f"[now in `{show(cwd, project=ctx.services.project)}`]")
    notes.append(f"[{_exit_words(ending.process.returncode)}]")
    if code and (sandbox := ctx.services.jobs.sandbox) and (denied := denial(body, sandbox, [cwd, was])):
        notes.append(f"[{denied}]")
    facts = Facts(
        cwd=str(cwd),
        exit_code=code,
        duration_s=round(ending.duration_s, 3),
        note=ending.problem or (f"exit {code}" if code else "1 line" if lines == 1 else f"{lines} lines"),
        marks=output.marks,
    )
    content = lead + body + "\n".join(notes)
    return ToolResult(content=content, is_error=bool(ending.problem), spill=output.spill, facts=facts)


def _more_time(ending: Ending) -> str:
    """Return what to do where the time was too short."""
    if not ending.is_out_of_time:
        return ""
    return f"; if it needs longer, give `timeout` (at most {MAX_TIMEOUT_S}) or `run_in_background`"


def _exit_code(returncode: int) -> int:
    """Return the code as a shell shows it: 128 + n for death by signal n."""
    return _SIGNAL_BASE - returncode if returncode < 0 else returncode


def _exit_words(returncode: int) -> str:
    code = _exit_code(returncode)
    with suppress(ValueError):
        if code > _SIGNAL_BASE:
            return f"exit code {code}, as when killed by {signal.Signals(code - _SIGNAL_BASE).name}"
    return f"exit code {code}"


BASH = Tool(name="bash", description=describe("bash"), input_model=BashInput, run=run)
