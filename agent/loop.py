"""One turn: from the user's words to the model's last word, by way of its tools."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agent.api.reply import Reply
from agent.endings import Endings, Verdict
from agent.errors import (
    ContextTooLong,
    ImagesRefused,
    Interrupted,
    LimitReached,
    ModelError,
    RequestTooLarge,
    Stopped,
)
from agent.events import (
    Emit,
    Notice,
    ReplyReceived,
    ResultsSent,
    StepStarted,
    TurnEnded,
    TurnStarted,
)
from agent.interrupts import Interrupts
from agent.journal import INTERRUPTED, append_reply, drop_steering, keep_partial, refuse_calls
from agent.protocols import Batch, Compactor, Journal, Querier, Reminder, Telling, TurnHooks
from agent.steered import Steered, numbered, together
from compaction.messages import text, tool_uses

MAX_STOP_HOOKS = 8
"""A Stop hook may make a turn go on this often: one that always says so must not keep it for ever."""
LAST_STEP = (
    "[Only one step is left of those that this work may have. Call no tool any more: answer now with what you found "
    "and did, what of it was verified, and what is open.]"
)
"""Without it all that was found in the steps before is lost to who asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What ends a turn by force; None: no limit."""

    max_steps: int | None = None
    max_cost_usd: float | None = None
    spent_usd: Callable[[], float] | None = None
    """What counts against it; None: what the session itself has cost."""
    is_last_told: bool = False
    """The model is told before its last step, so that it can answer with what it has."""

    def note_after(self, steps: int) -> str:
        """Return what the model is told after so many steps of a turn; empty but before the last."""
        is_due = self.is_last_told and self.max_steps is not None and steps == self.max_steps - 1
        return LAST_STEP if is_due else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a loop works with."""

    session: Journal
    querier: Querier
    batch: Batch
    compactor: Compactor
    hooks: TurnHooks
    telling: Telling
    reminder: Reminder
    emit: Emit


