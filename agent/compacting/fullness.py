"""What is said when the context is full and making room got nowhere."""

from agent.compacting.block_names import BlockNames
from agent.compacting.filling import filling
from agent.session.state import State
from compaction.policy import Sizes

LARGEST = 10


def largest_lines(state: State) -> list[str]:
    """Return the largest blocks of the view, a line each; tokens by the meter."""
    names = BlockNames(state, state.view)
    found = filling(state).largest(LARGEST)
    steps = [f" (step {share.placed.step})" if share.placed.step else "" for share in found]
    return [
        f"  {share.tokens:>7,}  {names.of(share.placed)}{step}"
        for share, step in zip(found, steps, strict=True)
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
