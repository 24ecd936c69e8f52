"""`/context`: the grid, the legend, the largest blocks."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.compacting.filling import filling
from agent.offline import always, calls, says
from agent.terminal.context_grid import FREE, LETTERS, RESERVE, grid, grid_lines, legend
from agent.terminal.context_lines import context_lines
from agent.terminal.status_bar import MOST_TURNS
from compaction.policy import SummaryRule
from tests.support.rig import rig

FILES = {"AGENTS.md": "Use tabs.", "漢字 file\x1b.py": "値 = 1\n" * 900, "b.py": "y = 2\n" * 300}


def test_the_grid_of_a_usual_window() -> None:
    """Round cells; categories in a fixed order; the reserve at its end."""
    filled = {"system": 1_900, "tools": 2_000, "read": 31_400, "user": 900, FREE: 130_800, RESERVE: 33_000}
    made = grid(filled, 200_000, 100)
    assert (made.cell_tokens, made.columns, len(made.cells)) == (1_000, 40, 200)
    assert Counter(made.cells) == {"system": 2, "tools": 2, "user": 1, "read": 31, FREE: 131, RESERVE: 33}
    assert grid_lines(made)[0].plain.startswith("  S S T T u r r r ")


@given(
    st.dictionaries(st.sampled_from(list(LETTERS)), st.integers(0, 400_000)),
    st.integers(16_000, 2_000_000),
    st.integers(20, 250),
)
def test_any_grid(filled: dict[str, int], window: int, width: int) -> None:
    """At most six rows within the width hold all tokens; what fills two cells is seen; the legend has each once."""
    made = grid(filled, window, width)
    whole = max(window, sum(filled.values()))
    rows, entries = grid_lines(made), legend(filled, window, width)
    assert len(rows) <= 6
    assert (len(made.cells) - 1) * made.cell_tokens < whole <= len(made.cells) * made.cell_tokens
    assert {name for name, count in filled.items() if count >= 2 * made.cell_tokens} <= set(made.cells)
    assert set(made.cells) <= {*(name for name, count in filled.items() if count), FREE}
    assert all(line.cell_len <= max(width, 40) for line in [*rows, *entries])
    told = "\n".join(line.plain for line in entries)
    assert all((f"{label} " in told) == bool(filled.get(name)) for name, (_, _, label) in LETTERS.items())


@pytest.mark.parametrize("width", [40, 48, 80, 100, 160])
async def test_context_on_a_screen(tmp_path: Path, width: int) -> None:
    """Every line fits; names from outside are safe; the table names what the filling holds, the ten largest stand."""
    reads = [calls("read", file_path=path) for path in FILES]
    async with rig(tmp_path, *reads, always(says("Done.")), files=FILES) as made:
        await made.says("look", "Done.")
        state, sizes = made.harness.state, made.desk.agent.compactor.sizes
        coming = made.desk.agent.compactor.foresee()
        found = context_lines(state, sizes, coming, rule=SummaryRule(), width=width)
        lines = [line.plain for line in found]
        assert all(cell_len(line) <= width for line in lines)
        whole = "\n".join(lines)
        assert "\x1b" not in whole
        assert "measured " in whole
        assert all(f"{LETTERS[name][0]} {LETTERS[name][2]} " in whole for name in filling(state).categories)
        assert whole.count("(step ") == len(
            [share for share in filling(state).largest(10) if share.placed.step]
        )
        assert "read b.py" in whole


async def test_context_command(tmp_path: Path) -> None:
    """It says how full the context is, also while a turn runs; of blocks, and of turns to come, only what there is."""
    replies = (says("Hi."), *(says(f"Part {number}. " * 300) for number in range(3)))
    async with rig(tmp_path, *replies) as made:
        await made.says("/context", "each cell ")
        assert "largest" not in made.text
        await made.says("hello", "Hi.")
        await made.says("/context", "u you")
        size = made.harness.state.context_size
        assert f"measured {size / 1_000:.1f}k".replace(".0k", "k") in made.text
        assert "largest" in made.text
        for number in range(3):
            await made.says("on", f"Part {number}.")
        sizes = made.desk.agent.compactor.sizes
        left = made.harness.state.turns_left(sizes.threshold)
        assert left is not None
        assert left > MOST_TURNS
        before = len(made.above)
        made.repl.submit("/context")
        await made.until(lambda: "largest" in made.text_from(before))
        assert "until then" not in made.text_from(before)


@pytest.mark.parametrize(
    ("preset", "when"),
    [
        ("balanced", "summary at 167k"),
        ("classic", "summary at 50,000 characters or 167k"),
        ("early", "summary at 50k"),
        ("off", "no summary by itself"),
    ],
)
async def test_when_a_summary_comes(tmp_path: Path, preset: str, when: str) -> None:
    """As the preset says; under `off` nothing is promised that does not come."""
    async with rig(tmp_path, says("Hi."), config={"preset": preset}) as made:
        await made.says("hello", "Hi.")
        await made.says("/context", f" · {when} · ")
        await made.says("/compact preview", f"before the next step: nothing · {when}\n")
