"""What goes over the wire, as JSON."""

from collections.abc import Mapping
from typing import Any

WireEvent = Mapping[str, Any]
"""One server-sent event of a streamed reply: `message_start`, `content_block_delta`, …"""

Request = dict[str, Any]
"""Body of `POST /v1/messages` (model, max_tokens, system, tools, messages, …) without `stream`."""
