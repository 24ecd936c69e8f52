"""F53 f: an exception inside a tool costs its call, nothing else."""

from pathlib import Path

import pytest

from agent.offline import Reply, Request, Script, always, calls, says
from agent.offline.script import Turn
from tests.support.forked import Loaded
from tests.support.screen_agent import READY, OnScreen, agent_on_screen, last_text

PROGRAM = """
import os, sys
from dataclasses import replace
from agent.flags import Flags
from agent.interactive import run
from tools.registry import default_tools

class Mute(Exception):
    def __str__(self):
        raise self

async def broken(input, ctx):
    ctx.progress("half way\\n")
    {fault}

tools = [replace(tool, run=broken) if tool.name == "glob" else tool for tool in default_tools()]
sys.exit(run(Flags(), stdin=sys.stdin, stdout=sys.stdout, env=dict(os.environ), tools=tools))
"""
FAULTS = {
    "bug": ("raise ZeroDivisionError('no\\x1b[2J\\nway')", "ZeroDivisionError: no\\x1b[2J way"),
    "mute": ("raise Mute", "Mute: <exception str() failed>"),
    "exit": ("sys.exit(3)", "SystemExit: 3"),
    "nothing": ("return None", "AttributeError: "),
    "cancelled": ("import asyncio; raise asyncio.CancelledError", "it may have taken effect"),
}


def reply(request: Request) -> Reply:
    """Call the broken tool between two reads; afterwards say that it is done."""
    if request.results:
        return says("Done.")
    if last_text(request.body).startswith("hi"):
        return says("Hello back.")
    read = calls("read", file_path="ledger.py")
    return read + calls("glob", pattern="*") + calls("read", file_path="AGENTS.md")


def alone(request: Request) -> Reply:
    """Call the broken tool alone."""
    return calls("glob", pattern="*") if last_text(request.body) == "go" else reply(request)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("script", [reply, alone])
def test_f53_f_an_exception_in_a_tool(tmp_path: Path, fault: str, script: Turn) -> None:
    """A failed card with one line, an answer, a next turn, a way out; no request is refused, all is in the log."""
    line, said = FAULTS[fault]
    program = Loaded(code=PROGRAM.format(fault=line))
    with agent_on_screen(tmp_path, script=Script(always(script)), program=program, columns=120) as on:
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until("Done.")
        check_card(on, said)
        on.prompt("hi again")
        on.terminal.until("Hello back.")
        on.until_at_rest()
        on.prompt("/quit")
        assert on.terminal.ended() == 0
        assert "Traceback" not in on.terminal.history
        assert on.terminal.is_restored()
        assert on.server.refusals == []
        results = [record for record in on.records() if record["type"] == "result"]
        assert [one["is_error"] for one in results if one["name"] == "glob"] == [True]


def check_card(on: OnScreen, said: str) -> None:
    """One card, which says that it failed, and one line that says why."""
    lines = on.terminal.history.split("\n")
    cards = [number for number, line in enumerate(lines) if line.startswith("● glob")]
    assert len(cards) == 1
    assert lines[cards[0]].endswith("failed")
    assert said in lines[cards[0] + 1]
    assert not lines[cards[0] + 2].startswith("    ")
