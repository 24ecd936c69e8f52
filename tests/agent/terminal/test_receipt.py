"""The receipt of a compaction, of real ones that a session made."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.events import CallStarted, Compacted
from agent.offline import always, calls, last_text_starts, says, when
from agent.terminal.receipt import receipt_lines
from compaction.summary import OPENING
from tests.support.rig import Rig, rig

CODE = "\n".join(f"value_{number} = {number} * 17  # as long as lines of code are" for number in range(400))
FILES = {"AGENTS.md": "Use tabs.", **{f"mod_{number}.py": CODE for number in range(6)}}
SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Pending work: see made/up.py</summary>")))


@asynccontextmanager
async def worked(folder: Path) -> AsyncGenerator[Rig]:
    """A session that has read more files than its window holds, with a pin and an edit."""
    reads = [calls("read", file_path=path) for path in FILES if path.endswith(".py")]
    edit = calls("edit", file_path="mod_5.py", old_string="value_3 = 3", new_string="value_3 = 4")
    config = {"window": 60_000}
    async with rig(
        folder,
        *reads,
        edit,
        always(says("Done.")),
        files=FILES,
        config=config,
        routes=[SUMMARY],
        may_move=True,
    ) as made:
        await made.says("/pin never touch legacy/", "pinned")
        await made.says("look at all of them, at most 3 s", "Done.")
        await made.says("and once more", "Done.")
        yield made


def rows(text: str) -> dict[str, str]:
    """Return what stands behind each label of the last receipt, its lines joined."""
    found: dict[str, str] = {}
    label = ""
    for line in text[text.rindex("\nreceipt ") :].splitlines()[3:]:
        label = line[2:18].strip() or label
        found[label] = f"{found.get(label, '')} {line[18:].strip()}".strip()
    return found


async def test_a_receipt_of_a_cut(tmp_path: Path) -> None:
    """What left by tool, the files it is in with their hashes, what a step saves, and what stands before the undo."""
    async with worked(tmp_path) as made:
        await made.says("/compact receipt 1", "receipt 1 of ")
        record = made.harness.of(Compacted)[0].record
        told = rows(made.text)
        assert record["layer"] == "micro"
        assert f"{record['receipt']['dropped']} block" in told["left the view"]
        assert "results of " in told["left the view"]
        path = next(iter(record["receipt"]["where"].values()))
        kept = (made.harness.project / path).read_bytes()
        assert path in told["where"].replace(" ", "")
        assert sha256(kept).hexdigest()[:12] in told["where"]
        assert re.search(r"saves [\d.]+k? a step, \$0\.\d+", told["cost"])
        later = len(made.harness.state.standing) - 1
        assert f"/compact undo, after the {later} compaction" in told["undo"]


async def test_a_receipt_of_a_summary(tmp_path: Path) -> None:
    """What stays by kind, the facts it lacks or made up, what it cost; then that it was undone, and stands again."""
    async with worked(tmp_path) as made:
        await made.says("/compact", "⟲ summary")
        await made.says("/compact receipt", "facts  ")
        told = rows(made.text)
        record = made.harness.of(Compacted)[-1].record
        assert record["receipt"]["archive"] in told["where"]
        assert record["receipt"]["sha256"][:12] in told["where"]
        for kind in ("pins", "your earlier prompts", "ledger", "summary", "file", "instructions, catalog"):
            assert kind in told["stays"]
        assert "not in the log: `made/up.py`" in told["facts"]
        found, total = re.findall(r"(\d+) of (\d+) found", told["facts"])[0]
        assert 0 <= int(found) <= int(total) == record["receipt"]["facts"]["total"] > 0
        assert re.search(r"summary \$[\d.]+ \(read [\d.]+k? of [\d.]+k? from the cache\)", told["cost"])
        assert told["undo"].startswith("/compact undo (while")
        for words, said, way in (("undo", "undone", "/compact redo"), ("redo", "redone", "/compact undo (")):
            await made.says(f"/compact {words}", said)
            made.above.clear()
            await made.says("/compact receipt", "undo  ")
            assert way in rows("\n" + made.text)["undo"]


async def test_sizes_add_up(tmp_path: Path) -> None:
    """What stays by kind is what the context came to, by the rounded figures that are shown."""
    async with worked(tmp_path) as made:
        await made.says("/compact", "⟲ summary")
        await made.says("/compact receipt", "undo  ")
        stays = rows(made.text)["stays"]
        shown = [
            float(number) * (1_000 if k else 1)
            for number, k in re.findall(r" ([\d.]+)(k?)(?= ·| [a-z]|$)", stays)
        ]
        after = made.harness.of(Compacted)[-1].receipt["after"]
        assert abs(sum(shown) - after) < 50 * len(shown)


async def test_which_receipts_there_are(tmp_path: Path) -> None:
    """None yet, a number too high, and words behind `receipt` that are a focus after all."""
    async with rig(tmp_path, says("Hi."), routes=[SUMMARY]) as made:
        await made.says("/compact receipt", "no compaction yet")
        await made.says("/compact receipt 2", "no compaction yet")
    async with worked(tmp_path / "two") as made:
        await made.says(
            "/compact receipt 99", f"this session has had {len(made.harness.of(Compacted))} compaction"
        )
        await made.says("/compact receipts of the customers", "⟲ summary")
        asked = [str(query.body) for query in made.harness.server.queries if OPENING in str(query.body)]
        assert "what concerns: receipts of the customers" in asked[-1]


async def test_a_receipt_beside_a_turn(tmp_path: Path) -> None:
    """It comes at once; nothing waits for it, nor it for the turn."""
    async with rig(tmp_path, calls("bash", command="sleep 0.5"), says("Done.")) as made:
        made.harness.once(CallStarted, lambda: made.repl.submit("/compact receipt"))
        await made.says("go", "Done.")
        assert made.text.index("no compaction yet") < made.text.index("Done.")


async def test_a_receipt_fits_any_screen(tmp_path: Path) -> None:
    """No line is wider than the screen; no path is cut."""
    async with worked(tmp_path) as made:
        await made.says("/compact", "⟲ summary")
        for event, width in product(made.harness.of(Compacted), (20, 40, 59, 60, 100, 160)):
            lines = receipt_lines(dict(event.record), made.harness.state, width)
            assert all(cell_len(line) <= width for line in lines)
            whole = "".join(line.strip() for line in lines)
            assert all(path in whole for path in list(event.receipt["where"].values())[:1])


async def test_a_receipt_of_an_earlier_version(tmp_path: Path) -> None:
    """What it does not hold is left out."""
    async with worked(tmp_path) as made:
        old = {
            "id": "r2",
            "step": 3,
            "layer": "summary",
            "changes": [],
            "files": [],
            "receipt": {"layer": "summary"},
        }
        lines = receipt_lines(old, made.harness.state, 80)
        assert lines[0].startswith("⟲ summary · step 3 · 0 → 0")
        assert lines[-1].split() == ["undo", *["it", "does", "not", "stand", "any", "more"]]


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = (
    "layer",
    "cause",
    "before",
    "after",
    "dropped",
    "where",
    "archive",
    "sha256",
    "usage",
    "facts",
    "parts",
)


async def test_a_damaged_receipt(tmp_path: Path) -> None:
    """Whatever stands in its place, lines come that fit and hold no control character."""
    async with worked(tmp_path) as made:
        await made.says("/compact", "⟲ summary")
        whole = dict(made.harness.of(Compacted)[-1].record)

        @settings(
            max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
        )
        @given(st.sampled_from(FIELDS), ODD, st.integers(20, 160))
        def odd(field: str, value: Any, width: int) -> None:
            record = {**whole, "receipt": {**whole["receipt"], field: value}}
            lines = receipt_lines(record, made.harness.state, width)
            assert lines
            assert all(cell_len(line) <= width for line in lines)
            assert not set("\x00\x1b\x9b\n\r") & set("".join(lines))

        odd()
        assert receipt_lines({**whole, "changes": 3}, made.harness.state, 80) == [
            f"⟲ {whole['id']} · its line in the session's log is damaged"
        ]


async def test_a_model_without_prices(tmp_path: Path) -> None:
    """No money is made up, in the receipt nor in a preview; steps are told where tokens alone say them."""
    async with worked(tmp_path) as made:
        await made.says("/compact", "⟲ summary")
        state = made.harness.state
        made.harness.agent.session.append("model", model="local/thing")
        told = [
            "\n".join(receipt_lines(dict(event.record), state, 160)) for event in made.harness.of(Compacted)
        ]
        assert not re.search(r"\$\d", "".join(told))
        assert "summary $? (read " in told[-1]
        assert "pays after " in told[0]
        await made.says("/compact undo", "undone")
        await made.says("/compact preview", "$? and the words it writes")
