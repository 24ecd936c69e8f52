"""What a project would bring into force, in words: nothing is left out, and nothing of it can harm a screen."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.trust.gathered import GatedFile, Gathered
from agent.trust.powers import counted, powers_of
from agent.trust.said import MAX_SLOW_BYTES, scripts_of

NAME = ".agent/settings.json"
TEXTS = st.text(max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)
HOOKS = {
    "SessionStart": [{"hooks": [{"type": "command", "command": "touch pwned"}]}],
    "PreToolUse": [
        {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5}]},
        {"hooks": "odd"},
        "odder",
    ],
    "Stop": [],
}


def said(data: bytes | str | Any) -> list[tuple[str, str]]:
    """Return kind and text of what one settings file says."""
    text = data if isinstance(data, bytes | str) else json.dumps(data)
    raw = text.encode() if isinstance(text, str) else text
    return [
        (power.kind, power.text) for power in powers_of(Gathered(files=(GatedFile(name=NAME, data=raw),)))
    ]


def test_each_hook_rule_and_setting_has_a_line() -> None:
    """Hooks first, with event, matcher and the whole command; then rules, then what else is set."""
    value = {"model": "m", "permissions": {"allow": ["*"], "deny": "x", "mode": "bypass"}, "hooks": HOOKS}
    assert said(value) == [
        ("hook", "SessionStart: touch pwned"),
        ("hook", 'PreToolUse Bash|Edit: ./check.sh  {"timeout": 5}'),
        ("hook", 'PreToolUse: {"hooks": "odd"}'),
        ("hook", "PreToolUse: odder"),
        ("hook", "Stop: []"),
        ("rule", "allow *"),
        ("rule", "deny: x"),
        ("rule", "mode: bypass"),
        ("setting", "model: m"),
    ]


def test_what_cannot_be_read_is_named() -> None:
    """Bytes that are no text, no JSON, no object, nested without end, or long and with comments."""
    slow = "// x\n" + json.dumps({"model": "m" * MAX_SLOW_BYTES})
    for data in (b"\xff", "{", "[1]", "[" * 100_000, '{"a":' * 5_000, slow):
        ((kind, text),) = said(data)
        assert (kind, text.startswith(f"{NAME}: ")) == ("unreadable file", True)


@given(VALUES)
def test_every_text_is_one_harmless_line(value: Any) -> None:
    """Whatever stands in a file, each line of what it says is one line without control characters."""
    lines = said({"hooks": value, "permissions": value, "x": value})
    assert ("setting", f"x: {lines[-1][1].removeprefix('x: ')}") == lines[-1]
    assert all(text.isprintable() or not any(ord(char) < 32 for char in text) for _, text in lines)
    assert not any(char in text for _, text in lines for char in "\n\r\x1b\u2028\u202e\x7f")


@given(st.dictionaries(TEXTS, TEXTS | st.integers(), min_size=1, max_size=5))
def test_no_key_is_left_out(value: dict[str, Any]) -> None:
    """A file that says anything at all has a power for each key of it: nothing comes into force unseen."""
    assert len(said(value)) >= len(value)


def test_how_many_are_told_of_each_kind(tmp_path: Path) -> None:
    """One is `1 rule`, more are `2 rules`, none is nothing."""
    files = (
        GatedFile(name=NAME, data=json.dumps({"permissions": {"allow": ["a", "b"]}, "model": "m"}).encode()),
    )
    assert counted(powers_of(Gathered(files=files))) == "2 rules, 1 setting"
    assert counted([]) == ""


def test_what_hooks_run_is_found_however_it_is_named(tmp_path: Path) -> None:
    """By a relative path, in quotes with blanks, by the variables, behind an interpreter; nothing outside, no folder."""
    project = tmp_path.resolve()
    for name in ("a.sh", "b c/d.py", "hooks/e.sh", "f.rb"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("x")
    commands = [
        "./a.sh --fix && echo done",
        '"$CLAUDE_PROJECT_DIR/b c/d.py"',
        '"$CLAUDE_PROJECT_DIR"/hooks/e.sh',
        f"ruby {project}/f.rb; cat /etc/passwd ../x hooks missing.sh \0",
    ]
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]} for command in commands]}
    found = scripts_of([json.dumps({"hooks": hooks}).encode(), b"{", b"[1]"], project)
    assert found == ["a.sh", "b c/d.py", "hooks/e.sh", "f.rb"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("---\nname: reviewer\n---\n", "reviewer (sha256 "),
        ("---\nname: General\n---\n", "General, in place of the one built in (sha256 "),
        ("---\nname: general-purpose\n---\n", "general-purpose, in place of the one built in (sha256 "),
        ("---\ndescription: d\n---\n", "helper (sha256 "),
        ("---\nname: [a\n---\n", "helper (sha256 "),
        ("no head", "helper (sha256 "),
        ('---\nname: "\\x1b[2J\\nx"\n---\n', "\\x1b[2J\\x0ax (sha256 "),
        (f"---\nname: {'x' * 500}\n---\n", f"{'x' * 64}… (sha256 "),
    ],
)
def test_an_agent_type_is_told_by_its_own_name(data: str, text: str) -> None:
    """Whatever its file is called: one that hides a type of ours says so before it is trusted."""
    file = GatedFile(name=".claude/agents/helper.md", data=data.encode())
    [power] = powers_of(Gathered(files=(file,)))
    assert power.kind == "agent type"
    assert power.text.startswith(text)
