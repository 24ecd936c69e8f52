"""What 500 skills cost: until the first prompt, until the session is open, and in the list for the model.

    python -m tests.benchmarks --only skills

From the start of `agent` on a real terminal, best of some runs without and with the skills, which take turns:
`prompt_ms` until its prompt is painted, `ready_ms` until its status bar shows the context, `cpu_ms` of the whole process until
then, which other work on the machine disturbs least; `more`: their difference. `read_ms`: CPU milliseconds in which all are
found and read; `listed_ms`: in which the list is made, and its size in tokens, of `budget`. `load`: of the machine.
"""

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agent.models import DEFAULT_MODEL, row
from agent.offline import MessagesServer, Script, always, says
from agent.token_counter import Counter
from skills.budget import budget_of
from skills.catalog import Catalog
from skills.discover import discover
from tests.support.command import Command
from tests.support.many_skills import make_skills
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, agent_command

SKILLS, QUICK_SKILLS = 500, 50
RUNS, QUICK_RUNS = 11, 3
WINDOW = 200_000
MOST_S = 60
PROMPT = "starting"
"""What the first frame says below the prompt."""


def measured(*, is_quick: bool) -> dict[str, Any]:
    """Return the times; ``is_quick``: for a tenth of the skills."""
    number, runs = (QUICK_SKILLS, QUICK_RUNS) if is_quick else (SKILLS, RUNS)
    with tempfile.TemporaryDirectory() as made, MessagesServer(Script(always(says("Done.")))) as server:
        without, with_them = (_agent(Path(made, name), server.url) for name in ("without", "with"))
        make_skills(with_them.home / "skills", number)
        started = [(_started(without), _started(with_them)) for _ in range(runs)]
        return {
            "skills": number,
            **{name: _compared(started, name) for name in ("prompt_ms", "ready_ms", "cpu_ms")},
            **_read_and_listed(with_them.home / "skills", runs),
            "load": round(os.getloadavg()[0], 1),
        }


def _agent(root: Path, url: str) -> Command:
    root.mkdir()
    return Command(root=root, url=url)


def _started(agent: Command) -> Mapping[str, float]:
    """Start it and leave; return after how many milliseconds what was there."""
    begun = time.monotonic()
    with Terminal(agent_command(), cwd=agent.project, env=agent.env) as terminal:
        terminal.until(PROMPT, MOST_S)
        painted_s = time.monotonic() - begun
        terminal.until(READY, MOST_S)
        ready_s = time.monotonic() - begun
        user, system = Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        terminal.send("/quit\r")
        terminal.until(lambda: terminal.process.poll() is not None, MOST_S)
    cpu_s = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return {"prompt_ms": painted_s * 1_000, "ready_ms": ready_s * 1_000, "cpu_ms": cpu_s * 1_000}


def _compared(
    started: Sequence[tuple[Mapping[str, float], Mapping[str, float]]], name: str
) -> dict[str, int]:
    """Return the best without and with the skills: others are only slower."""
    without, with_them = (min(run[name] for run in runs) for runs in zip(*started, strict=True))
    return {"without": round(without), "with": round(with_them), "more": round(with_them - without)}


def _read_and_listed(root: Path, runs: int) -> dict[str, float]:
    count = Counter(row(DEFAULT_MODEL).family).text_tokens
    count("")  # loads the ranks
    catalog = Catalog(discover([root]))
    budget = budget_of(WINDOW)
    return {
        "read_ms": _best_ms(lambda: discover([root]), runs),
        "listed_ms": _best_ms(lambda: catalog.text(budget_tokens=budget, count=count), runs),
        "tokens": count(catalog.text(budget_tokens=budget, count=count)),
        "budget": budget,
    }


def _best_ms(work: Callable[[], object], runs: int) -> float:
    """Return CPU milliseconds: other runs are only slower."""
    times: list[float] = []
    for _ in range(runs):
        begun = time.thread_time()
        work()
        times.append(time.thread_time() - begun)
    return round(min(times) * 1_000, 1)
