"""The context size over time as an inline SVG line, every compaction and rewind marked."""

from collections.abc import Callable

from agent.sessions.receipts import details, headline
from agent.sessions.story import Story
from agent.terminal.figures import tokens

WIDTH, HEIGHT = 900, 220
LEFT, TOP, BOTTOM = 48, 12, 24


def size_line(story: Story, safe: Callable[[str], str]) -> str:
    """Return the figure; empty where no size is known. ``safe`` escapes text.

    A mark names on hover what it stands for, and leads to it.
    """
    points = story.points
    if not points:
        return ""
    most = max(1, *(point.tokens for point in points))
    across = (WIDTH - LEFT - 8) / max(1, len(points) - 1)
    spots = [
        (LEFT + index * across, TOP + (HEIGHT - TOP - BOTTOM) * (1 - point.tokens / most))
        for index, point in enumerate(points)
    ]
    receipts = {compaction["id"]: compaction for compaction in story.compactions}
    marks = []
    for point, (x, y) in zip(points, spots, strict=True):
        if point.compaction:
            receipt = receipts[point.compaction]
            words = "\n".join([f"step {point.step}: {headline(receipt, story)}", *details(receipt, story)])
            marks.append(_mark(safe(point.compaction), safe(words), x, y))
        elif point.rewind:
            words = f"step {point.step}: /rewind, back to {tokens(point.tokens)} tokens"
            marks.append(_mark(safe(point.rewind), safe(words), x, y, kind="back"))
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    ground = HEIGHT - BOTTOM
    back = ", a dotted one a /rewind" if any(point.rewind for point in points) else ""
    return (
        f'<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        "<title>Context size over time</title>"
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH}" y1="{ground}" y2="{ground}"/>'
        f'<text x="0" y="{TOP + 8}">{tokens(most)}</text><text x="0" y="{ground}">0</text>'
        f'<text x="{LEFT}" y="{HEIGHT - 6}">step {points[0].step}</text>'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 6}" text-anchor="end">step {points[-1].step}</text>'
        f'<polyline class="size" points="{path}"/>{"".join(marks)}</svg>'
        f"<figcaption>Context size in tokens after each reply; a mark is a compaction{back}.</figcaption></figure>"
    )


def _mark(anchor: str, words: str, x: float, y: float, *, kind: str = "mark") -> str:
    """``anchor`` and ``words`` are safe; ``kind``: the class of its line."""
    return (
        f'<a href="#{anchor}"><g><title>{words}</title>'
        f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/></g></a>'
    )
