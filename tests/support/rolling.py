"""A session without disk and without a model: the real state, requests, layers and summary, and a strict server.

It grows step by step as a session does, and keeps what it sent and what each compaction did.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import zip_longest
from typing import Any, cast

from agent.api.request import build_request, sendable, summary_request, text_request
from agent.compacting import by_hand
from agent.compacting.circumstances import situation_of
from agent.compacting.surroundings import surroundings_of
from agent.journal import INTERRUPTED, append_reply, keep_partial, refuse_calls
from agent.models import row
from agent.session.checkpoint import pack, unpack
from agent.session.closing import close_open_calls
from agent.session.loading import Read
from agent.session.log import SessionLog
from agent.session.records import Record
from agent.session.replay import apply, empty_state
from agent.session.session import Session
from agent.session.state import State
from compaction.messages import Block, merged, text, tool_uses
from compaction.pipeline import Layer, plans
from compaction.plan import Plan, Trigger
from compaction.policy import Sizes
from compaction.presets import PRESETS
from compaction.reactive import Lessening, lessened
from compaction.serialise import plan_serialised
from compaction.situation import Situation
from compaction.summary import accepted, plan_from_summary, plan_summary
from compaction.view import Placed
from tests.support.rolling_server import KINDS, StrictServer, TooLong, counter
from tests.support.rolling_shapes import (
    CONTEXT,
    FOLDERS,
    PROJECT,
    SPILLS,
    START,
    SYSTEM,
    TOOLS,
    Act,
    Full,
    MemoryLog,
    NoCare,
    Opening,
    Sent,
    Setting,
    Summariser,
    decoded,
    no_summary,
    numbered,
    reply_of,
)

REST_STEPS = 3
"""After a summary that did not come about."""
MOST_FAILED = 3


class Rolling:
    """One session; `summariser` may be changed at any time."""

    def __init__(self, setting: Setting, summariser: Summariser = no_summary) -> None:
        self.setting = setting
        self.kind = KINDS[setting.kind]
        self.preset = PRESETS[setting.preset]
        self.layers: Sequence[Layer] = self.preset.layers
        self.summariser = summariser
        self.server = StrictServer(window=setting.window, density=setting.density)
        self.window = setting.window
        self.now = START
        self.disk: dict[str, bytes] = {}
        self.overwritten: list[str] = []
        self.project: dict[str, str] = {}
        """Path -> text of the files that the session works at."""
        self.sent: list[Sent] = []
        self.acts: list[Act] = []
        self.touched: dict[int, set[str]] = {}
        """Number of requests made -> the blocks that changed, or stood first behind a change, before the next one."""
        self.overflows = 0
        self._rest_until = self._turn_step = 0
        self.log = MemoryLog()
        self.session = self._session()
        self.session.append(
            "session", session="s", model=self.kind.model, window=setting.window, system=SYSTEM, tools=TOOLS
        )
        if self.kind.is_binding_refused:
            self.session.append("note", text="the server knows no block_binding", binding_refused=True)

    @property
    def state(self) -> State:
        """What the log adds up to."""
        return self.session.state

    @property
    def sizes(self) -> Sizes:
        """The sizes of the working window."""
        return Sizes(
            window=self.window,
            max_output=row(self.state.model).max_output,
            own_threshold=self.preset.summary.threshold_tokens,
        )

    def prompt(self, words: str) -> None:
        """The user begins a turn; what was typed in the last one and not heard comes with it."""
        turn, waiting = self.state.turn + 1, dict(self.state.waiting)
        self._turn_step = self.state.step
        if self.state.context_files is None:
            self.session.append("context", content=[text(CONTEXT)], files={}, turn=turn)
        content = [text("\n\n".join([*waiting.values(), words]))]
        self.session.append(
            "message", role="user", content=content, said=[0], steering=list(waiting), turn=turn
        )

    def steer(self, words: str) -> None:
        """The user says something while a turn runs."""
        self.session.append("steering", text=words)

    def pin(self, words: str) -> None:
        """The user pins a text, which is refused when pins take too much."""
        by_hand.pin(self.session, self.sizes, words)

    def step(self, reply: Sequence[dict[str, Any]], *, kept: int | None = None) -> list[Block]:
        """Compact, ask, and log the reply; ``kept``: interrupted after so many blocks. Raises TooLong."""
        self.fit()
        body, verdict = self.request()
        blocks = self.server.serve(reply, verdict, str(body["model"]))
        usage = self.server.usage(blocks, verdict, str(body["model"]))
        self.now += 20
        if kept is not None:
            keep_partial(self.session, blocks[:kept])
            return []
        append_reply(self.session, reply_of(blocks, usage, str(body["model"])))
        return blocks

    def answer(self, reply: Sequence[Block], results: Sequence[Mapping[str, Any]]) -> None:
        """Log the results, of all calls or of the first ones, and what was typed meanwhile.

        Args:  results: `content`, and where they apply `is_error`, `facts`, and `full` (what the tool kept on disk).
        """
        calls = tool_uses(reply)
        logged = [
            self._result(call["id"], call["name"], one) for call, one in zip(calls, results, strict=False)
        ]
        if len(logged) < len(calls):
            rest = [block for block in reply if block["type"] == "tool_use"][len(logged) :]
            self.session.answer([*logged, *refuse_calls(self.session, rest)], [text(INTERRUPTED)])
            return
        said = dict(self.state.waiting)
        content = [text(words) for words in said.values()]
        self.session.answer(logged, content, said=list(range(len(said))), steering=list(said))

    def end(self, reason: str = "done") -> None:
        """The turn is over."""
        self.session.append("end", of="turn", reason=reason, problem="")

    def shrink(self, tokens: int) -> None:
        """Make a history smaller that the server refused, being of so many tokens."""
        self.session.append("note", text="prompt is too long", corrected_tokens=tokens)
        self.compact("reactive")

    def request(self) -> tuple[dict[str, Any], Any]:
        """Give the next request to the server; one that is too long is made to fit, once."""
        try:
            return self._ask()
        except TooLong as error:
            self.shrink(error.tokens)
        try:
            return self._ask()
        except TooLong:
            self.overflows += 1
            raise

    def fit(self) -> None:
        """Run the layers, then the summary when it was asked for or the threshold is passed."""
        state = self.state
        self._judge_progress()
        for plan in plans(state.view, self.layers, self.situation):
            self.act(plan)
        if state.compact_wish is not None:
            self.compact("manual")
        elif self._is_due() and not state.is_paused and not self.compact("auto"):
            self._rest_until = state.step + REST_STEPS
        for plan in plans(state.view, self.preset.guard, self.situation):
            self.act(plan)
        if state.is_paused and state.context_size > self.sizes.window:
            raise Full

    def situation(self) -> Situation:
        """How things stand for the layers."""
        found = situation_of(self.state, self.sizes, FOLDERS, lambda: self.now)
        return replace(found, present=self._present())

    def compact(self, trigger: Trigger) -> bool:
        """Put a summary in place of the history; False when it stays as it is."""
        if self.summary_plan(trigger, None) is None:
            return self._stay(has_failed=False)
        is_given_up = trigger != "manual" and self.state.failed_summaries >= MOST_FAILED
        summary = None if is_given_up else self._summary()
        if summary is None and trigger == "manual":
            return self._stay(has_failed=True)
        plan = self.summary_plan(trigger, summary)
        if plan is None:
            return self._stay(has_failed=summary is None)
        self.act(plan, is_summary=True)
        return True

    def _stay(self, *, has_failed: bool) -> bool:
        self.session.append(
            "note", text="the history stays as it is", compact_refused=True, summary_failed=has_failed
        )
        return False

    def summary_plan(self, trigger: Trigger, summary: str | None) -> Plan | None:
        """Return what would stand in place of the history."""
        around, _ = surroundings_of(
            self.state, self.situation(), Opening(), rule=self.preset.summary, trigger=trigger
        )
        return plan_from_summary(self.state.view, self.sizes, around, summary)

    def undo(self) -> bool:
        """Take the newest compaction back, where that can be done."""
        self._remember()
        return self._by_hand(lambda: by_hand.undo(self.session, self.sizes))

    def redo(self) -> bool:
        """Make the compaction undone last again."""
        self._remember()
        return self._by_hand(lambda: by_hand.redo(self.session))

    def switch(self, kind: str) -> None:
        """Go on with another model."""
        self.kind = KINDS[kind]
        self.session.append("model", model=self.kind.model)

    def twin(self) -> "Rolling":
        """Return the same session, opened from its log; not to be grown."""
        twin = copy(self)
        twin.log, twin.acts, twin.touched, twin.disk = MemoryLog(), [], {}, dict(self.disk)
        twin.session = twin._session(decoded(self.log.records))
        return twin

    def resume(self) -> None:
        """Open the session anew from its log; calls that are open are closed."""
        self.log.records = decoded(self.log.records)
        self.session = self._session(self.log.records)
        close_open_calls(self.session)

    def resume_at_checkpoint(self) -> None:
        """Open the session anew from a checkpoint of now, without the past of its view."""
        number, state = self.session._number, self.state
        found = unpack(pack(state), PROJECT, count=state.count, price=state.price)
        self.session = self._opened(Read(found, number=number))

    def next_request(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return what would be sent now."""
        return build_request(self.state)

    def placed(self) -> tuple[Placed, ...]:
        """The blocks that the next request has."""
        return tuple(sendable(self.state))

    def _is_due(self) -> bool:
        state, rule = self.state, self.preset.summary
        if not rule.is_automatic or state.step < self._rest_until:
            return False
        is_long = rule.threshold_chars is not None and state.view.totals.chars > rule.threshold_chars
        return is_long or state.context_size > self.sizes.threshold

    def _judge_progress(self) -> None:
        """Pause what size alone would set off when it has got nowhere twice in a row, until there is room."""
        state = self.state
        if state.is_paused and state.context_size <= self.sizes.low_water:
            self.session.append("note", text="there is room again", compaction_paused=False)
        elif not state.is_paused and self._is_due() and state.progress.is_stuck(state.step + 1):
            self.session.append("note", text="compaction got nowhere twice", compaction_paused=True)

    def _by_hand(self, change: Callable[[], str]) -> bool:
        before, records = list(self.state.view), len(self.log.records)
        change()
        pairs = zip_longest(before, self.state.view)
        first = next((one for one, other in pairs if one != other), None)
        self._touch([first.id] if first else [])
        return len(self.log.records) > records

    def _touch(self, ids: Iterable[str]) -> None:
        self.touched.setdefault(len(self.sent), set()).update(ids)

    def act(self, plan: Plan, *, is_summary: bool = False) -> None:
        """Keep the plan's files, then append its record."""
        self._keep(plan)
        before = tuple(self.state.view)
        files = [{"path": file.path, "sha256": file.sha256, "bytes": len(file.data)} for file in plan.files]
        record = self.session.append(
            "compaction",
            layer=plan.layer,
            trigger=plan.trigger,
            changes=list(plan.changes),
            files=files,
            receipt=plan.receipt,
            context_files={},
        )
        self._touch(id_ for change in plan.changes for id_ in change["ids"])
        self.acts.append(
            Act(
                record=record,
                step=self.state.step,
                plan=plan,
                before=before,
                after=tuple(self.state.view),
                threshold=self.sizes.threshold,
                earlier=self.state.earlier[-1] if self.state.earlier else "",
                is_turn_open=self.state.is_turn_open,
                has_reply=self._turn_step < self.state.step,
                is_summary=is_summary,
            )
        )

    def _keep(self, plan: Plan) -> None:
        for file in plan.files:
            if self.disk.get(file.path, file.data) != file.data and file.path != FOLDERS.ledger:
                self.overwritten.append(file.path)
            self.disk[file.path] = file.data

    def _ask(self) -> tuple[dict[str, Any], Any]:
        body, betas = self.next_request()
        verdict = self.server.accept(body, betas)
        dropped = tuple(one["path"] for one in verdict.transformations or ())
        self.sent.append(
            Sent(
                body=body,
                betas=betas,
                placed=self.placed(),
                dropped=dropped,
                active=tuple(words for words in self.state.active if self._is_short(words)),
                pins=tuple(self.state.pins),
            )
        )
        return body, verdict

    def _is_short(self, words: str) -> bool:
        """True for what the user said when it may stand whole, by tokens and by what characters usually take."""
        most = self.sizes.words
        return self.state.meter.size(self.state.count(text(words))) <= most and len(words) <= 2 * most

    def _summary(self) -> str | None:
        """Ask for a summary, with less and less of the history where it is too long; None: none can be used."""
        for less in self._lessenings():
            placed = lessened(self.placed(), less, self.state.count)
            body, betas = self._summary_request(placed)
            try:
                self.server.accept(body, betas)
            except TooLong:
                continue
            answer = self.summariser(body)
            return None if answer is None else accepted(answer, "end_turn")
        return None

    def _lessenings(self) -> list[Lessening]:
        """What is left out of a summary request, step by step."""
        previews = Lessening(has_previews=True, drops_thinking=self.kind.is_binding_refused)
        if self.situation().is_waiting:
            return [Lessening(), previews]  # the open round's thinking may neither go nor lose its prefix
        without = replace(previews, is_without_images=True)
        return [Lessening(), previews, *(replace(without, fits=self._fits(part)) for part in (1, 3))]

    def _fits(self, part: int) -> Callable[[int], bool]:
        goal = self.sizes.window * 8 // 10 // part
        return lambda tokens: self.state.meter.size(tokens) <= goal

    def _summary_request(self, placed: Sequence[Placed]) -> tuple[dict[str, Any], tuple[str, ...]]:
        if self.preset.summary.is_serialised:
            words, most = plan_serialised(merged([(one.role, one.block) for one in placed]), "")
            return text_request(self.state, words, most)
        asked = plan_summary(self.sizes, "")
        return summary_request(self.state, asked.instruction, asked.max_tokens, placed=placed)

    def _result(self, call: str, name: str, one: Mapping[str, Any]) -> str:
        spill, mark = None, f"{self.state.step}-{len(self.disk)}-{name}-full"
        if "full" in one:
            path = f"{SPILLS}/{mark}.txt"
            self.disk[path] = one["full"].encode("utf-8")
            spill = {"path": path, "sha256": "", "bytes": len(self.disk[path])}
        return self.session.append(
            "result",
            call=call,
            name=name,
            content=one["content"].replace("MARK", mark).replace("PATH", spill["path"])
            if spill
            else one["content"],
            is_error=bool(one.get("is_error")),
            spill=spill,
            facts={"marks": [mark]} if spill else one.get("facts", {}),
        )

    def _present(self) -> dict[str, str]:
        calls = self.state.view.history.calls.values()
        now = self.state.step
        edited = {one.path for one in calls if one.step == now and one.name == "edit" and not one.is_failed}
        return {path: numbered(self.project[path]) for path in sorted(edited & self.project.keys())}

    def _session(self, records: Iterable[Record] = ()) -> Session:
        state = empty_state(PROJECT, counter(self.setting.density), lambda _model, _usage: 0.0)
        session = self._opened(Read(state))
        for record in records:
            session._number += 1
            apply(state, record)
        return session

    def _opened(self, read: Read) -> Session:
        session = Session(cast("SessionLog", self.log), read, clock=lambda: self.now)
        session.care = NoCare(session.log, session.state)
        return session

    def _remember(self) -> None:
        """Going back needs the past of the view."""
        if not self.state.timeline.is_whole:
            self.session.adopt(self._session(self.log.records).state)
