"""What is typed and waits: never sent unasked, never lost."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.events import CallStarted
from agent.offline import calls, error, says
from agent.offline.script import Turn
from agent.session.store import TYPED
from agent.terminal.queue import ROWS, Typed, TypedFile, queue_lines
from agent.terminal.repl import Repl
from tests.support.rig import Rig, rig

WAIT = "not sent: Enter on the empty input"


def kept(made: Rig) -> Path:
    """Return the file of the open session."""
    return made.desk.store.folder(made.desk.agent.session.state.session_id) / TYPED


def prompts(made: Rig) -> list[str]:
    """Return the user's words in the history."""
    return [words for _, words in made.desk.agent.session.state.prompts]


async def while_it_runs(made: Rig, does: Callable[[Repl], None]) -> None:
    """Begin a turn and do something once a call runs."""
    made.harness.once(CallStarted, lambda: does(made.repl))
    made.repl.submit("go")
    await made.until(lambda: made.harness.of(CallStarted))


def queue_two(repl: Repl) -> None:
    """Queue two lines."""
    repl.queue("second")
    repl.queue("third")


def a_step() -> Turn:
    """Return a reply whose call takes a moment."""
    return calls("bash", command="sleep 0.3")


async def test_queued_lines_are_turns_of_their_own_after_the_turn(tmp_path: Path) -> None:
    """Not steering; in their order; on disk while they wait, and no longer."""
    async with rig(tmp_path, a_step(), says("One."), says("Two."), says("Three.")) as made:
        await while_it_runs(made, queue_two)
        assert made.repl.waiting() == ["second", "third"]
        assert json.loads(kept(made).read_text())["queued"] == ["second", "third"]
        await made.until(lambda: "Three." in made.text and not made.repl.is_busy)
        assert prompts(made) == ["go", "second", "third"]
        assert not kept(made).exists()


async def test_up_takes_the_last_back(tmp_path: Path) -> None:
    """Queued ones first, then steering that is not sent: its record waits no longer, the model never sees it."""
    async with rig(tmp_path, a_step(), says("One.")) as made:

        def type_and_take_back(repl: Repl) -> None:
            repl.submit("steer")
            repl.queue("later")
            repl.take_back()
            repl.take_back()
            repl.take_back()

        await while_it_runs(made, type_and_take_back)
        assert made.filled == ["later", "steer"]
        await made.until(lambda: "One." in made.text and not made.repl.is_busy)
        assert all("steer" not in json.dumps(query.body["messages"]) for query in made.harness.server.queries)


async def test_an_interrupt_gives_all_back(tmp_path: Path) -> None:
    """Steering and the queue go into the input, the earliest first; nothing is sent."""
    async with rig(tmp_path, calls("bash", command="sleep 60")) as made:

        def type_and_interrupt(repl: Repl) -> None:
            repl.submit("steer")
            repl.queue("second")
            repl.queue("third")
            repl.interrupt()

        await while_it_runs(made, type_and_interrupt)
        await made.until(lambda: not made.repl.is_busy)
        assert made.filled == ["second\nthird", "steer"]  # each goes before what stands there
        assert made.repl.waiting() == []
        assert len(made.harness.server.queries) == 1


async def test_a_turn_that_fails_leaves_the_queue(tmp_path: Path) -> None:
    """It is said; Enter on the empty input sends the next, and a turn that is done sends the rest."""
    async with rig(tmp_path, a_step(), error(400), says("Two."), says("Three.")) as made:
        await while_it_runs(made, queue_two)
        await made.until(lambda: WAIT in made.text)
        await asyncio.sleep(0.05)
        assert made.repl.waiting() == ["second", "third"]
        made.repl.submit("")
        await made.until(lambda: "Three." in made.text and not made.repl.is_busy)
        assert prompts(made) == ["go", "second", "third"]


async def test_what_waited_when_the_program_died_comes_back_and_stands(tmp_path: Path) -> None:
    """The draft in the input, a prompt that the log does not have, the queue; none is sent by itself."""
    async with rig(tmp_path, says("Hello."), is_running=False) as made:
        file = TypedFile()
        file.enter(kept(made).parent)
        file.save(Typed(draft="half a th", queued=["second"], in_hand="first", turn=0))
        running = asyncio.ensure_future(made.repl.run(""))
        await made.until(lambda: f"2 messages {WAIT}" in made.text)
        assert made.filled == ["half a th"]
        assert made.repl.waiting() == ["first", "second"]
        assert made.harness.server.queries == []
        made.repl.leave()
        await running
        assert json.loads(kept(made).read_text())["queued"] == ["first", "second"]


async def test_a_prompt_that_the_log_has_does_not_come_back(tmp_path: Path) -> None:
    """The program died after its turn had begun: the turn's number tells."""
    async with rig(tmp_path, says("Hello.")) as made:
        await made.says("hi", "Hello.")
        session = made.desk.agent.session.state.session_id
        await made.says("/clear", "now in session")
        file = TypedFile()
        file.enter(made.desk.store.folder(session))
        file.save(Typed(in_hand="hi", turn=0))
        await made.says(f"/resume {session}", f"now in session {session}")
        assert made.repl.waiting() == []
        assert not kept(made).exists()


async def test_clear_takes_the_queue_along(tmp_path: Path) -> None:
    """What stands goes to the new session, and its file with it."""
    async with rig(tmp_path, a_step(), error(400)) as made:
        await while_it_runs(made, lambda repl: repl.queue("second"))
        await made.until(lambda: WAIT in made.text and not made.repl.is_busy)
        before = kept(made)
        await made.says("/clear", "now in session")
        assert made.repl.waiting() == ["second"]
        assert not before.exists()
        assert json.loads(kept(made).read_text())["queued"] == ["second"]


@pytest.mark.parametrize(
    "content", ["", "[", "[1]", '{"draft": 1, "queued": [2, "a"], "turn": "x"}', "[" * 9_999]
)
def test_a_damaged_file_is_no_hindrance(tmp_path: Path, content: str) -> None:
    """What can be read of it is taken."""
    (tmp_path / TYPED).write_text(content)
    found = TypedFile().enter(tmp_path)
    assert (found.draft, found.in_hand, found.turn) == ("", "", 0)
    assert list(found.queued) == (["a"] if "draft" in content else [])


def test_many_messages_are_folded() -> None:
    """The newest stand, numbered; the rest are counted; a row each, whatever is in them."""
    lines = queue_lines([f"{number} 漢字\x1b[2J\n" * 40 for number in range(1, 9)], 40)
    assert len(lines) == ROWS
    assert "4 more" in lines[0]
    assert "queued 8: " in lines[-1]
    assert "\x1b[2J" not in "".join(lines)
    assert queue_lines([], 40) == []
