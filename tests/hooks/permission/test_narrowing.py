"""What an agent of a type may do: never more than its parent, and less where its type says so."""

from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooks.events import Decision, PreToolUse
from hooks.permission.judge import STRICTEST_FIRST, Mode, Permission
from hooks.permission.narrowing import Narrowing
from hooks.permission.rules import PermissionRules, Rule, parse_rule
from tests.hooks.judgements import HARMLESS, RUNNING
from tests.hooks.test_shell_table import Group, groups
from tests.hooks.wrappings import Wrapping, wrappings
from tests.support.calls import bash_call, path_call, permission, use_of

SEVERITY: tuple[Decision, ...] = ("deny", "ask", "allow")
TABLE = [command for group in groups() for _, command, _ in group.rows]
PATHS = ("src/a.py", "docs/b.md", ".git/config", ".agent/settings.json", "/etc/hosts", "/home/me/.ssh/id_rsa")
OTHERS = ("todo_write", "load_skill", "compact", "task", "unheard_of")
TEXTS = (
    "bash(git log:*)",
    "bash(ls:*)",
    "bash(touch x)",
    "edit(src/**)",
    "read(docs/**)",
    "write(/etc/**)",
    "bash",
    "edit",
    "todo_write",
)
EXPLORE = Narrowing(whose="the agent type `explore`", mode="plan", tools=frozenset({"bash", "read", "glob"}))


def rules(texts: list[str], decision: Decision) -> tuple[Rule, ...]:
    """Parse rules of one list."""
    return tuple(parse_rule(text, decision, origin="a type") for text in texts)


@st.composite
def parents(draw: st.DrawFn) -> Permission:
    """A permission of any mode and rules."""
    lists = {key: tuple(draw(st.lists(st.sampled_from(TEXTS), max_size=3))) for key in SEVERITY}
    return permission(draw(st.sampled_from(STRICTEST_FIRST)), **lists)


@st.composite
def narrowings(draw: st.DrawFn) -> Narrowing:
    """Bounds of any kind, whatever the type says: also what would loosen."""
    tools = ("bash", "read", "write", "edit", "glob", *OTHERS)
    kept = draw(st.none() | st.frozensets(st.sampled_from(tools)))
    limits = {
        tool: rules(
            draw(st.lists(st.sampled_from([text for text in TEXTS if text.startswith(f"{tool}(")]))), "allow"
        )
        for tool in draw(st.sets(st.sampled_from(("bash", "read", "write", "edit"))))
    }
    denied = rules(draw(st.lists(st.sampled_from(TEXTS), max_size=2)), "deny")
    mode = draw(st.sampled_from(STRICTEST_FIRST))
    return Narrowing(mode=mode, tools=kept, limits=limits, denied=PermissionRules(rules=denied))


def path_calls() -> st.SearchStrategy[PreToolUse]:
    """Reads and changes inside and outside of the project, protected files among them."""
    reads = st.builds(lambda path: path_call("read", use_of(path, "read")), st.sampled_from(PATHS))
    tools = st.sampled_from(("write", "edit"))
    return reads | st.builds(lambda tool, path: path_call(tool, use_of(path)), tools, st.sampled_from(PATHS))


def events() -> st.SearchStrategy[PreToolUse]:
    """Calls of every kind."""
    others = st.sampled_from(OTHERS).map(lambda name: replace(bash_call(""), tool_name=name, tool_input={}))
    return st.sampled_from(TABLE).map(bash_call) | path_calls() | others


@settings(max_examples=400, deadline=None)
@given(parents(), narrowings(), events())
def test_no_type_gains_anything(parent: Permission, narrowing: Narrowing, event: PreToolUse) -> None:
    """Whatever a type says: what its parent is refused or asked about is refused, or at least asked about, there too."""
    own, parents = narrowing.judge(parent, event).decision, parent.judge(event).decision
    assert SEVERITY.index(own) <= SEVERITY.index(parents)


@settings(max_examples=200, deadline=None)
@given(parents(), events())
def test_the_type_that_says_nothing_loses_nothing(parent: Permission, event: PreToolUse) -> None:
    """Its calls are judged as its parent's, to the word."""
    assert Narrowing().judge(parent, event) == parent.judge(event)


@pytest.mark.parametrize("group", list(groups()), ids=lambda group: group.name)
@pytest.mark.parametrize("mode", STRICTEST_FIRST)
def test_explore_runs_what_plan_mode_runs(group: Group, mode: Mode) -> None:
    """Of all commands of the table, in whatever mode the session is and whatever its rules allow."""
    parent, plan = permission(mode, **group.rules), permission("plan", **group.rules)
    for _, command, _ in group.rows:
        event = bash_call(command)
        assert EXPLORE.judge(parent, event).decision == plan.judge(event).decision, command


