"""What only reads, by the real programs: `python -m tests.faults.reading [--count N] [--seed N]`.

Each command of the read-only list, with each of its options, and behind that words that write or change something: what
permission allows is run in a project where nothing may change. Prints JSON; the exit code is 1 when something did.
"""

import argparse
import hashlib
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hooks.permission import reads_only
from hooks.permission.judge import Permission
from tests.support.calls import bash_call

_LIST: dict[str, dict[str, Any]] = tomllib.loads(
    Path(reads_only.__file__).with_name("reads_only.toml").read_text("utf-8")
)
_NO_COMMANDS = frozenset({"DIFF", "LOG", "find", "git", "variables"})
_OF_THE_MACHINE = frozenset({"date", "hostname"})
"""What these change is not in the project: their words are judged in the table only."""
_TAILS = (
    *(
        "--output=F",
        "-oF",
        "F",
        "a.txt F",
        "--output=F a.txt",
        "-- a.txt F",
        "--ext-diff HEAD",
        "-d main",
        "-D main",
    ),
    *(
        "-m new",
        "new HEAD",
        "--edit-description",
        "--unset user.name",
        "-i a.txt",
        "--contents F",
        "expire --all",
    ),
)
"""Words that would write, change or remove something if the program took them for what they look like."""
_TIMEOUT_S = 5.0


def commands() -> Iterator[str]:
    """Yield every command of the list with each option and tail."""
    for name in sorted(_LIST.keys() - _NO_COMMANDS - _OF_THE_MACHINE):
        for option in ("", *_options(name)):
            for tail in _TAILS:
                yield " ".join([*map(shlex.quote, name.split()), *filter(None, [option]), tail])


def _options(name: str) -> Iterator[str]:
    tables = [_LIST[name], *(_LIST[other] for other in _LIST[name].get("like", ()))]
    for table in tables:
        letters = "".join(table.get(key, "") for key in ("flags", "texts", "paths"))
        yield from (f"-{letter}" for letter in letters if letter != " ")
        for long in table.get("long", "").split():
            option, _, kind = long.partition("=")
            yield f"--{option}"
            yield from [f"--{option}=1"] * bool(kind)


@dataclass(frozen=True, slots=True)
class Watched:
    """A git project in which nothing may change."""

    project: Path

    @classmethod
    def made(cls, folder: Path) -> "Watched":
        """Make it in ``folder``, anew."""
        project = Path(os.path.realpath(folder)) / "project"
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir()
        (project / "a.txt").write_text("a\nb\n")
        git = "git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b commit -qm a"
        subprocess.run(["bash", "-c", f"{git} && echo c >> a.txt"], cwd=project, check=True)
        return cls(project)

    def allows(self, command: str) -> bool:
        """Tell whether ``command`` runs without any rule."""
        permission = Permission(home=self.project.parent / "home", project=self.project)
        return permission.judge(bash_call(command, cwd=str(self.project))).decision == "allow"

    def run(self, command: str) -> None:
        """Run ``command``; one that waits is ended."""
        try:
            subprocess.run(
                ["bash", "-c", command],
                cwd=self.project,
                check=False,
                timeout=_TIMEOUT_S,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
        except subprocess.TimeoutExpired:
            sys.stderr.write(f"waited too long for: {command}\n")

    def state(self) -> dict[str, str]:
        """Return all that counts: the files, the branches and the settings; git may refresh its index."""
        files = (path for path in self.project.rglob("*") if path.is_file() and "index" not in path.name)
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def changing(some: Sequence[str], folder: Path) -> tuple[int, list[str]]:
    """Return how many of ``some`` are allowed, and which of those change something."""
    watched = Watched.made(folder)
    before, allowed, found = watched.state(), 0, []
    for command in filter(watched.allows, some):
        allowed += 1
        watched.run(command)
        if watched.state() != before:
            found.append(command)
            watched = Watched.made(folder)
            before = watched.state()
    return allowed, found


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    every = list(commands())
    some = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    with tempfile.TemporaryDirectory() as folder:
        allowed, found = changing(some, Path(folder))
    told = {
        "possible": len(every),
        "judged": len(some),
        "allowed and run": allowed,
        "changed something": found,
    }
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
