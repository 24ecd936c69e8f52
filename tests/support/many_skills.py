"""Skills as public repositories have them, as many as are wanted: the same each time."""

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

SEED = 8
WORDS = re.findall(
    r"\w+",
    "extract tables from documents review pull requests deploy services charts when the user asks for tests write "
    "release notes schema migrations use this before merging",
)
Shape = Callable[[random.Random, str, str], str]


def make_skills(root: Path, number: int) -> None:
    """Write ``number`` skills of 2 to 10 kB each below ``root``; every tenth has scripts and references beside it."""
    some = random.Random(SEED)  # the same each time
    for index in range(number):
        name = f"{some.choice(WORDS)}-{some.choice(WORDS)}-{index}"
        folder = root / name
        folder.mkdir(parents=True)
        head = _shape(index)(some, name, _words(some, some.randint(12, 60)))
        body = "\n".join(_body(some, some.randint(2_000, 10_000)))
        (folder / "SKILL.md").write_text(f"---\n{head}---\n\n# {name}\n\n{body}\n")
        if index % 10 == 0:
            for beside in ("scripts/run.py", "references/guide.md"):
                (folder / beside).parent.mkdir()
                (folder / beside).write_text("x\n")


def _shape(index: int) -> Shape:
    """Of twenty: twelve of a line or two, four folded, two with a colon that YAML does not take, two with long YAML."""
    rest = index % 20
    return _plain if rest < 12 else _folded if rest < 16 else _loose if rest < 18 else _long


def _plain(some: random.Random, name: str, about: str) -> str:
    quoted = f'"{about}: {about}"' if some.random() < 0.5 else about
    return f"name: {name}\ndescription: {quoted}\n{'license: MIT' if some.random() < 0.5 else 'user-invocable: true'}\n"


def _folded(some: random.Random, name: str, about: str) -> str:
    lines = "\n".join(f"  {about[at : at + 90].strip()}" for at in range(0, len(about), 90))
    return f'name: {name}\ndescription: >-\n{lines}\nallowed-tools: [Read, Grep, Bash]\nmetadata:\n  author: team\n  version: "1.0"\n'


def _loose(some: random.Random, name: str, about: str) -> str:
    return f"name: {name}\ndescription: {about}. Use when: {about}\nargument-hint: [file] [options]\n"


def _long(some: random.Random, name: str, about: str) -> str:
    keys = "".join(f"  key-{index}: {_words(some, 6)}\n" for index in range(40))
    tools = "".join(f"  - Bash({word}:*)\n" for word in WORDS)
    return f"# Of the team\nname: {name}\ndescription: |\n  {about}\nmetadata:\n{keys}allowed-tools:\n{tools}"


def _body(some: random.Random, size: int) -> Iterator[str]:
    written = 0
    while written < size:
        line = _words(some, 14)
        written += len(line) + 1
        yield line


def _words(some: random.Random, number: int) -> str:
    return " ".join(some.choice(WORDS) for _ in range(number))
