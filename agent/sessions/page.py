"""A session as one HTML file: no script, nothing loaded, and no text from outside becomes markup.

The file is well-formed XML too, so that any parser can read it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from agent.sessions.brief import brief
from agent.sessions.entries import FOLDED, Entry, Part
from agent.sessions.line import size_line
from agent.sessions.receipts import cost
from agent.sessions.story import Story
from agent.surrogates import repaired_text
from agent.terminal.figures import times, tokens
from tools.visible import plain

_NO_XML = re.compile("[\ufffe\uffff]")
STYLE = """
:root{color-scheme:light dark;--ink:#1c1e21;--dim:#666b73;--paper:#fff;--box:#f3f4f6;--edge:#d5d8dd;--mark:#c2410c;--line:#1d4ed8}
@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--dim:#9aa0a8;--paper:#15171a;--box:#202327;--edge:#3a3e45;--mark:#fb923c;--line:#93b4ff}}
body{margin:2rem auto;max-width:60rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem;overflow-wrap:anywhere}
p.about,.note,.damage,figcaption{color:var(--dim);font-size:.9rem}
p,pre,summary,figcaption{white-space:pre-wrap;overflow-wrap:anywhere}
pre{background:var(--box);padding:.6rem;border-radius:.3rem;font:13px/1.4 ui-monospace,monospace;max-height:40rem;overflow:auto}
summary{cursor:pointer;color:var(--dim);font:13px/1.6 ui-monospace,monospace}
section,details{margin:.6rem 0}
.prompt{border-left:.25rem solid var(--line);padding-left:.8rem}
.compaction{border:1px solid var(--mark);border-radius:.3rem;padding:.2rem .6rem}
.compaction>summary,.damage{color:var(--mark)}
.left{border-left:.25rem dotted var(--dim);padding-left:.8rem}
.left>div{opacity:.75}
.subagent>div{border-left:1px solid var(--edge);padding-left:.8rem}
h2{font-size:.85rem;color:var(--dim);margin:.2rem 0}
img{max-width:100%;background:#fff}
svg{width:100%;height:auto}
svg text{fill:var(--dim);font:11px system-ui,sans-serif}
svg .axis{stroke:var(--edge)}svg .size{fill:none;stroke:var(--line);stroke-width:1.5}
svg line.mark{stroke:var(--mark);stroke-dasharray:3 2}svg circle.mark{fill:var(--mark)}
svg line.back{stroke:var(--dim);stroke-dasharray:1 3}svg circle.back{fill:var(--dim)}
""".strip()
MARKS = {"compaction": "⟲ ", "left": "◄ "}
TITLE_CHARS = 120
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(story: Story, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the file of a session in pieces."""
    title = safe(
        brief(story.title or (story.prompts[0].words if story.prompts else ""), TITLE_CHARS) or story.id
    )
    figures = [
        story.id,
        story.model,
        times(story.turns, "turn"),
        times(story.steps, "step"),
        times(len(story.compactions), "compaction"),
        f"{tokens(story.spent.input_tokens)} tokens in, {tokens(story.spent.output_tokens)} out",
        cost(story),
    ]
    damage = f"; damaged lines: {', '.join(map(str, story.damaged))}" if story.damaged else ""
    yield "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"/>',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>',
            '<meta name="viewport" content="width=device-width"/>',
            f"<title>{title}</title><style>{STYLE}</style></head><body>",
            f'<h1>{title}</h1><p class="about">{safe(" · ".join(figures) + damage)}</p>',
            size_line(story, safe),
            "",
        ]
    )
    for entry in entries:
        yield from _entry(entry)
        yield "\n"
    yield "</body></html>\n"


def safe(text: str) -> str:
    """Return ``text`` for a place between tags or in an attribute; control characters are shown as escapes."""
    visible = _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", plain(repaired_text(text)))
    return escape(visible)


def _entry(entry: Entry) -> Iterator[str]:
    anchor = f' id="{safe(entry.id)}"' if entry.id else ""
    title = f"{MARKS.get(entry.kind, '')}{safe(entry.title)}"
    if not entry.parts and not entry.inner:
        yield f'<p class="{entry.kind}"{anchor}>{title}</p>'
        return
    if entry.kind in (*FOLDED, "compaction", "note"):
        yield f'<details class="{entry.kind}"{anchor}><summary>{title}</summary><div>'
        end = "</div></details>"
    else:
        heading = f"<h2>{title}</h2>" if entry.kind == "prompt" else ""
        yield f'<section class="{entry.kind}"{anchor}>{heading}'
        end = "</section>"
    yield _parts(entry.parts)
    for one in entry.inner:
        yield from _entry(one)
    yield end


def _parts(parts: Sequence[Part]) -> str:
    return "\n".join(map(_part, parts))


def _part(part: Part) -> str:
    match part.kind:
        case "image":
            return f'<p><img alt="image" src="{safe(part.text)}"/></p>'
        case "code":
            # A newline at its very beginning would be swallowed.
            return f"<pre>\n{safe(part.text)}</pre>"
    return f"<p>{safe(part.text)}</p>"
