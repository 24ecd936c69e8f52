"""What flags and settings files come to."""

from pathlib import Path

import pytest

from agent.assembly.head import sizes_of
from agent.choices import config_of
from agent.errors import SettingsError
from agent.flags import Flags
from agent.settings import Settings
from compaction.presets import PRESETS

MODEL = "claude-sonnet-5-5"


@pytest.mark.parametrize(
    ("flag", "weak", "strong", "wanted"),
    [
        (None, None, None, "balanced"),
        (None, "early", None, "early"),
        (None, "early", "window", "window"),
        ("off", "early", "window", "off"),
    ],
)
def test_the_preset(
    tmp_path: Path, flag: str | None, weak: str | None, strong: str | None, wanted: str
) -> None:
    """A flag goes before files, the stronger file before the weaker, anything before the default."""
    files = [("weak", Settings(compaction=weak)), ("strong", Settings(compaction=strong))]
    config = config_of(Flags(cwd=tmp_path, compaction=flag), files, {"AGENT_HOME": str(tmp_path)})
    assert config.preset == wanted


def test_a_preset_that_does_not_exist(tmp_path: Path) -> None:
    """The nearest is named, and all there are."""
    with pytest.raises(SettingsError, match=r"--compaction: no preset `widow`: did you mean `window`\?"):
        config_of(Flags(cwd=tmp_path, compaction="widow"), [], {"AGENT_HOME": str(tmp_path)})


@pytest.mark.parametrize("preset", PRESETS)
def test_the_threshold_is_the_presets_where_that_is_lower(tmp_path: Path, preset: str) -> None:
    """50,000 tokens for `early`, the window's for the others; in a small window the window's for all."""
    env = {"AGENT_HOME": str(tmp_path)}
    large = sizes_of(config_of(Flags(cwd=tmp_path, compaction=preset), [], env), MODEL)
    small = sizes_of(config_of(Flags(cwd=tmp_path, compaction=preset, context_window=20_000), [], env), MODEL)
    assert large.threshold == (50_000 if preset == "early" else 167_000)
    assert small.threshold == 14_000
