"""Which tool a wrong name means: models remember those of other programs, in other spellings."""

import difflib
import re
from collections.abc import Sequence

_INSTEAD = {
    "search with `rg` in `bash`": "grep greptool search searchfiles searchcode codesearch ripgrep rg findinfiles",
    "list with `glob`": "ls list listdir listdirectory listfiles find findfiles fileglobsearch",
    "run it with `bash`": "shell terminal run execute exec executecommand runcommand runterminalcmd runshellcommand shellcommand"
    " localshell python ipython git",
    "look with `read`": "view viewfile open openfile cat readfile readmanyfiles fileread getfile notebookread",
    "change it with `edit`": "strreplace strreplaceeditor strreplacebasededittool multiedit applypatch applydiff patch replace"
    " replaceinfile searchreplace editfile update updatefile notebookedit insert",
    "make it with `write`": "create createfile writefile writetofile savefile newfile",
    "fetch with `curl` in `bash`": "fetch webfetch fetchurl browse browser curl",
    "keep it with `todo_write`": "todo todos todowrite updateplan plan settodolist todolist updatetodolist",
    "give it to `task`": "agent subagent delegate dispatchagent newtask spawnagent",
    "load it with `load_skill`": "skill useskill activateskill",
}
"""What to do instead -> names without their case, blanks and signs."""
_MEANT = {name: step for step, names in _INSTEAD.items() for name in names.split()}
_NAMESPACE = re.compile(r"^.*[.:/]|^mcp__.*__")
_SIGNS = re.compile(r"[^a-z0-9]+")


def meant(name: str, known: Sequence[str]) -> str:
    """Return what to do where there is no tool ``name`` among ``known``: the likeliest, in a sentence; may be empty."""
    plain = _plain(_NAMESPACE.sub("", name.strip()))
    by_plain = {_plain(one): one for one in known}
    if plain in by_plain:
        return f"Did you mean `{by_plain[plain]}`?"
    step = _MEANT.get(plain, "")
    if step and set(re.findall(r"`([a-z_]+)`", step)) - {"rg", "curl"} <= set(known):
        return f"{step[0].upper()}{step[1:]}."
    near = difflib.get_close_matches(plain, by_plain, n=1)
    return f"Did you mean `{by_plain[near[0]]}`?" if near else ""


def _plain(name: str) -> str:
    return _SIGNS.sub("", name.casefold())
