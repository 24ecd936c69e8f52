"""One turn without a screen: the answer to stdout in one of three formats, messages to stderr, an exit code."""

import asyncio
import shlex
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from agent.calls.approval import Answer, NobodyToAsk, Question
from agent.errors import Interrupted
from agent.events import Event, FromSubagent, Notice, RetryWaiting, TurnEnded
from agent.exits import Exit
from agent.interrupts import Interrupts
from agent.loop import Loop
from agent.output import Output
from agent.progress import Progress, about_call
from agent.session.session import Session
from agent.signals import Signals
from agent.stream_json import Ended, Opened, Publisher
from hooks.events import Source

_WORDS = {"blocked": "the prompt was refused: {}", "interrupted": "interrupted"}
"""What is said of an ending whose `problem` is not a sentence of its own."""


class OpenAgent(Protocol):
    """One open session with everything that works on it."""

    @property
    def session(self) -> Session: ...

    @property
    def loop(self) -> Loop: ...

    async def start(self, source: Source) -> None: ...

    async def close(self, reason: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a run is reported."""

    output_format: str = "text"
    """`text`, `json`, `stream-json`."""
    is_verbose: bool = False
    resume_with: str = "agent -r {}"
    """The command that goes on with a session, to be completed by its id."""
    has_key: bool = True
    clock: Callable[[], float] = time.monotonic


class Refusals(NobodyToAsk):
    """Answers every question with no, tells the user which rule would have answered, and keeps count."""

    def __init__(self, output: Output) -> None:
        self.denials: list[dict[str, Any]] = []
        """In the published shape."""
        self._output = output

    async def ask(self, question: Question) -> Answer:
        call = question.call
        self.denials.append(
            {"tool_name": call["name"], "tool_use_id": call["id"], "tool_input": call["input"]}
        )
        who = f"{question.agent}: " if question.agent else ""
        about = f"{call['name']} {about_call(call['input'])}".strip()
        hint = f"; to allow it: --allow {shlex.quote(question.rule)}" if question.rule else ""
        self._output.complain(f"refused {who}{about}: {question.reason}{hint}".replace("\n", " "))
        return await super().ask(question)


class Reporter:
    """Listens to one run and tells it in the form that was asked for."""

    def __init__(self, output: Output, form: Form, refusals: Refusals) -> None:
        self.on_lost: Callable[[], None] | None = None
        """Called when nobody can read the answer any more."""
        self.skills: Sequence[str] = ()
        """Names of those that the session has."""
        self._output = output
        self._form = form
        self._refusals = refusals
        self._publisher = Publisher(form.clock)
        self._progress = Progress(form.clock)

    def emit(self, event: Event) -> None:
        """Take in one event of the loop."""
        for message in self._publisher.messages(event):
            if self._form.output_format == "stream-json":
                self._output.message(message)
        if self._form.is_verbose:
            for line in self._progress.lines(event):
                self._output.say(line)
        self._say_trouble(event)
        if self._output.fault is not None and self.on_lost is not None:
            # Once: a second interrupt would cut into the clean end of the first.
            on_lost, self.on_lost = self.on_lost, None
            on_lost()

    def open(self, session: Session) -> None:
        """Tell which session is at work, and what is odd about it."""
        state = session.state
        opened = Opened(
            session=state.session_id,
            cwd=str(state.project),
            model=state.model,
            mode=state.mode,
            tools=[str(tool["name"]) for tool in state.head["tools"]],
            has_key=self._form.has_key,
            skills=self.skills,
        )
        message = self._publisher.open(opened)
        if self._form.output_format == "stream-json":
            self._output.message(message)
        if self._form.is_verbose:
            self._output.say(f"session {opened.session} · {opened.model} · {opened.mode}")
        if session.forked_from:
            self._output.complain(f"session {session.forked_from} is open elsewhere: this is a fork of it")
        if session.damaged:
            lines = ", ".join(str(line) for line in session.damaged[:5])
            self._output.complain(f"the session's log is damaged in {len(session.damaged)} lines ({lines})")

    def show(self, ended: TurnEnded, *, cost_usd: float, is_cost_known: bool) -> None:
        """Write the answer, or say why there is none."""
        if self._form.output_format != "text":
            result = Ended(
                turn=ended,
                cost_usd=cost_usd,
                is_cost_known=is_cost_known,
                denials=self._refusals.denials,
            )
            self._output.message(self._publisher.result(result))
        elif ended.reason == "done":
            self._output.answer(ended.text)
        if self._output.fault != "" and (ended.reason != "done" or ended.problem):
            words = _WORDS.get(ended.reason, "{}").format(ended.problem)
            self._output.complain(words or f"the turn ended: {ended.reason}")

    def close(self, session: Session) -> None:
        """Say what did not get onto the disk or out, and how to go on."""
        problem, lost = session.log.problem, ""
        if problem is not None:
            lost = f"  # without its end: {problem.strerror}"
            if not session.care.has_complained:
                self._output.complain(f"the session could not be written to its end: {problem.strerror}")
        if self._output.fault:
            self._output.complain(f"{self._output.fault}: the answer stands in the session's log")
        if self._form.output_format == "text":
            self._output.say(f"resume: {self._form.resume_with.format(session.state.session_id)}{lost}")

    def exit_code(self, ended: TurnEnded, signalled: Exit | None) -> Exit:
        """Return what the process ends with."""
        if ended.reason == "interrupted" and signalled is not None:
            return signalled
        if self._output.fault == "":
            return Exit.NO_READER
        if ended.reason == "interrupted":
            return Exit.INTERRUPTED
        return Exit.DONE if ended.reason == "done" and self._output.fault is None else Exit.FAILED

    def _say_trouble(self, event: Event) -> None:
        inner = event.event if isinstance(event, FromSubagent) else event
        who = f"{event.agent}: " if isinstance(event, FromSubagent) else ""
        if isinstance(inner, Notice):
            self._output.complain(f"{who}{inner.text}")
        elif isinstance(inner, RetryWaiting):
            pause = f"try {inner.attempt + 1} in {inner.delay_s:.1f} s"
            self._output.complain(f"{who}{inner.problem}; {pause}")


async def run(agent: OpenAgent, prompt: str, reporter: Reporter, *, source: Source) -> Exit:
    """Run one turn and close the session, whatever happens; return the exit code.

    SIGINT, SIGTERM and SIGHUP interrupt; what was done is kept.
    """
    session = agent.session
    task = asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"
    beginning = Interrupts()

    def interrupt() -> None:
        beginning.ask()
        agent.loop.interrupt()

    signals = Signals(interrupt, task.cancel)
    reporter.on_lost = agent.loop.interrupt
    before_usd = session.state.spent_usd
    reason = "error"
    with signals.handled():
        try:
            reporter.open(session)
            ended = await _turn(agent, prompt, beginning.run(agent.start(source)), signals)
            reason = ended.reason
            spent = session.state.spent
            reporter.show(ended, cost_usd=spent.usd - before_usd, is_cost_known=spent.is_known)
        finally:
            await agent.close(reason)
    reporter.close(session)
    return reporter.exit_code(ended, signals.code)


async def _turn(
    agent: OpenAgent, prompt: str, beginning: Coroutine[Any, Any, None], signals: Signals
) -> TurnEnded:
    """Run the turn; a signal before it, or one that would not wait for its clean end, ends it as interrupted."""
    try:
        with suppress(Interrupted):  # the signal is known
            await beginning
        if signals.code is None:
            return await agent.loop.run(prompt)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if signals.code is None or task is None:
            raise
        task.uncancel()
    return TurnEnded(reason="interrupted", text="")
