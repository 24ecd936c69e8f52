"""What the model is told of a call that was changed before it ran: it goes by what it is told, not by what it sent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from compaction.changed_input import By, changed, changed_to
from tools.base import Facts, KnownFile, ToolResult
from tools.diffs import compare

TOLD_LINES = 60
"""Lines of a change of text that are told; of a longer one the model is told to read the file."""
CUT_CHARS = 280
"""A longer line of a diff, or value of a field, may have been cut."""
READ_IT = "Read the file before you change it again.\n"
_MAIN = {"bash": "command", "write": "content", "edit": "new_string"}
"""The field of which more is told than its new value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A call of the tool ``name`` as it was sent, as it ran in place of that, and by whose doing."""

    name: str
    sent: Mapping[str, Any]
    given: Mapping[str, Any]
    by: By

    @property
    def changed(self) -> list[str]:
        """The fields that differ."""
        return [key for key in {**self.sent, **self.given} if self.sent.get(key) != self.given.get(key)]

    def head(self) -> str:
        """Return how the result begins: what ran, in place of what."""
        main = _MAIN.get(self.name, "")
        head = self._main_head() if main in self.changed else ""
        return head + "".join(changed(self.by, self._as_words(key)) for key in self.changed if key != main)

    def told(self, result: ToolResult) -> ToolResult:
        """Return the result with that head; what of a file the model was not told, it does not know."""
        content, head = result.content, self.head()
        with_head = f"{head}{content}" if isinstance(content, str) else [_text(head), *content]
        facts = Facts(**result.facts)
        if "known" in facts and not self._is_told_whole():
            facts["known"] = {path: _unknown(new) for path, new in facts["known"].items()}
        return replace(result, content=with_head, facts=facts)

    def _main_head(self) -> str:
        more = "" if self._is_told_whole() else READ_IT
        match self.name:
            case "bash":
                return changed_to(self.by, str(self.given["command"]))
            case "write":
                whose = "the user's" if self.by == "the user" else "the hook's"
                sent, given = str(self.sent.get("content", "")), str(self.given["content"])
                lines = compare(sent, given).text(TOLD_LINES)
                return (
                    f"{changed(self.by, f'`content` before this ran; from yours to {whose}:')}{lines}\n{more}"
                )
        return f"{changed(self.by, '`new_string` before this ran')}{more}"  # the diff of the edit follows

    def _as_words(self, key: str) -> str:
        if key not in self.given:
            return f"the input before this ran: no `{key}`"
        value = str(self.given[key])
        shown = value if len(value) <= CUT_CHARS else f"{value[:CUT_CHARS]}…"
        return f"`{key}` before this ran, to: {shown}"

    def _is_told_whole(self) -> bool:
        """True when the model can tell what stands in the file: from the diff that it is shown."""
        field = "content" if self.name == "write" else "new_string"
        lines = compare(str(self.sent.get(field, "")), str(self.given.get(field, ""))).lines
        return len(lines) <= TOLD_LINES and max(map(len, lines), default=0) <= CUT_CHARS


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def _unknown(file: KnownFile) -> KnownFile:
    return {**file, "ranges": [], "is_whole": False}
