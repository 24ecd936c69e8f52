"""`agent` on a real screen, against a model that does what the prompt's first word says."""

import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.offline import MessagesServer, Reply, Request, Script, always, calls, last_text_starts, says, when
from agent.session.log import read_records
from agent.session.records import Record
from compaction.summary import OPENING
from tests.support.command import Command
from tests.support.forked import Loaded
from tests.support.pty_screen import Terminal

SUMMARY = "<summary>1. Request and intent: look at the ledger; all is well.</summary>"
READY = "/200k"
"""In the status bar once the session is open."""
PARAGRAPH = (
    "A paragraph of the answer that is long enough to be wrapped on a narrow screen, **bold** and `code`.\n\n"
)


def answer(request: Request) -> Reply:
    """Do what the first word of the newest prompt says; once a call has its result, say that it is done."""
    word = _word(request)
    if request.results:
        return says(f"Done with {word}.")
    return REPLIES.get(word, lambda: says(f"You said {word}."))()


def three_calls() -> Reply:
    """Return a reply with three calls that run one after the other."""
    look = says("I'll look at three things.")
    reads = calls("read", file_path="ledger.py") + calls("glob", pattern="**/*.py")
    return look + reads + calls("bash", command="echo started; sleep 0.4; echo counted")


def an_edit() -> Reply:
    """Return a reply that wants to edit."""
    return calls("edit", file_path="ledger.py", old_string="return 1", new_string="return 2")


REPLIES: dict[str, Callable[[], Reply]] = {
    "tools": three_calls,
    "edit": an_edit,
    "sleep": lambda: calls("bash", command="echo $$ > mark; sleep 61"),
    "stream": lambda: says(PARAGRAPH * 8, pace_s=0.03, chunk_chars=20),
    "forever": lambda: says(PARAGRAPH * 200, pace_s=0.03, chunk_chars=12),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OnScreen:
    """A running agent, its screen, and the model behind it."""

    terminal: Terminal
    server: MessagesServer
    command: Command

    def prompt(self, text: str) -> None:
        """Type a line; once it stands in the input, send it: Enter in the same read would be part of a paste."""
        self.terminal.send(text)
        self.terminal.until(lambda: f"> {text}" in self.terminal.text)
        self.terminal.send("\r")

    def asked(self) -> list[str]:
        """Return the last text of every request that was a prompt's, in order."""
        return [last_text(request.body) for request in self.server.queries]

    def until_at_rest(self) -> None:
        """Wait until the turn is over, which is a moment after its last words: from then on nothing runs."""
        self.terminal.until(lambda: (last := self._records()[-1]) is not None and last["type"] == "end")

    def records(self) -> list[Record]:
        """Return all records of the newest session; fails for a line that does not parse."""
        records = self._records()
        assert None not in records
        return [record for record in records if record]

    def _records(self) -> list[Record | None]:
        newest = max(
            (self.command.project / ".transcripts").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns
        )
        return [record for _, record in read_records(newest)]


@contextmanager
def agent_on_screen(
    root: Path,
    *args: str,
    script: Script | None = None,
    columns: int = 100,
    rows: int = 40,
    more: Mapping[str, str] | None = None,
    program: Sequence[str] | Loaded | None = None,
) -> Generator[OnScreen]:
    """Start `agent ARGS`, or ``program``, in a git project under ``root``; it is ended at the end if it still runs."""
    summary = when(last_text_starts(OPENING), always(says(SUMMARY)))
    with MessagesServer(script or Script(always(answer), routes=[summary])) as server:
        command = Command(root=root, url=server.url, more=more or {})
        _make_ledger(command.project)
        with Terminal(
            program or Loaded(args), cwd=command.project, env=command.env, columns=columns, rows=rows
        ) as terminal:
            yield OnScreen(terminal=terminal, server=server, command=command)


def agent_command(*args: str) -> Sequence[str]:
    """Return the command that runs `agent ARGS` in a new interpreter."""
    return Loaded(args).anew


def last_text(body: Mapping[str, Any]) -> str:
    """Return the last text block of a request."""
    content = body["messages"][-1]["content"]
    texts = [block["text"] for block in content if block["type"] == "text"]
    return str(texts[-1]) if texts else ""


def _word(request: Request) -> str:
    texts = [
        block["text"]
        for message in request.body["messages"]
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "text"
    ]
    return str(texts[-1]).split()[0] if texts else ""


def _make_ledger(project: Path) -> None:
    if not (project / ".git").exists():
        subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
        (project / "ledger.py").write_text("def total():\n    return 1\n")
        (project / "AGENTS.md").write_text("Keep it simple.\n")
