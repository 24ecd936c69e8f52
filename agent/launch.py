"""One headless run: what the command line asks for, and its exit code."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TextIO

from agent import headless
from agent.choices import as_text
from agent.errors import UsageError
from agent.exits import Exit
from agent.flags import Flags
from agent.output import Output
from agent.prepare import Prepared, forked, open_agent, prepare, shared_of
from agent.query import Patience
from agent.skilled.asked import asked, named, nearest
from agent.skilled.taken import COMMANDS
from agent.stdin import piped_text

NO_PROMPT = "the prompt is empty: give one, as in `agent -p 'fix the failing test'`, or pipe it in"


def launch(
    flags: Flags,
    output: Output,
    *,
    stdin: TextIO | None,
    env: Mapping[str, str],
    patience: Patience | None = None,
) -> Exit:
    """Run what the command line asks for; return the exit code.

    ``patience``: with a server that fails; None: the usual.

    Raises:    UserError, SessionError: nothing was sent; the text says what to do.
    """
    prepared = prepare(flags, env, patience=patience)
    prompt = prompt_of(flags, stdin, output)
    prepared = forked(prepared)
    for remark in prepared.remarks:
        output.complain(remark)
    form = headless.Form(
        output_format=flags.output_format,
        is_verbose=flags.is_verbose,
        resume_with=prepared.resume_with,
        has_key=prepared.has_key,
    )
    given = as_text(flags.prompt or "")
    return asyncio.run(_run(prepared, prompt, output=output, form=form, given=given))


def prompt_of(flags: Flags, stdin: TextIO | None, output: Output) -> str:
    """Return the prompt of the command line with what is piped in after it. Raises UsageError for none."""
    given = as_text(flags.prompt or "").strip()
    piped = piped_text(stdin, output.complain, is_needed=not given).strip("\n")
    if given or piped.strip():
        return "\n\n".join(part for part in (given, piped) if part.strip())
    raise UsageError(NO_PROMPT)


def refuse_unknown(given: str, skills: Sequence[str]) -> None:
    """Raise UsageError for words that begin with the name of no skill: a model could only guess what is meant."""
    name = named(given)
    if not name or asked(given, skills, COMMANDS) is not None:
        return
    if name in COMMANDS:
        raise UsageError(f"/{name} is a command of the screen: it does nothing with -p")
    near = " or ".join(f"/{one}" for one in nearest(name, skills))
    hint = f"did you mean {near}?" if near else "`agent skills list` names them"
    raise UsageError(f"there is no skill /{name}: {hint}")


async def _run(prepared: Prepared, prompt: str, *, output: Output, form: headless.Form, given: str) -> Exit:
    """Run the turn of ``prompt``, of which ``given`` is what the command line said itself."""
    refusals = headless.Refusals(output)
    reporter = headless.Reporter(output, form, refusals)
    try:
        shared = shared_of(prepared, approver=refusals, emit=reporter.emit)
        reporter.skills = shared.skills.names()
        refuse_unknown(given, reporter.skills)
        agent = open_agent(shared, prepared.wanted, takes_any_log=prepared.takes_any_log)
        return await headless.run(agent, prompt, reporter, source=prepared.source)
    finally:
        await prepared.client.close()
