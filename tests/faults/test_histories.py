"""Random sessions by the hundred: a strict server refuses none of their requests, and chance alone decides them."""

import json
import os
import subprocess
import sys

import pytest

from tests.faults.histories import main, run
from tests.support.sources import ROOT

COUNT = 100


def test_no_request_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The command finds nothing, says how much it tried, and ends with 0."""
    assert main(["--count", str(COUNT), "--seed", "7"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["histories"] == COUNT
    assert figures["requests"] > COUNT
    assert figures["refusals"] == 0
    assert {"budget", "micro", "snip", "summary"} <= figures["compactions"].keys()


def test_the_same_seed_is_the_same_session() -> None:
    """Rule 10: nothing hangs on the order in which a process happens to keep its sets."""
    seeds = range(3_000, 3_008)
    script = f"from tests.faults.histories import run; print(run(range({seeds.start}, {seeds.stop}), has_rules=False).digest)"
    command = [sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == run(seeds, has_rules=False).digest
