"""A model that wraps a forbidden program in every way there is, in a session without anybody to ask."""

import os
from functools import reduce
from operator import add
from pathlib import Path

import pytest

from agent.events import CallFinished
from agent.offline import Reply, calls, says
from tests.hooks.judgements import HARMLESS, RUNNING
from tests.hooks.productions import BIN, PROGRAM
from tests.hooks.wrappings import BY_NAME, written
from tests.support.agent import scenario

PER_STEP = 40


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the forbidden program makes; the program is on PATH, in `bin` beside the project."""
    folder, mark = tmp_path / "bin", tmp_path / "mark"
    folder.mkdir()
    (folder / PROGRAM).write_text(f"#!/bin/sh\n: > '{mark}'\n")
    (folder / PROGRAM).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return mark


def steps(names: list[str], folder: Path) -> list[Reply]:
    """Replies that run the program inside each production."""
    commands = [written([name]).replace(BIN, f"{folder}/bin/") for name in names]
    parts = [commands[at : at + PER_STEP] for at in range(0, len(commands), PER_STEP)]
    return [reduce(add, (calls("bash", command=command) for command in part)) for part in parts]


async def test_a_forbidden_program_never_runs(tmp_path: Path, mark: Path) -> None:
    """All that stands around it is allowed, the program is not: every call is refused, and nothing is run."""
    names = list(BY_NAME)[::3]
    turns = [*steps(names, tmp_path), says("Done.")]
    async with scenario(tmp_path, *turns, mode="accept-edits", rules={"allow": RUNNING}) as harness:
        await harness.turn("Try.")
        finished = harness.of(CallFinished)
    assert len(finished) == len(names)
    assert [one.call for one in finished if not one.result.get("is_error")] == []
    assert not mark.exists()


async def test_an_allowed_program_runs(tmp_path: Path, mark: Path) -> None:
    """The same with a rule for the program: so it was the rule that was missing."""
    rules = {"allow": (*HARMLESS, f"bash({PROGRAM}:*)")}
    turns = [calls("bash", command=f"ls && {PROGRAM} a"), says("Done.")]
    async with scenario(tmp_path, *turns, mode="ask", rules=rules) as harness:
        await harness.turn("Try.")
    assert mark.exists()
