"""The main job, long: thirty mixed steps over real HTTP, and the same session a day later."""

from pathlib import Path

from agent.events import Compacted
from agent.offline import (
    Reply,
    calls,
    last_text_starts,
    prefix_bytes,
    raw_call,
    says,
    system_has,
    thinks,
    when,
)
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.invariants import SUBAGENT, main_requests

FILES = {
    "shop/cart.py": 'def total(prices):\n    return sum(prices) + 1\n\n\ndef label():\n    return "cart"\n',
    "shop/test_cart.py": "from cart import total\n\nassert total([1, 2]) == 3\nprint('passed')\n",
    "notes.txt": "one\ntwo\nthree\n",
    "big.txt": "".join(f"line {number} of a long file\n" for number in range(3000)),
    ".agent/skills/style/SKILL.md": "---\nname: style\ndescription: How we write.\n---\nUse short names.\n",
    "AGENTS.md": "Run the test with python.\n",
}
RULES = {
    "allow": ["bash(ls:*)", "bash(python3 shop/test_cart.py)", "bash(cat:*)", "bash(cd shop)", "bash(pwd)"],
    "deny": ["bash(curl:*)"],
}
RETURN = '    return sum(prices)\n\n\ndef label():\n    return "shop"\n'


def edits(old: str, new: str, path: str = "shop/cart.py") -> Reply:
    """An edit."""
    return calls("edit", file_path=path, old_string=old, new_string=new)


def todos(*statuses: str) -> Reply:
    """The todo list with these states."""
    items = [{"content": f"step {number}", "status": status} for number, status in enumerate(statuses)]
    return calls("todo_write", todos=items)


STEPS: tuple[Reply, ...] = (
    thinks("Wo fange ich an? ") + says("I'll look around.") + calls("glob", pattern="**/*.py"),
    calls("read", file_path="shop/cart.py")
    + calls("read", file_path="notes.txt")
    + calls("glob", pattern="*"),
    thinks("A plan.") + todos("in_progress", "pending"),
    calls("bash", command="python3 shop/test_cart.py"),
    calls("bash", command="curl http://example.invalid"),
    calls("bash", command="make deploy"),
    calls("raed", file_path="notes.txt"),
    raw_call("read", '{"file_path": "notes.txt",,}'),
    calls("load_skill", name="style"),
    calls("read", file_path="shop/cart.py")
    + edits("sum(prices) + 1", "sum(prices)")
    + calls("read", file_path="shop/cart.py"),
    calls("bash", command="python3 shop/test_cart.py"),
    todos("completed", "in_progress"),
    thinks("Half of it.") + calls("task", description="count files", prompt="Count the files."),
    calls("write", file_path="docs/new.md", content="# New\n"),
    edits("# New", "# Newer", "docs/new.md"),
    calls("bash", command="ls docs"),
    calls("read", file_path="big.txt"),
    calls("read", file_path="big.txt", offset=2001, limit=10),
    calls("bash", command="cat big.txt"),
    calls("bash", command="cd shop") + calls("bash", command="pwd"),
    edits("two", "zwei", "notes.txt"),
    edits("nowhere", "x", "notes.txt"),
    calls("compact", focus="the cart"),
    calls("read", file_path="notes.txt"),
    edits('return "cart"', 'return "shop"'),
    calls("task", description="a", prompt="Part A.") + calls("task", description="b", prompt="Part B."),
    calls("read", file_path="docs/new.md") + calls("glob", pattern="**/*.md"),
    calls("write", file_path="notes.txt", content="ganz neu\n"),
    todos("completed", "completed"),
    thinks("All done.") + says("Fixed: `shop/cart.py:2`, verified by the test."),
)


async def the_turn(harness: Harness) -> None:
    """Run the thirty steps and check that nothing but the two tool refusals was in the way."""
    ended = await harness.turn("Fix the cart and tidy up.")
    assert (ended.reason, ended.text) == ("done", "Fixed: `shop/cart.py:2`, verified by the test.")
    assert harness.state.step == len(STEPS) == 30


def errors(harness: Harness) -> list[str]:
    """The texts of failed results, in order."""
    return [record["content"] for record in harness.log_records("result") if record["is_error"]]


ROUTES = (
    when(system_has(SUBAGENT), says("There are 5."), says("A is fine."), says("B is fine.")),
    when(last_text_starts(OPENING), says("<summary>1. Request and intent: the cart</summary>")),
)


async def test_thirty_mixed_steps(tmp_path: Path) -> None:
    """Nine tools, parallel reads, read-edit-read, refusals and bad calls: no refused request, files as expected."""
    async with scenario(
        tmp_path, *STEPS, files=FILES, rules=RULES, mode="accept-edits", routes=ROUTES
    ) as harness:
        await the_turn(harness)
        assert (harness.project / "shop/cart.py").read_text() == "def total(prices):\n" + RETURN
        assert harness.read("docs/new.md") == "# Newer\n"
        assert harness.read("notes.txt") == "ganz neu\n"
        assert [text.split("\n")[0][:40] for text in errors(harness)] == [
            "Refused: denied by the rule `bash(curl:*",
            "Refused: no rule allows this command; no",
            "There is no tool `raed`. Did you mean `r",
            "Not run: the arguments are no JSON objec",
            errors(harness)[4][:40],
        ]
        assert "bash(make deploy" in errors(harness)[1]
        assert {record["name"] for record in harness.log_records("call")} == {
            *("bash", "read", "write", "edit", "glob", "todo_write", "task", "load_skill", "compact")
        }
        assert [event.receipt["layer"] for event in harness.of(Compacted)].count("summary") == 1
        assert len(list(harness.agent.session.log.path.with_suffix("").glob("task-*.jsonl"))) == 3


async def test_the_next_day(tmp_path: Path) -> None:
    """Resumed, the request starts with all bytes of the last one before, and read-edit-read saw the edit."""
    async with scenario(
        tmp_path, *STEPS, says("Still fixed."), files=FILES, rules=RULES, mode="accept-edits", routes=ROUTES
    ) as harness:
        await the_turn(harness)
        before = prefix_bytes(main_requests(harness.server.queries)[-1].body)
        results = sorted(harness.log_records("result"), key=lambda record: record["call"])
        reads = [record for record in results if record["name"] == "read"]
        assert "+ 1" in str(reads[0]["content"])
        assert "+ 1" not in str(reads[3]["content"]), "the read behind the edit shows the new text"
        await harness.resume()
        ended = await harness.turn("Is it still fixed?")
        assert ended.text == "Still fixed."
        assert prefix_bytes(main_requests(harness.server.queries)[-1].body).startswith(before)
