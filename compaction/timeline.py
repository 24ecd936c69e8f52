"""The view and how it came to be: what was appended and which compactions were made, so that one can be undone.

An undo takes back a compaction; a redo makes the one taken back last again. What was appended meanwhile stays. Both
rebuild the view from the same operations and run no layer.
"""

from collections.abc import Callable, Collection, Sequence

from compaction.messages import Block, Role
from compaction.view import Change, Count, Origin, View


class Timeline:
    """Grows a view; ``view`` is another object after an undo or redo.

    Args:  head: `head_sha` of the session; count: tokens of a block.
    """

    def __init__(self, head: str, count: Count) -> None:
        self._head = head
        self._count = count
        self._operations: list[tuple[str, Callable[[View], None]]] = []
        self._undone: set[str] = set()
        self.view = View(head, count)
        self.redoable: list[str] = []
        """Compactions that can be made again, the one undone last at the end."""
        self.held: frozenset[str] = frozenset()
        """Ids that an undo brought back: automatic layers leave them alone while there is room."""

    def append(
        self, record: str, role: Role, blocks: Sequence[Block], *, origin: Origin | None = None, step: int = 0
    ) -> None:
        """Append the blocks of a logged message, as `View.append`."""
        self._do("", lambda view: view.append(record, role, blocks, origin=origin, step=step))

    def apply(self, record: str, changes: Sequence[Change]) -> None:
        """Change the view as a compaction record says; nothing undone before can be made again after it."""
        self._do(record, lambda view: view.apply(record, changes))
        self.redoable.clear()

    def without(self, record: str) -> View:
        """Return the view as it would stand without a compaction.

        Raises ValueError when a later one changed what it brought.
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

    def _do(self, record: str, operation: Callable[[View], None]) -> None:
        operation(self.view)
        self._operations.append((record, operation))

    def _rebuilt(self, undone: Collection[str]) -> View:
        view = View(self._head, self._count)
        view.reader = self.view.reader
        for record, operation in self._operations:
            if record not in undone:
                operation(view)
        pairs = zip(view, self.view, strict=False)
        same = next((index for index, (one, other) in enumerate(pairs) if one != other), len(view))
        view.sent = min(view.sent, same, self.view.sent)
        return view
