"""The commands, each against a real session."""

import asyncio
import re
from functools import partial
from pathlib import Path

import pytest

from agent.clock import system_clock
from agent.offline import always, calls, hangs_up, last_text_starts, says, thinks, when
from agent.terminal.asked import QUIET_S
from agent.terminal.figures import tokens
from compaction.summary import OPENING
from tests.support.rig import Rig, rig

SUMMARY = "<summary>1. Request and intent: fine</summary>"


async def test_help_of_one_command(tmp_path: Path) -> None:
    """What it takes and all that it does, with and without its slash; an unknown one has its nearest."""
    async with rig(tmp_path) as made:
        await made.says("/help rewind", "branch N")
        assert "/rewind [N]  list the prompts; N [conversation|files]" in made.text
        await made.says("/help /cost", "/cost  what this session cost")
        await made.says("/help contxt", "there is no command or skill /contxt: did you mean /context?")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("/contxt", "there is no command or skill /contxt: did you mean /context?"),
        ("/Compact", "there is no command or skill /Compact: did you mean /compact?"),
        ("/ help", "there is no command or skill / help: did you mean /help?"),
        ("/", "there is no command or skill /: /help lists commands, /skills what can be loaded"),
        ("/qqqqq", "there is no command or skill /qqqqq: /help lists commands, /skills what can be loaded"),
        ("/cost today", "/cost takes nothing behind it, `today` either: /cost what this session cost"),
        (
            "/effort hgih",
            "has no effort `hgih`: did you mean high? claude-sonnet-5-5 takes low, medium, high,",
        ),
        (
            "/effort",
            "effort default · claude-sonnet-5-5 takes low, medium, high, xhigh, max; default leaves it",
        ),
        (
            "/export docx",
            "`docx` is no form, and as a file's name it tells of none: /export [md|html|jsonl] [FILE]",
        ),
        ("/export htm", "did you mean html?"),
    ],
)
async def test_what_is_not_known_is_answered_with_what_is(tmp_path: Path, line: str, answer: str) -> None:
    """One line, of what was meant or what is possible; nothing goes to the model."""
    async with rig(tmp_path) as made:
        made.repl.submit(line)
        await made.until(lambda: answer in " ".join(made.text.split()))
        assert made.harness.server.queries == []


async def test_a_slash_in_words_is_no_command(tmp_path: Path) -> None:
    """Unless what follows it is the name of one."""
    async with rig(tmp_path, says("One."), says("Two.")) as made:
        await made.says("/ is the root", "One.")
        await made.says("/etc/hosts is odd", "Two.")


async def test_effort(tmp_path: Path) -> None:
    """It counts from the next step on, also after a resume; what that costs is said; subagents think as much."""
    task = calls("task", description="look", prompt="look around")
    replies = (says("One."), task, says("Seen."), says("Two."), says("Three."), says("Four."))
    async with rig(tmp_path, *replies, may_move=True) as made:
        await made.says("/effort high", "effort high")
        assert "written anew" not in made.text
        await made.says("go", "One.")
        await made.says("/effort HIGH", "effort is high already")
        await made.says("/effort low", "effort low")
        assert "are written anew, about $0." in " ".join(made.text.split())
        await made.says("on", "Two.")
        await made.says("/clear", "now in session")
        await made.says("/effort", "effort low ·")
        await made.says("third", "Three.")
        await made.says("/effort default", "effort default")
        await made.says("fourth", "Four.")
        asked = [query.body.get("output_config", {}).get("effort") for query in made.harness.server.queries]
        assert asked == ["high", "low", "low", "low", "low", None]


async def test_effort_is_the_sessions_own(tmp_path: Path) -> None:
    """A session that goes on keeps it."""
    async with rig(tmp_path, says("One."), may_move=True) as made:
        await made.says("/effort max", "effort max")
        first = made.desk.agent.session.state.session_id
        await made.says("/clear", "now in session")
        await made.says("/effort low", "effort low")
        await made.says(f"/resume {first}", f"now in session {first}")
        await made.says("go", "One.")
        assert made.harness.server.queries[-1].body["output_config"] == {"effort": "max"}


