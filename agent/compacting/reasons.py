"""Why a block has become less useful, as far as the history tells: what a person would like to know of it."""

from agent.session.state import State
from compaction.history import Call
from compaction.view import Placed


def reason(state: State, placed: Placed) -> str:
    """Return `superseded at step 198`, `not touched for 27 steps`, `exit code 0, 12 steps ago`; empty for words.

    It is told beside a decision and is no part of it.
    """
    block, history = placed.block, state.view.history
    id_ = block["id"] if block["type"] == "tool_use" else block.get("tool_use_id", "")
    call = history.calls.get(str(id_))
    if call is None:
        return ""
    ago = f"{_steps(max(0, state.step - placed.step))} ago"
    if call.path:
        return _since(state, call)
    return f"exit code {call.exit_code}, {ago}" if call.exit_code is not None else ago


def _since(state: State, call: Call) -> str:
    """Return what has become of a call's file since; ``written`` is among ``edited``."""
    history, path = state.view.history, call.path
    for steps, what in (
        (history.written, "superseded"),
        (history.edited, "edited"),
        (history.touched, "read again"),
    ):
        if (step := steps.get(path, 0)) > call.step:
            return f"{what} at step {step}"
    return f"not touched for {_steps(max(0, state.step - history.touched.get(path, call.step)))}"


def _steps(number: int) -> str:
    return f"{number} step" if number == 1 else f"{number} steps"
