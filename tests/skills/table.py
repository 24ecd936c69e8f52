"""Examples of skills, good and bad, with how many errors the standard's reference validator finds in each.

Written by us; the figures are those of `skills-ref` 0.1.1 (Python, agentskills/agentskills), run on each. Where `agent skills
check` comes to another verdict, `differs` says why.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A folder with one file in it."""

    id: str
    head: str
    """What stands between the `---` lines."""
    reference: int
    """Errors that the reference validator finds; 0: it is valid."""
    folder: str = "my-skill"
    raw: bytes = b""
    """The whole file, where it is not ``head`` between two `---` lines and a body."""
    file: str = "SKILL.md"
    differs: str = ""

    @property
    def data(self) -> bytes:
        """The file's content."""
        return self.raw or f"---\n{self.head}\n---\n# How\n\nDo it.\n".encode()


OK = "name: my-skill\ndescription: Does things. Use when asked."
_FLOW = "the standard takes YAML; its validator's reader refuses `[…]` and `{…}`"
_LIST = "the standard asks for text, or a list of texts"


def _named(id: str, name: str, folder: str | None = None, *, reference: int, differs: str = "") -> Example:
    head = f"name: {name}\ndescription: Does things."
    return Example(id=id, head=head, folder=folder or name, reference=reference, differs=differs)


