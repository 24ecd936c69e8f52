"""Typed text outlives whatever happens to the program."""

from pathlib import Path

import pytest

from tests.faults.typed import story


@pytest.mark.parametrize("seed", range(3))
def test_typed_text_is_never_lost(tmp_path: Path, seed: int) -> None:
    """A few stories of `python -m tests.faults.typed`, which plays as many as asked for."""
    played = story(tmp_path, seed)
    assert played.lost == [], played.about
