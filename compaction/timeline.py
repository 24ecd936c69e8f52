"""The view and how it came to be: what was appended and which compactions were made, so that one can be undone.

An undo takes back a compaction; a redo makes the one taken back last again. What was appended meanwhile stays. Both
rebuild the view from the same operations and run no layer.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from compaction.messages import Block, Role
from compaction.view import Change, Count, Origin, View

Operation = tuple[str, Callable[[View], None]]
"""(id of the compaction, empty for what was appended; what it does to a view)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Where a timeline stood: the first ``count`` of its ``operations``, and what was undone of them."""

    operations: Sequence[Operation] = field(compare=False)
    """What they do is no value: two marks are equal that stand at the same place."""
    count: int
    undone: frozenset[str]
    redoable: tuple[str, ...]
    held: frozenset[str]


class Timeline:
    """Grows a view; ``view`` is another object after an undo or redo.

    Args:  head: `head_sha` of the session; count: tokens of a block.
    """

    def __init__(self, head: str, count: Count) -> None:
        self._head = head
        self._count = count
        self._operations: list[Operation] = []
        self._undone: set[str] = set()
        self.view = View(head, count)
        self.redoable: list[str] = []
        """Compactions that can be made again, the one undone last at the end."""
        self.held: frozenset[str] = frozenset()
        """Ids that an undo brought back: automatic layers leave them alone while there is room."""
        self.is_whole = True
        """False where it began with a view whose past is not known: then there is no way back."""

    @classmethod
    def from_now(
        cls, view: View, count: Count, *, redoable: Sequence[str], held: frozenset[str]
    ) -> "Timeline":
        """Return a timeline that begins with ``view``; what was there before cannot be gone back to."""
        timeline = cls(view.head, count)
        timeline.view, timeline.redoable, timeline.held = view, list(redoable), held
        timeline.is_whole = False
        return timeline

    def append(
        self, record: str, role: Role, blocks: Sequence[Block], *, origin: Origin | None = None, step: int = 0
    ) -> None:
        """Append the blocks of a logged message, as `View.append`."""
        self._do("", lambda view: view.append(record, role, blocks, origin=origin, step=step))

    def load_skill(self, name: str, given: str, *, step: int) -> None:
        """Note that a message brought the skill ``name``, for what is ``given``."""
        self._do("", lambda view: view.history.deeds.load_skill(name, given, step))

    def apply(self, record: str, changes: Sequence[Change]) -> None:
        """Change the view as a compaction record says; nothing undone before can be made again after it."""
        self._do(record, lambda view: view.apply(record, changes))
        self.redoable.clear()
        if self.held:
            self.held &= {placed.id for placed in self.view}

    def without(self, record: str) -> View:
        """Return the view as it would stand without a compaction.

        Raises ValueError when a later one changed what it brought; LookupError unless the timeline `is_whole`.
        """
        return self._rebuilt({*self._undone, record})

    def undo(self, record: str) -> None:
        """Take a compaction back."""
        before = {placed.id for placed in self.view}
        self.view = self.without(record)
        self._undone.add(record)
        self.redoable.append(record)
        self.held |= {placed.id for placed in self.view} - before

    def redo(self, record: str) -> None:
        """Make a compaction again that was undone."""
        self.view = self._rebuilt(self._undone - {record})
        self._undone.discard(record)
        self.redoable.remove(record)
        self.held &= {placed.id for placed in self.view}

    def mark(self) -> Mark:
        """Return where it stands; costs the same however much there is."""
        return Mark(
            operations=self._operations,
            count=len(self._operations),
            undone=frozenset(self._undone),
            redoable=tuple(self.redoable),
            held=self.held,
        )

    def go_back(self, mark: Mark) -> None:
        """Let the view stand as it stood at ``mark``: later compactions vanish, those before stand as they stood then.

        What is left behind can be gone back to by a mark of it.
        """
        # A new list: the old one, up to its marks, is never changed.
        self._operations = list(mark.operations[: mark.count])
        self._undone = set(mark.undone)
        self.redoable = list(mark.redoable)
        self.held = mark.held
        self.view = self._rebuilt(self._undone)

    def _do(self, record: str, operation: Callable[[View], None]) -> None:
        operation(self.view)
        self._operations.append((record, operation))

    def _rebuilt(self, undone: Collection[str]) -> View:
        if not self.is_whole:
            raise LookupError("the past of this view is not known")
        view = View(self._head, self._count)
        view.reader = self.view.reader
        for record, operation in self._operations:
            if record not in undone:
                operation(view)
        pairs = zip(view, self.view, strict=False)
        same = next((index for index, (one, other) in enumerate(pairs) if one != other), len(view))
        view.sent = min(view.sent, same, self.view.sent)
        return view
