"""Questions: answered by keys that were meant for them, and by nothing else."""

import asyncio
from dataclasses import replace

import pytest

from agent.calls.approval import Answer, Question
from agent.terminal.asked import QUIET_S
from agent.terminal.layout import SPARED_ROWS
from agent.terminal.question import settled
from agent.terminal.question_lines import ABOVE_ROWS
from tests.support.question_desk import SGR, Desk, about, started


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("y", Answer(is_allowed=True)),
        ("a", Answer(is_allowed=True)),
        ("n", Answer(is_allowed=False, reason="the user said no")),
    ],
)
async def test_the_keys(desk: Desk, key: str, answer: Answer) -> None:
    """y once, a always, which adds the rule that was shown, n no."""
    asking = await started(desk, about())
    assert desk.press(key)
    assert await asking == answer
    assert desk.rules == (["bash(git push:*)"] if key == "a" else [])
    assert desk.shown() == ""


async def test_what_it_looks_like(desk: Desk) -> None:
    """Who wants what, where and why it is asked; the keys; the rule of `a`."""
    question = replace(about(agent="task-012"), about="look  around\x07")
    asking = await started(desk, question)
    assert desk.shown().splitlines() == [
        "◐ look around\\x07 (task 12): bash wants to run",
        "    git push",
        "    in ~/code · no rule allows it",
        "  [y] once  [e] edit  [n] no  [r] no, and say why  Esc stop",
        "  [a] always `bash(git push:*)`  [c] change it",
    ]
    asking.cancel()


async def test_keys_that_were_typed_before_it_appeared_are_not_its_answer(desk: Desk) -> None:
    """Nor is one within a moment of another: that is somebody typing."""
    asking = asyncio.ensure_future(desk.approver.ask(about()))
    await asyncio.sleep(0)
    assert not desk.press("y")  # not shown yet
    desk.shown()
    assert not desk.press("y")  # just shown
    desk.clock.now += QUIET_S - 0.01
    assert not desk.press("e")
    desk.clock.now += QUIET_S - 0.01
    assert not desk.press("y")
    desk.clock.now += QUIET_S
    assert desk.press("y")
    assert (await asking).is_allowed


async def test_only_its_own_keys_answer(desk: Desk) -> None:
    """Not a paste that holds one, not the key of a rule that there is not."""
    asking = await started(desk, about(rule=""))
    for keys in ("", "yn", "a", "x", "Y"):
        assert not desk.approver.takes(keys)
    assert "[a]" not in desk.shown()
    asking.cancel()


async def test_questions_queue(desk: Desk) -> None:
    """One is shown at a time; the next one needs a key of its own, pressed after it was seen."""
    first = await started(desk, about("first"))
    second = asyncio.ensure_future(desk.approver.ask(about("second")))
    await asyncio.sleep(0)
    assert "first" in desk.shown()
    assert desk.press("y")
    assert (await first).is_allowed
    assert not desk.press("y")
    assert "second" in desk.shown()
    desk.clock.now += QUIET_S
    assert desk.press("n")
    assert not (await second).is_allowed


async def test_a_cancelled_question_is_taken_back(desk: Desk) -> None:
    """An interrupt while it stands, also in the middle of a reason."""
    asking = await started(desk, about())
    desk.press("r")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert desk.shown() == ""
    assert desk.field.label == ""
    assert not desk.approver.takes("y")


async def test_a_confirmation_comes_first_and_the_question_behind_it_starts_anew(desk: Desk) -> None:
    """The `y` of one is never the `y` of the other."""
    asking = await started(desk, about())
    confirming = asyncio.ensure_future(desk.approver.confirm("leave?"))
    await asyncio.sleep(0)
    assert desk.shown() == "◐ leave?"
    assert not desk.approver.takes("r")
    desk.clock.now += QUIET_S
    assert desk.press("y")
    assert await confirming
    assert not desk.press("y")
    assert "git push" in desk.shown()
    desk.clock.now += QUIET_S
    assert desk.press("y")
    assert (await asking).is_allowed


async def test_a_long_command_is_whole(desk: Desk) -> None:
    """It is wrapped, never cut; control characters are escapes; line ends are line ends."""
    command = "echo " + "x" * 200 + " \x1b[2J\nrm -rf build"
    asking = await started(desk, about(command))
    body = desk.shown().splitlines()[1:-3]
    assert all(len(line) <= 60 for line in body)
    assert body[-1] == "    rm -rf build"
    assert r"\x1b[2J" in "".join(body)
    assert sum(line.count("x") for line in body) == 201
    asking.cancel()


