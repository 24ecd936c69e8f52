"""`agent sessions show`: a session on one or two screens of plain text."""

import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from agent.clock import seconds
from agent.session.glance import number_of
from agent.session.records import Record
from agent.sessions.brief import brief
from agent.sessions.chart import chart_lines
from agent.sessions.receipts import cost, details, headline
from agent.sessions.story import Prompt, Story, read_story
from agent.terminal.figures import age, dollars, times, tokens
from tools.visible import plain

MOST_LINES = 20
NAME = re.compile(r"task-\d{1,9}")
"""Of a subagent; a log may name others."""


def show_lines(story: Story, path: Path, *, now: float, width: int) -> list[str]:
    """Return the head, the prompts, the context size over time, the compactions, and what is damaged."""
    return [
        *_head(story, path, now),
        *_section("Prompts", _prompts(story, width)),
        *_section("Context size in tokens", chart_lines(story.points, width)),
        *_section(times(len(story.compactions), "compaction").capitalize(), _compactions(story, width)),
        *_section(times(len(story.subagents), "subagent").capitalize(), _subagents(story, width)),
        *_section("Damage", damage_lines(story)),
    ]


def damage_lines(story: Story) -> list[str]:
    """Return one line that names the damaged lines of the log; none when there are none."""
    if not story.damaged:
        return []
    named = ", ".join(str(line) for line in story.damaged[:MOST_LINES])
    more = len(story.damaged) - MOST_LINES
    also = f" and {more} more" if more > 0 else ""
    return [f"  unreadable, kept in the file and passed over: line {named}{also}"]


def _head(story: Story, path: Path, now: float) -> list[str]:
    spent = story.spent
    figures = [
        _turns(story),
        times(story.steps, "step"),
        f"{tokens(story.context_size)} tokens of context",
        f"{tokens(spent.input_tokens)} in ({tokens(spent.cached_tokens)} cached), {tokens(spent.output_tokens)} out",
        cost(story),
    ]
    named = [story.id, *([brief(story.title, 60)] if story.title else []), plain(story.model)]
    started = str(story.head.get("at", ""))[:16].replace("T", " ")
    written = [f"started {plain(started)} UTC"] if started else []
    written += [f"last written {age(now - seconds(story.ended))}"] if seconds(story.ended) else []
    written += [f"fork of {brief(story.forked_from, 40)}"] if story.forked_from else []
    return [
        " · ".join(named),
        " · ".join(figures),
        *([" · ".join(written)] if written else []),
        plain(str(path)),
    ]


def _turns(story: Story) -> str:
    """How many turns there were, and how many of them do not stand."""
    left = {turn for one in story.branches.left() for turn in one.turns}
    return times(story.turns, "turn") + (f" ({len(left)} left behind by /rewind)" if left else "")


def _section(title: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return ["", title, *found] if found else []


def _prompts(story: Story, width: int) -> list[str]:
    """The first and the newest; those between are counted."""
    lines = [_prompt(story, prompt, width) for prompt in story.prompts]
    if len(lines) > 2 * MOST_LINES:
        lines[MOST_LINES:-MOST_LINES] = [f"      … {len(lines) - 2 * MOST_LINES} more"]
    return lines


def _prompt(story: Story, prompt: Prompt, width: int) -> str:
    left = story.branches.left_by(prompt.record)
    mark = f" · {plain(left.words)}" if left else ""
    return f"{prompt.turn:>4}  {brief(prompt.words, width - 6 - len(mark))}{mark}"


def _compactions(story: Story, width: int) -> list[str]:
    lines = []
    for compaction in story.compactions:
        lines.append(
            f"  step {compaction.get('step', '?')}: {brief(headline(compaction, story), width - 12)}"
        )
        lines += [f"      {plain(line)}" for line in details(compaction, story)]
    return lines


def _subagents(story: Story, width: int) -> list[str]:
    """Two lines each: what it was for and came to, and where its log is; of very many the first and the newest."""
    lines = [_subagent(name, _so_far(story, name, record), width) for name, record in story.subagents.items()]
    if len(lines) > 2 * MOST_LINES:
        lines[MOST_LINES:-MOST_LINES] = [[f"  … {len(lines) - 2 * MOST_LINES} more"]]
    return [line for pair in lines for line in pair]


def _so_far(story: Story, name: str, record: Record) -> Record:
    """Return a record with what the own log tells of a subagent that has not ended, as one whose process was killed."""
    if not record.get("is_open") or not NAME.fullmatch(name):
        return record
    try:
        own = read_story(story.path.with_suffix("") / f"{name}.jsonl")
    except OSError:
        return record
    return {**record, "steps": own.steps, "size": own.context_size, "spent": asdict(own.spent)}


def _subagent(name: str, record: Record, width: int) -> list[str]:
    spent = record["spent"]
    came = [
        times(steps, "step") if (steps := number_of(record.get("steps"))) else "",
        tokens(size) if (size := number_of(record.get("size"))) else "",
        dollars(float(spent["usd"]), is_known=bool(spent["is_known"])),
        "has not ended" if record.get("is_open") else "",
        f"incomplete: {brief(str(record['problem']), 60)}" if record.get("problem") else "",
    ]
    told = " · ".join(filter(None, came))
    kind = str(record.get("agent_type") or "")
    words = f"{kind}: {record.get('description', '')}" if kind else str(record.get("description", ""))
    about = brief(words, max(8, width - len(name) - len(told) - 6))
    return [f"  {plain(name)}  {about}  {told}", f"      {plain(str(record.get('log', '')))}"]
