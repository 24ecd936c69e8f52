"""Generates shell commands in which one program is wrapped, up to four productions deep."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.hooks import evaluated, handed, hidings, productions, scripts
from tests.hooks.productions import PROGRAM, Level, Production

ALL: tuple[Production, ...] = (
    *productions.ON_WORDS,
    *handed.ON_WORDS,
    *productions.ON_SIMPLE,
    *hidings.ON_SIMPLE,
    *scripts.ON_SCRIPTS,
    *handed.ON_SCRIPTS,
    *evaluated.ON_SCRIPTS,
    *hidings.ON_SCRIPTS,
)
BY_NAME = {production.name: production for production in ALL}
MOST_DEEP = 4
ARGUMENTS = ("", " a", " -x 'b c'", ' --long=d "e f"')
_TAKING = {level: [one for one in ALL if one.takes >= level] for level in Level}
_GIVING = {level: [one for one in ALL if one.gives <= level] for level in Level}


@dataclass(frozen=True, slots=True)
class Wrapping:
    """A command that runs the program, and the names of the productions that made it, the innermost first."""

    command: str
    names: tuple[str, ...]

    @property
    def is_computed(self) -> bool:
        """Whether only running it tells what it runs."""
        return any(BY_NAME[name].is_computed for name in self.names)


def written(names: Sequence[str], program: str = PROGRAM) -> str:
    """Return ``program``, which may have arguments, inside the productions of these names, the first innermost."""
    command = program
    for name in names:
        command = BY_NAME[name].write(command)
    return command


@st.composite
def wrappings(draw: st.DrawFn, through: str = "") -> Wrapping:
    """One to four productions around the program; ``through``: the name of one that must be among them."""
    fixed = BY_NAME[through or draw(st.sampled_from(ALL)).name]
    depth = draw(st.integers(1, MOST_DEEP))
    inner = draw(st.integers(0, depth - 1))
    chosen: list[Production] = []
    for place in range(depth):
        level = chosen[-1].gives if chosen else Level.WORD
        if place == inner:
            chosen.append(fixed)
        elif place < inner:
            fitting = [one for one in _TAKING[level] if one.gives <= fixed.takes]
            if fitting:
                chosen.append(draw(st.sampled_from(fitting)))
        else:
            chosen.append(draw(st.sampled_from(_TAKING[level])))
    names = tuple(one.name for one in chosen)
    return Wrapping(written(names, PROGRAM + draw(st.sampled_from(ARGUMENTS))), names)
