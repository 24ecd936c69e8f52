"""`agent skills list`: what a session in a folder would have, for a person and for a program."""

from pathlib import Path

from agent.exits import Exit
from agent.home import agent_home, user_home
from agent.models import DEFAULT_MODEL, row
from agent.sessions.place import Around, columns, project_at
from agent.skill_report.book import Book, lines, rows
from agent.token_counter import Counter
from skills.discover import SkillPlaces


def run_list(around: Around, *, cwd: Path | None, is_json: bool) -> Exit:
    """Print the skills that a session in ``cwd`` would have.

    Raises:    UsageError: ``cwd`` is no folder.
    """
    project, env = project_at(cwd), around.env
    found = SkillPlaces.of(project, agent_home(env), user_home(env)).found()
    book = Book(found, project, around.env, Counter(row(DEFAULT_MODEL).family).text_tokens)
    if is_json:
        around.output.message(rows(book))
    else:
        around.output.lines("\n".join(lines(book, columns())))
    return Exit.DONE if around.output.fault is None else Exit.FAILED
