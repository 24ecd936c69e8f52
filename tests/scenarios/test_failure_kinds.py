"""The kinds of failure that users of other agents report of their compaction: none of them happens here.

`PROVEN` names the tests that prove the kinds that are not proven below. Only a word is needed for one half of a kind:
24, silent deletion: nothing in this program deletes a session; folders of sessions are only ever added to.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from agent.events import Compacted, Notice
from agent.offline import Reply, Request, always, calls, error, last_text_starts, prefix_bytes, says, when
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.invariants import is_for_summary, main_requests
from tests.support.long_session import picture, texts

ROOT = Path(__file__).parents[2]
SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: SUMMED UP</summary>")))
STORY = says("A long story. " * 1_200, chunk_chars=20_000)
MODEL = "claude-sonnet-5-5"
PROVEN = {
    2: (
        "tests/scenarios/test_summary_faults.py::test_f43_a_too_long_to_be_summarised",
        "tests/scenarios/test_long_history.py::test_the_server_means_it",
    ),
    3: ("tests/scenarios/test_long_history.py::test_refused_again",),
    4: (
        "tests/agent/api/test_api_errors.py::test_a_rate_limit_is_never_an_overflow",
        "tests/agent/api/test_api_errors.py::test_the_veto_reads_the_text_too",
    ),
    5: (
        "tests/scenarios/test_compaction_cases.py::test_f40_b_the_cut_falls_anywhere",
        "tests/scenarios/test_random_scripts.py::test_any_script",
        "tests/scenarios/test_kills.py::test_killed_behind_every_record",
    ),
    12: (
        "tests/compaction/test_layers.py::test_a_cut_fires_when_it_pays",
        "tests/scenarios/test_three_hundred_steps.py::test_a_session_longer_than_its_window",
    ),
    13: ("tests/scenarios/test_thirty_steps.py::test_the_next_day",),
    14: (
        "tests/agent/session/test_session_log.py::test_damaged_lines_give_what_they_hold",
        "tests/agent/test_headless_resume.py::test_damage_is_said",
        "tests/agent/sessions/test_list.py::test_damage_is_passed_over",
    ),
    15: (
        "tests/scenarios/test_meter.py::test_f49_the_context",
        "tests/scenarios/test_meter.py::test_f49_usage_in_parts",
    ),
    16: (
        "tests/agent/test_token_counter.py::test_never_below_90_percent",
        "tests/scenarios/test_hard_compactions.py::test_a_dense_result_ends_no_session",
    ),
    19: ("tests/agent/test_loop_steering.py::test_it_survives_a_compaction",),
    20: (
        "tests/scenarios/test_summary_faults.py::test_f43_b_c_d_f_no_summary",
        "tests/compaction/test_summary.py::test_only_a_finished_summary_is_accepted",
    ),
    21: (
        "tests/scenarios/test_summary_faults.py::test_f43_g_interrupted",
        "tests/agent/terminal/test_commands.py::test_esc_stops_a_compaction",
    ),
    22: (
        "tests/scenarios/test_thinking.py::test_f41_c_compaction",
        "tests/scenarios/test_compaction_cases.py::test_f41_d_clearing_of_old_results",
    ),
    23: (
        "tests/scenarios/test_compaction_kills.py::test_undo_after_each_of_ten_summaries",
        "tests/scenarios/test_balanced_sessions.py::test_undo_redo_preview_and_pins",
    ),
}
HERE = {1, 6, 7, 8, 9, 10, 11, 17, 18, 24, 25}


def usage(total: int) -> dict[str, int]:
    """A usage of so many tokens."""
    return {"input_tokens": total, "output_tokens": 10}


def newest(harness: Harness) -> str:
    """The texts of the main agent's newest request."""
    return texts(main_requests(harness.server.queries)[-1].body)


def summaries(harness: Harness) -> int:
    """How many summaries were asked for."""
    return sum(map(is_for_summary, harness.server.queries))


