"""The fixed beginning of every request: how long system prompt and tools are, and what of it is the user's own."""

from agent.doctor.choices import model_of
from agent.doctor.finding import Finding
from agent.doctor.scene import Scene
from agent.models import row
from agent.prompt import system_blocks
from agent.terminal.figures import tokens
from agent.token_counter import Counter
from compaction.messages import text
from tools.registry import ToolRegistry, default_tools


def prompt_finding(scene: Scene) -> Finding:
    """Say how many tokens it has by the meter, for the model of a new session."""
    count = Counter(row(model_of(scene)[0]).family).block_tokens
    tools = default_tools()
    system = count(text(str(system_blocks("system", [tool.name for tool in tools]))))
    schemas = count(text(str(ToolRegistry(tools).schemas())))
    own, origin = _own(scene)
    added = count(text(own)) if own else 0
    parts = f"system prompt {tokens(system)}, tools {tokens(schemas)}"
    more = f", append_system_prompt {tokens(added)} ({origin})" if added else ""
    total = tokens(system + schemas + added)
    return Finding("ok", "prompt", f"{total} tokens at the head of every request: {parts}{more}")


def _own(scene: Scene) -> tuple[str, str]:
    """Return what the settings add to the system prompt, and where that is said; the strongest file counts."""
    said = (
        (layer.append_system_prompt.strip(), origin)
        for origin, layer in reversed(scene.layers)
        if layer.append_system_prompt is not None
    )
    return next(said, ("", ""))
