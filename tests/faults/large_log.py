"""A log of 100 MB: how long it takes until a session that goes on is ready, against a new one.

`python -m tests.faults.large_log [--mb 100]` prints JSON, in seconds until the status bar of a real terminal shows the
context: `new_s`; `large_s`, after an exit; `killed_s`, after kill -9 in a turn; `whole_s`, without a checkpoint;
`newest_s` to find the newest session; and `log_bytes`, `checkpoint_bytes`.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from agent.offline import MessagesServer, Script, always, says
from agent.session.checkpoint import NAME
from agent.session.store import Store
from tests.support.command import Command
from tests.support.long_log import LongLog
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, agent_command

MB = 1_000_000
MOST_S = 300
SLOW = "A long answer. "


def ready_s(agent: Command, *args: str, then: str = "/quit\r") -> float:
    """Return how long `agent ARGS` takes until its status bar shows the context; then type ``then``."""
    begun = time.monotonic()
    with Terminal(agent_command(*args), cwd=agent.project, env=agent.env) as terminal:
        terminal.until(READY, MOST_S)
        seconds = time.monotonic() - begun
        terminal.send(then)
        if then.startswith("/quit"):
            terminal.until(lambda: terminal.process.poll() is not None, MOST_S)
        else:
            terminal.until(SLOW.strip(), MOST_S)  # leaving the block kills it
    return round(seconds, 2)


def measured(size: int) -> dict[str, float]:
    """Make the log and measure."""
    found: dict[str, float] = {}
    slow = says(SLOW * 400, pace_s=0.05, chunk_chars=40)
    with tempfile.TemporaryDirectory() as folder, MessagesServer(Script(always(slow))) as server:
        agent = Command(root=Path(folder), url=server.url)
        found["new_s"] = ready_s(agent)
        agent.run("-p", "go")
        store = Store.of(agent.project, agent.home)
        newest = store.newest()
        LongLog(store.log(newest), agent.project).grow(size)
        begun = time.monotonic()
        store.newest()
        found["newest_s"] = round(time.monotonic() - begun, 3)
        found["whole_s"] = ready_s(agent, "-c")
        found["large_s"] = ready_s(agent, "-c", then="go on\r")
        found["killed_s"] = ready_s(agent, "-c")
        found["log_bytes"] = store.log(newest).stat().st_size
        found["checkpoint_bytes"] = (store.folder(newest) / NAME).stat().st_size
    return found


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=100)
    sys.stdout.write(json.dumps(measured(parser.parse_args().mb * MB), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