@pytest.mark.parametrize("is_diff", [True, False])
async def test_what_is_too_long_for_the_screen_is_shown_above_it(*, is_diff: bool) -> None:
    """Whole; the question keeps its place and its keys."""
    many = [f"{number:>5} + line {number}" for number in range(100)]
    desk = Desk(diff="\n".join(many) if is_diff else "", rows=24)
    asking = await started(desk, about("\n".join(many)))
    (above,) = desk.above
    assert all(line.strip() in above for line in many)
    assert len(desk.shown().splitlines()) <= 7
    assert "100 lines, all of them shown above" in desk.shown()
    asking.cancel()


@pytest.mark.parametrize("columns", [19, 60])
@pytest.mark.parametrize("rows", [5, 6, 8, 12, 24])
@pytest.mark.parametrize(
    "command", ["ls", "ls -l src docs", "echo " + "long " * 200, "\n".join(map(str, range(60)))]
)
async def test_its_keys_can_be_seen_on_any_screen(command: str, rows: int, columns: int) -> None:
    """What it is and how it is answered; command and rule stand there or above, whole."""
    desk = Desk(rows=rows, columns=columns)
    asking = await started(desk, about(command, rule=f"bash({command})"))
    shown = desk.shown(columns).splitlines()
    assert len(shown) <= rows - SPARED_ROWS
    assert shown[0].startswith("◐ bash wants")
    assert "[y]" in "".join(shown)
    seen = "".join([*map(str, desk.above), *shown])
    for text in (command, f"`bash({command})`"):
        assert "".join(text.split()) in "".join(SGR.sub("", seen).split())
    asking.cancel()


async def test_a_screen_that_is_made_lower_leaves_the_keys() -> None:
    """And says that there is more."""
    desk = Desk()
    asking = await started(desk, about("\n".join(map(str, range(20)))))
    desk.rows = 10
    head, *body, more, keys, rule = desk.shown().splitlines()
    assert head == "◐ bash wants to run"
    assert [line.strip() for line in body] == [str(number) for number in range(len(body))]
    assert more == "    … more: [v] shows all of it above"
    assert (keys[:7], rule) == ("  [y] o", "  [a] always `bash(git push:*)`  [c] change it")
    asking.cancel()


@pytest.mark.parametrize(
    ("waiting", "told"), [(0, ""), (1, " · 1 more question waits"), (3, " · 3 more questions wait")]
)
async def test_how_many_wait_behind_it(desk: Desk, waiting: int, told: str) -> None:
    """It is said, as long as there is room for it."""
    asking = await started(desk, replace(about(), waiting=lambda: waiting))
    assert desk.shown().splitlines()[0] == f"◐ bash wants to run{told}"
    assert desk.shown(20).splitlines()[0].startswith("◐ bash wants to")
    assert desk.approver.open == 1 + waiting
    asking.cancel()


@pytest.mark.parametrize(
    ("kind", "columns", "head"),
    [
        ("general", 80, "◐ look around (task 2): bash wants to run · 2 more questions wait"),
        ("general", 60, "◐ look around (task 2): bash wants to run"),
        ("general", 40, "◐ task 2: bash wants to run"),
        ("general", 20, "◐ task 2: bash?"),
        ("explore", 80, "◐ explore: look around (task 2): bash wants to run · 2 more questions wait"),
        ("explore", 60, "◐ explore: look around (task 2): bash wants to run"),
        ("explore", 48, "◐ explore (task 2): bash wants to run"),
        ("explore", 30, "◐ task 2: bash wants to run"),
        ("x\x1b" * 99, 80, "◐ x\\x1bx\\x1bx\\x1bx\\x1bx\\x1bx\\x1…: look around (task 2): bash wants to run"),
    ],
)
async def test_the_tool_is_named_on_any_screen(desk: Desk, kind: str, columns: int, head: str) -> None:
    """And the subagent, by its type unless that is the usual one; what it is for, and how many wait, where there is room."""
    question = replace(about(agent="task-002"), about="look around", agent_type=kind, waiting=lambda: 2)
    asking = await started(desk, question)
    assert desk.shown(columns).splitlines()[0] == head
    asking.cancel()


async def test_on_a_very_low_screen_the_command_is_begun() -> None:
    """Its only row is the command's own, not a word about it; `v` shows the rest."""
    desk = Desk(rows=6, columns=20)
    asking = await started(desk, about("make all of it now\nthen more"))
    assert desk.shown(19).splitlines() == ["◐ bash wants to run", "    make all of it", "[y] a c e n r v Esc"]
    asking.cancel()


