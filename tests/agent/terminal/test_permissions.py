"""/permissions: what holds, from where, and taking a rule back."""

from functools import partial
from pathlib import Path

import pytest
from rich.cells import cell_len

from agent.local_rules import NAME
from agent.terminal import permissions
from tests.support.calls import bash_call, path_call, resolved_use
from tests.support.rig import COLUMNS, Rig, rig

RULES = {"allow": ["bash(ls:*)"], "deny": ["read(.env)"], "ask": ["bash(git push:*)"]}


def seen(made: Rig) -> list[str]:
    """Return what was said last, from the mode on."""
    lines = made.text.splitlines()
    return lines[max(at for at, line in enumerate(lines) if line.startswith("mode ")) :]


async def test_the_rules_with_their_origin(tmp_path: Path) -> None:
    """The mode, every rule numbered in the order in which they count, the file with the line, and what always holds."""
    files = {NAME: '{"permissions": {\n  "allow": [\n    "bash(make)"\n  ]}}'}
    async with rig(tmp_path, mode="ask", rules=RULES, files=files) as made:
        permission = made.harness.shared.permission
        permission.allow_always("edit")
        permission.allow_always("bash(make)", origin=NAME)
        await made.says("/permissions", "refused in every mode")
        assert seen(made) == [
            "mode ask: what no rule allows is asked about",
            "   1  deny    read(.env)  settings",
            "   2  ask     bash(git push:*)  settings",
            "   3  allow   bash(ls:*)  settings",
            "   4  allow   edit  session",
            f"   5  allow   bash(make)  {NAME}:3",
            "/permissions remove N takes back one of yours: 4, 5",
            "sandbox off: a command can do whatever you can",
            *(permissions.ALWAYS, permissions.NEVER, permissions.ORDER),
        ]


async def test_without_rules(tmp_path: Path) -> None:
    """It is said; nothing can be removed."""
    async with rig(tmp_path, mode="plan") as made:
        await made.says("/permissions", "refused in every mode")
        assert seen(made)[1] == "  no rules"
        assert "remove N" not in made.text


async def test_long_rules_and_escapes_are_shown_as_text(tmp_path: Path) -> None:
    """A rule too wide for a row has its origin below; no control character and no markup of it is obeyed."""
    rule = f"bash(echo '{'x' * 120} [bold]\x1b[2J')"
    async with rig(tmp_path) as made:
        made.harness.shared.permission.allow_always(rule)
        await made.says("/permissions", "refused in every mode")
        shown = "".join(line.strip() for line in seen(made))
        assert "[bold]" in shown
        assert "\x1b" not in shown
        assert f"{' ' * permissions.RULE_INDENT}session" in made.text
        assert all(cell_len(line) <= COLUMNS for line in made.text.splitlines())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("protected", "  .git  .githooks"),
        ("protected", "/etc/cron.d"),
        ("reads", "rg  "),
        ("reads", "git status"),
    ],
)
async def test_what_is_always_and_what_is_never_asked_about(tmp_path: Path, words: str, told: str) -> None:
    """All of it by name, as many in a row as there is room for."""
    async with rig(tmp_path) as made:
        await made.says(f"/permissions {words}", told)
        assert all(cell_len(line) <= COLUMNS for line in made.text.splitlines())


def says(made: Rig, words: str) -> bool:
    """Tell whether the words were said."""
    return words in made.text


async def asked(made: Rig, number: int) -> None:
    """Have a rule removed, up to the question."""
    made.repl.submit(f"/permissions remove {number}")
    approver = made.approver
    await made.until(lambda: approver.open == 1)


@pytest.mark.parametrize("is_yes", [True, False])
async def test_a_rule_is_taken_back_after_a_question(tmp_path: Path, *, is_yes: bool) -> None:
    """Yes: it holds no more and stands no more in the file; no: it stays, and that is said."""
    async with rig(tmp_path, mode="ask") as made:
        approver = made.approver
        assert permissions.kept_by(made.desk).allow("bash(make)").startswith("kept in")
        await asked(made, 1)
        assert "Remove the rule `bash(make)`" in "\n".join(approver.lines(COLUMNS))
        approver.answer("y" if is_yes else "n")
        await made.until(partial(says, made, "`bash(make)` is removed" if is_yes else "`bash(make)` stays"))
        kept = (made.harness.project / NAME).read_text()
        assert ("bash(make)" in kept) != is_yes
        assert [rule.text for rule in made.harness.shared.permission.rules.rules] == (
            [] if is_yes else ["bash(make)"]
        )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("remove 1", "`read(.env)` is from settings: change it there"),
        ("remove 9", "takes back the rule of that number"),
        ("remove 0", "takes back the rule of that number"),
        ("remove", "takes back the rule of that number"),
        ("remove x", "takes back the rule of that number"),
        ("all", "remove N, protected or reads, not `all`"),
    ],
)
async def test_what_cannot_be_removed(tmp_path: Path, words: str, told: str) -> None:
    """A rule of elsewhere, a number that is none, another word: said, nothing is changed."""
    async with rig(tmp_path, rules=RULES) as made:
        await made.says(f"/permissions {words}", told)
        assert len(made.harness.shared.permission.rules.rules) == 3


async def test_a_file_that_changed_meanwhile(tmp_path: Path) -> None:
    """What is gone from the file already, or cannot be read there, is said; the rule holds on."""
    async with rig(tmp_path) as made:
        permissions.kept_by(made.desk).allow("bash(make)")
        (made.harness.project / NAME).write_text("{}")
        await asked(made, 1)
        made.approver.answer("y")
        await made.until(partial(says, made, "`bash(make)` stays: "))


async def test_the_mode_is_changed(tmp_path: Path) -> None:
    """For the next call on, subagents included; it is recorded, so that a resumed session goes on in it."""
    async with rig(tmp_path, mode="ask") as made:
        permission, state = made.harness.shared.permission, made.harness.agent.session.state
        await made.says("/permissions plan", "mode plan: nothing is changed")
        assert (permission.mode, state.mode) == ("plan", "plan")
        assert permission.judge(bash_call("touch x")).decision == "deny"
        assert permission.judge(bash_call("ls", cwd=str(made.harness.project))).decision == "allow"
        await made.says("/permissions plan", "mode plan it is already")
        await made.says("/permissions accept-edits", "mode accept-edits: changes of files")
        modes = [record["mode"] for record in made.harness.log_records("mode")]
        assert modes == ["plan", "accept-edits"]
        judged = permission.judge(path_call("edit", resolved_use("a", "write", project=made.harness.project)))
        assert judged.decision == "allow"


@pytest.mark.parametrize("is_yes", [True, False])
async def test_bypass_is_asked_about(tmp_path: Path, *, is_yes: bool) -> None:
    """Nobody lets everything run by a slip; no leaves the mode as it is."""
    async with rig(tmp_path, mode="ask") as made:
        made.repl.submit("/permissions bypass")
        await made.until(lambda: made.approver.open == 1)
        made.approver.answer("y" if is_yes else "n")
        await made.until(partial(says, made, "mode bypass: " if is_yes else "the mode stays ask"))
        assert made.harness.shared.permission.mode == ("bypass" if is_yes else "ask")