EXAMPLES = (
    Example(id="plain", head=OK, reference=0),
    Example(
        id="all fields",
        head=f'{OK}\nlicense: MIT\ncompatibility: Needs git.\nmetadata:\n  author: x\n  version: "1.0"\nallowed-tools: Bash(git:*) Read',
        reference=0,
    ),
    Example(id="other order", head="license: MIT\ndescription: Does things.\nname: my-skill", reference=0),
    Example(id="quoted", head="name: \"my-skill\"\ndescription: 'It''s: \"so\" # yes'", reference=0),
    Example(id="comments", head=f"# ours\n{OK} # not said\n# end", reference=0),
    Example(
        id="folded", head="name: my-skill\ndescription: >\n  Does things.\n  Use when asked.", reference=0
    ),
    Example(
        id="folded, stripped",
        head="name: my-skill\ndescription: >-\n  Does things.\n\n  Use when asked.",
        reference=0,
    ),
    Example(
        id="literal", head="name: my-skill\ndescription: |\n  Does things:\n  - one\n  - two", reference=0
    ),
    Example(
        id="over lines", head="name: my-skill\ndescription: Does things\n  and more\n  of them.", reference=0
    ),
    Example(
        id="chinese description",
        head="name: my-skill\ndescription: 当用户想建立公司档案时使用。",
        reference=0,
    ),
    Example(id="emoji", head='name: my-skill\ndescription: "🚀 Ships it."', reference=0),
    Example(id="no body", head="", raw=f"---\n{OK}\n---".encode(), reference=0),
    Example(id="blank lines in the head", head=f"\n{OK}\n\nlicense: MIT\n", reference=0),
    Example(
        id="crlf",
        head="",
        raw=f"---\n{OK}\nlicense: MIT\n---\nDo it.\n".replace("\n", "\r\n").encode(),
        reference=0,
    ),
    Example(id="blanks after the fences", head="", raw=f"--- \n{OK}\n---  \nDo it.\n".encode(), reference=0),
    Example(
        id="tab after a fence",
        head="",
        raw=f"---\t\n{OK}\n---\nDo it.\n".encode(),
        reference=1,
        differs="nobody sees it, and the line is one of three hyphens",
    ),
    Example(
        id="rule in the body", head="", raw=f"---\n{OK}\n---\nOne.\n\n---\n\nTwo.\n".encode(), reference=0
    ),
    Example(id="lower case file", head=OK, file="skill.md", reference=0),
    _named("one letter", "a", reference=0),
    _named("digits", "2d-3d", reference=0),
    _named("name of 64", "a" * 64, reference=0),
    _named("name of 65", "a" * 65, reference=1),
    _named("umlaut", "größe-messen", reference=0),
    _named("chinese name", "公司画像", reference=0),
    _named("decomposed name", "café", "cafe\u0301", reference=0),
    _named("upper case", "My-Skill", reference=1),
    _named("upper case, folder lower", "My-Skill", "my-skill", reference=2),
    _named("title", "My Skill", "my-skill", reference=3),
    _named("blank within", "my skill", reference=1),
    _named("underscore", "my_skill", reference=1),
    _named("dot", "my.skill", reference=1),
    _named("slash", "my/skill", "my-skill", reference=2),
    _named("plugin colon", "tools:my-skill", "my-skill", reference=2),
    _named("hyphen first", "-my-skill", reference=1),
    _named("hyphen last", "my-skill-", reference=1),
    _named("two hyphens", "my--skill", reference=1),
    _named("only a hyphen", "'-'", "-", reference=1),
    _named("other folder", "my-skill", "your-skill", reference=1),
    _named("emoji in the name", "ship-🚀", reference=1),
    _named("blanks around the name", "'  my-skill '", "my-skill", reference=0),
    Example(id="no name", head="description: Does things.", reference=1),
    Example(id="empty name", head="name:\ndescription: Does things.", reference=1),
    _named(
        "number for a name",
        "123",
        reference=0,
        differs="YAML makes a number of it, and readers in other languages do",
    ),
    _named("quoted number for a name", "'123'", "123", reference=0),
    Example(id="list for a name", head="name:\n  - my-skill\ndescription: Does things.", reference=1),
    Example(id="no description", head="name: my-skill", reference=1),
    Example(id="empty description", head="name: my-skill\ndescription: ''", reference=1),
    Example(id="blank description", head="name: my-skill\ndescription: '   '", reference=1),
    Example(id="list for a description", head="name: my-skill\ndescription:\n  - one", reference=1),
    Example(id="flow list for a description", head="name: my-skill\ndescription: [a, b]", reference=1),
    Example(
        id="truth for a description",
        head="name: my-skill\ndescription: true",
        reference=0,
        differs="YAML makes a truth of it, and readers in other languages do",
    ),
    Example(id="description of 1024", head=f"name: my-skill\ndescription: {'x' * 1_024}", reference=0),
    Example(id="description of 1025", head=f"name: my-skill\ndescription: {'x' * 1_025}", reference=1),
    Example(
        id="chinese description of 1024", head=f"name: my-skill\ndescription: {'画' * 1_024}", reference=0
    ),
    Example(id="compatibility of 500", head=f"{OK}\ncompatibility: {'x' * 500}", reference=0),
    Example(id="compatibility of 501", head=f"{OK}\ncompatibility: {'x' * 501}", reference=1),
    Example(id="list for compatibility", head=f"{OK}\ncompatibility:\n  - git", reference=1),
    Example(id="empty compatibility", head=f"{OK}\ncompatibility: ''", reference=0),
    Example(id="number for a license", head=f"{OK}\nlicense: 2.0", reference=0),
    Example(id="list for a license", head=f"{OK}\nlicense:\n  - MIT", reference=0),
    Example(
        id="metadata of texts",
        head=f"{OK}\nmetadata:\n  author: x\n  since: 2024-01-01\n  stable: true",
        reference=0,
    ),
    Example(id="nested metadata", head=f"{OK}\nmetadata:\n  needs:\n    bins:\n      - git", reference=0),
    Example(id="text for metadata", head=f"{OK}\nmetadata: none", reference=0),
    Example(
        id="flow metadata",
        head=f'{OK}\nmetadata: {{"needs": {{"bins": ["git"]}}}}',
        reference=1,
        differs=_FLOW,
    ),
    Example(id="tools with commas", head=f"{OK}\nallowed-tools: Read, Bash(git add:*)", reference=0),
    Example(id="tools as a list", head=f"{OK}\nallowed-tools:\n  - Read\n  - Bash(git:*)", reference=0),
    Example(id="tools as a flow list", head=f"{OK}\nallowed-tools: [Read, Bash]", reference=1, differs=_FLOW),
    Example(id="map for tools", head=f"{OK}\nallowed-tools:\n  Read: yes", reference=0, differs=_LIST),
    Example(id="one field more", head=f"{OK}\nversion: 1.0.0", reference=1),
    Example(
        id="many fields more",
        head=f"{OK}\nmodel: opus\nuser-invocable: true\nargument-hint: '[x]'\nwhen_to_use: often",
        reference=1,
    ),
    Example(id="misspelt field", head=f"{OK}\nallowed_tools: Read", reference=1),
    Example(
        id="colon in the description",
        head="name: my-skill\ndescription: Use when: the user asks",
        reference=1,
    ),
    Example(id="two flow lists", head=f"{OK}\nargument-hint: [file] [options]", reference=1),
    Example(id="text after quotes", head='name: my-skill\ndescription: "Ships" things.', reference=1),
    Example(id="backtick first", head="name: my-skill\ndescription: `git` helper.", reference=1),
    Example(id="at first", head="name: my-skill\ndescription: @file helper.", reference=1),
    Example(id="bold first", head="name: my-skill\ndescription: **Ships** things.", reference=1),
    Example(id="tab to indent", head=f"{OK}\nmetadata:\n\tauthor: x", reference=1),
    Example(id="open quote", head='name: my-skill\ndescription: "Does things.', reference=1),
    Example(id="open bracket", head=f"{OK}\nallowed-tools: [Read", reference=1),
    Example(id="name twice", head=f"{OK}\nname: my-skill", reference=1),
    Example(id="alias", head=f"{OK}\nmetadata:\n  a: &a x\n  b: *a", reference=1),
    Example(id="tag", head="name: my-skill\ndescription: !!str Does things.", reference=1),
    Example(
        id="tag that runs",
        head="name: my-skill\ndescription: !!python/object/apply:os.system ['true']",
        reference=1,
    ),
    Example(id="list for a head", head="- name\n- description", reference=1),
    Example(id="text for a head", head="just words", reference=1),
    Example(id="empty head", head="", raw=b"---\n---\nDo it.\n", reference=1),
    Example(id="no fences", head="", raw=b"# My skill\n\nDo it.\n", reference=1),
    Example(id="no closing fence", head="", raw=f"---\n{OK}\n".encode(), reference=1),
    Example(id="fence further down", head="", raw=f"\n---\n{OK}\n---\nDo it.\n".encode(), reference=1),
    Example(
        id="byte order mark", head="", raw=b"\xef\xbb\xbf" + f"---\n{OK}\n---\nDo it.\n".encode(), reference=1
    ),
    Example(id="empty file", head="", raw=b"\n", reference=1),
    Example(
        id="dashes in the description",
        head="name: my-skill\ndescription: Does this --- and that.",
        reference=0,
    ),
)
