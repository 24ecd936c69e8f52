"""Rules under which a forbidden program must never be let through, whatever it is wrapped in."""

from collections.abc import Callable, Mapping

from hooks.events import Decision
from hooks.permission.judge import Permission
from tests.hooks.wrappings import Wrapping
from tests.support.calls import bash_call, permission

_HARMLESS = (
    "ls,echo,true,false,cat,printf,test,cd,read,set,shopt,export,unset,declare,wait,sleep,base64,tr,seq,mkdir,tee,find,"
    "git status,git diff,git version"
)
_RUNNING = (
    "env,timeout,nice,nohup,time,command,builtin,exec,setsid,stdbuf,ionice,chroot,busybox,parallel,flock,xargs,trap,"
    "sudo,doas"
)
_SHELLS = "bash,sh,eval,source,.,su,script,watch,let,compgen,mapfile,coproc,alias,hash,f,x,A"


def _rules(*lists: str) -> tuple[str, ...]:
    return tuple(f"bash({name}:*)" for names in lists for name in names.split(","))


HARMLESS = _rules(_HARMLESS)
"""What a user allows without a thought; one by one all of it is used around the program."""
RUNNING = _rules(_HARMLESS, _RUNNING)
"""The programs that run others, too: a rule for one of them is about itself, not about what it runs."""
SHELLS = _rules(_HARMLESS, _RUNNING, _SHELLS)
"""The shells, too: what they are handed still counts."""
DENIED = ("bash(forbidden:*)",)


_BY_HARMLESS = permission("accept-edits", allow=HARMLESS)
_BY_RUNNING = permission("accept-edits", allow=RUNNING)
_BY_SHELLS = permission(allow=SHELLS, deny=DENIED)
_BY_PLAN = permission("plan", allow=RUNNING)
_BY_BYPASS = permission("bypass", deny=DENIED)


def _decision(by: Permission, command: str) -> Decision:
    return by.judge(bash_call(command)).decision


def _is_through_bypass(wrapping: Wrapping) -> bool:
    """Only where the program stands in the text: what nobody can know, that mode lets through."""
    return not wrapping.is_computed and _decision(_BY_BYPASS, wrapping.command) != "deny"


JUDGEMENTS: Mapping[str, Callable[[Wrapping], bool]] = {
    "rules for harmless programs": lambda one: _decision(_BY_HARMLESS, one.command) == "allow",
    "rules for programs that run others": lambda one: _decision(_BY_RUNNING, one.command) == "allow",
    "rules for shells, and one that denies": lambda one: _decision(_BY_SHELLS, one.command) == "allow",
    "plan mode": lambda one: _decision(_BY_PLAN, one.command) != "deny",
    "mode bypass, and a rule that denies": _is_through_bypass,
}
"""Each tells whether a wrapping is let through."""


def let_through(wrapping: Wrapping) -> list[str]:
    """Return the names of the judgements that let ``wrapping`` through."""
    return [name for name, is_through in JUDGEMENTS.items() if is_through(wrapping)]


def is_allowed(command: str) -> bool:
    """Tell whether rules for harmless programs, or those for programs that run others, allow ``command``."""
    return any(_decision(by, command) == "allow" for by in (_BY_HARMLESS, _BY_RUNNING))
