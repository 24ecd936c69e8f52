"""The commands, each against a real session."""

import asyncio
import re
from pathlib import Path

import pytest

from agent.clock import system_clock
from agent.offline import always, calls, hangs_up, last_text_starts, says, when
from agent.terminal.commands import COMMANDS
from agent.terminal.question import QUIET_S
from compaction.summary import OPENING
from tests.support.rig import rig

SUMMARY = "<summary>1. Request and intent: fine</summary>"


async def test_help_names_every_command_and_key(tmp_path: Path) -> None:
    """A line each."""
    async with rig(tmp_path) as made:
        await made.says("/help", "Ctrl-D leaves")
        for name, command in COMMANDS.items():
            assert f"/{name} " in made.text
            assert command.about in made.text


async def test_context_cost_status_todos(tmp_path: Path) -> None:
    """What is in the context by category and largest block; the cost; what is at work; the list."""
    todos = [{"content": "look", "status": "in_progress"}]
    background = calls("bash", command="sleep 30", run_in_background=True)
    async with rig(
        tmp_path,
        calls("read", file_path="a.py") + calls("todo_write", todos=todos) + background,
        says("Done."),
        files={"a.py": "x = 1\n" * 300},
    ) as made:
        await made.says("/todos", "no todos")
        await made.says("go", "Done.")
        await made.says("/context", "largest")
        context = made.text[made.text.index("> /context") :]
        assert "  read a.py (step 1)" in context.partition("largest")[2]
        for category in ("S system", "T tools", "u you", "a assistant, calls", "r read", "b bash"):
            assert category in context
        await made.says("/cost", "tokens in (")
        await made.says("/status", "in the background: ")
        assert "session 2" in made.text
        assert "1 turn · 2 steps" in made.text
        assert "· compaction balanced ·" in made.text
        await made.says("/todos", "[>] look")


async def test_compact(tmp_path: Path) -> None:
    """With a focus; a summary that fails leaves the history as it is, and says so."""
    answers = when(last_text_starts(OPENING), says(SUMMARY), always(hangs_up()))
    async with rig(
        tmp_path, *[says("word " * 2_000)] * 2, routes=[answers], patience={"max_tries": 2}, may_refuse=True
    ) as made:
        await made.says("go", "word")
        await made.says("/compact the names", "⟲ summary · ")
        assert made.desk.agent.session.state.compactions == 1
        await made.says("on", "word")
        await made.says("/compact", "the summary failed")
        assert made.desk.agent.session.state.compactions == 1


async def test_esc_stops_a_compaction(tmp_path: Path) -> None:
    """The history stays as it is, and nothing of it comes back later."""
    slow = when(last_text_starts(OPENING), always(says(SUMMARY, delay_s=20)))
    async with rig(tmp_path, says("word " * 2_000), says("Two."), routes=[slow]) as made:
        await made.says("go", "word")
        made.repl.submit("/compact")
        await made.until(lambda: "writing a summary" in "".join(made.show.activity.lines(80)))
        await made.until(lambda: len(made.harness.server.queries) == 2)
        made.repl.interrupt()
        await made.until(lambda: "compaction stopped" in made.text and not made.repl.is_busy)
        await made.says("on", "Two.")


async def test_model(tmp_path: Path) -> None:
    """Shown, changed for all that comes; an unknown one is taken, with what that means."""
    async with rig(tmp_path, says("One."), says("Two."), may_refuse=True, may_move=True) as made:
        await made.says("/model", "model claude-sonnet-5-5 · window 1,000,000")
        await made.says("/model claude-sonnet-5-5", "is the model already")
        await made.says("go", "One.")
        await made.says("/model claude-opus-5", "model claude-opus-5")
        await made.says("on", "Two.")
        assert [query.body["model"] for query in made.harness.server.queries] == [
            "claude-sonnet-5-5",
            "claude-opus-5",
        ]
        await made.says(
            "/model nonsense", "nonsense is not known here: a window of 200,000 is assumed, and no price"
        )
        await made.says("hm", "nonsense")


async def test_clear_and_resume(tmp_path: Path) -> None:
    """A new session, the list with age, turns and first prompt, and back by the list, number, id or its end."""
    replies = (says("One."), says("Two."), says("Three."))
    async with rig(tmp_path, *replies, config={"clock": system_clock}, may_move=True) as made:
        first = made.desk.agent.session.state.session_id
        await made.says("/resume", "no other sessions here")
        await made.says("look at the totals\nplease", "One.")
        await made.says("/clear", f"back with /resume {first}")
        assert made.desk.agent.session.state.turn == 0
        await made.says("second", "Two.")
        made.repl.submit("/resume")
        await made.until(lambda: "look at the totals" in made.list)
        assert re.fullmatch(r"  now  1 turn  .* \(this one\) second", made.list.splitlines()[1])
        assert re.fullmatch(r"▸ now  1 turn  .* look at the totals please", made.list.splitlines()[2])
        await asyncio.sleep(QUIET_S)
        assert made.chooser.choosing is not None
        made.chooser.choosing.accept()
        await made.until(lambda: f"now in session {first}" in made.text and not made.repl.is_busy)
        await made.says("/resume 2", f"back with /resume {first}")
        await made.says("/resume 2", f"now in session {first}")
        assert "1 turn · last: look at the totals please" in made.text
        await made.says("third", "Three.")
        await made.says(f"/resume {first[-6:]}", "is open already")


@pytest.mark.parametrize("way", ["leave", "interrupt"])
async def test_a_list_that_is_left(tmp_path: Path, way: str) -> None:
    """Nothing is changed; what was typed next is done."""
    async with rig(tmp_path, says("One."), says("Two."), may_move=True) as made:
        await made.says("go", "One.")
        await made.says("/clear", "now in session")
        session = made.desk.agent.session.state.session_id
        made.repl.submit("/resume")
        await made.until(lambda: "▸" in made.list)
        assert made.chooser.choosing is not None
        getattr(made.chooser.choosing if way == "leave" else made.repl, way)()
        await made.says("on", "Two.")
        assert made.desk.agent.session.state.session_id == session
        assert made.list == ""


@pytest.mark.parametrize("words", ["0", "99", "²", "12345", "x" * 60])
async def test_resume_with_nonsense(tmp_path: Path, words: str) -> None:
    """One line says that there is no such session; the one that is open goes on."""
    async with rig(tmp_path, says("One.")) as made:
        await made.says(f"/resume {words}", "no session `")
        await made.says("go", "One.")


async def test_a_session_that_cannot_be_opened_is_not_gone_to(tmp_path: Path) -> None:
    """The open one is still open, under its own id."""
    async with rig(tmp_path, says("One.")) as made:
        store, own = made.desk.store, made.desk.agent.session.state.session_id
        broken = "20200101-000000-abcdef"
        store.folder(broken).mkdir()
        store.log(broken).write_text('{"v":1,"id":"r1","type":"note","text":"no head"}\n')
        await made.says(f"/resume {broken}", "holds no readable record")
        await made.says("go", "One.")
        assert made.desk.agent.session.state.session_id == own
