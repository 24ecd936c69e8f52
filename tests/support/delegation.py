"""Subagents in scenarios: orders for them, what each answers, and their bill as the server has it."""

from collections.abc import Iterable

from agent.offline import Reply, calls, first_text_has, when
from agent.offline.catalog import MODELS
from agent.offline.count import block_tokens
from agent.offline.script import Always, Route, Turn
from agent.offline.service import Recorded

PRICES = {"uncached": 2.00, "written_5m": 2.50, "read": 0.10}
"""Of claude-sonnet-5-5, in dollars for a million tokens of the prompt."""
OUTPUT = 10.00
FACTS = {facts.id: facts for facts in MODELS}


def ordered(*orders: str) -> Reply:
    """A reply that gives each order to a subagent; an order ends with a full stop, by which it is known."""
    tasks = [calls("task", description=order.rstrip("."), prompt=order) for order in orders]
    return Reply(parts=tuple(part for task in tasks for part in task.parts))


def does(order: str, *turns: Turn | Always) -> Route:
    """What the subagent with this order answers; also behind a summary, where the order still stands."""
    return when(lambda request: _is_subagents(request.system_text) and first_text_has(order)(request), *turns)


def _is_subagents(system: str) -> bool:
    return system.startswith("You are a subagent")


def billed_usd(requests: Iterable[Recorded]) -> float:
    """What the server would ask for all that it answered, by a table of prices of our own."""
    return sum(_billed(request) for request in requests if request.bill)


def _billed(request: Recorded) -> float:
    bill, facts = request.bill, FACTS[request.body["model"]]
    assert bill is not None
    parts = {"uncached": bill.uncached, "written_5m": bill.written_5m, "read": bill.read}
    assert bill.total == sum(parts.values())
    prompt = sum(parts[name] * price for name, price in PRICES.items())
    output = max(1, sum(block_tokens(dict(block), facts) for block in request.content))
    return (prompt + output * OUTPUT) / 1_000_000
