"""Rules under which a forbidden program must never be let through, whatever it is wrapped in."""

from collections.abc import Callable, Mapping

from tests.hooks.wrappings import Wrapping
from tests.support.calls import judge_bash

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


def _is_through_harmless(wrapping: Wrapping) -> bool:
    return judge_bash(wrapping.command, "accept-edits", allow=HARMLESS).decision == "allow"


def _is_through_running(wrapping: Wrapping) -> bool:
    return judge_bash(wrapping.command, "accept-edits", allow=RUNNING).decision == "allow"


def _is_through_shells(wrapping: Wrapping) -> bool:
    return judge_bash(wrapping.command, allow=SHELLS, deny=DENIED).decision == "allow"


def _is_through_plan(wrapping: Wrapping) -> bool:
    return judge_bash(wrapping.command, "plan", allow=RUNNING).decision != "deny"


def _is_through_bypass(wrapping: Wrapping) -> bool:
    """Only where the program stands in the text: what nobody can know, that mode lets through."""
    verdict = judge_bash(wrapping.command, "bypass", deny=DENIED)
    return verdict.decision != "deny" and not wrapping.is_computed


JUDGEMENTS: Mapping[str, Callable[[Wrapping], bool]] = {
    "rules for harmless programs": _is_through_harmless,
    "rules for programs that run others": _is_through_running,
    "rules for shells, and one that denies": _is_through_shells,
    "plan mode": _is_through_plan,
    "mode bypass, and a rule that denies": _is_through_bypass,
}
"""Each tells whether a wrapping is let through."""


def let_through(wrapping: Wrapping) -> list[str]:
    """Return the names of the judgements that let ``wrapping`` through."""
    return [name for name, is_through in JUDGEMENTS.items() if is_through(wrapping)]


def is_allowed(command: str) -> bool:
    """Tell whether rules for harmless programs, or those for programs that run others, allow ``command``."""
    return any(judge_bash(command, allow=rules).decision == "allow" for rules in (HARMLESS, RUNNING))
