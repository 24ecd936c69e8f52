"""/permissions: the mode, the rules and where each of them stands, what is always asked about, what never is."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len, chop_cells
from rich.text import Text

from agent.confinement import sandbox_words
from agent.local_rules import LocalRules, NotKeptError
from agent.terminal.desk import SessionDesk
from agent.terminal.mode_choice import MODES, change_mode, named
from agent.terminal.render import plain
from agent.trust import standing_of
from hooks.permission.reads_only import listed
from hooks.permission.rules import Rule

DECISIONS = ("deny", "ask", "allow")
"""In the order in which they count."""
ORDER = "deny counts before ask, ask before allow; a list of commands is refused in every mode"
ALWAYS = "asked about in every mode: what runs by itself or decides for you: /permissions protected"
NEVER = "never asked about: commands that only read, in the project; /permissions reads"
MOST_FILE_CHARS = 1_000_000
INDENT = 2
RULE_INDENT = 14
"""Of a rule: number and decision stand before it."""
LEAST_ROOM = 8
"""Of a rule that is wrapped, however narrow the screen."""


async def permissions(desk: SessionDesk, words: str) -> None:
    """Show what holds, or one part of it in full; change the mode; remove a rule."""
    first, _, rest = words.partition(" ")
    if first == "remove":
        await _remove(desk, rest.strip())
    elif first == "protected":
        for reason, names in desk.agent.shared.permission.protection.names().items():
            desk.draw([Text(reason, style="bold")])
            _wrapped(desk, names)
    elif first == "reads":
        desk.say(["Never asked about, in any mode, with options that write or run nothing, in the project:"])
        _wrapped(desk, listed())
    elif (mode := named(words)) is not None:
        await change_mode(desk, mode)
    elif words:
        known = ", ".join(MODES)
        desk.say([f"/permissions takes a mode ({known}), remove N, protected or reads, not `{plain(words)}`"])
    else:
        _show(desk)


def numbered(rules: Sequence[Rule]) -> list[Rule]:
    """Return ``rules`` in the order in which they count and are numbered, from 1."""
    return [rule for decision in DECISIONS for rule in rules if rule.decision == decision]


def removable(desk: SessionDesk) -> dict[int, Rule]:
    """Return the rules that can be removed here, by their numbers."""
    local, rules = kept_by(desk), numbered(desk.agent.shared.permission.rules.rules)
    return {number: rule for number, rule in enumerate(rules, 1) if local.can_remove(rule)}


def _show(desk: SessionDesk) -> None:
    permission = desk.agent.shared.permission
    desk.say([f"mode {permission.mode}: {MODES[permission.mode]}"])
    rules = numbered(permission.rules.rules)
    if rules:
        desk.draw([line for number, rule in enumerate(rules, 1) for line in _rule_lines(desk, number, rule)])
    own = [str(number) for number in removable(desk)]
    removed = [f"/permissions remove N takes back one of yours: {', '.join(own)}"] if own else []
    sandbox = sandbox_words(desk.agent.shared.jobs.sandbox)
    desk.say([*([] if rules else ["  no rules"]), *removed, sandbox, ALWAYS, NEVER, ORDER])


def _rule_lines(desk: SessionDesk, number: int, rule: Rule) -> list[Text]:
    """Return a rule with where it stands, in one row if it fits, else below it."""
    head, text = f"{number:>4}  {rule.decision:<5}   ", plain(rule.text)
    origin = plain(_place(desk, rule))
    line = Text.assemble(head, (text, "bold"), "  ", (origin, "dim"))
    if line.cell_len <= desk.columns and "\n" not in text:
        return [line]
    room = max(LEAST_ROOM, desk.columns - RULE_INDENT)
    rows = [(row, "bold") for part in text.split("\n") for row in chop_cells(part, room)]
    rows += [(row, "dim") for row in chop_cells(origin, room)]
    indents = (head, *[" " * RULE_INDENT] * len(rows))
    return [Text.assemble(indent, row) for indent, row in zip(indents, rows, strict=False)]


def _place(desk: SessionDesk, rule: Rule) -> str:
    """Return where a rule stands: the file and the line, or what else it comes from."""
    config = desk.agent.shared.config
    file = config.project / rule.origin
    line = _line_of(file, rule.text)
    try:
        shown = f"~/{Path(rule.origin).relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        shown = rule.origin
    return f"{shown}:{line}" if line else shown


def _line_of(file: Path, text: str) -> int:
    """Return the number of the line of ``file`` in which the rule ``text`` is written; 0 where that is not found."""
    try:
        if not file.is_file():
            return 0
        with file.open(encoding="utf-8", errors="replace") as opened:
            lines = opened.read(MOST_FILE_CHARS).split("\n")
    except OSError:
        return 0
    spelled = (json.dumps(text), json.dumps(text, ensure_ascii=False), f"'{text}'")
    return next((at for at, line in enumerate(lines, 1) if any(one in line for one in spelled)), 0)


async def _remove(desk: SessionDesk, number: str) -> None:
    """Ask, then take back the rule of that number."""
    local, rules = kept_by(desk), numbered(desk.agent.shared.permission.rules.rules)
    if not (number.isdecimal() and 0 < int(number[:6]) <= len(rules)):
        desk.say(["/permissions remove N takes back the rule of that number in /permissions"])
        return
    rule = rules[int(number[:6]) - 1]
    what = f"`{plain(rule.text)}`"
    if not local.can_remove(rule):
        desk.say([f"{what} is from {plain(_place(desk, rule))}: change it there"])
        return
    if not await desk.person.confirm(
        f"Remove the rule {what} ({plain(_place(desk, rule))})? [y] yes  [n] no"
    ):
        desk.say([f"{what} stays"])
        return
    try:
        await asyncio.to_thread(local.remove, rule)
    except NotKeptError as problem:
        desk.say([f"{what} stays: {problem}"])
    else:
        desk.say([f"{what} is removed"])


def kept_by(desk: SessionDesk) -> LocalRules:
    """Return what keeps the rules of the project that is worked in."""
    shared = desk.agent.shared
    return LocalRules(shared.permission, standing_of(shared.config.project, shared.config.home))


def _wrapped(desk: SessionDesk, names: Sequence[str]) -> None:
    """Show names, as many in a row as there is room for."""
    rows: list[str] = []
    for name in map(plain, names):
        if rows and cell_len(rows[-1]) + 2 + cell_len(name) <= desk.columns - INDENT:
            rows[-1] += f"  {name}"
        else:
            rows.append(name)
    desk.draw([Text(f"{' ' * INDENT}{row}") for row in rows])
