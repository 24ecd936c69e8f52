"""How the input is drawn where a character of it is not what is shown."""

import re
from collections.abc import Iterator
from itertools import accumulate

from prompt_toolkit.formatted_text import OneStyleAndTextTuple
from prompt_toolkit.formatted_text.utils import fragment_list_to_text
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.layout.utils import explode_text_fragments

from agent.terminal.paste_folds import FOLD, Folds
from tools.visible import TURNING

MARK_STYLE = "ansicyan"
ODD = re.compile(f"{FOLD.pattern}|{TURNING.pattern}")


class ShownInput(Processor):
    """Shows a folded paste as its mark, and what turns the direction of text as an escape."""

    def __init__(self, folds: Folds) -> None:
        self._folds = folds

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Return a line as it is shown, and the way between its places and those in the text."""
        fragments = transformation_input.fragments
        if not ODD.search(fragment_list_to_text(fragments)):
            return Transformation(fragments)
        marks = iter(self._marks(transformation_input))
        shown = [_shown(fragment, marks) for fragment in explode_text_fragments(fragments)]
        starts = [0, *accumulate(len(fragment[1]) for fragment in shown)]
        sources = [at for at, fragment in enumerate(shown) for _ in fragment[1]]
        return Transformation(
            shown,
            source_to_display=lambda at: starts[min(at, len(shown))] + max(0, at - len(shown)),
            display_to_source=lambda at: sources[at] if at < len(sources) else len(shown),
        )

    def _marks(self, given: TransformationInput) -> list[str]:
        """Return the marks of the line's pastes, numbered among all."""
        document = given.document
        before = document.text[: document.translate_row_col_to_index(given.lineno, 0)]
        return self._folds.marks(document.text)[len(FOLD.findall(before)) :]


def _shown(fragment: OneStyleAndTextTuple, marks: Iterator[str]) -> OneStyleAndTextTuple:
    """Return what is shown for a fragment that is one character."""
    style, one = fragment[0], fragment[1]
    if FOLD.match(one):
        return f"{style} {MARK_STYLE}", next(marks)
    return (style, f"\\u{ord(one):04x}") if TURNING.match(one) else fragment
