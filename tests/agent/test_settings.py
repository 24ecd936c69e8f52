"""Settings files: what they may hold, and one clear line for whatever else they do."""

from pathlib import Path

import pytest

from agent.errors import SettingsError
from agent.settings import MAX_FILE_BYTES, Settings, check_window, read_settings


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "settings.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def complaint(path: Path) -> str:
    with pytest.raises(SettingsError) as caught:
        read_settings(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_every_key_is_read(tmp_path: Path) -> None:
    """All keys, in a file with comments, a trailing comma and a byte order mark."""
    text = """\ufeff{
        // what I work with
        "model": "m", "effort": "low", "context_window": 16000, "append_system_prompt": "be brief",
        "compaction": "classic", "editing": "vi",
        "permissions": {"mode": "plan", "allow": ["read"], "ask": ["bash"], "deny": ["edit(x)"]}, /* done */
    }"""
    settings = read_settings(written(tmp_path, text))
    assert settings.model == "m"
    assert settings.effort == "low"
    assert settings.context_window == 16_000
    assert settings.append_system_prompt == "be brief"
    assert settings.compaction == "classic"
    assert settings.editing == "vi"
    assert settings.permissions.mode == "plan"
    assert settings.permissions.lists() == {"allow": ["read"], "ask": ["bash"], "deny": ["edit(x)"]}


@pytest.mark.parametrize(
    ("text", "mode", "network", "write"),
    [
        ('{"sandbox": "on"}', "on", False, []),
        ('{"sandbox": "off"}', "off", False, []),
        ('{"sandbox": {"mode": "on", "network": true, "write": ["~/.cache"]}}', "on", True, ["~/.cache"]),
    ],
)
def test_the_sandbox_is_a_word_or_an_object(
    text: str, mode: str, network: bool, write: list[str], tmp_path: Path
) -> None:
    """`on`, `off`, or all that can be said of it; without a word on it the network is off."""
    sandbox = read_settings(written(tmp_path, text)).sandbox
    assert sandbox is not None
    assert (sandbox.mode, sandbox.network, sandbox.write) == (mode, network, write)


@pytest.mark.parametrize("text", ["", " \n", "{}"])
def test_an_empty_file_says_nothing(tmp_path: Path, text: str) -> None:
    """An empty file is as good as an empty object."""
    assert read_settings(written(tmp_path, text)) == Settings()


def test_a_missing_file_is_fine_only_where_none_must_be(tmp_path: Path) -> None:
    """The user's own file may be missing, one named on the command line may not."""
    assert read_settings(tmp_path / "settings.json", is_optional=True) == Settings()
    assert "does not exist" in complaint(tmp_path / "settings.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"modell": "m"}', "no key `modell`; the keys here are model, effort, permissions"),
        (
            '{"permissions": {"alow": []}}',
            "no key `permissions.alow`; the keys here are mode, allow, ask, deny",
        ),
        ('{"compaction": "clasic"}', "`compaction`: no preset `clasic`: did you mean `classic`?"),
        ('{"compaction": 3}', "`compaction`: should be a valid string"),
        ('{"hooks": {"PreTool": []}}', "`hooks.PreTool`: there is no such event; there are SessionStart"),
        ('{"hooks": [1]}', "`hooks`: should be a valid dictionary"),
        ('{"sandbox": {}}', "`sandbox.mode`: Field required"),
        ('{"sandbox": "maybe"}', "`sandbox.mode`: should be 'on' or 'off'"),
        ('{"sandbox": true}', "`sandbox`: should be"),
        (
            '{"sandbox": {"mode": "on", "net": true}}',
            "no key `sandbox.net`; the keys here are mode, network, write",
        ),
        ('{"sandbox": {"mode": "on", "network": "yes"}}', "`sandbox.network`: should be a valid boolean"),
        ('{"model": 3}', "`model`: should be a valid string"),
        ('{"model": ""}', "`model`"),
        ('{"effort": "huge"}', "`effort`: should be 'low', 'medium'"),
        ('{"context_window": "16000"}', "`context_window`: should be a valid integer"),
        ('{"context_window": 5000}', "5,000 is too small; 16,000 tokens is the least"),
        ('{"permissions": {"mode": "yolo"}}', "`permissions.mode`: should be 'ask', 'accept-edits'"),
        ('{"permissions": {"allow": "read"}}', "`permissions.allow`: should be a valid list"),
        ('{"permissions": {"allow": [1]}}', "`permissions.allow.0`: should be a valid string"),
        ('{"model":\n foo}', "is no JSON: line 2"),
        ("[1]", "must hold one JSON object"),
        ("null", "must hold one JSON object"),
        ("[" * 100_000, "is no JSON"),
        (b'{"model": "\xff"}', "is not UTF-8"),
        (b" " * (MAX_FILE_BYTES + 1), "is larger than 1,000,000 bytes"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str | bytes, words: str) -> None:
    """One line that names the file, the key and what is expected; nothing is skipped silently."""
    assert words in complaint(written(tmp_path, text))


def test_the_schema_that_editors_read_is_no_setting(tmp_path: Path) -> None:
    """Files that people have begin with it; it is passed over."""
    text = '{"$schema": "https://example.org/settings.json", "effort": "low"}'
    assert read_settings(written(tmp_path, text)).effort == "low"


def test_a_folder_or_a_closed_file_cannot_be_read(tmp_path: Path) -> None:
    """What the system says about a file that cannot be opened is passed on, in one line."""
    assert "cannot be read: Is a directory" in complaint(tmp_path)
    assert "does not exist" in complaint(written(tmp_path, "{}") / "below")


def test_a_window_must_leave_room_for_work() -> None:
    """16,000 tokens is the least; the reason is said."""
    check_window(None, "x")
    check_window(16_000, "x")
    with pytest.raises(SettingsError, match=r"--context-window: .*15,999 is too small.*no room"):
        check_window(15_999, "--context-window")
