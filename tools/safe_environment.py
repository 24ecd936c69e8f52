"""The environment of a command in the sandbox: the user's, without what lets its holder in somewhere."""

import re
from collections.abc import Mapping

_SECRET = re.compile(
    r"(?:^|_)(?:KEYS?|AUTH|PAT|PWD|DSN)(?:_|$)|APIKEY|TOKENS?(?:_|$)|SECRET|PASSW|PASSPHRASE|CREDENTIAL"
    r"|^GPG_AGENT_INFO$|^DBUS_SESSION_BUS_ADDRESS$|^SSH_AGENT_PID$",
    re.IGNORECASE,
)
"""In a name; a word of its own where it is short."""
_HARMLESS = frozenset({"PWD"})


def without_secrets(env: Mapping[str, str]) -> dict[str, str]:
    """Return ``env`` without the variables whose names say that they hold a secret or lead to an agent that does."""
    return {name: value for name, value in env.items() if name in _HARMLESS or not _SECRET.search(name)}
