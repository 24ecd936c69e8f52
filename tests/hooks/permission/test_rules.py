"""Reading rules, and what each of them matches."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.events import PathUse
from hooks.permission.judge import Permission
from hooks.permission.rules import PermissionRules, RuleError, parse_rule
from hooks.shell.reader import read_shell
from tests.support.calls import bash_call, path_call, use_of

UNREADABLE = [
    *(
        "",
        " ",
        "(x)",
        "bash(",
        "bash(x",
        "bash)x",
        "ba sh(x)",
        "bash(x) y",
        "1bash",
        "read()",
        "bash( )",
        "edit(  )",
    ),
    *("*(x)", "task( )", "todo_write(x)", "load_skill(x)", "compact(x)", "Skill(x)", "bash(:*) x"),
    *("read(../x)", "edit(a/../b)", "bash($(x):*)", "bash(a|b:*)", "bash(a *:*)", "bash('a:*)", "bash( :*)"),
    *(
        "bash(git * main)",
        "bash(* --version)",
        "bash(ls*)",
        "bash(a * b *)",
        "bash(a\0)",
        "Read(!.env)",
        "Read(../x)",
    ),
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_an_unreadable_rule_is_named(text: str) -> None:
    """A rule that cannot mean anything is an error at the start, and the error shows it."""
    with pytest.raises(RuleError) as caught:
        PermissionRules.parse({"allow": [text]}, origin="settings.json")
    assert f"`{text}`" in str(caught.value)
    assert "settings.json" in str(caught.value)


@pytest.mark.parametrize(
    "lists", [{"alow": []}, {"allow": "bash"}, {"deny": [1]}, {"ask": None}, {"deny": {"a": 1}}]
)
def test_wrong_lists_are_refused(lists: dict[str, object]) -> None:
    """An unknown list, a text instead of a list, and a rule that is no text are errors."""
    with pytest.raises(RuleError, match="permissions in"):
        PermissionRules.parse(lists)


def test_a_rule_for_a_tool_that_does_not_exist_is_refused() -> None:
    """With the names known, a deny that could never fire is an error; without them every name passes."""
    PermissionRules.parse({"deny": ["bash", "*"]}, tools={"bash"})
    PermissionRules.parse({"deny": ["bsh"]})
    with pytest.raises(RuleError, match="no tool `bsh`"):
        PermissionRules.parse({"deny": ["bsh"]}, tools={"bash"})


def test_origin_and_text_are_kept() -> None:
    """Each rule knows where it stands and how it was written; joining keeps all."""
    first = PermissionRules.parse({"allow": ["Bash(ls:*)"]}, origin="a")
    second = PermissionRules.parse({"deny": ["edit"], "ask": ["read"]}, origin="b")
    rules = first.joined(second).rules
    assert [(r.decision, r.text, r.origin) for r in rules] == [
        ("allow", "Bash(ls:*)", "a"),
        ("deny", "edit", "b"),
        ("ask", "read", "b"),
    ]


COVERED = {
    "bash": {"bash"},
    "BASH": {"bash"},
    "read": {"read", "glob"},
    "glob": {"glob"},
    "edit": {"edit", "write"},
    "MultiEdit": {"edit", "write"},
    "write": {"write"},
    "TodoWrite": {"todo_write"},
    "Agent": {"task"},
    "Skill": {"load_skill"},
    "*": {"bash", "read", "glob", "edit", "write", "todo_write", "task", "load_skill"},
}


@pytest.mark.parametrize("text", COVERED)
def test_tools_a_rule_is_about(text: str) -> None:
    """`read` stands for glob too, `edit` for write; names of the other agent are understood in any case."""
    rule = parse_rule(text, "deny", origin="x")
    assert {tool for tool in COVERED["*"] if rule.covers_tool(tool)} == COVERED[text]


ALLOWED = [
    ("bash", "anything; at $(all)"),
    ("bash(*)", "anything"),
    ("bash(:*)", "anything"),
    ("bash(git status:*)", "git status"),
    ("bash(git status:*)", " git  status -s 'a b' "),
    ("bash(git status:*)", "'git' \"status\""),
    ("bash( git  status :*)", "git status"),
    ("bash(pytest -q)", "pytest -q"),
    ("bash(pytest -q)", "\npytest -q\n"),
    ("bash(a && b | c > $(d))", "a && b | c > $(d)"),
    ("bash(echo (x))", "echo (x)"),
    ("bash(a\nb)", "a\nb"),
    ("bash(ls [*])", "ls *"),
    ("bash(ls *)", "ls"),
    ("bash(ls *)", "ls -l 'a b'"),
    ("Bash(npm run test *)", "npm run test --watch"),
    ("Bash(npm run test:*)", "npm run test"),
    ("bash(ls [[*]])", "ls [*]"),
]
NOT_ALLOWED = [
    ("bash(git status:*)", "git statusx"),
    ("bash(git status:*)", "git"),
    ("bash(git status:*)", "git push status"),
    ("bash(git status:*)", "git -c x status"),
    ("bash(git status:*)", "/tmp/git status"),
    ("bash(git status:*)", "A=b git status"),
    ("bash(git status:*)", "sudo git status"),
    ("bash(git status:*)", "git 'status -s'"),
    ("bash(git status:*)", "git status $(x)"),
    ("bash(pytest -q)", "pytest -q x"),
    ("bash(pytest -q)", "pytest  -q"),
    ("bash(pytest -q)", "Pytest -q"),
    ("bash(ls [*])", "ls -l"),
    ("bash(ls *)", "lsof"),
    ("bash(ls *)", "ls | sh"),
    ("bash(a)", "a b"),
]


@pytest.mark.parametrize(("text", "command"), ALLOWED)
def test_allows(text: str, command: str) -> None:
    """An exact rule allows exactly its text; a prefix rule a simple command whose first words are the rule's."""
    assert parse_rule(text, "allow", origin="x").allows_command(command)


