"""The sub-command: files and presets -> rows on stdout."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agent.errors import UsageError
from agent.exits import Exit
from agent.output import Output
from agent.replay.figures import Figures
from agent.replay.recorded import Recorded
from agent.replay.simulate import Simulation
from agent.replay.source import read_session
from agent.replay.table import POOLED, Row, row_of, text_table
from agent.settings import check_window
from compaction.policy import DEFAULT_WINDOW_TOKENS
from compaction.presets import PRESETS, nearest


def run_replay(
    files: Sequence[Path], presets: Sequence[str], output: Output, *, is_json: bool, window: int | None
) -> int:
    """Replay each file under each preset and print the rows; return the exit code.

    Args:      presets: none: all there are; window: None: 200,000 tokens.
    Raises:    UserError: one line that says which file or name cannot be used.
    """
    check_window(window, "--context-window")
    # `--preset balanced off` hands the second name over as a file.
    more = [path for path in files if presets and str(path) in PRESETS and not path.exists()]
    names = _named([*presets, *map(str, more)]) or list(PRESETS)
    sessions = [read_session(path) for path in files if path not in more]
    if not sessions:
        raise UsageError("no session to replay: name at least one file")
    rows = rows_of(sessions, names, window or DEFAULT_WINDOW_TOKENS)
    if is_json:
        output.message({"rows": rows})
    else:
        output.lines(text_table(rows))
    return Exit.DONE if output.fault is None else Exit.FAILED


def rows_of(sessions: Sequence[Recorded], presets: Sequence[str], window: int) -> list[Row]:
    """Return a row a session and preset, and one of all sessions behind each preset's."""
    baselines = [_baseline(session, window) for session in sessions]
    rows: list[Row] = []
    for preset in presets:
        pooled = Figures()
        for session, baseline in zip(sessions, baselines, strict=True):
            figures = replace(Simulation(session, PRESETS[preset], window=window).run(), billed=baseline)
            rows.append(row_of(session.name, preset, figures))
            pooled += figures
        rows.append(row_of(POOLED, preset, pooled))
    return rows


def _baseline(session: Recorded, window: int) -> float:
    """What cost is compared with: the bill, or where there is none the price without any compaction."""
    return session.billed or Simulation(session, PRESETS["off"], window=window).run().cost


def _named(presets: Sequence[str]) -> list[str]:
    for name in presets:
        if name not in PRESETS:
            known = ", ".join(PRESETS)
            raise UsageError(f"no preset `{name}`: did you mean `{nearest(name)}`? There are {known}")
    return list(dict.fromkeys(presets))
