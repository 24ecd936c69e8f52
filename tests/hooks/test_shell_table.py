"""Commands and the decision that is right for each: `shell_table/*.toml`, by theme; each row says why."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hooks.permission.judge import Mode
from tests.support.calls import bash_call, permission

TABLE = Path(__file__).parent / "shell_table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Commands that are judged by the same rules in the same mode."""

    name: str
    mode: Mode
    rules: dict[str, tuple[str, ...]]
    rows: tuple[tuple[str, str, str], ...]
    """(decision, command, why)."""

    def wrong(self) -> list[str]:
        """Return a line for each command that is decided otherwise."""
        judge = permission(self.mode, **self.rules).judge
        decided = [(judge(bash_call(row[1])), row) for row in self.rows]
        return [
            f"{command!r}: {verdict.decision} instead of {decision}: {why}"
            for verdict, (decision, command, why) in decided
            if verdict.decision != decision
        ]


def groups() -> Iterator[Group]:
    """Yield the whole table."""
    for path in sorted(TABLE.glob("*.toml")):
        for group in tomllib.loads(path.read_text("utf-8"))["group"]:
            rules = {key: tuple(group[key]) for key in ("allow", "ask", "deny") if key in group}
            rows = tuple((decision, command, why) for decision, command, why in group["rows"])
            yield Group(name=group["name"], mode=group["mode"], rules=rules, rows=rows)


@pytest.mark.parametrize("group", list(groups()), ids=lambda group: group.name)
def test_each_command_gets_its_decision(group: Group) -> None:
    """A command is allowed, asked about or denied as its row says."""
    assert group.wrong() == []


def test_the_table_is_large() -> None:
    """At least 300 commands, none of them twice under the same rules, each with a word why."""
    rows = [(group.name, *row) for group in groups() for row in group.rows]
    assert len(rows) >= 300
    assert len({(name, command) for name, _, command, _ in rows}) == len(rows)
    assert all(why for *_, why in rows)