@pytest.mark.parametrize(("text", "command"), NOT_ALLOWED)
def test_does_not_allow(text: str, command: str) -> None:
    """Whole words count, all of them, from the first; an exact rule has no wildcards."""
    assert not parse_rule(text, "allow", origin="x").allows_command(command)


TOUCHED = [
    ("bash", "x"),
    ("bash(git push:*)", "git push"),
    ("bash(git push:*)", "git push origin main"),
    ("bash(git push:*)", "true && git push"),
    ("bash(git push:*)", "echo $(git push)"),
    ("bash(git push:*)", "bash -c 'git push -f'"),
    ("bash(git push:*)", "sudo -u x git push"),
    ("bash(git push:*)", "A=b /usr/bin/git push > x"),
    ("bash(git push:*)", "if true\nthen git push; fi"),
    ("bash(git push)", "ls; git push"),
    ("bash(git push *)", "ls; git push origin"),
    ("Bash(git push *)", "ls; git push"),
    ("bash(git push*)", "git pushy"),
    ("bash(rm [*])", "rm *"),
    ("bash(rm * [*])", "rm -f *"),
    ("bash(git * main)", "git push origin main | cat"),
    ("bash(rm $X:*)", "rm $X y"),
    ("bash(/usr/bin/git push:*)", "/usr/bin/git push"),
    ("bash(weird ; text)", "weird ; text"),
    ("bash( :*)", "ls"),
]
UNTOUCHED = [
    ("bash(git push:*)", "git pull"),
    ("bash(git push:*)", "echo git push"),
    ("bash(git push:*)", "echo 'git push'"),
    ("bash(git push:*)", "git pushx"),
    ("bash(git push)", "git push x"),
    ("bash(git * main)", "git push origin dev"),
    ("bash(git push:*)", ""),
]


