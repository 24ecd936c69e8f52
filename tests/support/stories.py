"""Made-up turns as the loop would report them, with texts in many scripts, and what of them must stand above in the end.

`stories()` draws events and the width of the screen at each; `Plain` is the same told once, without streaming, live
lines or waiting: what is finished, in order.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from hypothesis import strategies as st

from agent import events as ev
from agent.terminal.cards import card
from agent.terminal.compaction_line import compaction_line
from agent.terminal.markdown import MarkdownStream
from agent.terminal.render import markdown, plain, to_ansi
from compaction.messages import ToolResultBlock, ToolUseBlock

SGR = re.compile("\x1b\\[[0-9;]*m")
WORDS = (
    "total",
    "off-by-a-cent",
    "請求書の合計",
    "통화",
    "👩‍👩‍👧‍👦",
    "❤️",
    "🇩🇪",
    "👍🏽",
    "e\u0301e\u0301",
    "a\u0300\u0301\u0302b",
    "שלום",
    "مرحبا بالعالم",
    "\u202eevil\u202c",
    "\u200f\u061cnext\u2028line",
    "\u200b",
    "\x1b[2J",
    "\x07",
    "\x9b31m",
    "[red]x[/red]",
    ":smile:",
    "tab\there",
    "x" * 70,
    "長" * 45,
)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
lines = st.lists(texts, min_size=1, max_size=5).map("\n".join)
BLOCKS = ("{}", "# {}", "- {0}\n- {0}\n  - {0}", "1. {}", "```\n{0}\n\n{0}\n```", "**{0}** `{0}`")
answers = st.lists(st.builds(str.format, st.sampled_from(BLOCKS), texts), min_size=1, max_size=5).map(
    "\n\n".join
)
replies = st.lists(answers, min_size=1, max_size=2)
widths = st.sampled_from((20, 21, 40)) | st.integers(20, 250)
WORK = {"steps": 2, "size": 31_000, "usd": 0.04, "is_known": True}
REMARK = re.compile("remark[0-9]+!")
"""A notice that comes while an answer streams: how much of that stands above by then, no reference can tell."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event, and the width of the screen when it comes."""

    event: ev.Event
    width: int


