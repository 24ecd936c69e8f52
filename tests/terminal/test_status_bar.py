"""The status bar on a real screen: always there, and true."""

from pathlib import Path

from agent.offline import Request, Script, always, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.screen_agent import PARAGRAPH, READY, SUMMARY, OnScreen, agent_on_screen, answer

READS = 300
DRAFT = "typed while it streams "


def test_it_is_there_in_every_frame_of_a_streaming_answer(tmp_path: Path) -> None:
    """300 looks outside of synchronised frames, with typing: the last row is the bar, the one above it the input."""
    script = Script(always(lambda _: says(PARAGRAPH * 400, pace_s=0.005, chunk_chars=40)))
    with agent_on_screen(tmp_path, script=script) as on:
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until("◐ answering")
        missing: list[str] = []
        first = on.terminal.frames

        def look() -> None:
            bar = on.terminal.lines[-1]
            if "/200k" not in bar or not bar.startswith("sonnet-5.5 · "):
                missing.append(on.terminal.text)

        on.terminal.on_frame = look
        while on.terminal.frames - first < READS:
            on.terminal.send(DRAFT[(on.terminal.frames // 8) % len(DRAFT)])
            on.terminal.read(0.05)
        on.terminal.on_frame = None
        assert missing == []
        on.terminal.send("\x1b")
        on.terminal.until("interrupted")
        assert "\n> " in on.terminal.text  # the draft is still there


def shown_size(on: OnScreen) -> tuple[float, bool]:
    """Return what the bar says: tokens, and whether they are an estimate."""
    (word,) = [word for word in on.terminal.lines[-1].split() if word.endswith(READY)]
    number = word.removesuffix(READY)
    is_estimate = number.endswith("~")
    number = number.removesuffix("~")
    thousand = number.endswith("k")
    return float(number.removesuffix("k")) * (1000 if thousand else 1), is_estimate


def test_it_follows_what_happens(tmp_path: Path) -> None:
    """It grows while text streams, when a tool finishes, is measured by a reply, and falls at a compaction."""

    def reply(request: Request) -> object:
        return answer(request)

    summary = when(last_text_starts(OPENING), always(says(SUMMARY)))
    with agent_on_screen(tmp_path, script=Script(always(answer), routes=[summary])) as on:
        (on.command.project / "long.txt").write_text("a line of the long file\n" * 1500)
        on.terminal.until(READY)
        start, is_estimate = shown_size(on)
        assert is_estimate
        on.prompt("stream please")
        on.terminal.until("◐ answering")
        on.terminal.until(lambda: shown_size(on)[0] > start)
        on.terminal.until(lambda: not shown_size(on)[1])
        measured, _ = shown_size(on)
        assert measured > start
        on.prompt("/compact")
        on.terminal.until("⟲ summary · ")
        assert shown_size(on)[0] < measured
        assert shown_size(on)[1]
