"""What a call may do: modes, rules, paths."""

from pathlib import Path
from typing import Any, Literal

import pytest

from hooks.events import PathUse, PreToolUse, Verdict
from hooks.permission.judge import Mode, Permission
from hooks.permission.rules import RuleError
from tests.support.calls import PROJECT, bash_call, judge_bash, path_call, permission, resolved_use, use_of

MODES: tuple[Mode, ...] = ("ask", "accept-edits", "plan", "bypass")

F35_REFUSED = {
    "a": "git status && touch pwned",
    "b": "git status; touch pwned",
    "c": "echo touch pwned | sh",
    "d": "git status\ntouch pwned",
    "e": "echo $(touch pwned)",
    "f": "echo `touch pwned`",
    "g": "ls <(touch pwned)",
    "h": "ls & touch pwned",
    "i": "echo x > pwned",
    "j": 'echo "$(touch pwned)"',
    "k": "echo <<EOF\n$(touch pwned)\nEOF",
    "l": "git status\\\n; touch pwned",
    "m": "ls ${x:=$(touch pwned)}",
    "n": 'echo "a',
}
F35_ALLOWED = {
    "o": "echo 'a; b && c'",
    "p": 'echo "x | y"',
    "q": "git status && ls",
    "r": "echo '$(x)'",
    "s": "ls # ; rm",
}
F35_RULES = ("bash(git status:*)", "bash(ls:*)", "bash(echo:*)")


@pytest.mark.parametrize("letter", F35_REFUSED)
@pytest.mark.parametrize("mode", ["ask", "accept-edits"])
def test_f35_what_is_chained_or_substituted_is_not_allowed(letter: str, mode: Mode) -> None:
    """An allow rule for a harmless program lets through nothing that hangs on it."""
    assert judge_bash(F35_REFUSED[letter], mode, allow=F35_RULES).decision == "ask"


@pytest.mark.parametrize("letter", F35_ALLOWED)
def test_f35_quoted_operators_are_text(letter: str) -> None:
    """Operators inside quotes and comments raise no question, nor do chains of what is allowed."""
    assert judge_bash(F35_ALLOWED[letter], allow=F35_RULES).decision == "allow"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """W of F37, with the links of its letters; returns the folder that holds W as `proj`."""
    root = tmp_path / "w"
    (root / "proj" / "sub").mkdir(parents=True)
    (root / "proj-evil").mkdir()
    (root / "out").mkdir()
    (root / "proj" / "l").symlink_to(root / "out")
    (root / "proj" / "t").symlink_to(root / "out" / "t.txt")
    (root / "wl").symlink_to(root / "proj")
    return root


F37_OUTSIDE = {
    "a": "{w}/proj-evil/a",
    "b": "../out.txt",
    "c": "sub/../../out.txt",
    "d": "l/new.txt",
    "e": "l/n1/n2/new.txt",
    "f": "t",
    "g": "{home}/x",
    "i": "{w}/PROJ/ok.txt",
}


@pytest.mark.parametrize("letter", F37_OUTSIDE)
@pytest.mark.parametrize("access", ["read", "write"])
def test_f37_outside_is_asked(letter: str, access: Literal["read", "write"], world: Path) -> None:
    """Siblings, `..`, links, files yet to be made below a link: outside is never let through silently (a to g, i, j)."""
    raw = F37_OUTSIDE[letter].format(w=world, home=Path.home())
    use = resolved_use(raw, access, project=world / "proj")
    tool = "write" if access == "write" else "read"
    verdict = permission("accept-edits", allow=("edit(**)", "read(**)")).judge(path_call(tool, use))
    assert verdict.decision == "ask"
    assert verdict.rule_to_add == f"{'edit' if access == 'write' else 'read'}({use.path})"


