"""Plays the demo: stage, server, agent, and a last look whether the bug is gone."""

import asyncio
import sys
from collections.abc import Callable

from agent.assembly.shared import Config, Shared
from agent.calls.approval import NobodyToAsk
from agent.client import MessagesClient
from agent.demo.screen import Screen
from agent.demo.stage import Stage, stage
from agent.demo.tour import ALLOWED, PROMPT, script
from agent.events import TurnEnded
from agent.models import DEFAULT_MODEL
from agent.offline import MessagesServer
from agent.output import Output
from agent.session.store import Store
from agent.wiring import create
from hooks.engine import HookEngine
from hooks.permission.judge import Mode, Permission
from hooks.permission.rules import PermissionRules
from skills.catalog import Catalog
from skills.discover import SkillPlaces

MODE: Mode = "accept-edits"

_OPENING = """\
agent demo: the agent finds and fixes a bug in a small project.
The model is scripted: it needs no key, and nothing leaves this machine. All the rest is real: the tools, the
permissions, the session log, the compaction, the HTTP requests. The last lines say how to use a real model.
"""
USE_A_MODEL = """\
That was a scripted model. With a real one, in a project of yours:
    export ANTHROPIC_API_KEY=...        (or ANTHROPIC_BASE_URL of any server that speaks the Messages API)
    agent -p "Find out why the tests fail and fix it" --permission-mode accept-edits --allow "bash(pytest:*)\""""


def run_demo() -> int:
    """Play the tour and print it to stdout; return 0 if the bug is really gone, else 1.

    Raises:    UserError: there is no folder for temporary files.
    """
    with stage() as place:
        return _play(place, Output(sys.stdout, sys.stderr).lines)


def _play(place: Stage, write: Callable[[str], None]) -> int:
    write(_OPENING)
    write(f"project  {place.project} ({_kind(place)})")
    with MessagesServer(script(has_git=place.has_git)) as server:
        write(f"model    {DEFAULT_MODEL}, scripted, at {server.url}")
        write(f"mode     {MODE}; allowed besides: {', '.join(f'`{rule}`' for rule in ALLOWED)}")
        screen = Screen(write)
        ended = asyncio.run(_turn(place, server, screen))
    is_fixed = ended.reason == "done" and not server.refusals and place.is_fixed()
    write(f"\n{_outcome(ended, screen, server, is_fixed=is_fixed)}")
    write(f"{place.project} is removed now.\n")
    write(USE_A_MODEL)
    return 0 if is_fixed else 1


async def _turn(place: Stage, server: MessagesServer, screen: Screen) -> TurnEnded:
    permission = Permission(MODE, PermissionRules.parse({"allow": ALLOWED}, origin="demo"), home=place.home)
    client = MessagesClient(base_url=server.url, api_key=server.api_key)
    shared = Shared(
        config=Config(project=place.project, home=place.home, mode=MODE),
        model=client,
        store=Store.of(place.project, place.home),
        permission=permission,
        hooks=HookEngine(permission.judge),
        approver=NobodyToAsk(),
        skills=Catalog(SkillPlaces.of(place.project, place.home, place.home).found()),
        emit=screen.show,
    )
    agent = create(shared)
    try:
        await agent.start("startup")
        return await agent.loop.run(PROMPT)
    finally:
        await agent.close("exit")
        await client.close()


def _kind(place: Stage) -> str:
    if place.has_git:
        return "a git repository with one commit and one failing test"
    return "a plain folder with one failing test, for git was not found"


def _outcome(ended: TurnEnded, screen: Screen, server: MessagesServer, *, is_fixed: bool) -> str:
    if not is_fixed:
        problem = ended.problem or (str(server.refusals[0]) if server.refusals else "the tests still fail")
        return f"The demo failed: {problem}"
    counts = f"{screen.steps} steps, {screen.calls} tool calls, {screen.compactions} compaction"
    return f"The tests were run once more, without the agent: they pass. {counts}, {len(server.queries)} requests."