@dataclass(slots=True)
class Story:
    """Draws the events of one session, one after the other."""

    draw: Any
    told: list[Told] = field(default_factory=list)
    width: int = 80
    calls: int = 0

    def tell(self, event: ev.Event) -> None:
        """Add an event, now and then after the screen was resized."""
        if self.chance(8):
            self.width = self.draw(widths)
        self.told.append(Told(event, self.width))

    def chance(self, one_in: int) -> bool:
        """Return True once in so many times; shrinks to False."""
        return bool(self.draw(st.integers(0, one_in - 1)) == one_in - 1)

    def turn(self, number: int) -> None:
        """A turn of some steps, at the end of which it may be interrupted."""
        self.tell(ev.TurnStarted(turn=number, prompt=self.draw(lines)))
        for step in range(self.draw(st.integers(0, 3))):
            self.aside()
            self.tell(ev.StepStarted(step=step, size=1, is_estimate=True))
            if self.step():
                self.tell(ev.TurnEnded(reason="interrupted", text=""))
                return
        problem = self.draw(st.sampled_from(("", "no answer: 請求")))
        self.tell(ev.TurnEnded(reason="error" if problem else "done", text="", problem=problem))

    def step(self) -> bool:
        """A reply and its calls; return True where it ends the turn half-way."""
        while self.chance(4):
            self.stream(self.draw(replies))
            self.tell(ev.ReplyDiscarded())
            self.tell(ev.RetryWaiting(attempt=1, delay_s=2.0, problem=self.draw(texts)))
        self.stream(self.draw(replies))
        if self.chance(8):
            return True
        made = [self.call() for _ in range(self.draw(st.integers(0, 4)))]
        self.tell(ev.ReplyReceived(message_id="m", model="m", content=made, stop_reason="", usage={}, size=1))
        if self.batch(made):
            return True
        self.tell(ev.ResultsSent(content=(), said=self.draw(st.lists(lines, max_size=2)) if made else ()))
        return False

    def stream(self, texts: Sequence[str]) -> None:
        """Texts in chunks, thinking before each, remarks between the chunks."""
        for text in texts:
            if self.chance(3):
                self.tell(ev.ThinkingDelta(self.draw(lines)))
            self.chunks(text)

    def chunks(self, text: str) -> None:
        """A text."""
        while text:
            size = self.draw(st.integers(8, 40))
            if self.chance(12):
                self.tell(ev.Notice(text=f"remark{len(self.told)}!"))
            self.tell(ev.TextDelta(text[:size]))
            text = text[size:]

    def batch(self, made: Sequence[ToolUseBlock]) -> bool:
        """The calls side by side: some never start, they end in any order; return True where some never end."""
        order = self.draw(st.permutations(made))
        is_cut = bool(made) and self.chance(8)
        for call in made:
            if not self.chance(5):
                self.tell(ev.CallStarted(call=call))
        for call in order[: len(order) // 2] if is_cut else order:
            if self.chance(2):
                self.tell(ev.CallProgress(call_id=call["id"], text=self.draw(lines)))
            self.aside()
            self.tell(self.finished(call))
        return is_cut

    def aside(self) -> None:
        """Something that may come at any time."""
        match self.draw(st.integers(0, 9)):
            case 9:
                self.tell(ev.Notice(text=self.draw(texts)))
            case 8:
                receipt = {"layer": "micro", "before": 9_000, "after": 4_000, "dropped": 3}
                self.tell(ev.Compacted(record={"id": "r1", "layer": "micro", "receipt": receipt}))
            case 7:
                inner = (ev.StepStarted(step=1, size=1, is_estimate=True), ev.CallStarted(call=self.call()))
                for event in inner:
                    self.tell(
                        ev.FromSubagent(agent="task-001", call=f"t{self.calls - 1}", event=event, work=WORK)
                    )

    def call(self) -> ToolUseBlock:
        """A call with an id of its own."""
        self.calls += 1
        given = {"command": f"c{self.calls} {self.draw(texts)}"}
        return cast(
            "ToolUseBlock", {"type": "tool_use", "id": f"t{self.calls}", "name": "bash", "input": given}
        )

    def finished(self, call: ToolUseBlock) -> ev.CallFinished:
        """Its result: plain, failed, or a change."""
        content = self.draw(lines)
        result: ToolResultBlock = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
        diff = "".join(f"{number:>5} + {line}\n" for number, line in enumerate(content.split("\n"), 1))
        facts = self.draw(st.sampled_from([{}, {"exit_code": 1}, {"note": "請求 3 lines"}, {"diff": diff}]))
        return ev.CallFinished(call=call, result=result, facts=facts)


@st.composite
def stories(draw: st.DrawFn) -> list[Told]:
    """Draw a turn or two."""
    story = Story(draw)
    story.width = draw(widths)
    for number in range(draw(st.integers(1, 2))):
        story.turn(number)
    return story.told


def squeezed(text: str) -> str:
    """Return text without colours and blanks: how it is wrapped makes no difference."""
    return "".join(SGR.sub("", text).split())


class Plain:
    """What stands above in the end, without blanks: a text whole where it ends, cards in call order.

    ``keeps_thinking``: thinking, too.
    """

    def __init__(self, *, keeps_thinking: bool) -> None:
        self.above = ""
        self._keeps_thinking = keeps_thinking
        self._is_begun = False
        self._answer = self._thought = ""
        self._calls: list[str] = []
        self._ended: dict[str, ev.CallFinished] = {}

    def take(self, told: Told) -> None:
        """Take one event."""
        event, width = told.event, told.width
        match event:
            case ev.TextDelta():
                self._end_thought()
                self._answer += event.text
            case ev.ThinkingDelta():
                self._end_answer(width)
                self._thought += event.text
            case ev.ReplyDiscarded():
                self._broke_off(width)
            case ev.ReplyReceived():
                self._end_reply(width)
                self._calls = [block["id"] for block in event.content if block["type"] == "tool_use"]
            case ev.CallFinished():
                self._ended[event.call["id"]] = event
                self._cards(width, is_last=False)
            case ev.TurnEnded():
                self._end_reply(width)
                self._cards(width, is_last=True)
                self._put("interrupted" if event.reason == "interrupted" else plain(event.problem))
            case _:
                self._put(_at_once(event, width))

    def _put(self, text: str) -> None:
        self.above += squeezed(text)

    def _end_reply(self, width: int) -> None:
        self._end_answer(width)
        self._end_thought()
        self._is_begun = False

    def _end_answer(self, width: int) -> None:
        self._is_begun = self._is_begun or bool(self._answer.strip())
        self._put(to_ansi(markdown(self._answer), width))
        self._answer = ""

    def _end_thought(self) -> None:
        if self._keeps_thinking and self._thought.strip():
            self._is_begun = True
            self._put(f"thinking: {plain(self._thought)}")
        self._thought = ""

    def _broke_off(self, width: int) -> None:
        stream = MarkdownStream()
        stream.feed(self._answer)
        finished = stream.take_finished(width)
        self._put(finished)
        if finished or self._is_begun:
            self._put("the reply broke off; what stands above of it does not count")
        self._answer = self._thought = ""
        self._is_begun = False

    def _cards(self, width: int, *, is_last: bool) -> None:
        """Put the cards of the calls that have ended, up to the first that has not; ``is_last``: of all."""
        while self._calls and (is_last or self._calls[0] in self._ended):
            if (event := self._ended.pop(self._calls.pop(0), None)) is not None:
                self._put(card(event.call, event.result, event.facts, width))


def _at_once(event: ev.Event, width: int) -> str:
    """Return what an event puts above whatever came before; empty for most."""
    match event:
        case ev.TurnStarted():
            return f"> {plain(event.prompt)}"
        case ev.ResultsSent():
            return "".join(f"> {plain(words)}" for words in event.said)
        case ev.Compacted():
            return compaction_line(event.receipt, width)
        case ev.Notice() if not REMARK.fullmatch(event.text):
            return plain(event.text)
    return ""


def remarks_of(story: Sequence[Told]) -> list[str]:
    """Return the remarks of a story."""
    texts = [told.event.text for told in story if isinstance(told.event, ev.Notice)]
    return [text for text in texts if REMARK.fullmatch(text)]
