"""Our own transcripts can be replayed, too."""

from pathlib import Path

from agent.offline import calls, says
from agent.replay.simulate import Simulation
from agent.replay.source import read_session
from compaction.messages import result_text
from compaction.presets import PRESETS
from tests.support.agent import scenario

FILES = {"a.py": "".join(f"name_of_line_{number} = {number}\n" for number in range(900))}


async def test_an_own_transcript_is_replayed(tmp_path: Path) -> None:
    """Its steps are the replies before any layer, its cost relative to its own usage."""
    turns = [
        calls("read", file_path="a.py"),
        calls("edit", file_path="a.py", old_string="name_of_line_5 = 5\n", new_string="five = 5\n"),
        *(calls("bash", command=f"seq {number} 900") for number in range(12)),
        says("Done."),
        says("Bye."),
    ]
    async with scenario(tmp_path, *turns, files=FILES) as harness:
        await harness.turn("Mend it.")
        await harness.turn("And now go.")
        path = harness.agent.session.log.path
    session = read_session(path)
    figures = Simulation(session, PRESETS["off"]).run()

    said = [step.said for step in session.steps if step.said]
    assert (len(session.steps), session.said, said) == (16, ("Mend it.",), [("And now go.",)])
    assert session.steps[14].said
    assert (figures.edits, figures.supported) == (1, 1)
    assert figures.billed > 0
    shown = [block for step in session.steps for block in step.user if block["type"] == "tool_result"]
    assert "1\tname_of_line_0 = 0" in result_text(shown[0])
    assert session.context