@settings(max_examples=150, deadline=None)
@given(wrappings())
def test_explore_lets_no_wrapped_program_through(wrapping: Wrapping) -> None:
    """A program that changes something, in whatever it is wrapped: denied, also in bypass and by any rule."""
    for parent in (
        permission("bypass"),
        permission("accept-edits", allow=RUNNING),
        permission(allow=HARMLESS),
    ):
        assert EXPLORE.judge(parent, bash_call(wrapping.command)).decision == "deny"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("tool", ["write", "edit"])
def test_explore_changes_no_file(tool: str, path: str) -> None:
    """Neither by the tools it has not, nor where it had them."""
    parent = permission("bypass", allow=("edit", f"edit({path})"))
    with_all = replace(EXPLORE, tools=None)
    event = path_call(tool, use_of(path))
    assert EXPLORE.judge(parent, event).reason == f"the agent type `explore` has no tool `{tool}`"
    verdict = with_all.judge(parent, event)
    assert verdict.decision == "deny"
    assert verdict.reason.startswith("the agent type `explore` changes nothing")


def test_the_session_s_mode_counts_as_it_is_when_the_call_is_judged() -> None:
    """Made stricter while a subagent runs it narrows that one at once; made looser it does not widen its type."""
    parent, event = permission("accept-edits"), path_call("edit", use_of("src/a.py"))
    asking = Narrowing(mode="ask")
    assert Narrowing().judge(parent, event).decision == "allow"
    assert asking.judge(parent, event).decision == "ask"
    parent.set_mode("bypass")
    assert asking.judge(parent, event).decision == "ask"
    assert asking.judge(parent, event).reason.startswith(
        "this agent type asks: `edit` would write `src/a.py`"
    )
    parent.set_mode("ask")
    assert asking.judge(parent, event).reason.startswith("`edit` would write `src/a.py`")
    parent.set_mode("plan")
    assert Narrowing().judge(parent, event).decision == "deny"
    assert Narrowing().judge(parent, event).reason.startswith("the session is in plan mode")


def test_an_always_given_meanwhile_counts() -> None:
    """Rules are those of the session at that moment; one that allows does not reach beyond the type."""
    parent, event = permission(), bash_call("touch x")
    only_log = Narrowing(limits={"bash": rules(["bash(git log:*)"], "allow")})
    parent.allow_always("bash(touch:*)")
    assert Narrowing().judge(parent, event).decision == "allow"
    assert only_log.judge(parent, event).decision == "deny"
    assert only_log.judge(parent, event).reason.startswith(
        "this agent type runs only commands that read, and `bash(git log:*)`: "
    )


@pytest.mark.parametrize(
    ("limit", "command", "expected"),
    [
        ("bash(npm test:*)", "npm test -- --watch=false", "ask"),
        ("bash(npm test:*)", "rg TODO | head", "allow"),
        ("bash(npm test:*)", "npm install", "deny"),
        ("bash(npm test:*)", "npm test && rm -r src", "deny"),
        ("bash(npm test:*)", "npm test > out.txt", "deny"),
        ("bash(npm test:*)", "$(echo npm) test", "deny"),
        ("bash(make check)", "make check", "ask"),
        ("bash(make check)", "make check -C /", "deny"),
    ],
)
def test_commands_of_a_type(limit: str, command: str, expected: Decision) -> None:
    """A pattern in `tools` is a bound: all of a command is in it or only reads; it allows nothing by itself."""
    narrowing = Narrowing(limits={"bash": rules([limit], "allow")})
    assert narrowing.judge(permission(), bash_call(command)).decision == expected


def test_paths_of_a_type() -> None:
    """All paths of a call lie within its patterns; a pattern that denies weighs more than any mode."""
    parent = permission("bypass")
    narrowing = Narrowing(limits={"edit": rules(["edit(src/**)", "edit(docs/**)"], "allow")})
    decided = [
        narrowing.judge(parent, path_call("edit", use_of(path))).decision
        for path in chain(("src/a.py", "docs/b.md"), ("setup.py", "/etc/hosts"))
    ]
    assert decided == ["allow", "allow", "deny", "deny"]
    denying = Narrowing(denied=PermissionRules(rules=rules(["edit(src/**)", "bash(rm:*)"], "deny")))
    assert denying.judge(parent, path_call("write", use_of("src/a.py"))).decision == "deny"
    assert denying.judge(parent, bash_call("ls; rm x")).decision == "deny"
    assert denying.judge(parent, bash_call("ls; touch x")).decision == "allow"
