"""The settings of a project: layers over the user's own once it is trusted, and nothing at all before."""

from pathlib import Path

import pytest

from agent.assembly.shared import Config
from agent.choices import config_of, layers_of, rules_of, standing_by
from agent.errors import SettingsError
from agent.flags import Flags
from agent.prepare import prepare
from hooks.events import PathUse, PreToolUse
from tests.support.trusting import HOSTILE, made, put, trusted

LOCAL, SETTINGS = ".agent/settings.local.json", ".agent/settings.json"


def config(project: Path, home: Path, **flags: object) -> Config:
    """Return what everything comes to."""
    given, env = Flags(cwd=project, **flags), {"AGENT_HOME": str(home)}  # type: ignore[arg-type]
    return config_of(given, layers_of(given, standing_by(given, env)), env)


def test_an_untrusted_projects_settings_decide_nothing(tmp_path: Path) -> None:
    """Model, mode, prompt and rules are as if its files were not there; also when they cannot be read at all."""
    project, home = made(tmp_path)
    without = config(project, home)
    for value in (HOSTILE, {"no such key": 1}, "{"):
        put(project, SETTINGS, value)
        assert config(project, home) == without
        standing = standing_by(Flags(cwd=project), {"AGENT_HOME": str(home)})
        assert rules_of(Flags(cwd=project), layers_of(Flags(cwd=project), standing)).rules == ()


def test_layers_of_a_trusted_project(tmp_path: Path) -> None:
    """User < project < local < --settings < flags, key by key; lists of rules add up, each with where it stands."""
    project, home = made(tmp_path)
    put(
        home,
        "settings.json",
        {"model": "user", "effort": "low", "bell": False, "permissions": {"deny": ["glob"]}},
    )
    put(
        project,
        SETTINGS,
        {"model": "project", "effort": "high", "compaction": "early", "context_window": 50_000},
    )
    put(project, LOCAL, {"model": "local", "permissions": {"allow": ["glob"], "mode": "plan"}})
    extra = put(tmp_path, "extra.json", {"context_window": 60_000})
    trusted(project, home)
    found = config(project, home, settings=extra, compaction="off")
    assert (found.model, found.effort, found.bell) == ("local", "high", False)
    assert (found.mode, found.window, found.preset) == ("plan", 60_000, "off")
    flags, env = Flags(cwd=project), {"AGENT_HOME": str(home)}
    rules = rules_of(flags, layers_of(flags, standing_by(flags, env))).rules
    assert [(rule.decision, rule.origin) for rule in rules] == [
        ("deny", str(home / "settings.json")),
        ("allow", LOCAL),
    ]


def test_the_flag_turns_them_on_for_the_run(tmp_path: Path) -> None:
    """`--trust`, and nothing is kept of it."""
    project, home = made(tmp_path)
    put(project, SETTINGS, {"model": "project"})
    assert config(project, home, is_trusting=True).model == "project"
    assert config(project, home).model is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"modell": "m"}, "settings file .agent/settings.json: there is no key `modell`"),
        (
            {"context_window": 5},
            "settings file .agent/settings.json, `context_window`: a working window of 5",
        ),
        ("{", "settings file .agent/settings.json is no JSON"),
    ],
)
def test_a_broken_file_of_a_trusted_project_is_named(tmp_path: Path, value: object, words: str) -> None:
    """File, key, and what is expected: it is never skipped once it counts."""
    project, home = made(tmp_path)
    put(project, SETTINGS, value)
    trusted(project, home)
    with pytest.raises(SettingsError) as caught:
        config(project, home)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_in_the_home_folder_the_local_file_is_the_users_own(tmp_path: Path) -> None:
    """With the home folder as project `~/.agent/settings.local.json` counts without a question, once."""
    project = tmp_path.resolve()
    home = project / ".agent"
    put(project, SETTINGS, {"model": "user", "permissions": {"allow": ["glob"]}})
    put(project, LOCAL, {"effort": "low"})
    assert (config(project, home).model, config(project, home).effort) == ("user", "low")
    layers = layers_of(Flags(cwd=project), standing_by(Flags(cwd=project), {"AGENT_HOME": str(home)}))
    assert [origin for origin, _ in layers] == [
        str(home / "settings.json"),
        str(home / "settings.local.json"),
    ]


def test_what_stays_off_is_among_the_remarks(tmp_path: Path) -> None:
    """Whoever opens a session of an untrusted project is told in one line."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    env = {"AGENT_HOME": str(home), "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    remarks = prepare(Flags(cwd=project), env).remarks
    assert [remark.partition(":")[0] for remark in remarks] == ["this project is not trusted"]
    assert prepare(Flags(cwd=project, is_trusting=True), env).remarks == ()


def test_what_a_hook_of_the_project_runs_is_protected(tmp_path: Path) -> None:
    """Even in mode bypass a change to it is asked about: it would run as it is then, without a question."""
    project, home = made(tmp_path)
    put(project, SETTINGS, {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./check.sh"}]}]}})
    script = put(project, "check.sh", "echo fine")
    trusted(project, home)
    env = {"AGENT_HOME": str(home), "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    permission = prepare(Flags(cwd=project, permission_mode="bypass"), env).permission
    permission.set_mode("bypass")
    asked = {}
    for path in (script, project / "other.sh"):
        use = PathUse(path=str(path), shown=path.name, access="write", is_inside=True)
        call = PreToolUse(tool_name="write", tool_input={}, paths=(use,), cwd=str(project), call_id="toolu_1")
        asked[path.name] = permission.judge(call).decision
    assert asked == {"check.sh": "ask", "other.sh": "allow"}
