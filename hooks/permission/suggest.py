"""The allow rule that would have answered a question: shown to the user before it is added."""

import re

from hooks.events import PathUse
from hooks.permission.globs import escaped
from hooks.permission.reads_only import paths_read
from hooks.permission.rules import RuleError, literal, parse_rule
from hooks.shell.words import plain_words

_SUBCOMMAND_NAMES = (
    "git npm pnpm yarn pip uv poetry cargo go docker podman kubectl gh dotnet mvn gradle terraform brew apt conda bun "
    "deno make just nox tox systemctl"
)
_WITH_SUBCOMMANDS = frozenset(_SUBCOMMAND_NAMES.split())
"""Programs whose second word says what they do."""
_POWERFUL_NAMES = (
    "bash sh dash zsh ksh ash fish python python3 node perl ruby php lua env sudo doas su xargs find eval exec command "
    "builtin time timeout nohup nice setsid watch ssh scp rsync curl wget nc rm rmdir mv cp dd ln tee truncate shred "
    "chmod chown kill pkill killall sed awk source trap npx uvx pipx"
)
_NEVER_BROAD = frozenset(_POWERFUL_NAMES.split())
"""Programs that run, write or remove whatever they are told: only the exact command is offered."""


def rule_for_command(command: str) -> str:
    """Return `bash(<first words>:*)` for a simple command, else `bash(<the command>)`; empty if no rule can."""
    words = plain_words(command)
    stripped = command.strip(" \t\n")
    exact = f"bash({literal(stripped)})"
    candidates = (_prefix_rule(words) if words else "", exact)
    return next((text for text in candidates if text and _answers(text, command)), "")


def rule_for_part(texts: tuple[str, ...]) -> str:
    """Return `bash(<first words>:*)` for one simple command of a longer one; empty where only all of it could be named."""
    return _prefix_rule(texts) if texts else ""


def rule_for_path(tool_name: str, use: PathUse) -> str:
    """Return the rule for exactly this path: `edit` stands for write too, `read` for glob."""
    tool = {"write": "edit", "glob": "read"}.get(tool_name, tool_name)
    return f"{tool}({escaped(use.shown if use.is_inside else use.path)})"


def _prefix_rule(words: tuple[str, ...]) -> str:
    program = words[0]
    if paths_read(words):  # it is asked about for what it reads: by its name it could read everything
        return ""
    if program in _NEVER_BROAD or not re.fullmatch(r"[\w.+-]+", program):
        return ""
    if program not in _WITH_SUBCOMMANDS or len(words) == 1:
        return f"bash({program}:*)" if program not in _WITH_SUBCOMMANDS else ""
    return f"bash({program} {words[1]}:*)" if re.fullmatch(r"[a-z][\w:-]*", words[1]) else ""


def _answers(text: str, command: str) -> bool:
    """Tell whether the rule, read back, allows ``command`` and is not about the whole tool."""
    try:
        rule = parse_rule(text, "allow", origin="session")
    except RuleError:
        return False
    return rule.spec is not None and rule.allows_command(command)
