"""What we write into a trusted project ourselves leaves it trusted."""

from pathlib import Path

from agent.trust import store
from agent.trust.gathered import gather, is_own
from agent.trust.powers import powers_of
from agent.trust.standing import lines_of


def renew(project: Path, home: Path, name: str, *, before: bytes | None, after: bytes | None) -> bool:
    """Trust ``project`` with ``after`` in the file ``name`` if it was trusted with ``before`` in it; tell whether it is.

    Called once the file is written; None: there is none. Nothing else in the project is trusted by this: what
    somebody changed there meanwhile, or in the file itself, is asked about at the next start.

    Raises:    OSError: what was trusted is as it was, so that the next start asks.
    """
    if is_own(project, home):
        return True
    now = gather(project, home)
    was, will_be = now.having(name, before), now.having(name, after)
    with store.changing(home) as agreements:
        agreement = agreements.get(str(project))
        held = agreement.sha256 if agreement is not None else ""
        if powers_of(was) and was.sha256 != held:
            return False
        if will_be.sha256:
            lines = lines_of(powers_of(will_be))
            agreements[str(project)] = store.Agreement(sha256=will_be.sha256, lines=lines)
        else:
            agreements.pop(str(project), None)
    return True
