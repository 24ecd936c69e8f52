"""The rule that is offered with a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.events import PathUse
from hooks.permission.rules import parse_rule
from hooks.permission.suggest import rule_for_command, rule_for_path
from tests.support.calls import use_of

COMMANDS = [
    ("pytest -q", "bash(pytest:*)"),
    ("git status -s", "bash(git status:*)"),
    ("npm run test", "bash(npm run:*)"),
    ("cargo test --all", "bash(cargo test:*)"),
    ("git", "bash(git)"),
    ("git -C x push", "bash(git -C x push)"),
    ("git 'a b'", "bash(git 'a b')"),
    ("pytest -q && ls", "bash(pytest -q && ls)"),
    ("ls | wc -l", "bash(ls | wc -l)"),
    (" echo $X\n", "bash(echo $X)"),
    ("echo 'a; b'", "bash(echo:*)"),
    ("rm -rf build", "bash(rm -rf build)"),
    ("python x.py", "bash(python x.py)"),
    ("bash x.sh", "bash(bash x.sh)"),
    ("./run.sh", "bash(./run.sh)"),
    ("A=b make", "bash(A=b make)"),
    ("a\nb", "bash(a\nb)"),
    ("cat /etc/hosts", "bash(cat /etc/hosts)"),
    ("grep -r x /etc", "bash(grep -r x /etc)"),
    ("ls *", "bash(ls [*])"),
    ("ls [*] *", "bash(ls [[*]] [*])"),
    ("sed x:*", "bash(sed x:[*])"),
    ("*", "bash([*])"),
    (":*", "bash(:[*])"),
    ("rm x; rm:*", "bash(rm x; rm:[*])"),
    ("", ""),
]


@pytest.mark.parametrize(("command", "rule"), COMMANDS)
def test_rule_for_a_command(command: str, rule: str) -> None:
    """First words for what is simple and tame, the exact command for the rest, nothing where no rule can say it."""
    assert rule_for_command(command) == rule


@given(st.text(alphabet="ab git-rm:*[];|&$()'\"\n ~=", max_size=15))
def test_an_offered_rule_answers_and_is_never_the_whole_tool(command: str) -> None:
    """Read back, the rule allows the command it was offered for, and never all commands."""
    text = rule_for_command(command)
    if text:
        rule = parse_rule(text, "allow", origin="session")
        assert rule.allows_command(command)
        assert not rule.allows_command("zzz; other")
        assert not rule.is_prefix or not rule.allows_command(f"{command}; other")
        assert rule.is_prefix or not rule.allows_command(f"{command} other")


@pytest.mark.parametrize(
    ("tool", "use", "rule"),
    [
        ("edit", use_of("src/a.py"), "edit(src/a.py)"),
        ("write", use_of("src/a.py"), "edit(src/a.py)"),
        ("edit", use_of("/tmp/x"), "edit(/tmp/x)"),
        ("read", use_of("/etc/hosts", "read"), "read(/etc/hosts)"),
        ("glob", use_of("/etc", "read"), "read(/etc)"),
        ("other", use_of("/etc", "read"), "other(/etc)"),
        ("edit", use_of("a*b?.py"), r"edit(a\*b\?.py)"),
        ("edit", use_of("~/x"), r"edit(\~/x)"),
    ],
)
def test_rule_for_a_path(tool: str, use: PathUse, rule: str) -> None:
    """The path as shown, with what would be a wildcard made literal."""
    assert rule_for_path(tool, use) == rule


@given(st.text(min_size=1, max_size=8, alphabet="ab*?\\~[{ .\n").filter(lambda name: name.strip(" .\n")))
def test_a_rule_for_a_path_matches_it(name: str) -> None:
    """Read back, the rule covers the path it was offered for."""
    use = use_of(f"d/{name}")
    rule = parse_rule(rule_for_path("edit", use), "allow", origin="session")
    assert rule.covers_path(use)
    assert not rule.covers_path(use_of("d/other"))
