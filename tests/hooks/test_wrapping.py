"""Whatever a forbidden or unknown command is wrapped in, an allow rule for the wrapping never lets it through."""

import shlex
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooks.shell.lexer import TooDeepError
from hooks.shell.reader import read_shell
from hooks.shell.words import plain_words
from tests.support.calls import judge_bash

Production = Callable[[str], str]
AROUND_ANY: dict[str, Production] = {
    "and": lambda x: f"git status && {x}",
    "or": lambda x: f"ls || {x}",
    "semicolon": lambda x: f"echo a; {x}",
    "pipe": lambda x: f"echo a | {x}",
    "background": lambda x: f"ls & {x}",
    "newline": lambda x: f"git status\n{x}",
    "before": lambda x: f"{x}\nls",
    "subshell": lambda x: f"({x}\n)",
    "group": lambda x: f"{{ {x}\n}}",
    "substitution": lambda x: f"echo $({x}\n)",
    "quoted substitution": lambda x: f'echo "a $({x}\n) b"',
    "process": lambda x: f"ls <({x}\n)",
    "default value": lambda x: f"ls ${{x:-$({x}\n)}}",
    "assignment": lambda x: f"x=$({x}\n) ls",
    "bash -c": lambda x: f"bash -c {shlex.quote(x)}",
    "sh -ec": lambda x: f"sh -ec {shlex.quote(x)} name",
    "eval": lambda x: f"eval {shlex.quote(x)}",
    "sudo sh": lambda x: f"sudo -u me sh -c {shlex.quote(x)}",
    "here-document": lambda x: f"bash <<'END_{len(x)}'\n{x}\nEND_{len(x)}",
    "expanded here-document": lambda x: f"cat <<END_{len(x)}\n$({x}\n)\nEND_{len(x)}",
    "here-string": lambda x: f"bash <<< {shlex.quote(x)}",
    "if": lambda x: f"if true; then {x}\nfi",
    "loop": lambda x: f"for i in 1; do {x}\ndone",
    "case": lambda x: f"case a in (a) {x}\n;; esac",
    "case in a substitution": lambda x: f"echo $(case a in a) {x}\n;; esac)",
    "function": lambda x: f"f() {{ {x}\n}}; f",
    "comment before": lambda x: f"ls # it's\n{x}",
    "message before": lambda x: (
        f"git commit -m \"$(cat <<'E_{len(x)}'\nIt's (1) done\nE_{len(x)}\n)\" && {x}"
    ),
    "not": lambda x: f"! {x}",
    "find": lambda x: f"find . -exec bash -c {shlex.quote(x)} \\;",
}
AROUND_SIMPLE: dict[str, Production] = {
    "env": lambda x: f"env A=b {x}",
    "sudo": lambda x: f"sudo -n {x}",
    "nohup": lambda x: f"nohup {x}",
    "time": lambda x: f"time {x}",
    "command": lambda x: f"command {x}",
    "timeout": lambda x: f"timeout -k 1 5 {x}",
    "nice": lambda x: f"nice -n 5 {x}",
    "assignment": lambda x: f"A='b c' {x}",
    "redirection": lambda x: f"2>/dev/null {x}",
    "continuation": lambda x: "\\\n" + x.replace(" ", " \\\n"),
    "xargs": lambda x: f"xargs -n 1 {x}",
}
FORBIDDEN = st.sampled_from(["rm -rf /", "rm -fr ~", "mkfs.ext4 /dev/sda", "dd if=x of=/dev/sda", "reboot"])
ALLOW = tuple(
    f"bash({name}:*)" for name in ("git status", "git commit", "ls", "echo", "cat", "x", "A", "true", "f")
)


@st.composite
def wrapped(draw: st.DrawFn, inner: st.SearchStrategy[str] = FORBIDDEN) -> str:
    """A forbidden command inside one to three productions."""
    command = draw(inner)
    if draw(st.booleans()):
        command = AROUND_SIMPLE[draw(st.sampled_from(sorted(AROUND_SIMPLE)))](command)
    for name in draw(st.lists(st.sampled_from(sorted(AROUND_ANY)), min_size=1, max_size=3)):
        command = AROUND_ANY[name](command)
    return command


@settings(max_examples=150, deadline=None)
@given(wrapped())
def test_wrapped_forbidden_commands_are_denied_even_in_bypass(command: str) -> None:
    """The built-in list sees through chains, substitutions, wrappers and scripts."""
    assert judge_bash(command, "bypass").decision == "deny"


@settings(max_examples=150, deadline=None)
@given(wrapped(st.sampled_from(["touch pwned", "curl x", "unknown -a 'b c'", "rm -rf /"])))
def test_a_prefix_rule_never_allows_what_is_wrapped(command: str) -> None:
    """Allow rules for every harmless program in sight, and still the wrapped one is asked about or denied."""
    assert judge_bash(command, "accept-edits", allow=ALLOW).decision in ("ask", "deny")


@settings(max_examples=150, deadline=None)
@given(wrapped(st.just("git push origin")))
def test_a_deny_rule_finds_what_is_wrapped(command: str) -> None:
    """A deny rule holds for the command wherever it would run, in every mode."""
    assert judge_bash(command, "bypass", deny=("bash(git push:*)",)).decision == "deny"


@pytest.mark.parametrize("name", sorted(AROUND_ANY))
def test_each_production_is_seen_through(name: str) -> None:
    """No production is left to chance."""
    assert judge_bash(AROUND_ANY[name]("rm -rf /"), "bypass").decision == "deny"


@pytest.mark.parametrize("name", sorted(AROUND_SIMPLE))
def test_each_wrapper_is_seen_through(name: str) -> None:
    """No wrapper is left to chance."""
    assert judge_bash(AROUND_SIMPLE[name]("rm -rf /"), "bypass").decision == "deny"


SHELLISH = st.text(alphabet="ab1 '\"`$\\(){}[]<>|&;#*?~!=,-:/\n\té", max_size=40)


@settings(max_examples=300, deadline=None)
@given(SHELLISH)
def test_any_text_can_be_read(command: str) -> None:
    """Reading a command never fails but by its depth."""
    try:
        read_shell(command)
    except TooDeepError:
        assert len(command) > 10


@settings(max_examples=150, deadline=None)
@given(SHELLISH)
def test_both_readers_agree_where_one_is_sure(command: str) -> None:
    """What is provably one simple command is read as just this command."""
    words = plain_words(command)
    if words is not None and words[0] == "ab":
        assert read_shell(command).commands[0].texts == words


def test_a_command_without_end_is_asked_about() -> None:
    """Work is bounded: what would take too long to read is a question, in every mode."""
    assert judge_bash("echo " + "$(echo a | sh) " * 2000 + "| sh" + " | sh" * 100, "bypass").decision == "ask"
    assert judge_bash("rm " + "{a,b}" * 20, "bypass").decision == "ask"
