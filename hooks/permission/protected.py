"""Files whose change is asked about in every mode: they run programs by themselves, or decide what the agent may do.

The names are compared as every disk would: whatever their case, composition and invisible characters.
"""

import os
import posixpath
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_GIT = "git runs what stands there"
_OWN = "it decides what the agent may do"
_MEMORY = "the session's own memory"
_SHELL = "a shell runs it at its start"
_EDITOR = "an editor runs what it says"
_TOOL = "a tool runs what it says"
_LOGIN = "it opens this machine to others"
_START = "it is run by itself"
_ELSEWHERE = "the agent or git goes by it"

_ANYWHERE = {
    _GIT: ".git .githooks .husky .gitconfig .gitmodules",
    _OWN: ".agent .claude/settings.json .claude/settings.local.json .claude/hooks .claude/agents .claude.json .mcp.json",
    _MEMORY: ".transcripts .task_outputs",
    _SHELL: (
        ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin "
        ".zlogout .kshrc .mkshrc .cshrc .tcshrc .login .inputrc .xinitrc .xprofile .xsession .xsessionrc "
        ".pam_environment .envrc .direnvrc"
    ),
    _EDITOR: (
        ".vscode .idea .zed .fleet .devcontainer .devcontainer.json .vimrc .gvimrc .exrc .nvimrc .nvim.lua .lvimrc "
        ".emacs .emacs.d .dir-locals.el .dir-locals-2.el"
    ),
    _TOOL: (
        ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pypirc pip.conf .condarc .cargo/config .cargo/config.toml .bundle "
        ".gemrc .bazelrc .mise.toml mise.toml .gdbinit .lldbinit .tmux.conf .screenrc .ripgreprc .curlrc .wgetrc .netrc "
        ".pdbrc .pythonrc .Rprofile .irbrc .pryrc .ghci .psqlrc .sqliterc .mailcap .terraformrc"
    ),
    _LOGIN: ".ssh .gnupg .kube .docker/config.json .aws",
}
"""Reason -> names of files and folders, wherever they lie; a folder stands for all in it."""
_AT_HOME = {
    _SHELL: ".config/fish .config/zsh .config/bash .config/nushell .config/direnv .config/environment.d .oh-my-zsh",
    _START: (
        "bin .local/bin .config/systemd .local/share/systemd .config/autostart .config/autostart-scripts "
        ".config/plasma-workspace .config/i3 .config/sway .config/hypr .local/share/applications "
        ".local/share/dbus-1 .local/share/nautilus Library/LaunchAgents Library/LaunchDaemons"
    ),
    _GIT: ".config/git",
    _EDITOR: ".config/nvim .config/vim .vim .config/emacs .config/Code .config/Cursor .config/zed",
    _TOOL: ".config/pip .config/mise .config/tmux .config/gdb .config/uv .config/pnpm .gradle/init.d .m2/settings.xml .terraform.d",
    _LOGIN: ".config/gh .config/gcloud",
}
"""The same for paths in the user's home folder only."""
_ON_THE_SYSTEM = {
    _SHELL: "/etc/profile /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshrc /etc/zshenv /etc/environment /etc/inputrc",
    _START: (
        "/etc/crontab /etc/cron.d /etc/cron.hourly /etc/cron.daily /etc/cron.weekly /etc/cron.monthly /etc/anacrontab "
        "/var/spool/cron /var/spool/at /etc/systemd /usr/lib/systemd /lib/systemd /etc/init.d /etc/rc.local "
        "/etc/xdg/autostart /etc/ld.so.preload /etc/ld.so.conf /etc/ld.so.conf.d /etc/udev /etc/modprobe.d "
        "/Library/LaunchAgents /Library/LaunchDaemons /boot /efi"
    ),
    _LOGIN: (
        "/etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/sudoers /etc/sudoers.d /etc/pam.d /etc/security "
        "/etc/ssh /etc/hosts.allow /etc/polkit-1"
    ),
    _GIT: "/etc/gitconfig",
}
_INVISIBLE = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF],
)
"""Characters that some disks leave out of names."""
_MOST_NAMES = 2_000
"""Of a folder so many names are looked at."""

Parts = tuple[str, ...]


def _table(reasons: dict[str, str]) -> dict[Parts, str]:
    return {
        tuple(_folded(part) for part in name.split("/") if part): reason
        for reason, names in reasons.items()
        for name in names.split()
    }


