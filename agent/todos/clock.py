"""How long the model has not been told its todo list, in steps."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoClock:
    """Begins anew whenever the model calls todo_write; goes on through the turns, and back with the view."""

    steps: int = 0
    """Replies since the model called todo_write, was reminded, or was given a summary that holds the list."""
    reminders: int = 0
    """Since the model called todo_write."""

    def after_reply(self) -> "TodoClock":
        """Return the clock after one more reply."""
        return replace(self, steps=self.steps + 1)

    def after_reminder(self) -> "TodoClock":
        """Return the clock when the model has been reminded."""
        return TodoClock(reminders=self.reminders + 1)

    def after_summary(self) -> "TodoClock":
        """Return the clock when the list stands in a summary: that is no reminder, but as good as one."""
        return replace(self, steps=0)
