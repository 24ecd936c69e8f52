"""Looks after what a session has on disk, and tells the user when the disk refuses."""

from collections.abc import Callable

from agent.session.log import SessionLog
from agent.session.lost_files import missing_files, write_again
from agent.session.state import State

STUCK = (
    "the session's log cannot be written ({}): the turn goes on and its records wait in memory; "
    "compaction paused: no space"
)
WRITTEN = "the session's log can be written again: what waited is in it"
PUT_BACK = "the session's log was gone, as after `git clean`; it is written again"
GONE = "{} of the session's kept texts are gone and stand nowhere else; the first is {}"

Tell = Callable[[str], object]


class Care:
    """What one session watches over; a line is told once, and of a disk that refuses one line a turn."""

    def __init__(self, log: SessionLog, state: State) -> None:
        self.keeps_files = True
        """Spills and archives are looked after; False for a subagent, whose parent does that."""
        self.has_asked = False
        """The user knows that a compaction is due and nothing can be written."""
        self._log = log
        self._state = state
        self._tell: Tell | None = None
        self._early: list[str] = []
        self._told_in_turn = -1
        self._is_stuck = False
        self._looked_at_step = -1
        self._given_up: set[str] = set()

    def listen(self, tell: Tell) -> None:
        """Hand lines for the user to ``tell`` from now on, first those that nobody has heard."""
        self._tell = tell
        early, self._early = self._early, []
        for words in early:
            tell(words)

    def complain(self, words: str) -> bool:
        """Tell the user of a disk that refuses; False when this turn had its line."""
        if self.has_complained:
            return False
        self._told_in_turn = self._state.turn
        self.say(words)
        return True

    @property
    def has_complained(self) -> bool:
        """True when the user was told in this turn."""
        return self._told_in_turn == self._state.turn

    def watch(self) -> None:
        """Tell whether the log can be written, when that is news."""
        problem = self._log.problem
        if problem is not None:
            self._is_stuck = self.complain(STUCK.format(problem.strerror)) or self._is_stuck
        elif self._is_stuck:
            self._is_stuck = not self.complain(WRITTEN)

    def look(self) -> None:
        """Put back spills and archives that are gone, at most once a step; tell of those that cannot be, once."""
        if self._log.problem is not None or not self.keeps_files or self._looked_at_step == self._state.step:
            return
        self._looked_at_step = self._state.step
        missing = [path for path in missing_files(self._state) if path not in self._given_up]
        lost = write_again(self._log.path, self._state, missing) if missing else []
        self._given_up.update(lost)
        if lost:
            self.say(GONE.format(len(lost), lost[0]))

    def say(self, words: str) -> None:
        """Tell the user, now or as soon as somebody listens."""
        if self._tell is None:
            self._early.append(words)
        else:
            self._tell(words)