def test_f37_h_the_project_reached_by_a_link_is_inside(world: Path) -> None:
    """What counts is where the path leads."""
    use = resolved_use(str(world / "wl" / "ok.txt"), "write", project=world / "proj")
    assert permission("accept-edits").judge(path_call("write", use)).decision == "allow"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("**/*.py", "allow"),
        ("src/../*.py", "allow"),
        (f"{PROJECT}/src/*", "allow"),
        ("a..b/*", "allow"),
        ("/etc/*", "ask"),
        ("../*", "ask"),
        ("src/../../*", "ask"),
        (f"{PROJECT}-evil/*", "ask"),
        ("{../,}x/*", "ask"),
        ("*/../../*", "ask"),
        ("~/*", "ask"),
        ("../\0", "allow"),
        (None, "allow"),
    ],
)
def test_f37_j_a_glob_pattern_does_not_lead_out(pattern: object, expected: str) -> None:
    """A pattern that leaves the folder resolved for it is a read outside; one that no file can fit is not."""
    event = PreToolUse(
        tool_name="glob",
        tool_input={"pattern": pattern},
        paths=(use_of(".", "read"),),
        cwd=PROJECT,
        is_read_only=True,
        call_id="c",
    )
    assert permission().judge(event).decision == expected


TABLE: list[tuple[str, Any, tuple[str, str, str, str]]] = [
    # what                       call                                    ask, accept-edits, plan, bypass
    ("read inside", path_call("read", use_of("a", "read")), ("allow", "allow", "allow", "allow")),
    ("read .git", path_call("read", use_of(".git/config", "read")), ("allow", "allow", "allow", "allow")),
    ("glob project", path_call("glob", use_of(".", "read")), ("allow", "allow", "allow", "allow")),
    (
        "own file",
        path_call("read", use_of("/t/x", "read", is_own=True)),
        ("allow", "allow", "allow", "allow"),
    ),
    ("read outside", path_call("read", use_of("/etc/hosts", "read")), ("ask", "ask", "ask", "allow")),
    ("glob outside", path_call("glob", use_of("/etc", "read")), ("ask", "ask", "ask", "allow")),
    ("edit inside", path_call("edit", use_of("a")), ("ask", "allow", "deny", "allow")),
    ("write inside", path_call("write", use_of("a")), ("ask", "allow", "deny", "allow")),
    ("edit outside", path_call("edit", use_of("/tmp/a")), ("ask", "ask", "deny", "allow")),
    ("write settings", path_call("write", use_of(".agent/settings.json")), ("ask", "ask", "deny", "ask")),
    ("write hook", path_call("write", use_of(".git/hooks/x")), ("ask", "ask", "deny", "ask")),
    ("write .GIT", path_call("write", use_of("sub/.GIT/hooks/x")), ("ask", "ask", "deny", "ask")),
    ("write transcript", path_call("edit", use_of(".transcripts/a")), ("ask", "ask", "deny", "ask")),
    ("write spill", path_call("edit", use_of(".task_outputs/a")), ("ask", "ask", "deny", "ask")),
    ("write own", path_call("edit", use_of("/t/x", is_own=True)), ("ask", "ask", "deny", "ask")),
    ("write home's", path_call("edit", use_of("/home/me/.agent/x")), ("ask", "ask", "deny", "ask")),
    ("write tasks", path_call("write", use_of(".vscode/tasks.json")), ("ask", "ask", "deny", "ask")),
    ("write .bashrc", path_call("write", use_of("/home/me/.bashrc")), ("ask", "ask", "deny", "ask")),
    (
        "write unit",
        path_call("write", use_of("/home/me/.config/systemd/user/a")),
        ("ask", "ask", "deny", "ask"),
    ),
    ("write cron", path_call("write", use_of("/etc/cron.d/x")), ("ask", "ask", "deny", "ask")),
    ("write .gitignore", path_call("edit", use_of(".gitignore")), ("ask", "allow", "deny", "allow")),
    ("bash", bash_call("make"), ("ask", "ask", "deny", "allow")),
    ("bash reads", bash_call("git log -5 && ls src | wc -l"), ("allow", "allow", "allow", "allow")),
    ("sudo", bash_call("sudo ls"), ("ask", "ask", "deny", "ask")),
    ("rm -rf /", bash_call("rm -rf /"), ("deny", "deny", "deny", "deny")),
    *(
        (tool, PreToolUse(tool_name=tool, tool_input={}, cwd=PROJECT, call_id="c"), ("allow",) * 4)
        for tool in ("todo_write", "load_skill", "compact", "task")
    ),
    (
        "unknown reader",
        PreToolUse(tool_name="x", tool_input={}, cwd=PROJECT, is_read_only=True, call_id="c"),
        ("allow",) * 4,
    ),
    (
        "unknown tool",
        PreToolUse(tool_name="x", tool_input={}, cwd=PROJECT, call_id="c"),
        ("ask", "ask", "deny", "allow"),
    ),
]


