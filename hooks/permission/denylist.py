"""What no mode and no rule lets through, and what is asked about in every mode."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hooks.permission.protected import Protection
from hooks.permission.removal import changed_directory, removes_own_files, removes_root_or_home
from hooks.permission.writes import protected_target
from hooks.shell.command import Command
from hooks.shell.lexer import Token, TooDeepError
from hooks.shell.reader import Shell, read_shell
from hooks.shell.wrappers import ELEVATORS, skip_options

_MOST_FOLDERS = 20
_POWER = frozenset({"shutdown", "reboot", "halt", "poweroff"})
_POWER_UNITS = frozenset({*_POWER, "kexec", "soft-reboot"})
_HARMLESS_DEVICE = re.compile(
    r"/dev/(null|zero|full|stdin|stdout|stderr|random|urandom|tty|(fd|shm|pts|tcp|udp|mqueue)/.*)", re.DOTALL
)
_BLOCK_DEVICE = re.compile(
    r"/dev/((sd|hd|vd|xvd|nvme|mmcblk|r?disk|dm-|md|loop|sr|nbd|zram|ram|sg)[\w-]*|(mapper|disk|block|md)/.*|root)"
)
_FORK_BOMB = re.compile(r"(?:^|\s)(\S+) \( \) [{(] (?:.* )?\1 \|&? \1 (?:.* )?&", re.DOTALL)
_FORK_BOMB_WORD = re.compile(
    r"(?:^|\s)function (\S+) (?:\( \) )?[{(] (?:.* )?\1 \|&? \1 (?:.* )?&", re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in a command that the built-in list knows."""

    decision: Literal["deny", "ask"]
    reason: str


def examine(
    command: str, *, cwd: str, protection: Protection, project: str
) -> tuple[Shell | None, Finding | None]:
    """Return what a bash ``command`` started in ``cwd`` would run, and what the built-in list says of it.

    ``project``: absolute, resolved. A deny comes before an ask. Text that a
    command only shows or searches for is not judged; neither is what can only be known by running it. A command
    too tangled to be read (then None) is asked about.
    """
    try:
        command.encode()
        shell = read_shell(command)
        findings = list(_findings(shell, cwd=cwd, protection=protection, project=project))
    except TooDeepError:
        return None, Finding(decision="ask", reason="the command is too tangled to be judged")
    except UnicodeEncodeError:
        return None, Finding(decision="ask", reason="the command holds half a character")
    denials = [finding for finding in findings if finding.decision == "deny"]
    return shell, next(iter(denials + findings), None)


def _denied(what: str) -> Finding:
    return Finding(decision="deny", reason=f"refused in every mode: {what}")


def _findings(shell: Shell, *, cwd: str, protection: Protection, project: str) -> Iterator[Finding]:
    homes = protection.homes
    if any(_is_fork_bomb(script) for script in shell.scripts):
        yield _denied("it is a fork bomb")
    folders = _Folders(cwd, homes)
    for command in shell.commands:
        if what := _never(command):
            yield _denied(what)
        if command.program in ELEVATORS:
            yield Finding(decision="ask", reason=f"`{command.program}` is asked about in every mode")
        for folder in folders.now:
            yield from _changes(command, cwd=folder, protection=protection, project=project)
        folders.follow(command)


def _changes(command: Command, *, cwd: str | None, protection: Protection, project: str) -> Iterator[Finding]:
    """Yield what is to be said of the files that ``command`` would change if it ran in ``cwd``."""
    if removes_root_or_home(command, cwd=cwd, homes=protection.homes):
        yield _denied("it would remove `/` or the home folder; name the folder you mean")
    if removes_own_files(command, cwd=cwd, homes=protection.homes):
        yield Finding(
            decision="ask", reason="it may remove `.transcripts` or `.task_outputs`, the session's memory"
        )
    if found := protected_target(command, cwd=cwd, protection=protection, project=project):
        yield Finding(decision="ask", reason=f"{found}; a change to it is always asked about")


class _Folders:
    """Where the next command may run: behind `cd x &&` there, else in every folder that was reached or left so far."""

    def __init__(self, cwd: str, homes: tuple[str, ...]) -> None:
        self.homes = homes
        self.seen: tuple[str | None, ...] = (cwd,)
        self.now: tuple[str | None, ...] = (cwd,)

    def follow(self, command: Command) -> None:
        """Take in what ``command`` does to the folder: a `cd` may fail, or stand in a shell of its own."""
        if not command.words and command.ended_by == "(":
            return
        reached = (changed_directory(command, cwd=folder, homes=self.homes) for folder in self.now)
        moved = tuple(dict.fromkeys(reached))
        self.seen = tuple(dict.fromkeys((*self.seen, *moved)))
        if len(self.seen) > _MOST_FOLDERS:
            self.seen = (None,)
        self.now = moved if command.ended_by == "&&" else self.seen


def _never(command: Command) -> str:
    """Return what is wrong with ``command`` in any folder; an empty text when nothing is."""
    program = command.program
    if program == "mkfs" or program.startswith("mkfs."):
        return f"`{program}` makes a new file system over what is there"
    if program == "dd" and any(_is_device_output(text) for text in command.texts[1:]):
        return "`dd` would write onto a device"
    if any(_is_block_device(operator, target) for operator, target in command.redirects):
        return "it would write onto a block device"
    return f"`{program}` stops the machine" if _stops_machine(command) else ""


def _is_device_output(argument: str) -> bool:
    target = posixpath.normpath(argument.removeprefix("of="))
    is_device = target.startswith("/dev/") and not _HARMLESS_DEVICE.fullmatch(target)
    return argument.startswith("of=") and is_device


def _is_block_device(operator: str, target: Token) -> bool:
    return ">" in operator and bool(_BLOCK_DEVICE.fullmatch(posixpath.normpath(target.text)))


def _stops_machine(command: Command) -> bool:
    arguments = command.texts[1:]
    if command.program in ("init", "telinit"):
        return arguments[:1] in (("0",), ("6",))
    if command.program == "systemctl":
        at = skip_options(command.texts, letters="tpHMns")
        return bool(_POWER_UNITS & {*command.texts[at : at + 1]})
    return command.program in _POWER


def _is_fork_bomb(script: tuple[Token, ...]) -> bool:
    """Tell whether a function in ``script`` pipes itself into itself in the background."""
    is_text = (token.is_quoted or token.kind == "heredoc" for token in script)
    code = " ".join("\0" if hidden else token.text for token, hidden in zip(script, is_text, strict=True))
    return bool(_FORK_BOMB.search(code) or _FORK_BOMB_WORD.search(code))
