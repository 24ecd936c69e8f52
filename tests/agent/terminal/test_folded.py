"""What was shown folded, read from records of any shape."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.session.compactions import is_told
from agent.session.replay import empty_state
from agent.terminal.cards import is_whole
from agent.terminal.folded import FoldedCall, FoldedCompaction, FoldedWords, folded_back
from agent.terminal.receipt import receipt_lines
from agent.terminal.unfolded import Place, unfolded_call, unfolded_words

STATE = empty_state(Path("/nowhere"), lambda _: 1, lambda *_: None)
PLACE = Place(project=Path("/nowhere"), log=".transcripts/x.jsonl")
FIELDS = (
    *("type", "id", "name", "input", "text", "content", "path", "diff", "todos", "news", "gone", "work"),
    *("status", "note", "exit_code", "duration_s", "steps", "size", "usd", "is_known", "said", "receipt"),
)
odd = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=8,
)
records = st.builds(
    lambda kind, fields: {"id": "r1", **fields, "type": kind},
    st.sampled_from(("result", "call", "message", "compaction", "note")),
    st.fixed_dictionaries(
        {},
        optional={
            "call": st.sampled_from(("a", "b")) | odd,
            "name": st.just("bash") | odd,
            "content": st.just([{"type": "tool_use", "id": "a", "name": "bash", "input": {}}])
            | st.just([{"type": "text"}, {"type": "text", "text": 1}, {}])
            | odd,
            "facts": odd,
            "spill": odd,
            "input": odd,
            "said": odd,
            "is_error": odd,
            "receipt": st.just({"dropped": 3}) | odd,
            "changes": st.just([]) | odd,
            "layer": st.just("micro") | odd,
            "files": odd,
        },
    ),
)


@given(st.lists(records, max_size=6), st.integers(20, 100))
def test_whatever_stands_in_a_log_can_be_shown(log: list[dict[str, Any]], width: int) -> None:
    """A record of another version, or one that is damaged, is shown as far as it can be, or passed over."""
    for found in folded_back(log):
        match found:
            case FoldedCall():
                assert is_whole(found.result, found.facts, width) in (True, False)
                assert unfolded_call(found, PLACE, width)
            case FoldedWords():
                assert unfolded_words(found, PLACE, width)
            case FoldedCompaction():
                assert is_told(found.record) in (True, False)
                assert receipt_lines(found.record, STATE, width)
