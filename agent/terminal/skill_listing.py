"""/skills: all that can be loaded, or one of them whole; nothing is changed by looking."""

from pathlib import Path

from agent.models import row
from agent.skill_report.book import Book, lines
from agent.skill_report.one import one_skill
from agent.skilled.asked import SURE, nearest
from agent.terminal.columns import flowed, one_line
from agent.terminal.desk import SessionDesk
from agent.token_counter import Counter

HOW = "/NAME runs one, /skills NAME shows one whole"
NONE = "no skills: put one into .agent/skills/NAME/SKILL.md or ~/.agent/skills/NAME/SKILL.md"


async def skills(desk: SessionDesk, words: str) -> None:
    """Show the skills, or the one that is named: where each comes from, its size, what it is for, what is wrong."""
    shared = desk.agent.shared
    shared.skills.refresh()
    count = Counter(row(desk.agent.session.state.model).family).text_tokens
    book = Book(shared.skills.found, shared.config.project, {"HOME": str(Path.home())}, count)
    name = words.removeprefix("/").removeprefix(SURE)
    if not name:
        desk.say(_all(desk, book))
        return
    found = next((skill for skill in book.found.skills if skill.front.name == name), None)
    if found is None:
        near = [f"/skills {one}" for one in nearest(name, shared.skills.names())]
        hint = f"did you mean {' or '.join(near)}?" if near else "/skills lists them"
        desk.say([f"there is no skill {one_line(name)}: {hint}"])
    else:
        desk.say(list(one_skill(book, found, desk.columns)))


def _all(desk: SessionDesk, book: Book) -> list[str]:
    """Return a line or two for each skill, which were loaded here, and what can be done with them."""
    if not (book.found.skills or book.found.broken):
        return flowed([NONE], desk.columns)
    used = [one_line(deed.target) for deed in desk.agent.session.state.view.history.deeds.of("skill")]
    loaded = [f"loaded in this session: {', '.join(used)}"] if used else []
    return [*lines(book, desk.columns), *flowed([*loaded, HOW], desk.columns)]
