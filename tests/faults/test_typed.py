"""Typed text outlives whatever happens to the program."""

from pathlib import Path

import pytest

from tests.faults.typed import typed_text_lost


@pytest.mark.parametrize("seed", range(3))
def test_typed_text_is_never_lost(tmp_path: Path, seed: int) -> None:
    """A few stories of `python -m tests.faults.typed`, which plays as many as asked for."""
    assert typed_text_lost(tmp_path, seed) == ""
