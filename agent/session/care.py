"""Looks after what a session has on disk, and tells the user when the disk refuses."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agent.session.log import SessionLog
from agent.session.lost_files import beside, kept_bytes, missing_files, put_back, unfinished
from agent.session.state import State
from agent.session.store import Store
from tools.paths import show

STUCK = (
    "the session's log cannot be written ({}): the turn goes on and its records wait in memory; "
    "compaction paused: no space"
)
WRITTEN = "the session's log can be written again: what waited is in it"
PUT_BACK = "the session's log was gone, as after `git clean`; it is written again"
GONE = "{} of the session's kept texts are gone and stand nowhere else; the first is {}"
KEPT_GONE = (
    "{} of the file versions kept for /rewind are gone, it cannot bring them back; the first is of `{}`"
)
UNFINISHED = (
    "the process ended while /rewind put files back; not as they were then: {}; "
    "/rewind undo brings back how they stood before it"
)
NO_ROOM = "files of the session are gone, as after `git clean`, and cannot be written again yet: {}"

Tell = Callable[[str], object]


class Care:
    """What one session watches over; a line is told once, and of a disk that refuses one line a turn."""

    def __init__(self, log: SessionLog, state: State) -> None:
        self.keeps_files = True
        """What is gone for good is told here; False for a subagent, whose parent does that."""
        self.has_asked = False
        """The user knows that a compaction is due and nothing can be written."""
        self._log = log
        self._state = state
        self._tell: Tell | None = None
        self._early: list[str] = []
        self._told_in_turn = -1
        self._first_turn = state.turn + 1
        """What is told while the session is opened counts as told in it."""
        self._is_stuck = False
        self._looked_at_step = -1
        self._given_up: set[str] = set()
        self._held = (0, 0, 0)
        """How many files, logs of jobs and changes of files there were when they were last held."""

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
        self._told_in_turn = self._turn
        self.say(words)
        return True

    @property
    def has_complained(self) -> bool:
        """True when the user was told in this turn."""
        return self._told_in_turn == self._turn

    @property
    def _turn(self) -> int:
        return max(self._state.turn, self._first_turn)

    def watch(self) -> None:
        """Hold what is new beside the log; tell whether that can be written, when it is news."""
        counts = (len(self._state.own_files), len(self._state.job_logs), len(self._state.changes))
        if counts != self._held:
            self._held = counts
            self._log.held.hold(beside(self._state))
        problem = self._log.problem
        if problem is not None:
            self._is_stuck = self.complain(STUCK.format(problem.strerror)) or self._is_stuck
        elif self._is_stuck:
            self._is_stuck = not self.complain(WRITTEN)
            if self.keeps_files:
                with suppress(OSError):  # the next start does it
                    Store(root=self._log.path.parents[1]).make()

    def look(self) -> None:
        """Put back what is gone beside the log, at most once a step; tell of what cannot be, once."""
        if self._log.problem is not None or self._looked_at_step == self._state.step:
            return
        if self._looked_at_step < 0 and (files := unfinished(self._state)):
            shown = (show(Path(path), project=self._state.project) for path in files)
            self.say(UNFINISHED.format(", ".join(f"`{path}`" for path in shown)))
        self._looked_at_step = self._state.step
        try:
            missing = [path for path in missing_files(self._state) if path not in self._given_up]
            lost = put_back(self._log, self._state, missing) if missing else []
        except OSError as error:
            self.complain(NO_ROOM.format(error.strerror))
            return
        self._given_up.update(lost)
        if lost and self.keeps_files:
            self._tell_of(lost)

    def _tell_of(self, lost: list[str]) -> None:
        kept = kept_bytes(self._state)
        texts = [path for path in lost if path not in kept]
        versions = [kept[path]["path"] for path in lost if path in kept]
        if texts:
            self.say(GONE.format(len(texts), texts[0]))
        if versions:
            first = show(Path(versions[0]), project=self._state.project)
            self.say(KEPT_GONE.format(len(versions), first))

    def say(self, words: str) -> None:
        """Tell the user, now or as soon as somebody listens."""
        if self._tell is None:
            self._early.append(words)
        else:
            self._tell(words)
