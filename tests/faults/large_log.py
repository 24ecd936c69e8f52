"""F45 h: a log of 100 MB, one record copied: how long the next turn and the look for the newest session take.

`python -m tests.faults.large_log [--mb 100]` prints JSON: seconds of `agent -c -p hi` over the log as it was and over the
large one, and of finding the newest session.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from agent.offline import MessagesServer, Script, always, says
from agent.session.store import Store
from tests.support.command import Command

MB = 1_000_000


def grown(log: Path, size: int) -> None:
    """Copy a reply of the log behind it until it has ``size`` bytes; each copy has an id of its own."""
    lines = log.read_bytes().splitlines(keepends=True)
    record = json.loads(
        next(line for line in lines if b'"type":"message"' in line and b'"assistant"' in line)
    )
    note = {**record, "type": "note", "text": "x" * 2_000}
    with log.open("ab") as file:
        number = len(lines)
        while file.tell() < size:
            number += 1
            line = json.dumps({**note, "id": f"r{number}"}, ensure_ascii=False, separators=(",", ":"))
            file.write(line.encode("utf-8") + b"\n")


def measured(size: int) -> dict[str, float]:
    """Make the log and measure."""
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, MessagesServer(Script(always(says("Hello.")))) as server:
        agent = Command(root=Path(folder), url=server.url)
        agent.run("-p", "go")
        store = Store.of(agent.project, agent.home)
        for name in ("small", "large"):
            if name == "large":
                grown(store.log(store.newest()), size)
            begun = time.monotonic()
            store.newest()
            seconds[f"newest_{name}_s"] = round(time.monotonic() - begun, 3)
            begun = time.monotonic()
            assert agent.run("-c", "-p", "hi").text == "Hello.\n"
            seconds[f"turn_{name}_s"] = round(time.monotonic() - begun, 2)
    return seconds


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=100)
    sys.stdout.write(json.dumps(measured(parser.parse_args().mb * MB), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
