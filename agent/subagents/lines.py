"""Agent types in words, for the user: all of them in short, or one in full."""

from collections.abc import Mapping

from agent.subagents.agent_type import MAX_STEPS, AgentType
from agent.subagents.catalog import BUILT_IN, AgentTypes
from agent.subagents.models import model_for
from agent.subagents.rights import tools_in_words
from hooks.permission.judge import Mode

ABOUT_CHARS = 240
"""Of a description in the list: those of other agents hold whole conversations."""
_INDENT = "    "
_MODES: Mapping[Mode, str] = {
    "plan": "changes nothing",
    "ask": "asks before each change (mode ask)",
    "accept-edits": "no looser mode than accept-edits",
}
HOW = "put one into .agent/agents/NAME.md or ~/.agent/agents/NAME.md; /agents NAME shows one in full; they are read when the program starts"


def listed(types: AgentTypes, model: str) -> list[str]:
    """Return what there is, what it hides, and what cannot be used; ``model``: of the session."""
    lines: list[str] = []
    for kind in types.held:
        short = (
            kind.description if len(kind.description) <= ABOUT_CHARS else f"{kind.description[:ABOUT_CHARS]}…"
        )
        lines += [f"{kind.name}  {kind.source}", f"{_INDENT}{short}", *_bounds(kind, types, model)]
    lines += [f"{broken.source} {broken.error}" for broken in types.broken]
    return [*lines, *types.off, HOW]


def explained(kind: AgentType, types: AgentTypes, model: str) -> list[str]:
    """Return all of one type, with what its subagents are told."""
    prompt = kind.prompt.splitlines() or ["(nothing but what all are told)"]
    return [
        f"{kind.name}  {kind.source}",
        f"{_INDENT}{kind.description}",
        *_bounds(kind, types, model),
        "what its subagents are told:",
        *(f"{_INDENT}{line}" for line in prompt),
    ]


def _bounds(kind: AgentType, types: AgentTypes, model: str) -> list[str]:
    """Return what it has and may, what it hides, and what of its file has no effect."""
    used, problem = model_for(kind.model, model)
    parts = [f"tools {tools_in_words(kind.rights)}"]
    parts += [f"never {', '.join(rule.text for rule in kind.rights.denied)}"] if kind.rights.denied else []
    parts += [_MODES[kind.rights.mode]] if kind.rights.mode != "bypass" else []
    parts += [f"model {used}"] if used != model else []
    parts += [f"effort {kind.effort}"] if kind.effort else []
    parts += [f"{kind.max_steps} steps"] if kind.max_steps < MAX_STEPS else []
    hidden = [one.source for one in types.hidden_by(kind)]
    told = [f"in place of the one {'in ' if one != BUILT_IN else ''}{one}" for one in hidden]
    said = [*told, *kind.remarks, *([problem] if problem else [])]
    return [f"{_INDENT}{' · '.join(parts)}", *(f"{_INDENT}{line}" for line in said)]
