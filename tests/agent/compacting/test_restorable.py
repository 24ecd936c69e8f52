"""Files that come back after a summary: as they are on disk, if the model knew them so, within their share."""

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.compacting.numbered import numbered
from agent.compacting.restorable import FILE_TOKENS, restorable
from agent.session.replay import apply, empty_state
from agent.session.state import State
from compaction.policy import Sizes

SIZES = Sizes(window=200_000, max_output=32_000)


def worked(project: Path, *paths: str) -> State:
    """A session that read these files, the last one last."""
    state = empty_state(project, lambda block: len(str(block)) // 4, lambda *_: None)
    add(state, "session", system=[], tools=[], model="claude-sonnet-5-5", session="x")
    add(state, "message", role="user", content=[{"type": "text", "text": "Go."}], said=[0])
    for step, path in enumerate(paths, 1):
        use = {"type": "tool_use", "id": f"t{step}", "name": "read", "input": {"file_path": path}}
        add(state, "message", role="assistant", content=[use], model="m", prefix_sha="", step=step)
        sha = hashlib.sha256((project / path).read_bytes()).hexdigest()
        known = {str((project / path).resolve()): {"sha256": sha, "ranges": [], "is_whole": True, "lines": 1}}
        result = add(
            state, "result", call=f"t{step}", name="read", content="1\tx", facts={"known": known}, step=step
        )
        add(state, "message", role="user", results=[result], content=[], step=step)
    return state


def add(state: State, kind: str, **fields: Any) -> str:
    id_ = f"r{int(state.last[1:] or 0) + 1 if state.last else 1}"
    apply(state, {"v": 1, "id": id_, "type": kind, "at": "2027-01-15T08:00:00Z", **fields})
    return id_


def test_the_newest_first_and_only_as_known(tmp_path: Path) -> None:
    """One that changed since, or is gone, has to be read again in any case; a file comes once by whatever names."""
    for name in "abcd":
        (tmp_path / name).write_text(f"{name} = 1\n", "utf-8")
    (tmp_path / "same").symlink_to("c")
    state = worked(tmp_path, "a", "b", "c", "same", "d", str(tmp_path / "a"))
    (tmp_path / "b").write_text("other\n", "utf-8")
    (tmp_path / "d").unlink()

    assert restorable(state, SIZES, 5) == [(str(tmp_path / "a"), "1\ta = 1"), ("same", "1\tc = 1")]
    assert restorable(state, SIZES, 1) == [(str(tmp_path / "a"), "1\ta = 1")]
    assert restorable(state, SIZES, 0) == []


def test_a_long_file_comes_with_its_head(tmp_path: Path) -> None:
    """Whole lines, and where to read on; all files together take their share of the window at most."""
    for name in "abc":
        (tmp_path / name).write_text("word " * 20 + "\n" + "x = 1\n" * 8_000, "utf-8")
    state = worked(tmp_path, "a", "b", "c")
    sizes = Sizes(window=50_000, max_output=8_000)
    found = restorable(state, sizes, 5)
    lines = found[0][1].split("\n")

    assert lines[0] == "1\t" + "word " * 20
    assert lines[-1] == f"[lines 1-{len(lines) - 1} of 8001; `read` goes on with offset {len(lines)}]"
    tokens = [state.count({"type": "text", "text": shown}) for _, shown in found]
    assert max(tokens) <= FILE_TOKENS
    assert sum(tokens) <= sizes.restored


@given(st.integers(16_000, 60_000), st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_they_fit_whatever_the_window(window: int, lengths: list[int]) -> None:
    """It ends, and all together keep within their share, however little room is left."""
    with TemporaryDirectory() as folder:
        project = Path(folder)
        for number, length in enumerate(lengths):
            (project / f"f{number}").write_text(("word " * length + "\n") * 40, "utf-8")
        state = worked(project, *(f"f{number}" for number in range(len(lengths))))
        sizes = Sizes(window=window, max_output=8_000)
        found = restorable(state, sizes, 5)
        tokens = [state.count({"type": "text", "text": shown}) for _, shown in found]
        assert sum(tokens) <= sizes.restored


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * 70_000])
def test_what_is_no_text_or_too_large_stays_out(tmp_path: Path, content: bytes) -> None:
    """Such a file is read by hand, if at all."""
    (tmp_path / "a").write_bytes(content)
    state = worked(tmp_path, "a")

    assert numbered(tmp_path / "a") == ""
    assert restorable(state, SIZES, 5) == []