async def test_effort_of_a_model_without(tmp_path: Path) -> None:
    """It is said, and nothing is recorded; a model to which an effort is unknown says what becomes of it."""
    async with rig(tmp_path, may_move=True) as made:
        await made.says("/effort xhigh", "effort xhigh")
        await made.says(
            "/model claude-opus-4-6", "claude-opus-4-6 has no effort xhigh: the nearest below it of low,"
        )
        await made.says("/model nonsense", "nonsense has no effort xhigh: it has no levels, so none is sent")
        await made.says("/effort low", "nonsense has no levels of effort")
        assert [record["effort"] for record in made.harness.log_records("effort")] == ["xhigh"]


async def test_another_model_costs_the_cache(tmp_path: Path) -> None:
    """What is written anew, and its price where that is known."""
    async with rig(tmp_path, says("One."), may_refuse=True, may_move=True) as made:
        await made.says("go", "One.")
        await made.says("/model claude-opus-5", "written")
        size = made.desk.agent.session.state.context_size
        told = " ".join(made.text.split())
        assert f"{tokens(size)} are written anew, about ${size * 6.25 / 1e6:.2f}" in told


async def test_export(tmp_path: Path) -> None:
    """Each form, named or seen from the file's name; a file that is there is replaced after a question only."""
    async with rig(tmp_path, says("One.")) as made:
        await made.says("look at the totals", "One.")
        project, session = made.harness.project, made.desk.agent.session.state.session_id
        await made.says("/export", f"written: `session-{session}.md`")
        assert "look at the totals" in (project / f"session-{session}.md").read_text("utf-8")
        await made.says("/export notes/../page.html", "written: `page.html`")
        assert "<html" in (project / "page.html").read_text("utf-8")
        await made.says("/export jsonl the log", "written: `the log`")
        exported = (project / "the log").read_bytes()
        assert made.desk.agent.session.log.path.read_bytes().startswith(exported)
        assert b"look at the totals" in exported
        made.repl.submit("/export md page.html")
        await made.until(lambda: "`page.html` is there: replace it?" in "".join(made.approver.lines(100)))
        made.approver.answer("n")
        await made.until(lambda: "not exported" in made.text)
        assert "<html" in (project / "page.html").read_text("utf-8")
        for name, problem in (
            ("no/such.md", "cannot be written"),
            (".transcripts/x.md", "is a place of the"),
        ):
            made.repl.submit(f"/export md {name}")
            await made.until(partial(says_somewhere, made, problem))


def says_somewhere(made: Rig, words: str) -> bool:
    """True when the words were said, however the lines were wrapped."""
    return words in " ".join(made.text.split())


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
        assert "\nsandbox off: a command can do whatever you can\n" in made.text
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
        assert not made.text.endswith("\n\n"), (
            "before a first turn there is no cache to be lost: no empty line for it"
        )
        await made.says("on", "Two.")
        assert [query.body["model"] for query in made.harness.server.queries] == [
            "claude-sonnet-5-5",
            "claude-opus-5",
        ]
        await made.says(
            "/model nonsense", "nonsense is not known here: a window of 200,000 is assumed, and no price"
        )
        await made.says("hm", "nonsense")


async def test_model_before_a_first_turn(tmp_path: Path) -> None:
    """There is no cache to be lost: nothing is said of it, and no empty line stands for that."""
    async with rig(tmp_path, may_move=True) as made:
        await made.says("/model claude-opus-5", "model claude-opus-5")
        assert made.text.endswith("model claude-opus-5\n")


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
        assert "1 turn · now · last: look at the totals please" in made.text
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


async def test_thinking(tmp_path: Path) -> None:
    """Off until it is wanted; on, the next reply's stands above; anything else says what is possible."""
    replies = [thinks(f"Thought {number}.") + says(f"Done {number}.") for number in (1, 2, 3)]
    async with rig(tmp_path, *replies) as made:
        await made.says("go", "Done 1.")
        await made.says("/thinking", "thinking off: ")
        await made.says("/thinking on", "thinking on: ")
        await made.says("go", "Done 2.")
        await made.says("/thinking of", "/thinking on or /thinking off, not `of`")
        await made.says("/thinking off", "/thinking on keeps it above")
        await made.says("go", "Done 3.")
        assert "thinking: Thought 2.\n\nDone 2.\n" in made.text
        assert "Thought 1" not in made.text
        assert "Thought 3" not in made.text
