"""/model and /effort: shown, changed, and what the cache that is thrown away by that costs."""

import difflib

from agent.models import EFFORTS, Effort, cost_usd, row
from agent.session.state import State
from agent.terminal.desk import SessionDesk
from agent.terminal.figures import dollars, tokens

DEFAULT = "default"
"""The word for what the server does unasked."""


async def change_model(desk: SessionDesk, words: str) -> None:
    """Show the model, or go on with another."""
    state = desk.agent.session.state
    if not words:
        desk.say([f"model {state.model} · window {row(state.model).window:,} · /model NAME changes it"])
        return
    if words == state.model:
        desk.say([f"{words} is the model already"])
        return
    await desk.switch(state.session_id, words)
    state = desk.agent.session.state
    if row(words).prices.input is None:
        window = f"{desk.agent.compactor.sizes.window:,}"
        desk.say([f"{words} is not known here: a window of {window} is assumed, and no price"])
    desk.say(_rewritten(state))
    if state.effort is not None and state.effort not in offered(state.model):
        desk.say([_lowered(state.effort, state.model)])


async def change_effort(desk: SessionDesk, words: str) -> None:
    """Show how much the model thinks, or change it from its next step on."""
    session = desk.agent.session
    state, known = session.state, offered(session.state.model)
    wanted = words.casefold()
    if not known:
        desk.say([f"{state.model} has no levels of effort"])
    elif not words:
        desk.say([f"effort {state.effort or DEFAULT} · {_choices(state)}"])
    elif wanted not in (*known, DEFAULT):
        near = difflib.get_close_matches(wanted, (*known, DEFAULT), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        desk.say([f"{state.model} has no effort `{words}`: {hint}{_choices(state)}"])
    elif wanted == (state.effort or DEFAULT):
        desk.say([f"effort is {wanted} already"])
    else:
        session.append("effort", effort=None if wanted == DEFAULT else wanted)
        session.sync()
        desk.say([f"effort {wanted}", *_rewritten(state)])


def offered(model: str) -> tuple[Effort, ...]:
    """Return the efforts that ``model`` knows, by name or as a budget for its thinking; none when it has neither."""
    known = row(model)
    return known.efforts or (EFFORTS if known.thinking == "manual" else ())


def _choices(state: State) -> str:
    return f"{state.model} takes {', '.join(offered(state.model))}; {DEFAULT} leaves it to the server"


def _lowered(effort: str, model: str) -> str:
    known = ", ".join(offered(model))
    used = f"the nearest below it of {known} is used" if known else "it has no levels, so none is sent"
    return f"{model} has no effort {effort}: {used}"


def _rewritten(state: State) -> list[str]:
    """Return what it costs that the cache no longer serves the conversation; nothing where none has begun."""
    if not state.turn:
        return []
    size = state.context_size
    usd = cost_usd(row(state.model), {"cache_creation_input_tokens": size})
    price = "" if usd is None else f", about {dollars(usd, is_known=True)}"
    return [
        f"the next request reads nothing of the conversation from the cache: {tokens(size)} are written anew{price}"
    ]
