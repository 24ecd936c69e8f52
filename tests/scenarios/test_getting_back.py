"""The ways that the prompt names to what was left out of a result lead there, and nobody is asked about them."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.offline import Reply, Request, calls, says
from hooks.permission.judge import Mode
from tests.support.agent import scenario

MARK = re.compile(r"\[\[kept: \S+ · .* · read (\S+)\]\]")
LINES = "".join(f"line {number} of the report\n" for number in range(1, 4_001))


def _path(request: Request) -> str:
    """Return where the newest result with a mark says that all of it is."""
    found = [MARK.search(result) for result in request.results.values()]
    [path] = [match[1] for match in found if match]
    return path


def searches(request: Request) -> Reply:
    """Look for a line in the file that the mark names."""
    return calls("bash", command=f"rg -n 'line 1999 ' {_path(request)}")


def ends(request: Request) -> Reply:
    """Look at its end."""
    return calls("bash", command=f"tail -n 1 {_path(request)}")


def reads(request: Request) -> Reply:
    """Read from a line on."""
    return calls("read", file_path=_path(request), offset=1_999, limit=1)


@pytest.mark.parametrize(
    ("way", "found"),
    [(searches, "1999:line 1999 of"), (ends, "line 4000 of"), (reads, "1999\tline 1999 of")],
)
@pytest.mark.parametrize("mode", ["ask", "plan"])
async def test_text_left_out_is_got_back(
    tmp_path: Path, way: Callable[[Request], Reply], found: str, mode: Mode
) -> None:
    """Output over the limit is cut in the middle; searching, tailing and reading the file that keeps it need no permission."""
    turns = (calls("bash", command="cat report.txt"), way, says("Done."))
    async with scenario(tmp_path, *turns, files={"report.txt": LINES}, mode=mode) as harness:
        await harness.turn("what does line 1999 say?")
        first, second = harness.log_records("result")
        assert "line 1999 " not in str(first["content"])
        assert str(second["content"]).startswith(found)
        assert not second["is_error"]