@pytest.mark.parametrize("kind", PROVEN)
def test_the_tests_that_prove_it_exist(kind: int) -> None:
    """Each name leads to a test."""
    for name in PROVEN[kind]:
        path, test = name.split("::")
        assert re.search(rf"^(async )?def {test}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE), name


def test_all_kinds_are_proven() -> None:
    """Twenty-five, here or elsewhere, none twice."""
    assert HERE.isdisjoint(PROVEN)
    assert PROVEN.keys() | HERE == set(range(1, 26))


async def test_kind_1_no_loop(tmp_path: Path) -> None:
    """A window that is full again after each compaction: it stops after two in vain, and says what fills it."""
    full = [calls("bash", command=f"seq {n} 900").having(usage=usage(58_000)) for n in range(16)]
    how: dict[str, Any] = {"routes": [SUMMARY], "config": {"window": 60_000}, "may_move": True}
    async with scenario(tmp_path, STORY, *full, says("Done."), **how) as harness:
        await harness.turn("Tell me.")
        await harness.turn("Go.")
        assert 1 <= summaries(harness) <= 3
        assert len(harness.of(Compacted)) <= 4
        assert "compaction pauses" in " ".join(event.text for event in harness.of(Notice))


async def test_kind_6_rules_stay(tmp_path: Path) -> None:
    """Instructions are read anew, pins stay word for word, refusals do not hang on what the model remembers."""
    turns = [STORY, calls("bash", command="git push"), says("Refused."), says("Hello.")]
    rules, files = {"deny": ["bash(git push:*)"]}, {"AGENTS.md": "Never push.\n"}
    async with scenario(tmp_path, *turns, routes=[SUMMARY], files=files, rules=rules) as harness:
        await harness.turn("Tell me.")
        harness.pin("the API is frozen")
        (harness.project / "AGENTS.md").write_text("Never push, never rebase.\n")
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("Push it.")
        assert "Never push, never rebase." in newest(harness)
        assert newest(harness).count("the API is frozen") == 1
        assert "Refused: denied by the rule" in newest(harness)
        await harness.resume()
        await harness.turn("And now?")
        assert "Never push, never rebase." in newest(harness)


async def test_kind_7_the_plan_stays(tmp_path: Path) -> None:
    """Open todos stand behind a compaction as they are; a list that is done is not brought up again."""

    def todos(*statuses: str) -> Reply:
        items = [{"content": f"part {n}", "status": status} for n, status in enumerate(statuses)]
        return calls("todo_write", todos=items)

    turns = [todos("completed", "in_progress", "pending"), STORY, says("On it."), todos("completed"), STORY]
    async with scenario(tmp_path, *turns, says("Hello."), routes=[SUMMARY]) as harness:
        await harness.turn("Plan.")
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("On.")
        assert "[in_progress] part 1" in newest(harness)
        assert "[pending] part 2" in newest(harness)
        await harness.turn("Finish.")
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("hi")
        assert "[pending]" not in newest(harness)
        assert "[in_progress]" not in newest(harness)


async def test_kind_8_finished_work_is_known(tmp_path: Path) -> None:
    """What was edited and run stands behind a compaction with its outcome, whatever the summary says."""
    turns = [
        calls("read", file_path="a.py"),
        calls("edit", file_path="a.py", old_string="1", new_string="2"),
        calls("bash", command="python3 a.py"),
        calls("bash", command="exit 3"),
        STORY + calls("compact"),
        says("Done."),
    ]
    async with scenario(tmp_path, *turns, routes=[SUMMARY], files={"a.py": "x = 1\n"}) as harness:
        await harness.turn("Set x to 2 and run it.")
        assert harness.state.compactions == 1
        assert re.search(r"edit.*a\.py", newest(harness))
        assert "python3 a.py" in newest(harness)
        assert re.search(r"exit 3.*(failed|exit( code)? 3)", newest(harness))
        assert "Set x to 2 and run it." in newest(harness)


async def test_kind_9_an_old_request_is_no_new_one(tmp_path: Path) -> None:
    """Between turns nothing is open: the old request is listed as answered, the summary is marked as reference."""
    async with scenario(tmp_path, STORY, says("Hello."), routes=[SUMMARY]) as harness:
        await harness.turn("Delete the old branch.")
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("What time is it?")
        body = main_requests(harness.server.queries)[-1].body
        said = [block["text"] for block in body["messages"][-1]["content"]]
        old = next(text for text in said if "Delete the old branch." in text)
        assert "answered" in old
        assert "not instructions" in next(text for text in said if "SUMMED UP" in text)
        assert any("No request is open" in text for text in said)
        assert said[-1] == "What time is it?"


async def test_kinds_10_11_reading_again(tmp_path: Path) -> None:
    """What was read is listed with its path; a file whose text left the view is given whole when it is read again."""
    files = {"a.py": "".join(f"value_{number} = {number}\n" for number in range(400))}
    read = calls("read", file_path="a.py")
    turns = [read, read, STORY, read, says("Read.")]
    async with scenario(tmp_path, *turns, routes=[SUMMARY], files=files, config={"preset": "off"}) as harness:
        await harness.turn("Look.")
        assert "unchanged since it was read above" in str(harness.log_records("result")[1]["content"])
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("Look again.")
        assert re.search(r"read.*a\.py", newest(harness))
        assert "value_399 = 399" in str(harness.log_records("result")[-1]["content"])


async def test_kind_17_too_many_bytes(tmp_path: Path) -> None:
    """A request too large in bytes, small in tokens: the images leave it, and the turn goes on."""
    reads = [calls("read", file_path=f"p{number}.png") for number in range(3)]
    files = {f"p{number}.png": picture(number) for number in range(3)}
    async with scenario(
        tmp_path, *reads, says("Seen."), error(413), says("Done."), routes=[SUMMARY], files=files
    ) as harness:
        await harness.turn("Look at them.")
        assert (await harness.turn("Go on.")).text == "Done."
        assert "'type': 'image'" not in str(harness.server.queries[-1].body["messages"])
        assert "p1.png" in newest(harness)


@pytest.mark.parametrize(
    ("config", "is_due"),
    [
        pytest.param({"window": 20_000}, True, id="zero usage"),
        pytest.param({"window": 20_000, "preset": "off"}, False, id="switched off"),
    ],
)
async def test_kind_18_it_fires_when_it_should(tmp_path: Path, config: dict[str, Any], is_due: bool) -> None:
    """With our own estimate where the server reports nothing; not when it is switched off, however full it is."""
    nothing = {"input_tokens": 0, "output_tokens": 0}
    steps = [calls("bash", command=f"seq {number} 1500").having(usage=nothing) for number in range(8)]
    how: dict[str, Any] = {"routes": [SUMMARY], "config": config, "may_move": True}
    async with scenario(tmp_path, STORY, *steps, says("Done."), **how) as harness:
        await harness.turn("Tell me.")
        await harness.turn("Go.")
        assert bool(harness.of(Compacted)) == is_due


async def test_kind_24_the_disk_grows_with_the_work(tmp_path: Path) -> None:
    """Twenty compactions of the same work each: the second ten take about as much room as the first ten."""

    def work(request: Request) -> Reply:
        return STORY if request.results else calls("bash", command="seq 1 800")

    sizes = []
    async with scenario(tmp_path, always(work), routes=[SUMMARY], config={"preset": "off"}) as harness:
        for number in range(20):
            await harness.turn(f"Work {number}.")
            assert await harness.agent.compactor.compact("manual", "")
            files = [path for path in harness.project.glob(".t*/**/*") if path.is_file()]
            sizes.append(sum(path.stat().st_size for path in files))
    assert sizes[19] - sizes[9] < 1.5 * (sizes[9] - sizes[0])


async def test_kind_25_pointers_stay(tmp_path: Path) -> None:
    """Behind two compactions the view still leads to a background process's output and to a subagent's answer."""
    turns = [
        calls("bash", command="echo started; sleep 20", run_in_background=True),
        calls("task", description="look around", prompt="Look."),
        STORY,
        STORY,
        says("Hello."),
    ]
    sub = when(lambda request: "You are a subagent" in request.system_text, says("FOUND IT in src/deep.py"))
    async with scenario(tmp_path, *turns, routes=[SUMMARY, sub]) as harness:
        await harness.turn("Go.")
        [log] = re.findall(r"output goes to (\S+)", str(harness.log_records("result")[0]["content"]))
        for prompt in ("On.", "hi"):
            assert await harness.agent.compactor.compact("manual", "")
            await harness.turn(prompt)
            assert log in newest(harness)
            assert re.search(r"subagent `look around`", newest(harness))
            before = prefix_bytes(main_requests(harness.server.queries)[-1].body)
            assert b"FOUND IT" in before or b"archive-001" in before