@pytest.mark.parametrize(("what", "event", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_modes(what: str, event: PreToolUse, expected: tuple[str, ...]) -> None:
    """What each mode says of each kind of call without any rule, for the main agent and subagents alike."""
    assert tuple(permission(mode).judge(event).decision for mode in MODES) == expected, what


def test_deny_then_ask_then_allow() -> None:
    """Of the rules a deny wins over an ask, and an ask over an allow, in every mode but where plan denies."""
    every = ("edit(**)", "bash(make:*)", "read(**)")
    edit, read, bash = (
        path_call("edit", use_of("a")),
        path_call("read", use_of("a", "read")),
        bash_call("make -j"),
    )
    for mode in MODES:
        for event in (edit, read, bash):
            denied = permission(mode, allow=every, ask=every, deny=every).judge(event)
            assert denied.decision == "deny"
            asked = permission(mode, allow=every, ask=every).judge(event)
            expected = "deny" if mode == "plan" and event is not read else "ask"
            assert asked.decision == expected
            assert asked.is_firm == (expected == "ask")
            assert asked.rule_to_add == ""
    assert all(
        permission("ask", allow=every).judge(event).decision == "allow" for event in (edit, read, bash)
    )


@pytest.mark.parametrize("event", [bash_call("make"), path_call("edit", use_of("a"))])
def test_plan_mode_is_not_opened_by_an_allow_rule(event: PreToolUse) -> None:
    """Plan mode only reads, and its refusal says what the model can do instead."""
    verdict = permission("plan", allow=("*", "bash(make)", "edit(a)")).judge(event)
    assert verdict.decision == "deny"
    assert "Write down what you would do" in verdict.reason


@pytest.mark.parametrize("shown", [".agent/settings.json", ".git/config", ".vscode/tasks.json", "a/.envrc"])
@pytest.mark.parametrize("mode", ["ask", "accept-edits", "bypass"])
def test_protected_files_are_asked_about_unless_a_rule_names_them(shown: str, mode: Mode) -> None:
    """Neither a mode nor a rule with a wildcard silences the question; the file's own name in a rule does; a deny denies."""
    event = path_call("edit", use_of(shown))
    broad = ("*", "edit", "edit(**)", f"edit({shown[:-1]}?)", f"edit({shown.rpartition('/')[0]}/)")
    verdict = permission(mode, allow=broad).judge(event)
    assert (verdict.decision, verdict.is_firm, verdict.rule_to_add) == ("ask", True, "")
    assert verdict.reason.startswith(f"`{shown}` is protected: ")
    assert permission(mode, allow=(f"edit({shown})",)).judge(event).decision == "allow"
    assert permission(mode, allow=(f"Edit(./{shown})",)).judge(event).decision == "allow"
    assert permission(mode, allow=(f"edit({shown})",), ask=("edit",)).judge(event).decision == "ask"
    assert (
        permission(mode, allow=(f"edit({shown})",), deny=(f"edit({shown})",)).judge(event).decision == "deny"
    )
    assert permission("plan", allow=(f"edit({shown})",)).judge(event).decision == "deny"
    assert permission(mode).judge(path_call("read", use_of(shown, "read"))).decision == "allow"


SHARED = PathUse(path=f"{PROJECT}/a", shown="a", access="write", is_inside=True, is_shared=True)


@pytest.mark.parametrize(
    ("mode", "allow", "expected"),
    [
        ("ask", (), "ask"),
        ("accept-edits", (), "ask"),
        ("accept-edits", ("edit(**)", "edit", "*"), "ask"),
        ("accept-edits", ("edit(a)",), "allow"),
        ("plan", ("edit(a)",), "deny"),
        ("bypass", (), "allow"),
    ],
)
def test_a_file_with_several_names_is_not_simply_inside(
    mode: Mode, allow: tuple[str, ...], expected: str
) -> None:
    """Its other name may lie anywhere: neither accept-edits nor a rule with a wildcard answers, its own name does."""
    verdict = permission(mode, allow=allow).judge(path_call("write", SHARED))
    assert verdict.decision == expected
    if expected == "ask":
        assert "hard links" in verdict.reason


@pytest.mark.parametrize("name", [".git/hooks/pre-commit", ".agent/settings.json", ".bashrc"])
def test_another_name_of_a_protected_file_is_protected(name: str, tmp_path: Path) -> None:
    """A hard link to what is protected is asked about in every mode, as that itself would be."""
    project = tmp_path / "proj"
    target = (tmp_path if name == ".bashrc" else project) / name
    target.parent.mkdir(parents=True, exist_ok=True)
    project.mkdir(exist_ok=True)
    target.write_text("x")
    (project / "innocent").hardlink_to(target)
    use = resolved_use("innocent", "write", project=project)
    judge = Permission("bypass", home=tmp_path)
    verdict = judge.judge(path_call("edit", use))
    assert (verdict.decision, verdict.is_firm) == ("ask", True)
    (project / "lone").write_text("y")
    (tmp_path / "other").hardlink_to(project / "lone")
    assert judge.judge(path_call("edit", resolved_use("lone", "write", project=project))).decision == "allow"


LINKED = PathUse(
    path="/shared/.env",
    shown="/shared/.env",
    access="read",
    is_inside=False,
    written=f"{PROJECT}/secret/.env",
    written_shown="secret/.env",
)


@pytest.mark.parametrize("rule", ["read(secret/**)", f"read({PROJECT}/secret/.env)", "read(/shared/**)"])
def test_a_deny_or_ask_finds_a_link_by_its_own_name_too(rule: str) -> None:
    """What is denied under a name stays denied where that is a link; an allow is about where it leads."""
    event = path_call("read", LINKED)
    assert permission("bypass", deny=(rule,)).judge(event).decision == "deny"
    assert permission("bypass", ask=(rule,)).judge(event).decision == "ask"
    expected = "allow" if "/shared" in rule else "ask"
    assert permission(allow=(rule,)).judge(event).decision == expected


def test_on_a_disk_that_takes_any_case_a_deny_does_too() -> None:
    """`SECRET/KEY` is `secret/key` there; an allow goes by the spelling that the disk has."""
    use = PathUse(
        path=f"{PROJECT}/SECRET/KEY", shown="SECRET/KEY", access="read", is_inside=True, is_caseless=True
    )
    event = path_call("read", use)
    for rule in ("read(secret/**)", f"read({PROJECT}/secret/key)"):
        assert permission("bypass", deny=(rule,)).judge(event).decision == "deny"
        sensitive = path_call("read", use_of("SECRET/KEY", "read"))
        assert permission("bypass", deny=(rule,)).judge(sensitive).decision == "allow"
    written = path_call(
        "edit", PathUse(path=use.path, shown=use.shown, access="write", is_inside=True, is_caseless=True)
    )
    assert permission(allow=("edit(secret/**)",)).judge(written).decision == "ask"


def test_a_project_inside_a_protected_folder_can_be_worked_in() -> None:
    """Only the parts inside the project are looked at when the path lies in it."""
    use = PathUse(path="/x/.git/wt/a", shown="a", access="write", is_inside=True)
    assert permission("accept-edits").judge(path_call("edit", use)).decision == "allow"


def test_whole_tool_rules() -> None:
    """A bare name decides for all calls of a tool, `*` for all tools, also for those without paths."""
    task = PreToolUse(tool_name="task", tool_input={}, cwd=PROJECT, call_id="c")
    unknown = PreToolUse(tool_name="x", tool_input={}, cwd=PROJECT, call_id="c")
    assert permission(deny=("task",)).judge(task).decision == "deny"
    assert permission(ask=("*",)).judge(task).decision == "ask"
    assert permission(allow=("x",)).judge(unknown) == Verdict(decision="allow")
    assert permission().judge(unknown).rule_to_add == "x"
    assert permission(deny=("x(a)",)).judge(unknown).decision == "ask"
    assert judge_bash("a; b", allow=("bash",)).decision == "allow"
    assert judge_bash("a; b", allow=("*",)).decision == "allow"
    assert judge_bash("a; b", "bypass", deny=("bash(b:*)",)).decision == "deny"


@pytest.mark.parametrize(
    ("rule", "named", "expected"),
    [
        ("task(explore)", "explore", "deny"),
        ("Task(Explore)", "EXPLORE", "deny"),
        ("Agent(Explore)", "plan", "allow"),
        ("Agent(general-purpose)", None, "deny"),
        ("task(general)", "", "deny"),
        ("task(general)", "General-Purpose", "deny"),
        ("task(code reviewer)", "Code_Reviewer", "deny"),
        ("task(*)", "anything", "deny"),
        ("task(explor)", "explore", "allow"),
    ],
)
def test_rules_about_agent_types(rule: str, named: str | None, expected: str) -> None:
    """A rule may name a type as another agent does; whatever the model calls it, and where it names none, it is found."""
    given = {} if named is None else {"agent_type": named}
    call = PreToolUse(tool_name="task", tool_input=given, cwd=PROJECT, call_id="c")
    assert permission(deny=(rule,)).judge(call).decision == expected
    assert permission("bypass", ask=(rule,)).judge(call).decision == {"deny": "ask"}.get(expected, expected)


def test_of_several_paths_the_worst_decides() -> None:
    """A call is allowed only when all its paths are, and a firm question outweighs a plain one."""
    paths = (use_of("a", "read"), use_of("/tmp/x"), use_of(".git/x"), use_of("b"))
    event = PreToolUse(tool_name="edit", tool_input={}, paths=paths, cwd=PROJECT, call_id="c")
    assert permission().judge(event).is_firm
    assert permission("plan").judge(event).decision == "deny"
    two = PreToolUse(tool_name="edit", tool_input={}, paths=paths[:2], cwd=PROJECT, call_id="c")
    assert permission().judge(two).rule_to_add == "edit(/tmp/x)"


def test_questions_name_the_call_and_the_rule() -> None:
    """The user reads what would happen; the rule to add would have answered."""
    assert judge_bash("pytest -q") == Verdict(
        decision="ask", reason="no rule allows this command", rule_to_add="bash(pytest:*)"
    )
    assert permission().judge(path_call("write", use_of("src/a.py"))) == Verdict(
        decision="ask",
        reason="`write` would write `src/a.py`, inside the project",
        rule_to_add="edit(src/a.py)",
    )
    denied = judge_bash("git push", deny=("bash(git push:*)",))
    assert denied.reason == "denied by the rule `bash(git push:*)` (settings)"
    asked = judge_bash("git push", "bypass", ask=("bash(git push:*)",))
    assert asked.reason == "the rule `bash(git push:*)` (settings) asks"


def test_always_lasts_for_the_session() -> None:
    """The rule that was offered answers from then on, and is kept with its origin."""
    judge = permission()
    event = path_call("edit", use_of("a*.py"))
    judge.allow_always(judge.judge(event).rule_to_add)
    assert judge.judge(event).decision == "allow"
    assert judge.judge(path_call("edit", use_of("ab.py"))).decision == "ask"
    assert [(rule.text, rule.origin) for rule in judge.rules.rules] == [(r"edit(a\*.py)", "session")]
    with pytest.raises(RuleError):
        judge.allow_always("bash(")


def test_the_mode_can_change() -> None:
    """A new mode holds for the next call."""
    judge = Permission()
    event = path_call("edit", use_of("a"))
    seen: list[tuple[str, str]] = []
    for mode in MODES:
        seen.append((judge.mode, judge.judge(event).decision))
        judge.set_mode(mode)
    assert seen == [("ask", "ask"), ("ask", "ask"), ("accept-edits", "allow"), ("plan", "deny")]


def test_home_is_known_under_all_its_names(tmp_path: Path) -> None:
    """A home folder that is a link is protected by its own name and by the one it points to."""
    (tmp_path / "real").mkdir()
    (tmp_path / "me").symlink_to(tmp_path / "real")
    judge = Permission("bypass", home=tmp_path / "me")
    for name in ("real", "me"):
        assert judge.judge(bash_call(f"rm -rf {tmp_path}/{name}")).decision == "deny"


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("ls; touch x", "(`touch x` is not known to only read)"),
        ("cat a > b", "(it writes `b`)"),
        ("rg $x", "(`$x` is known only when it runs)"),
        ("cat /etc/hosts", "(`/etc/hosts` may lie outside the project)"),
        ("echo 'a", "(the command cannot be read: "),
    ],
)
def test_plan_mode_says_what_may_be_a_change(command: str, part: str) -> None:
    """The model, which cannot look into the list, learns which part of a command it has to leave out."""
    reason = judge_bash(command, "plan", allow=("bash(ls:*)",)).reason
    assert reason.startswith("the session is in plan mode: ")
    assert part in reason
