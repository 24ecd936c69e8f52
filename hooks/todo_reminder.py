"""The program's own hook before a message is sent: todos that stand open and were not touched for a while are told again."""

from hooks.events import BeforeSend, Outcome

AFTER_STEPS = (3, 10)
"""So many steps after the list was told, the first reminder comes, then the second, and no further one."""
MOST_ITEMS = 10
MAX_ITEM_CHARS = 100
_WORDS = (
    "A reminder by the program, not the user's words: the todo list was not written lately; {done} of its {all} items "
    "are done. If it is behind the work, bring it up to date with `todo_write`; if it is about other work, clear it. "
    "Then go on, and say nothing of this reminder. Open items:"
)


async def remind(event: BeforeSend) -> Outcome | None:
    """Tell the open items, if it is time."""
    still_open = [todo for todo in event.todos if todo["status"] != "completed"]
    is_silent = event.reminders >= len(AFTER_STEPS)
    if not still_open or is_silent or event.steps < AFTER_STEPS[event.reminders]:
        return None
    total = len(event.todos)
    lines = [_WORDS.format(done=total - len(still_open), all=total)]
    lines += [f"- [{todo['status']}] {_one_line(str(todo['content']))}" for todo in still_open[:MOST_ITEMS]]
    if (more := len(still_open) - MOST_ITEMS) > 0:
        lines.append(f"- and {more} more")
    return Outcome(contexts=("\n".join(lines),))


def _one_line(words: str) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= MAX_ITEM_CHARS else f"{flat[: MAX_ITEM_CHARS - 1]}…"
