"""Imports point down."""

import subprocess
import sys

from tests.support.sources import ROOT

_COMMAND = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"


def test_the_import_contracts_hold() -> None:
    """import-linter keeps every contract of `pyproject.toml`."""
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
