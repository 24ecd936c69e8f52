"""`hooks` of a settings file: what is taken, and that the rest is an error which names its key."""

from typing import Any

import pytest

from hooks.commands.config import DEFAULT_TIMEOUT_S, EVENTS, HookSettingsError, parse_hooks

RUN = {"type": "command", "command": "true"}


def one(**handler: Any) -> dict[str, Any]:
    """Settings with one hook."""
    return {"PreToolUse": [{"matcher": "Bash", "hooks": [{**RUN, **handler}]}]}


def test_a_file_of_the_other_agent() -> None:
    """Groups, matchers, time and arguments are read in the order of the file; what is left out has its default."""
    value = {
        "PreToolUse": [
            {"matcher": "Bash|Edit", "hooks": [{**RUN, "timeout": 10}, {**RUN, "args": ["a b"]}]},
            {"hooks": [{**RUN, "command": "second", "statusMessage": "checking", "shell": "bash"}]},
        ],
        "Stop": [{"hooks": [{**RUN, "strict": True}]}],
    }
    first, second, third, last = parse_hooks(value, origin="settings.json")
    assert (first.event, first.matcher.text, first.command) == ("PreToolUse", "Bash|Edit", "true")
    assert (first.timeout_s, second.timeout_s) == (10, DEFAULT_TIMEOUT_S)
    assert (first.args, second.args, second.name) == (None, ("a b",), "true a b")
    assert (third.command, third.matcher.text) == ("second", "")
    assert [hook.is_strict for hook in (first, second, third, last)] == [False, False, False, True]
    assert {hook.origin for hook in (first, last)} == {"settings.json"}


def test_nothing() -> None:
    """No hooks are as good as none at all."""
    assert parse_hooks({}, origin="x") == parse_hooks({"Stop": []}, origin="x") == ()


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_can_be_named(event: str) -> None:
    """The settings know the events that are fired."""
    [hook] = parse_hooks({event: [{"hooks": [RUN]}]}, origin="x")
    assert hook.event == event
    assert hook.timeout_s == {"UserPromptSubmit": 30, "SessionEnd": 5}.get(event, DEFAULT_TIMEOUT_S)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {"PreTool": []},
            "`hooks.PreTool`: there is no such event; there are SessionStart, UserPromptSubmit",
        ),
        ({"PermissionRequest": []}, "`hooks.PermissionRequest`: there is no such event"),
        ([], "`hooks`: should be a valid dictionary"),
        ({"Stop": {}}, "`hooks.Stop`: should be a valid list"),
        ({"Stop": [{"hooks": []}, {"matcher": "x"}]}, "`hooks.Stop.1.hooks`: Field required"),
        ({"Stop": [{"hook": []}]}, "`hooks.Stop.0.hooks`: Field required"),
        (
            {"Stop": [{"hooks": [], "match": "x"}]},
            "`hooks.Stop.0.match` is not supported; the keys here are matcher, hooks",
        ),
        (
            one(matcher="["),
            "`hooks.PreToolUse.0.hooks.0.matcher` is not supported; the keys here are type, command",
        ),
        (
            {"Stop": [{"matcher": "[", "hooks": [RUN]}]},
            "`hooks.Stop.0.matcher`: `[` is no regular expression",
        ),
        (one(type="prompt"), "`hooks.PreToolUse.0.hooks.0.type` must be `command`"),
        (one(type="http"), "must be `command`: other kinds of hooks are not supported"),
        (one(command=""), "`hooks.PreToolUse.0.hooks.0.command`: String should have at least 1 character"),
        (one(timeout=0), "`hooks.PreToolUse.0.hooks.0.timeout`: should be greater than 0"),
        (one(timeout=float("inf")), "`hooks.PreToolUse.0.hooks.0.timeout`: should be a finite number"),
        (one(timeout="10"), "`hooks.PreToolUse.0.hooks.0.timeout`: should be a valid number"),
        (one(**{"async": True}), "`hooks.PreToolUse.0.hooks.0.async` is not supported"),
        (one(**{"if": "Bash(git *)"}), "`hooks.PreToolUse.0.hooks.0.if` is not supported"),
        (one(strict="yes"), "`hooks.PreToolUse.0.hooks.0.strict`: should be a valid boolean"),
    ],
)
def test_what_cannot_be_used_is_named(value: Any, words: str) -> None:
    """One line with the key: a hook that is meant to guard is never passed over."""
    with pytest.raises(HookSettingsError) as caught:
        parse_hooks(value, origin="settings.json")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_are_short_and_one_line() -> None:
    """What a hook is called fits a line, however long its command is."""
    [hook] = parse_hooks(one(command="if true\nthen\n  echo " + "x" * 200 + "\nfi"), origin="x")
    assert hook.name.startswith("if true then echo xxx")
    assert hook.name.endswith("xxx fi")
    assert len(hook.name) == 60
