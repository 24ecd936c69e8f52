"""A short session of the real `agent` against the offline server, and what stands on the screen at some moments of it."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from agent.offline import Reply, Request, Script, always, calls, last_text_starts, says, when
from compaction.summary import OPENING
from tests.screens.svg import drawn
from tests.support.screen_agent import SUMMARY, OnScreen, agent_on_screen

COLUMNS, ROWS = 100, 30
WINDOW = "64000"
"""So small that a short session fills a part of it that can be seen."""
ALLOWED = ("--allow", "bash(./check:*)")
EARLIER = ("add reverse charge to the export", "what does ledger.toml configure?")
PROMPT = "the invoice totals are off by a cent sometimes, find out why"
INVOICE = """\
from decimal import ROUND_HALF_EVEN, Decimal

CENT = Decimal("0.01")


def total(lines):
    return sum(round(line.net * line.vat, 2) for line in lines)
"""
OLD = "    return sum(round(line.net * line.vat, 2) for line in lines)\n"
NEW = """\
    gross = sum(line.net * line.vat for line in lines)
    return gross.quantize(CENT, ROUND_HALF_EVEN)
"""
RULES = "".join(
    f"- Article {number}: the rate of {number % 23} % is rounded once an invoice, half to even.\n"
    for number in range(1, 331)
)
EXPORT = "".join(
    f"def column_{number}(invoice):\n    return invoice.lines[{number}].net\n\n\n" for number in range(90)
)
CHECK = """\
#!/bin/sh
[ "$1" ] || { echo 'tests/test_export.py ......'; exec sleep 60; }
printf '%s ..F.\\nFAILED test_mixed_vat - 10.01 != 10.00\\n1 failed, 11 passed\\n' "$1"
exit 1
"""
FOUND = (
    "The rounding happened **once a line**; it now happens once an invoice, which is what `docs/vat.md` asks for.\n\n"
    "I run the whole suite to make sure that nothing else relied on it. "
)


def played(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, picture) of each scene, in the order in which they come."""
    summary = when(last_text_starts(OPENING), always(says(SUMMARY)))
    script = Script(always(_answer), routes=[summary])
    with agent_on_screen(
        folder, "--context-window", WINDOW, *ALLOWED, script=script, columns=COLUMNS, rows=ROWS
    ) as on:
        _prepare(on.command.project)
        on.terminal.until("/64k")
        yield "start", _shot(on, "The prompt at the start of a session")
        for number, said in enumerate(EARLIER, start=1):
            on.prompt(said)
            _until_so_many(on, "It is done.", number)
            on.prompt("/clear")
            _until_so_many(on, "now in session", number)
        yield from _scenes(on)


def _scenes(on: OnScreen) -> Iterator[tuple[str, str]]:
    on.prompt(PROMPT)
    on.terminal.until("edit wants to run")
    yield "question", _shot(on, "A question: the agent wants to change a file, and shows the change")
    on.terminal.answer("edit wants to run", "y")
    on.terminal.until("tests/test_export.py ......")
    yield "turn", _shot(on, "A turn at work: finished calls above, the running one below")
    on.terminal.send("\x1b")
    on.terminal.until("interrupted")
    on.prompt("/compact")
    on.terminal.until("/compact undo")
    yield (
        "compaction",
        _shot(on, "A compaction: one line says what left the context and how to take that back"),
    )
    on.prompt("/context")
    on.terminal.until("largest")
    yield "context", _shot(on, "What fills the context")
    on.prompt("/resume")
    on.terminal.until(EARLIER[0])
    yield "resume", _shot(on, "The list of sessions to go on with")
    on.terminal.send("\x1b")
    on.terminal.until(lambda: "type to search" not in on.terminal.text)
    on.terminal.send("\x04")
    on.terminal.ended()


def _until_so_many(on: OnScreen, text: str, times: int) -> None:
    on.terminal.until(lambda: on.terminal.history.count(text) == times)


def _shot(on: OnScreen, title: str) -> str:
    """Wait until nothing moves but what counts the time, and draw the screen."""
    on.terminal.rest(0.8)
    return drawn(on.terminal.screen, title)


def _answer(request: Request) -> Reply:
    """Look, test, change, and test again; to anything else say that it is done."""
    if request.last_text.startswith("the invoice") or request.results:
        done = len([message for message in request.body["messages"] if message["role"] == "assistant"])
        return STEPS[min(done, len(STEPS) - 1)]()
    return says("It is done.")


STEPS: tuple[Callable[[], Reply], ...] = (
    lambda: (
        says("I'll look at how totals are computed, and at the failing case.")
        + calls("read", file_path="docs/vat.md")
        + calls("read", file_path="src/export.py")
        + calls("read", file_path="src/invoice.py")
        + calls("bash", command="./check tests/test_totals.py")
    ),
    lambda: calls("edit", file_path="src/invoice.py", old_string=OLD, new_string=NEW),
    lambda: says(FOUND) + calls("bash", command="./check"),
    lambda: says("It is done."),
)


def _prepare(project: Path) -> None:
    (project / "src").mkdir()
    (project / "docs").mkdir()
    (project / "docs/vat.md").write_text(RULES)
    (project / "src/export.py").write_text(EXPORT)
    (project / "src/invoice.py").write_text(INVOICE)
    (project / "check").write_text(CHECK)
    (project / "check").chmod(0o755)
    git = ["git", "-C", str(project), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "A ledger"], check=True)
