"""The system prompt, fixed for a session."""

from pathlib import Path


def system_blocks(name: str, extra: str = "") -> list[dict[str, str]]:
    """Return the system prompt ``name`` (`system`, `subagent`) in wire form.

    Our own text, and what --append-system-prompt adds.
    """
    own = Path(__file__).with_name(f"{name}.md").read_text("utf-8").strip()
    return [{"type": "text", "text": f"{own}\n\n{extra.strip()}".strip()}]