@pytest.mark.parametrize(("text", "command"), TOUCHED)
def test_deny_and_ask_touch(text: str, command: str) -> None:
    """A deny or ask finds its command wherever it would run."""
    assert parse_rule(text, "deny", origin="x").touches_command(command, read_shell(command))


@pytest.mark.parametrize(("text", "command"), UNTOUCHED)
def test_deny_and_ask_do_not_touch(text: str, command: str) -> None:
    """Text that only mentions the command is left alone."""
    assert not parse_rule(text, "ask", origin="x").touches_command(command, read_shell(command))


def test_a_command_nobody_could_read_is_compared_as_text() -> None:
    """Without a reading only the whole tool and the exact text match."""
    assert parse_rule("bash(a)", "deny", origin="x").touches_command("a", None)
    assert not parse_rule("bash(a:*)", "deny", origin="x").touches_command("a b", None)


@pytest.mark.parametrize(
    ("text", "shown", "expected"),
    [
        ("edit", "/anywhere", True),
        ("edit(src/**)", "src/a/b.py", True),
        ("edit(src/)", "src/a/b.py", True),
        ("edit(./src/*.py)", "src/a.py", True),
        ("edit(src/**)", "/home/me/src/a.py", False),
        ("edit(**)", "a/b", True),
        ("edit(**)", "/etc/hosts", False),
        ("edit(**/hosts)", "/etc/hosts", False),
        ("edit(*)", "a", True),
        ("edit(/etc/hosts)", "/etc/hosts", True),
        ("edit(//etc/hosts)", "/etc/hosts", True),
        ("edit(/etc/**)", "/etc/a/b", True),
        ("edit(/home/me/proj/a)", "a", True),
        ("edit(/**)", "a", True),
        ("edit(/**)", "/etc/hosts", True),
        ("edit(/a)", "a", False),
        ("edit(a)", "A", False),
    ],
)
def test_path_rules(text: str, shown: str, *, expected: bool) -> None:
    """A relative pattern means the project, an absolute one any resolved path, the project's too."""
    assert parse_rule(text, "allow", origin="x").covers_path(use_of(shown)) == expected


