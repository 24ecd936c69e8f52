"""Rules that the user gives by "always": in the project's own local settings where those are trusted, else for the session."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from agent.json_text import JsonTextError, with_item, without_item
from agent.protection import git_folder
from agent.session.keep import keep_file
from agent.settings import MAX_FILE_BYTES, from_json
from agent.trust import Standing, renew
from agent.trust.gathered import is_own
from hooks.permission.judge import Permission
from hooks.permission.rules import Rule, RuleError, parse_rule
from tools.ignore import rules_for
from tools.registry import default_tools

NAME = ".agent/settings.local.json"
SESSION = "session"
"""Origin of a rule that is kept nowhere."""
_ALLOW = ("permissions", "allow")
_IGNORED = "settings.local.json\n.gitignore\n"
_WAIT_S = 1.0
_BOM = "\ufeff"


class NotKeptError(Exception):
    """The file was not changed; the text says why, without a capital."""


@dataclass(frozen=True, slots=True)
class LocalRules:
    """The rules of one project that the user adds and removes while he works."""

    permission: Permission
    standing: Standing

    @property
    def duration(self) -> str:
        """How long a rule given now will hold."""
        return "this session" if self._why_not() else "always"

    @property
    def path(self) -> Path:
        """The file."""
        return self.standing.project / NAME

    @property
    def origin(self) -> str:
        """What the rules of the file are said to come from."""
        return str(self.path) if is_own(self.standing.project, self.standing.home) else NAME

    def problem(self, text: str) -> str:
        """Return why ``text`` can be no rule; empty when it can."""
        try:
            parse_rule(
                text.strip(), "allow", origin="what you typed", tools=[tool.name for tool in default_tools()]
            )
        except RuleError as problem:
            return str(problem)
        return ""

    def allow(self, text: str) -> str:
        """Let the rule ``text`` hold from now on; return where it is kept, or why for this session only.

        Raises:    RuleError: it cannot be read; nothing holds.
        """
        rule = parse_rule(text, "allow", origin=SESSION)
        why = self._why_not()
        if not why:
            try:
                is_trusted = self._change(lambda before: with_item(before, _ALLOW, rule.text, from_json))
            except NotKeptError as problem:
                why = str(problem)
            else:
                self.permission.allow_always(text, origin=self.origin)
                return f"kept in {NAME}" + (
                    "" if is_trusted else ", which will be asked about at the next start"
                )
        self.permission.allow_always(text)
        return f"not kept: {why}"

    def can_remove(self, rule: Rule) -> bool:
        """Tell whether ``rule`` is one of those that are added here."""
        return rule.decision == "allow" and rule.origin in (SESSION, self.origin)

    def remove(self, rule: Rule) -> None:
        """Let ``rule`` hold no more, now and at the next start. Raises NotKeptError: it holds on."""
        if rule.origin != SESSION:
            self._change(lambda before: without_item(before, _ALLOW, rule.text, from_json))
        self.permission.forget(rule)

    def _why_not(self) -> str:
        """Return why a rule is not kept in the file; empty when it is."""
        if not self.standing.lasts:
            return (
                "this project is trusted for this run only"
                if self.standing.is_on
                else "this project is not trusted"
            )
        real = os.path.realpath(self.path)
        return "" if real == str(self.path) else f"{NAME} is a link to somewhere else"

    def _change(self, change: Callable[[str], str]) -> bool:
        """Change the file, one at a time; return whether what it says now is trusted. Raises NotKeptError."""
        try:
            self.standing.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(self.standing.home / "settings.lock", timeout=_WAIT_S):
                return self._changed(change)
        except JsonTextError as problem:
            raise NotKeptError(f"{NAME} was not changed: {problem}") from problem
        except Timeout as problem:
            raise NotKeptError(f"{NAME} is being changed by another session") from problem
        except OSError as problem:
            raise NotKeptError(f"{NAME} cannot be written: {problem.strerror or problem}") from problem

    def _changed(self, change: Callable[[str], str]) -> bool:
        before = _bytes(self.path)
        text = _decoded(before or b"")
        after = (_BOM if text.startswith(_BOM) else "") + change(text.removeprefix(_BOM))
        if after == text:
            return True
        data = after.encode()
        self.path.parent.mkdir(exist_ok=True)
        _hide(self.path, self.standing.project)
        keep_file(self.path, data)
        return renew(self.standing.project, self.standing.home, NAME, before=before, after=data)


def _bytes(path: Path) -> bytes | None:
    """Return what stands in the file; None where there is none. Raises NotKeptError, OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotKeptError(f"{NAME} is no file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise NotKeptError(f"{NAME} is larger than {MAX_FILE_BYTES:,} bytes")
    return data


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        raise NotKeptError(f"{NAME} is not UTF-8") from problem


def _hide(path: Path, project: Path) -> None:
    """Keep a file that is to be made out of git: by a `.gitignore` of our own, else by the list that is nobody's but git's.

    Raises:    OSError: that cannot be written.
    """
    folder = path.parent
    if path.exists() or rules_for(folder, project=project).ignores(str(path), is_folder=False):
        return
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text(_IGNORED, "utf-8")
    elif (git := git_folder(project)) is not None:
        exclude = git / "info" / "exclude"
        exclude.parent.mkdir(exist_ok=True)
        with exclude.open("a", encoding="utf-8") as file:
            file.write(f"\n**/{NAME}\n")
