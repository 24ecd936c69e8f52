"""Ctrl-O: what was folded, whole, from the log of a real session."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from agent.offline import Reply, calls, first_text_has, last_text_starts, says, when
from agent.terminal.cards import DIFF_LINES
from agent.terminal.show import PROMPT_LINES
from agent.terminal.unfolding import NOTHING, NOTHING_MORE, Unfolding
from compaction.summary import OPENING
from tests.support.rig import COLUMNS, Rig, rig


def task(name: str) -> Reply:
    return calls("task", description=name, prompt=f"Do {name}.")


class Key:
    """Ctrl-O of a rig."""

    def __init__(self, made: Rig, width: int = COLUMNS) -> None:
        self._made = made
        self._unfolding = Unfolding(made.desk, made.show, lambda: width)

    async def press(self) -> str:
        """Press it; return what came above by that."""
        before = len(self._made.above)
        self._unfolding.press()
        await self._made.until(lambda: len(self._made.above) > before)
        return self._made.text_from(before)


async def test_it_goes_back_call_by_call(tmp_path: Path) -> None:
    """The newest first, each headed by what it is; at the end it says so and begins again."""
    read = calls("read", file_path="a.txt")
    async with rig(
        tmp_path, read + calls("bash", command="seq 1 30"), says("Done."), files={"a.txt": "alpha\n"}
    ) as made:
        key = Key(made)
        assert NOTHING in await key.press()
        await made.says("go", "Done.")
        first = await key.press()
        assert first.startswith("\n▸ bash  seq 1 30  ")
        assert "turn 1, step 1\n    1\n    2\n" in first
        assert (await key.press()).startswith("\n▸ read  a.txt  1 line · turn 1, step 1\n    1       alpha\n")
        assert NOTHING_MORE in await key.press()
        assert await key.press() == first


async def test_what_comes_meanwhile_is_the_next(tmp_path: Path) -> None:
    """Going back is begun anew by whatever is newer."""
    step = [calls("bash", command="echo one"), says("Done 1."), calls("bash", command="echo two")]
    async with rig(tmp_path, *step, says("Done 2.")) as made:
        key = Key(made)
        await made.says("go", "Done 1.")
        assert "echo one" in await key.press()
        await made.says("go on", "Done 2.")
        assert "echo two" in await key.press()
        assert "echo one" in await key.press()


async def test_a_result_that_was_shortened_comes_from_its_file(tmp_path: Path) -> None:
    """Of 40,000 lines both ends, how many are missing and where all of them are; when that is gone, it is said."""
    async with rig(tmp_path, calls("bash", command="seq 1 40000"), says("Done.")) as made:
        key = Key(made)
        await made.says("go", "Done.")
        shown = await key.press()
        (where,) = (made.harness.project / ".task_outputs").rglob("*-bash.txt")
        path = str(where.relative_to(made.harness.project))
        assert f"\n    140\n  … 39,800 of 40,000 lines left out; all of it:\n  {path}\n    39941\n" in shown
        where.unlink()
        assert NOTHING_MORE in await key.press()
        gone = await key.press()
        assert f"the full text is gone: {path}" in gone
        assert "left out; all of it:\n  .transcripts/" in gone


async def test_a_change_is_shown_whole(tmp_path: Path) -> None:
    """A short one was, on its card; of a long one Ctrl-O shows all lines, but not the input once more."""
    write = calls("write", file_path="a.txt", content="".join(f"{number}\n" for number in range(1, 31)))
    long = calls("edit", file_path="a.txt", old_string="1", new_string="one", replace_all=True)
    short = calls("edit", file_path="a.txt", old_string="\n2\n", new_string="\ntwo\n")
    async with rig(tmp_path, write + long + short, says("Done.")) as made:
        await made.says("go", "Done.")
        key = Key(made)
        changed = await key.press()
        assert changed.startswith(
            "\n▸ edit  a.txt  +12 −12 · turn 1, step 1\n        1 - 1\n        1 + one\n"
        )
        assert changed.count("\n    ") == len(changed.splitlines()) - 2 > DIFF_LINES
        created = await key.press()
    assert created.startswith("\n▸ write  a.txt  30 lines · turn 1, step 1\n  content\n    1\n    2\n")
    assert created.endswith("    30\n  result\n    created a.txt: 30 lines, 81 bytes\n")


async def test_an_input_that_is_not_on_its_card(tmp_path: Path) -> None:
    """Each field under its name; what was refused shows what it would have been."""
    call = calls("bash", command="echo one\necho two", description="say numbers")
    async with rig(tmp_path, call, says("Done."), mode="ask", rules={"deny": ["bash(echo:*)"]}) as made:
        await made.says("go", "Done.")
        shown = await Key(made).press()
    inputs = "  command\n    echo one\n    echo two\n  description\n    say numbers\n  result\n    Refused: "
    assert inputs in shown


async def test_a_long_todo_list_is_shown_whole(tmp_path: Path) -> None:
    """A short one was, on its card, and is passed over."""
    todos = [{"content": f"item {number}", "status": "pending"} for number in range(30)]
    steps = [calls("todo_write", todos=todos), calls("todo_write", todos=todos[:3]), says("Done.")]
    async with rig(tmp_path, *steps, says("Done 2.")) as made:
        await made.says("go", "Done.")
        key = Key(made)
        await key.press()
        shown = await key.press()
    assert shown.startswith("\n▸ todo_write  0 of 30 done · turn 1, step 1\n    [ ] item 0\n")
    assert shown.endswith("    [ ] item 29\n")


async def test_a_long_prompt_is_shown_whole(tmp_path: Path) -> None:
    """One that was shown in part; a short one is passed over."""
    prompt = "\n".join(f"line {number}" for number in range(PROMPT_LINES + 9))
    async with rig(tmp_path, says("Done 1."), says("Done 2.")) as made:
        await made.says(prompt, "Done 1.")
        await made.says("short", "Done 2.")
        shown = await Key(made).press()
    assert shown.startswith(f"\n▸ you  {PROMPT_LINES + 9} lines · turn 1, step 0\n    line 0\n")
    assert shown.endswith(f"    line {PROMPT_LINES + 8}\n")


async def test_it_reads_what_an_earlier_process_wrote(tmp_path: Path) -> None:
    """After a resume, and nothing of the session that was left."""
    async with rig(tmp_path, calls("bash", command="echo one"), says("Done.")) as made:
        await made.says("go", "Done.")
        key, left = Key(made), made.desk.agent.session.state.session_id
        await made.says("/clear", "now in session")
        assert NOTHING in await key.press()
        await made.says(f"/resume {left}", f"now in session {left}")
        assert "▸ bash  echo one" in await key.press()


async def test_a_call_without_a_card_is_passed_over(tmp_path: Path) -> None:
    """It has its result, but an earlier one of the batch still runs; then all come in the order of their cards."""
    batch = task("slow") + task("fast")
    wait = calls("bash", command="until [ -e go ]; do sleep 0.02; done")
    routes = [
        when(first_text_has("slow"), wait, says("Slow one.")),
        when(first_text_has("fast"), says("Fast one.")),
    ]
    async with rig(tmp_path, calls("bash", command="echo one"), batch, says("Done."), routes=routes) as made:
        key = Key(made)
        made.repl.submit("go")
        await made.until(lambda: any("● " in line for line in made.show.activity.lines(COLUMNS)))
        assert "▸ bash  echo one" in await key.press()
        (made.harness.project / "go").touch()
        await made.until(lambda: "Done." in made.text)
        pressed = [await key.press() for _ in range(3)]
    assert [shown.split("  ")[1] for shown in pressed] == ["fast", "slow", "echo one"]
    assert "  prompt\n    Do fast.\n  result\n    Fast one.\n" in pressed[0]


async def test_a_compaction_opens_its_receipt(tmp_path: Path) -> None:
    """In its place between the calls; what was told nobody is passed over."""
    summary = when(last_text_starts(OPENING), says("<summary>1. Request and intent: fine</summary>"))
    steps = [calls("bash", command="echo one"), says("word " * 2_000), says("Done 2.")]
    async with rig(tmp_path, *steps, routes=[summary]) as made:
        key = Key(made)
        await made.says("go", "word")
        await made.says("/compact", "⟲ summary · ")
        receipt = await key.press()
        assert receipt.startswith("\n⟲ summary")
        assert "left the view" in receipt
        assert "archive-001.md" in receipt
        assert "▸ bash  echo one" in await key.press()


@pytest.mark.parametrize("width", [20, 40, 80])
async def test_nothing_is_wider_than_the_screen(tmp_path: Path, width: int) -> None:
    """Heads, names, remarks and rows alike; control characters are escapes, markup is text."""
    command = "printf 'a\\tb [red]x[/red] 世界\\n%.0s' {1..300}; echo " + "y" * 200
    async with rig(tmp_path, calls("bash", command=command), says("Done.")) as made:
        await made.says("go", "Done.")
        shown = await Key(made, width).press()
    assert all(cell_len(line) <= width for line in shown.split("\n"))
    assert "[red]x" in shown
    assert "left out" in shown
