"""What the API refuses, one module a subject; `check_shape` and `check_request` are the whole of it."""

from agent.offline.rules.order import Verdict, check_request, check_shape
from agent.offline.rules.situation import Situation

__all__ = ["Situation", "Verdict", "check_request", "check_shape"]