class Loop:
    """Runs turns, one at a time."""

    def __init__(self, parts: Parts, limits: Limits) -> None:
        self._parts = parts
        self._session = parts.session
        self._emit = parts.emit
        self._limits = limits
        self._interrupts = Interrupts()

    async def run(self, prompt: str) -> TurnEnded:
        """Run the turn of ``prompt``, then one for what was typed meanwhile, until nothing waits."""
        ended = await self._turn(prompt, steering={})
        while ended.reason == "done" and (waiting := together(self._session.state.waiting)):
            ended = await self._turn("\n\n".join(waiting.values()), steering=waiting)
        return ended

    def interrupt(self) -> None:
        """Stop the stream and the running tools; what was received and done is kept."""
        self._interrupts.ask()

    def steer(self, words: str) -> None:
        """Say something while a turn runs: it comes after the next results, and is in the log at once."""
        self._session.append("steering", text=words)
        self._session.sync()

    async def _turn(self, prompt: str, *, steering: Mapping[str, str]) -> TurnEnded:
        self._interrupts.clear()
        ended = TurnEnded(reason="error", text="")
        try:
            ended = await self._open(prompt, steering) or await self._steps()
        except Interrupted:
            ended = TurnEnded(reason="interrupted", text="")
        except Stopped as error:
            ended = TurnEnded(reason="stopped", text="", problem=str(error))
        except LimitReached as error:
            ended = TurnEnded(reason="limit", text="", problem=str(error))
        except ModelError as error:
            ended = TurnEnded(reason="error", text="", problem=str(error))
        finally:
            self._session.append("end", of="turn", reason=ended.reason, problem=ended.problem)
            self._session.sync()
        self._emit(ended)
        return ended

    async def _steps(self) -> TurnEnded:
        """Compact, query, run the tools, answer; until a reply calls none."""
        endings, steps, stops = Endings(), 0, 0
        while True:
            self._check_limits(steps)
            await self._interrupts.run(self._parts.compactor.fit())
            reply = await self._query(endings)
            results = await self._run(reply)
            verdict = endings.judge(reply, has_run=self._parts.batch.has_run)
            steps += 1
            await self._answer(results, verdict, last=self._limits.note_after(steps))
            if verdict.end is None:
                continue
            if words := await self._stop(verdict, endings.text, stops):
                self._session.answer([], [text(words)])
                stops += 1
                continue
            return TurnEnded(reason=verdict.end, text=endings.text, problem=verdict.problem)

    async def _open(self, prompt: str, steering: Mapping[str, str]) -> TurnEnded | None:
        """Log the words that begin a turn; a value when a hook refused them."""
        heard = await self._interrupts.run(self._parts.hooks.hear(prompt))
        if heard.refusal:
            drop_steering(self._session, steering, heard.refusal)
            return TurnEnded(reason="blocked", text="", problem=heard.refusal)
        turn = self._session.state.turn + 1
        told = self._parts.telling.before_prompt(turn)
        reminder = await self._parts.reminder.due()
        content = [text(prompt), *heard.blocks, *map(text, heard.contexts), *reminder]
        self._session.append(
            "message",
            role="user",
            content=content,
            said=[0],
            skills=numbered(heard.skills, 1),
            steering=list(steering),
            shells=list(self._session.state.shells),
            reminded=bool(reminder),
            turn=turn,
        )
        self._session.sync()
        self._emit(TurnStarted(turn=turn, prompt=prompt))
        for notice in (*told, *heard.notices):
            self._emit(notice)
        return None

    async def _query(self, endings: Endings) -> Reply:
        """Ask the model and log its reply; a history that the server refuses is made to fit, once."""
        try:
            reply = await self._ask(endings)
        except (ContextTooLong, RequestTooLarge, ImagesRefused) as error:
            if not await self._interrupts.run(self._parts.compactor.shrink(error)):
                raise
            reply = await self._ask(endings)
        append_reply(self._session, reply)
        self._emit(
            ReplyReceived(
                message_id=reply.id,
                model=reply.model,
                content=reply.content,
                stop_reason=reply.stop_reason or "",
                usage=reply.usage or {},
                size=self._session.state.context_size,
            )
        )
        return reply

    async def _ask(self, endings: Endings) -> Reply:
        state = self._session.state
        self._emit(StepStarted(step=state.step + 1, size=state.context_size, is_estimate=state.is_estimate))
        querier = self._parts.querier
        try:
            return await self._interrupts.run(querier.query(is_limit_raised=endings.is_limit_raised))
        except Interrupted:
            keep_partial(self._session, querier.partial())
            raise

    async def _run(self, reply: Reply) -> Sequence[str]:
        """Run the calls of a reply; when interrupted, or stopped by a hook, answer with what there is and end the turn."""
        if not tool_uses(reply.content) or reply.stop_reason == "refusal":
            return []
        results = await self._interrupts.finish(
            self._parts.batch.run(reply), lambda: refuse_calls(self._session, reply.content)
        )
        if self._interrupts.is_asked:
            said = (*self._parts.batch.take_contexts(), INTERRUPTED)
            self._session.answer(results, [text(words) for words in said])
            raise Interrupted
        if (reason := self._parts.batch.take_stop()) is not None:
            said = (*self._parts.batch.take_contexts(), f"[A hook ended the turn here: {reason}]")
            self._session.answer(results, [text(words) for words in said])
            raise Stopped(f"a hook ended the turn: {reason}")
        return results

    async def _answer(self, results: Sequence[str], verdict: Verdict, *, last: str) -> None:
        """Append the user message after a reply: results, the user's words, notes of ours, if there are any.

        ``last``: what stands there, too, if the turn goes on after its calls.
        """
        ours = [verdict.note, last if results and verdict.end is None else ""]
        notes = [*self._parts.batch.take_contexts(), *filter(None, ours)]
        if not results and not notes:
            return
        try:
            heard = await self._interrupts.run(self._hear_steering())
        except Interrupted:
            self._session.answer(results, [text(words) for words in (*notes, INTERRUPTED)])
            raise
        reminder = await self._parts.reminder.due() if results else []
        content = [*heard.content(), *map(text, notes), *reminder]
        shells = list(self._session.state.shells) if heard.words else []
        fields = {**heard.fields(), "shells": shells, "reminded": bool(reminder)}
        self._session.answer(results, content, **fields)
        told = self._parts.telling.after_step(with_words=bool(heard.words))
        self._session.sync()
        self._emit(ResultsSent(content=content, said=list(heard.words.values())))
        for notice in told:
            self._emit(notice)

    async def _hear_steering(self) -> Steered:
        """Fire the hooks for what was typed meanwhile; what they refuse is dropped."""
        stands = Steered()
        for record, words in dict(self._session.state.waiting).items():
            heard = await self._parts.hooks.hear(words)
            if heard.refusal:
                told = "a hook refused what you typed:" if heard.is_by_hook else "what you typed is"
                self._emit(Notice(text=f"{told} {heard.refusal}", is_error=True))
                drop_steering(self._session, [record], heard.refusal)
            else:
                stands.take(record, words, heard)
                for notice in heard.notices:
                    self._emit(notice)
        return stands

    async def _stop(self, verdict: Verdict, last_text: str, stops: int) -> str:
        """Fire Stop at the end of a turn that is done; return the words with which it must go on."""
        if verdict.end != "done":
            return ""
        words = await self._interrupts.run(self._parts.hooks.stop(last_text, is_again=stops > 0))
        if not words or stops < MAX_STOP_HOOKS:
            return words
        told = f"a hook would have the turn go on for ever: after {stops} times it ends all the same"
        self._emit(Notice(text=told, is_error=True))
        return ""

    def _check_limits(self, steps: int) -> None:
        limits = self._limits
        spent = limits.spent_usd() if limits.spent_usd else self._session.state.spent_usd
        if limits.max_steps is not None and steps >= limits.max_steps:
            raise LimitReached(f"stopped after {steps} steps (--max-steps)")
        if limits.max_cost_usd is not None and spent >= limits.max_cost_usd:
            raise LimitReached(f"stopped at ${spent:.2f} (--max-cost {limits.max_cost_usd:g})")
