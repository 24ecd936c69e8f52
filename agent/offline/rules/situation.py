"""What decides, besides its body, whether a request is accepted."""

from dataclasses import dataclass

from agent.offline.catalog import ModelFacts

BINDING_BETA = "thinking-binding-controls-2026-08-01"
NEW_VERSION = "2026-10-21"
VERSIONS = ("2023-06-01", NEW_VERSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The model asked for, the headers that matter, and whether only tokens are to be counted."""

    facts: ModelFacts
    version: str
    betas: frozenset[str]
    counting: bool
