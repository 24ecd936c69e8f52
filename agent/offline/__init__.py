"""A strict local Messages API and a scripted model, for `agent demo` and for every test.

script = Script(
    says("I'll look.") + calls("read", file_path="a.py"),
    error(529),
    says("Done."),
)
with MessagesServer(script) as server:
    ...  # point a client at server.url with server.api_key
assert server.refusals == []
"""

from agent.offline.cache import Bill
from agent.offline.catalog import ModelFacts
from agent.offline.prefix import prefix_bytes
from agent.offline.reply import (
    Fault,
    Reply,
    UsageEvents,
    calls,
    empty,
    error,
    hangs_up,
    raw_block,
    raw_call,
    redacted,
    refuses,
    says,
    stalls,
    thinks,
)
from agent.offline.script import (
    Request,
    Script,
    always,
    first_text_has,
    last_text_starts,
    system_has,
    when,
)
from agent.offline.server import MessagesServer
from agent.offline.service import Recorded

__all__ = [
    "Bill",
    "Fault",
    "MessagesServer",
    "ModelFacts",
    "Recorded",
    "Reply",
    "Request",
    "Script",
    "UsageEvents",
    "always",
    "calls",
    "empty",
    "error",
    "first_text_has",
    "hangs_up",
    "last_text_starts",
    "prefix_bytes",
    "raw_block",
    "raw_call",
    "redacted",
    "refuses",
    "says",
    "stalls",
    "system_has",
    "thinks",
    "when",
]
