"""Names that commands of the screen have: a skill with one of them is asked for as `/skill:name`."""

COMMANDS = frozenset(
    (
        "agents",
        "clear",
        "compact",
        "context",
        "cost",
        "effort",
        "export",
        "fork",
        "help",
        "hooks",
        "model",
        "permissions",
        "pin",
        "pins",
        "quit",
        "resume",
        "rewind",
        "skills",
        "status",
        "thinking",
        "title",
        "todos",
        "vi",
    )
)
"""Known here without the screen, which a run without one never loads."""
