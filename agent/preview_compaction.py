"""What a compaction would do now, without doing it."""

from collections.abc import Sequence

from agent.session.state import State
from compaction.digest import call_line
from compaction.messages import ToolUseBlock
from compaction.pipeline import Layer
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.situation import Situation
from compaction.view import Placed, View

SHOWN = 12
LARGEST = 10


def preview_lines(
    state: State, layers: Sequence[Layer], situation: Situation, summary: Plan | None
) -> list[str]:
    """Return what the layers would do before the next step, and what a summary would take out and leave."""
    lines: list[str] = []
    view = state.view.copy()
    for layer in layers:
        plan = layer(view, situation)
        if plan is not None:
            lines += _plan_lines(plan, view)
            view.apply(f"preview-{len(lines)}", plan.changes)
    if not lines:
        lines.append("no layer would act before the next step")
    if summary is None:
        return [*lines, "/compact would change nothing: a summary would not be smaller"]
    sizes = f"{summary.receipt['before']:,} → about {summary.receipt['after']:,} tokens, before the model's own text"
    archive = summary.receipt["archive"]
    return [
        *lines,
        f"/compact: {sizes}; {summary.receipt['dropped']} blocks to {archive}; needs one model call",
    ]


def largest_lines(state: State) -> list[str]:
    """Return the largest blocks of the view, a line each; tokens by the meter."""
    largest = sorted(state.view, key=lambda placed: -placed.tokens)[:LARGEST]
    return [
        f"  {round(placed.tokens * state.meter.ratio):>7,}  {_about(placed, state.view)}"
        for placed in largest
    ]


def stuck(state: State) -> str:
    """Say that making room has got nowhere, and what fills the context."""
    head = "compaction pauses: twice in a row it made no room; /compact tries again. What fills the context:"
    return "\n".join([head, *largest_lines(state)])


def full(state: State, sizes: Sizes) -> str:
    """Say that the context is full, what fills it, and what goes on from there."""
    size, window = state.context_size, sizes.window
    head = f"the context is full ({size:,} of {window:,} tokens) and making room got nowhere twice in a row:"
    way_out = "`/compact`, `/clear` or a larger `--context-window` goes on"
    return "\n".join([f"{head} {way_out}. What fills it:", *largest_lines(state)])


def _plan_lines(plan: Plan, view: View) -> list[str]:
    receipt = plan.receipt
    price = f"the cache re-writes {receipt['rewritten']:,}, paid for after {receipt.get('payback_steps', 0):g} steps"
    head = f"{receipt['layer']}: {receipt['before']:,} → {receipt['after']:,} tokens; {price}"
    gone = {id_ for change in plan.changes for id_ in change["ids"]}
    leaving = sorted((placed for placed in view if placed.id in gone), key=lambda placed: -placed.tokens)
    lines = [f"  {placed.tokens:>7,}  {_about(placed, view)}" for placed in leaving[:SHOWN]]
    more = [f"  … {len(leaving) - SHOWN} more"] if len(leaving) > SHOWN else []
    where = sorted({file.path.rpartition("/")[0] for file in plan.files})
    return [head, *lines, *more, *(f"  kept in {folder}" for folder in where)]


def _about(placed: Placed, view: View) -> str:
    block = placed.block
    if block["type"] == "tool_use":
        return f"call of {call_line(block)}"
    if block["type"] == "tool_result":
        call = view.history.calls.get(block["tool_use_id"])
        use = _use_of(view, block["tool_use_id"])
        about = call_line(use) if use else (call.name if call else "a call")
        return f"result of {about} (step {placed.step})"
    return f"{block['type']} (step {placed.step})"


def _use_of(view: View, call_id: str) -> ToolUseBlock | None:
    for placed in view:
        if placed.block["type"] == "tool_use" and placed.block["id"] == call_id:
            return placed.block
    return None