def _folded(name: str) -> str:
    """Return the form in which ``name`` is the same for every disk: also for one that takes `git~1` for `.git`."""
    plain = unicodedata.normalize("NFC", name.translate(_INVISIBLE)).casefold()
    plain = plain.partition(":")[0].rstrip(" .") or plain
    return ".git" if plain == "git~1" else plain


_NAMES = _table(_ANYWHERE)
_HOME_NAMES = _table(_AT_HOME)
_SYSTEM_NAMES = _table(_ON_THE_SYSTEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """What is protected for one user."""

    homes: tuple[str, ...]
    """The user's home folder, absolute, under every name it has."""
    more: tuple[str, ...] = ()
    """Further files and folders of the agent or of git, absolute, resolved: those that lie elsewhere than usual."""

    def why(self, path: str, *, project: str = "") -> str:
        """Return why a change of ``path`` is always asked about; empty when it is not.

        Args:  path: absolute, resolved; project: the same, empty when it does not hold ``path``.
        Contract: in the project only the names below it count: a project that lies in such a folder can be worked in.
        """
        parts = _parts(path)
        below = len(_parts(project)) if project and _is_in(parts, _parts(project)) else 0
        found = _named(parts[below:]) or _listed(parts, below, _SYSTEM_NAMES, ())
        for home in self.homes:
            found = found or _listed(parts, below, _HOME_NAMES, _parts(home))
        return found or _listed(parts, below, {_parts(one): _ELSEWHERE for one in self.more}, ())

    def why_by_other_name(self, path: str, *, project: str) -> str:
        """Return why a change of the file ``path`` is asked about that may have other names (hard links), one protected."""
        try:
            wanted = Path(path).stat()
        except OSError:
            return ""
        for name in self._candidates(project):
            try:
                is_same = os.path.samestat(Path(name).lstat(), wanted)
            except OSError:
                continue
            if is_same and (found := self.why(name, project=project)):
                return found
        return ""

    def names(self) -> dict[str, list[str]]:
        """Return all that is protected, as it is shown: reason -> names."""
        shown: dict[str, list[str]] = {}
        for table, before in ((_ANYWHERE, ""), (_AT_HOME, "~/"), (_ON_THE_SYSTEM, "")):
            for reason, names in table.items():
                shown.setdefault(reason, []).extend(before + name for name in names.split())
        return {**shown, _ELSEWHERE: list(self.more)} if self.more else shown

    def _candidates(self, project: str) -> Iterator[str]:
        """Yield the protected files that another file is most likely to be a name of."""
        folders = [project, *self.homes] if project else [*self.homes]
        for folder in folders:
            for parts in (*_NAMES, *_HOME_NAMES):
                yield from _files_at(posixpath.join(folder, *parts))
        for name in (*("/" + "/".join(parts) for parts in _SYSTEM_NAMES), *self.more):
            yield from _files_at(name)
        yield from _files_at(posixpath.join(project, ".git/hooks"))


def project_of(path: str, shown: str, *, is_inside: bool) -> str:
    """Return the project that ``shown`` is relative to; empty for a path outside."""
    if not is_inside:
        return ""
    return path if shown == "." else path.removesuffix(shown).rstrip("/") or "/"


def _parts(path: str) -> Parts:
    return tuple(_folded(part) for part in path.split("/") if part)


def _is_in(parts: Parts, folder: Parts) -> bool:
    return parts[: len(folder)] == folder


def _named(parts: Parts) -> str:
    """Return why a name among ``parts`` is protected wherever it stands."""
    for at, part in enumerate(parts):
        for length in (1, 2):
            if reason := _NAMES.get((part, *parts[at + 1 : at + length])):
                return reason
    return ""


def _listed(parts: Parts, below: int, table: dict[Parts, str], base: Parts) -> str:
    """Return why ``parts`` lie in an entry of ``table``, which stands below ``base``; not one that holds the project."""
    for entry, reason in table.items():
        folder = (*base, *entry)
        if len(folder) > below and _is_in(parts, folder):
            return reason
    return ""


def _files_at(path: str) -> Iterator[str]:
    """Yield ``path``, and the files right in it when it is a folder."""
    yield path
    try:
        with os.scandir(path) as entries:
            for entry, _ in zip(entries, range(_MOST_NAMES), strict=False):
                yield entry.path
    except OSError:
        return