def test_home_and_links_in_a_rule_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` is the home folder, and a rule that names a link means what it points to: only that is judged."""
    real = tmp_path / "real[1]*"
    real.mkdir()
    (tmp_path / "home").symlink_to(real)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    secret = os.path.realpath(real / "x" / "key")
    use = PathUse(path=secret, shown=secret, access="read", is_inside=False)
    for text in ("read(~/x/**)", f"read({tmp_path}/home/x/*)", "read(~/x/key)", "read(~)"):
        expected = text != "read(~)"
        assert parse_rule(text, "deny", origin="x").covers_path(use) == expected


def test_a_pattern_of_bash_says_nothing_of_paths() -> None:
    """`*` and a bash pattern never match by accident in the other world."""
    assert not parse_rule("bash(src:*)", "allow", origin="x").covers_path(use_of("src"))


INSTEAD = [
    ("bsh(ls)", "did you mean `bash`?"),
    ("zzz", "the tools are bash, read, edit, task"),
    ("Grep(x)", "write `bash(rg:*)`"),
    ("LS", "write `bash(ls:*)`"),
    ("WebFetch(domain:example.org)", "remove the rule"),
    ("WebSearch", "remove the rule"),
    ("mcp__github__*", "there are no MCP servers here"),
    ("mcp__my-server__do", "there are no MCP servers here"),
    ("Agent( )", "write `task` for all of it"),
    ("bash(git * main)", "as in `bash(git log *)`"),
    ("bash(* --version)", "as in `bash(git log *)`"),
    ("bash(ls*)", "write `[*]` for the character"),
    ("bash($(x):*)", "only plain words can stand"),
    ("edit(../x)", "write where it leads"),
    ("Edit(!x)", "write a rule for what is meant"),
    ("ba sh(x)", "write `tool` or `tool(pattern)`"),
]


@pytest.mark.parametrize(("text", "told"), INSTEAD)
def test_what_is_not_understood_says_what_to_write(text: str, told: str) -> None:
    """One line that names the file and the rule, and what to write instead."""
    with pytest.raises(RuleError) as caught:
        PermissionRules.parse(
            {"allow": [text]}, origin="~/.agent/settings.json", tools=["bash", "read", "edit", "task"]
        )
    said = str(caught.value)
    assert told in said
    assert said.startswith(f"rule `{text}` in ~/.agent/settings.json")
    assert "\n" not in said


FOREIGN = [
    # rule, path, whether an allow matches, whether a deny does
    ("Edit(src/**)", "src/a/b.py", True, True),
    ("Edit(/src/**)", "src/a.py", True, True),
    ("Edit(/src/**)", "/src/a.py", False, True),
    ("Edit(//src/**)", "/src/a.py", True, True),
    ("Edit(//src/**)", "src/a.py", False, False),
    ("edit(/src/**)", "/src/a.py", True, True),
    ("edit(/src/**)", "src/a.py", False, True),
    ("Read(./secrets/**)", "secrets/a/b", True, True),
    ("Read(./secrets/**)", "sub/secrets/a", False, False),
    ("Read(.env)", ".env", True, True),
    ("Read(.env)", "sub/dir/.env", True, True),
    ("Read(.env)", "/etc/.env", False, False),
    ("read(.env)", "sub/.env", False, False),
    ("Read(./.env)", "sub/.env", False, False),
    ("Read(.env.*)", "a/.env.local", True, True),
    ("Read(docs)", "docs/a.md", True, True),
    ("Read(docs/)", "docs/a.md", True, True),
    ("Read(a/docs)", "a/docs/x", True, True),
    ("Read(**/secret*)", "a/b/secrets.txt", True, True),
    ("Read(/)", "a", True, True),
    ("Edit(/**)", "/etc/passwd", False, True),
    ("Edit(/**)", "a", True, True),
    ("Read(~/notes/**)", "{home}/notes/a", True, True),
    ("Read(~/.zshrc)", "{home}/.zshrc", True, True),
    ("Edit(*.[ch])", "a/b.c", False, True),
    ("Edit(app/[id]/page.tsx)", "app/[id]/page.tsx", True, True),
    ("Edit(src/a.py)", "SRC/a.py", False, False),
]


@pytest.mark.parametrize(("text", "shown", "allows", "denies"), FOREIGN)
def test_rules_in_the_other_agents_spelling(text: str, shown: str, *, allows: bool, denies: bool) -> None:
    """`//` is absolute, `/` and `./` the project, a bare name any depth; where it is unclear an allow means less, a deny all."""
    use = use_of(shown.format(home=Path.home()), "read")
    assert parse_rule(text, "allow", origin="x").covers_path(use) == allows
    assert parse_rule(text, "deny", origin="x").covers_path(use) == denies
    assert parse_rule(text, "ask", origin="x").covers_path(use) == denies


@given(
    st.permutations(["allow", "ask", "deny"]),
    st.permutations(["~/.agent/settings.json", "--deny", "session"]),
)
def test_deny_beats_ask_beats_allow_whatever_the_origin(lists: list[str], origins: list[str]) -> None:
    """Where a rule stands and which came first make no difference."""
    rules = PermissionRules()
    for key, origin in zip(lists, origins, strict=True):
        rules = rules.joined(PermissionRules.parse({key: ["Edit(src/**)", "Bash(make:*)"]}, origin=origin))
        worst = next(one for one in ("deny", "ask", "allow") if any(r.decision == one for r in rules.rules))
        judge = Permission(rules=rules, home=Path("/home/me"))
        assert judge.judge(path_call("edit", use_of("src/a"))).decision == worst
        assert judge.judge(bash_call("make all")).decision == worst
