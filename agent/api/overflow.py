"""Is it the context that is too long? Read from the texts of the servers, for there is no code for it."""

import re
from dataclasses import dataclass

_IGNORE = re.IGNORECASE | re.DOTALL

# With the sizes that stand in the text; the first is the vendor's own.
_SIZED = [
    re.compile(pattern, _IGNORE)
    for pattern in (
        r"prompt is too long: (?P<tokens>\d+) tokens > (?P<maximum>\d+)",
        r"exceed context limit: (?P<tokens>\d+) \+ (?P<reserved>\d+) > (?P<maximum>\d+)",
        r"request \((?P<tokens>\d+) tokens\) exceeds the available context size \((?P<maximum>\d+)",
        r"maximum context length is (?P<maximum>\d+) tokens.*?(?P<tokens>\d+) (?:input )?tokens",
        r"maximum prompt length is (?P<maximum>\d+).*?contains (?P<tokens>\d+)",
        r"token count (?:of )?\(?(?P<tokens>\d+)\)? exceeds the (?:limit|maximum)\D+(?P<maximum>\d+)",
        r"exceeded model token limit: (?P<maximum>\d+) \(requested: (?P<tokens>\d+)",
    )
]
_PLAIN = re.compile(
    r"prompt (?:is )?too long|input is too long|exceeds? (?:the )?context limit|exceed_context_size"
    r"|context[_ ]length[_ ]exceeded|maximum (?:context|prompt) length|reduce the length of the (?:input|messages)"
    r"|(?:exceed|greater than|longer than|larger than|over)[^.]{0,60}context[ _](?:length|window|size)"
    r"|context[ _](?:length|window|size)[^.]{0,40}(?:exceed|too (?:small|long)|overflow)"
    r"|exceeded model token limit|input token count|prompt token count|too many tokens",
    _IGNORE,
)
# A minute's quota speaks of tokens and limits too: waiting helps there, compaction does not.
_VETO = re.compile(r"rate.?limit|per[ -](?:minute|hour|day)|too many requests|quota", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """Sizes in tokens, 0 where the text names none; ``tokens`` includes what was reserved for the answer."""

    tokens: int = 0
    maximum: int = 0


def find_overflow(text: str) -> Overflow | None:
    """Return the sizes if ``text`` says that a prompt is over the window; None for any other error."""
    if _VETO.search(text):
        return None
    for pattern in _SIZED:
        if found := pattern.search(text):
            sizes = {name: int(value) for name, value in found.groupdict().items()}
            return Overflow(tokens=sizes["tokens"] + sizes.get("reserved", 0), maximum=sizes["maximum"])
    return Overflow() if _PLAIN.search(text) else None
