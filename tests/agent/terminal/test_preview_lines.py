"""`/compact preview` on a screen: a diff of what would leave, and at what price."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len

from agent.events import CallStarted
from agent.offline import always, calls, last_text_starts, says, when
from agent.terminal.preview_lines import preview_lines
from compaction.summary import OPENING
from tests.support.rig import Rig, rig

CODE = "\n".join(f"value_{number} = {number} * 17  # as long as lines of code are" for number in range(300))
FILES = {"AGENTS.md": "Use tabs.", "漢字\x1b[2J.py": CODE, "b.py": CODE, "c.py": CODE}
SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Pending work: the task</summary>")))


@asynccontextmanager
async def worked(folder: Path, window: int = 200_000) -> AsyncGenerator[Rig]:
    """A session that has read three files, one of an odd name."""
    reads = [calls("read", file_path=path) for path in FILES if path.endswith(".py")]
    config = {"window": window}
    async with rig(
        folder, *reads, always(says("Done.")), files=FILES, config=config, routes=[SUMMARY], may_move=True
    ) as made:
        await made.says("look at all of them", "Done.")
        yield made


async def test_a_preview_by_hand(tmp_path: Path) -> None:
    """Nothing is due; what would leave first; then signs for what leaves and comes, the archive, the price."""
    async with worked(tmp_path) as made:
        await made.says("/compact preview", "and the words it writes")
        told = made.text[made.text.index("> /compact preview") :]
        assert "before the next step: nothing" in told
        assert "\n/compact now: summary " in told
        assert " and the summary's words (at most 20k) · asked for\n" in told
        assert "k  read b.py (not touched for 2 steps)\n" in told
        assert "\n  + request " in told
        assert f"\n  → .transcripts/{made.harness.state.session_id}/archive-001.md\n" in told
        assert "from the cache, $0.00" in told
        assert "\x1b" not in told.replace("\x1b[0m", "")


async def test_a_preview_of_what_is_due(tmp_path: Path) -> None:
    """A window that has become too small: the layers' plan comes first, under the words `before the next step`."""
    async with worked(tmp_path, window=24_000) as made:
        made.harness.agent.session.append("note", text="refused", corrected_tokens=23_000)
        await made.says("/compact preview", "/compact now")
        told = made.text[made.text.index("> /compact preview") :]
        assert "\nbefore the next step: " in told
        assert " · over the threshold\n" in told
        assert "would leave first" not in told
        await made.says("/context", "more: /compact preview")
        assert "before the next step leaves: " in made.text


async def test_a_session_that_nothing_would_make_smaller(tmp_path: Path) -> None:
    """It says so."""
    async with rig(tmp_path, says("Hi.")) as made:
        await made.says("/compact preview", "/compact now: nothing, a summary would not be smaller")


@pytest.mark.parametrize("width", [20, 40, 80, 100, 160])
async def test_a_preview_fits_any_screen(tmp_path: Path, width: int) -> None:
    """No line is wider than the screen is, from 40 columns on; nothing from outside is obeyed."""
    async with worked(tmp_path) as made:
        compactor = made.desk.agent.compactor
        lines = preview_lines(compactor.foresee(), made.harness.state, compactor.sizes, width)
        assert all(line.cell_len <= max(width, 40) for line in lines)
        assert "\x1b" not in "\n".join(line.plain for line in lines)
        assert any("漢字\\x1b" in line.plain for line in lines)


async def test_while_a_call_runs(tmp_path: Path) -> None:
    """/context answers, without what nobody has decided yet."""
    async with rig(tmp_path, calls("bash", command="sleep 0.3; echo ended"), says("Done.")) as made:
        made.harness.once(CallStarted, lambda: made.repl.submit("/context"))
        await made.says("go", "Done.")
        told = made.text[made.text.index("> /context") :]
        assert "each cell " in told
        assert "/compact now" not in told
        assert preview_lines(None, made.harness.state, made.desk.agent.compactor.sizes, 80)[
            0
        ].plain.startswith("calls are running")


async def test_a_line_of_a_block_names_it(tmp_path: Path) -> None:
    """Long names are cut before their reason is."""
    command = "seq 3000; echo " + "long " * 60
    async with rig(tmp_path, calls("bash", command=command), always(says("Done.")), files=FILES) as made:
        await made.says("go", "Done.")
        compactor = made.desk.agent.compactor
        found = preview_lines(compactor.foresee(), made.harness.state, compactor.sizes, 80)
        (line,) = [
            line.plain for line in found if "exit code 0, 1 step ago" in line.plain and "  bash" in line.plain
        ]
        assert cell_len(line) <= 80
        assert "… (exit code 0" in line
