"""Skills at the screen: `/name what for` is a prompt, and commands win."""

from pathlib import Path

from agent.events import CallStarted
from agent.offline import calls, says
from tests.support.rig import Rig, rig

SKILL = "---\nname: {}\ndescription: d\n---\nDo $ARGUMENTS.\n"
FILES = {f".agent/skills/{name}/SKILL.md": SKILL.format(name) for name in ("tidy", "cost")}


def bodies(made: Rig) -> list[str]:
    """The skills that were sent, by the newest text of each request."""
    return [query.body["messages"][-1]["content"][-1]["text"] for query in made.harness.server.queries]


async def test_a_skill_is_a_prompt(tmp_path: Path) -> None:
    """What was typed is shown as it was typed, then which skill was taken."""
    async with rig(tmp_path, says("Sorted."), files=FILES) as made:
        await made.says("/tidy imports", "> /tidy imports\n\n[skill tidy, 1 line]\n\nSorted.")
        assert "Do imports.\n</skill>" in bodies(made)[0]


async def test_a_command_wins(tmp_path: Path) -> None:
    """A skill of its name is asked for with `/skill:`."""
    async with rig(tmp_path, says("Counted."), files=FILES) as made:
        await made.says("/cost", "tokens in (")
        assert made.harness.server.queries == []
        await made.says("/skill:cost now", "Counted.")
        assert "Do now.\n</skill>" in bodies(made)[0]


async def test_a_skill_while_a_turn_runs(tmp_path: Path) -> None:
    """It is steering; with Alt-Q it waits for the end. What there is none of is said at once, and never waits."""
    replies = [calls("bash", command="sleep 0.4"), says("One."), says("Two.")]
    async with rig(tmp_path, *replies, files=FILES) as made:

        def type_three() -> None:
            made.repl.submit("/tidy first")
            made.repl.queue("/tidy second")
            made.repl.submit("/tidi third")

        made.harness.once(CallStarted, type_three)
        made.repl.submit("go")
        await made.until(lambda: "did you mean /tidy?" in made.text)
        assert made.repl.waiting() == ["/tidy first", "/tidy second"]
        await made.until(lambda: "Two." in made.text)
        assert "Do first." in bodies(made)[1]
        assert "Do second." in bodies(made)[2]


async def test_going_back_lists_what_was_typed(tmp_path: Path) -> None:
    """The list of prompts shows the words, not the text of the skill, and so does the input after going back."""
    async with rig(tmp_path, says("Sorted."), files=FILES, may_move=True) as made:
        await made.says("/tidy imports", "Sorted.")
        await made.says("/rewind", "  1  /tidy imports")
        await made.says("/rewind 1", "0 prompts long")
        assert made.filled == ["/tidy imports"]


async def test_a_skill_that_was_written_meanwhile(tmp_path: Path) -> None:
    """It is found when it is asked for, at rest and while a turn runs; the model is told of it with the next message."""
    replies = [says("Hello."), says("New."), calls("bash", command="sleep 0.4"), says("Newer.")]
    async with rig(tmp_path, *replies, files=FILES) as made:
        await made.says("hi", "Hello.")

        def write(name: str) -> None:
            folder = made.harness.project / ".agent/skills" / name
            folder.mkdir()
            (folder / "SKILL.md").write_text(SKILL.format(name))

        write("new")
        await made.says("/new it", "New.")
        assert "Do it.\n</skill>" in bodies(made)[1]
        [told] = [one for one in texts(made, 1) if one.startswith("changed: the skills are now these")]
        assert "- new: d" in told

        def type_it() -> None:
            write("newer")
            made.repl.submit("/newer that")

        made.harness.once(CallStarted, type_it)
        await made.says("go", "Newer.")
        assert any("Do that.\n</skill>" in one for one in texts(made, 3))
        assert "there is no command" not in made.text


def texts(made: Rig, number: int) -> list[str]:
    """All texts of the messages of a request."""
    messages = made.harness.server.queries[number].body["messages"]
    return [block["text"] for message in messages for block in message["content"] if block["type"] == "text"]
