"""How an opened session goes on: with model, effort and mode of its log, where no others are asked for and the log may say so."""

from typing import get_args

from agent.models import Effort
from agent.session.session import Session
from hooks.permission.judge import Mode

NOT_FROM_A_LOG = (
    "this session was in mode bypass, which no log can ask for: it goes on in mode ask; "
    "`--permission-mode bypass` asks for it"
)


def go_on(session: Session, *, model: str | None, mode: Mode | None, effort: Effort | None) -> Mode:
    """Record what is asked for; return the mode that counts from here on.

    A log lies in the project, where a stranger may have put it: that everything may run is never taken from it.
    """
    if model is not None and session.state.model != model:
        session.append("model", model=model)
    if effort is not None and session.state.effort != effort:
        session.append("effort", effort=effort)
    own = _known(session.state.mode)
    if mode is None and own == "bypass":
        session.care.say(NOT_FROM_A_LOG)
        own = "ask"
    wanted = mode or own
    if session.state.mode != wanted:
        session.append("mode", mode=wanted)
    return wanted


def _known(logged: str) -> Mode:
    """Return the mode that a log names; `ask` for one that no version knows."""
    return next((mode for mode in get_args(Mode) if mode == logged), "ask")