async def test_it_rings_once(desk: Desk) -> None:
    """When it is seen for the first time; a confirmation before it rings for itself."""
    assert desk.rings == 0
    asking = await started(desk, about())
    await asyncio.sleep(0)
    assert desk.rings == 1
    desk.shown()
    confirming = asyncio.ensure_future(desk.approver.confirm("leave?"))
    await asyncio.sleep(0)
    desk.shown()
    await asyncio.sleep(0)
    assert desk.rings == 2
    confirming.cancel()
    await asyncio.sleep(0)
    desk.shown()
    await asyncio.sleep(0)
    assert desk.rings == 2
    asking.cancel()


@pytest.mark.parametrize("lines", [60, 1_000])
async def test_v_shows_all_of_it_above(lines: int) -> None:
    """As often as it is pressed; the question stays. Where all stands there `v` is a letter for the prompt."""
    desk = Desk(rows=24)
    asking = await started(desk, about("ls"))
    assert not desk.approver.takes("v")
    asking.cancel()
    await asyncio.sleep(0)
    desk.above.clear()
    texts = [f"line {number}" for number in range(lines)]
    asking = await started(desk, about("\n".join(texts)))
    unasked = SGR.sub("", "\n".join(desk.above)).split("\n")
    assert len(unasked) <= ABOVE_ROWS + 1
    assert [line.strip() for line in unasked[1:]] == texts[:ABOVE_ROWS]
    assert "[v]" in desk.shown()
    for _ in range(2):
        desk.above.clear()
        assert desk.press("v")
        above = [line.strip() for line in SGR.sub("", "\n".join(desk.above)).split("\n")]
        assert above == ["bash, in full:", *texts, "[a] always `bash(git push:*)`  [c] change it"]
    assert desk.press("y")
    assert (await asking).is_allowed


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("y", "? bash  git push  allowed once"),
        ("a", "? bash  git push  allowed always: bash(git push:*)\n  kept here"),
        ("n", "? bash  git push  refused"),
        ("ruse the branch", "? bash  git push  refused: use the branch"),
        ("egit push -n", "? bash  git push -n  changed by you"),
        ("", "? bash  git push  not answered"),
    ],
)
async def test_what_was_decided_stays(desk: Desk, keys: str, line: str) -> None:
    """One line above, also when the question is taken back."""
    asking = await started(desk, about())
    if keys:
        assert desk.press(keys[0])
        if keys[1:]:
            desk.field.enter(keys[1:])
    else:
        asking.cancel()
    await asyncio.wait([asking])
    assert SGR.sub("", "".join(desk.above)) == f"{line}\n"


async def test_what_was_decided_for_a_subagent(desk: Desk) -> None:
    """It is named, as far as there is room; the decision itself is always seen."""
    asking = await started(desk, replace(about("x" * 300, agent="task-002"), about="look around"))
    desk.above.clear()
    assert desk.press("n")
    await asking
    assert SGR.sub("", "".join(desk.above)).endswith("…  refused, for look aroun…\n")


async def test_a_diff_is_whole() -> None:
    """Its long lines are wrapped, not cut."""
    desk = Desk(diff=f"    1 + {'X' * 200}\n    2 - {'Z' * 200}")
    asking = await started(desk, about())
    assert [desk.shown().count(letter) for letter in "XZ"] == [200, 200]
    asking.cancel()


async def test_a_confirmation_is_wrapped(desk: Desk) -> None:
    """Its keys stand at its end."""
    confirming = asyncio.ensure_future(desk.approver.confirm("leave all the same?  [y] leave  [n] stay"))
    await asyncio.sleep(0)
    assert desk.shown(20).split()[-2:] == ["[n]", "stay"]
    confirming.cancel()


async def test_inputs_without_a_command_are_shown_field_by_field(desk: Desk) -> None:
    """As for a read outside of the project."""
    call = {"type": "tool_use", "id": "t1", "name": "read", "input": {"file_path": "/etc/x", "limit": 3}}
    question = Question(call=call, reason="", rule="", agent="")  # type: ignore[arg-type]
    asking = await started(desk, question)
    assert "    file_path: /etc/x\n    limit: 3\n" in desk.shown()
    asking.cancel()


async def test_until_nobody_types() -> None:
    """It is over a moment after the last key, and at once when there was none."""
    desk = Desk()
    await settled(desk.approver, desk.clock)
    desk.approver.key_typed()
    waiting = asyncio.ensure_future(settled(desk.approver, desk.clock))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    desk.clock.now += QUIET_S
    await waiting
