"""Whether all of a shell command may run unasked: each simple command allowed by a rule, or read-only."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hooks.permission.places import Places
from hooks.permission.reading import objection_to_reading
from hooks.permission.reads_only import is_tame_variable
from hooks.permission.rules import Rule
from hooks.permission.runners import MOVES, SETS, handed_script, needed_words
from hooks.shell.command import Command
from hooks.shell.grammar import strict_commands
from hooks.shell.lexer import Token
from hooks.shell.reader import Shell
from hooks.shell.word_nodes import UnreadError, shown
from hooks.shell.wrappers import inner_start, unwrapped

_RESERVED = frozenset({"for", "select", "case", "function", "done", "fi", "esac", "in"})
"""Words that the lenient reading lists as programs."""
_OWN_VARIABLE = re.compile(r"(?!npm_|.*_proxy$)[a-z_][a-z0-9_]*", re.ASCII)
"""Variables of the command itself; upper case ones say to other programs what to do."""
_DEEPEST = 5


class Grants:
    """Judges the simple commands of one shell command in their order.

    ``rules``: the allow rules about bash that hold; without any, only what reads is granted.
    """

    def __init__(self, rules: Iterable[Rule], places: Places, *, may_read: bool = True) -> None:
        self.rules = tuple(rules)
        self.may_read = may_read
        """What only reads inside the project needs no rule."""
        self.places: Places | None = places
        self.functions: set[str] = set()
        self.judged: set[tuple[str, ...]] = set()
        """Texts of what the strict reading judged."""
        self.has_moved = False
        self.has_functions = False
        self.missing: tuple[str, ...] = ()
        """Words of the simple command that no rule allows, once there is one."""

    def objection(self, shell: Shell) -> str:
        """Return why ``shell`` may not run unasked, in one line; empty when all of it is granted."""
        if shell.proved is None:
            return f"the command cannot be read: {shell.doubt}"
        for command in shell.proved:
            if problem := self.judge(command, depth=0):
                return problem
        for command in shell.commands:
            if not self.is_judged(command):
                return self.unknown(command)
        return ""

    def is_judged(self, command: Command) -> bool:
        """Tell whether what the lenient reading found was judged by the strict one, or stands under a rule."""
        texts = command.texts
        is_reserved = bool(texts) and texts[0] in _RESERVED and not command.words[0].is_quoted
        return not texts or is_reserved or texts in self.judged or bool(self.rule_for(command))

    def unknown(self, command: Command) -> str:
        """Keep ``command`` as the one that a rule is missing for, and say so."""
        self.missing = command.texts
        return f"no rule allows `{shown(' '.join(command.texts))}`"

    def judge(self, command: Command, *, depth: int) -> str:
        """Return what is wrong with one simple command; empty when nothing is."""
        self.judged.update((label,) for label in command.labels)
        if command.defines:
            self.define(command, depth=depth)
        problem = self.settings(command) or self.redirections(command)
        if problem or not command.words:
            return problem
        self.judged.add(command.texts)
        if not command.words[0].is_literal:
            return f"`{shown(command.words[0].text)}` is known only when it runs"
        is_call = not depth and command.texts[0] in self.functions
        reading = objection_to_reading(command.words, self.places)
        if is_call or (reading == "" and self.may_read) or self.changes_folder(command):
            return ""
        start = inner_start(command.words)
        if start is not None and start < len(command.words) and depth < _DEEPEST:
            return self.judge_inner(command, start, depth=depth + 1)
        script = handed_script(command.words)
        if script is not None and depth < _DEEPEST:
            return self.judge_script(script, depth=depth + 1)
        problem = self.by_rule(command)
        return reading or problem if problem and self.missing else problem

    def define(self, command: Command, *, depth: int) -> None:
        """Keep a function that is there for sure; whatever its body does was judged where it was made."""
        self.has_functions = True
        self.judged.add((command.defines,))
        if command.is_certain and not depth:
            self.functions.add(command.defines)

    def judge_inner(self, command: Command, start: int, *, depth: int) -> str:
        """Judge what a wrapper runs, unless a rule already names it together with the wrapper."""
        inner = replace(
            command,
            words=command.words[start:],
            redirects=(),
            assignments=tuple(_settings_of_env(command.words[1:start])) if command.texts[0] == "env" else (),
        )
        if command.texts[0] != "xargs":
            if self.rule_for(command, needed=start + 1) is None:
                return self.judge(inner, depth=depth)
            self.judged.add(inner.texts)
            return ""
        self.judged.add(inner.texts)
        is_named = any(
            self.rule_for(each, needed=needed, is_open=True)
            for each, needed in ((command, start + 1), (inner, 1))
        )
        return "" if is_named else self.unknown(inner)

    def judge_script(self, script: str, *, depth: int) -> str:
        """Judge what a shell gets by `-c`."""
        try:
            commands = strict_commands(script)
        except UnreadError as problem:
            return f"the script `{shown(script)}` cannot be read: {problem}"
        return next(filter(None, (self.judge(command, depth=depth) for command in commands)), "")

    def by_rule(self, command: Command) -> str:
        """Return what is wrong with a command that only a rule can allow."""
        program = command.texts[0]
        if self.rule_for(command) is None:
            return self.unknown(command)
        if self.has_moved and "/" in program and not program.startswith("/"):
            return f"`{program}` may be another one after `cd`"
        if program in SETS and not all(_is_own_setting(word) for word in command.words[1:]):
            return f"`{program}` may set what other programs go by"
        for words in unwrapped(command.words):
            if words and self.rule_for(inner := replace(command, words=words)) is None:
                return self.unknown(inner)
        if program == "unset":
            self.functions.clear()
        if program in MOVES:
            self.places, self.has_moved = None, True
        return ""

    def rule_for(self, command: Command, *, needed: int = 1, is_open: bool = False) -> Rule | None:
        """Return the rule that allows ``command``; ``is_open``: further words will be added to it.

        ``needed``: words that a prefix rule must have at least, beside what the program itself demands.
        """
        least = max(needed, needed_words(command.texts))
        for rule in self.rules:
            is_exact = not rule.is_prefix and not is_open and rule.is_plain
            is_long = rule.is_prefix and len(rule.words) >= least
            found = command.texts if is_exact else command.texts[: len(rule.words)]
            if (is_exact or is_long) and found == rule.words:
                return rule
        return None

    def settings(self, command: Command) -> str:
        """Return what is wrong with the assignments."""
        for name, value in command.assignments:
            is_own = not command.words and bool(_OWN_VARIABLE.fullmatch(name))
            if not is_own and not (is_tame_variable(name) and value.is_literal):
                return f"it sets `{name}`"
        return ""

    def redirections(self, command: Command) -> str:
        for operator, target in command.redirects:
            is_copy = (
                operator in (">&", "<&")
                and target.is_literal
                and target.text.isascii()
                and target.text.isdecimal()
            )
            is_read = operator == "<" and self.holds(target)
            is_thrown = target.is_literal and target.text == "/dev/null"
            if not (operator == "<<<" or is_copy or is_read or is_thrown):
                verb = "reads" if operator == "<" else "writes"
                return f"it {verb} `{shown(target.text)}`"
        return ""

    def holds(self, word: Token) -> bool:
        return word.is_literal and self.places is not None and self.places.holds(word.text)

    def changes_folder(self, command: Command) -> bool:
        """Tell whether `cd` stays inside the project; what follows may then run there too."""
        words = command.words[1:]
        is_plain = len(words) == 1 and words[0].is_literal and not words[0].text.startswith("-")
        is_change = command.texts[0] == "cd" and is_plain
        if self.places is None or not is_change or command.is_repeated or self.has_functions:
            return False
        after = self.places.after(words[0].text)
        if after is None:
            return False
        self.has_moved = self.has_moved or after != self.places
        self.places = after
        return True


def _settings_of_env(words: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    for word in words:
        name, sign, _ = word.text.partition("=")
        if sign and not name.startswith("-"):
            yield name, word


def _is_own_setting(word: Token) -> bool:
    """Tell whether what a builtin is given to set is an option or a variable of the command's own."""
    name = word.text.partition("=")[0].removesuffix("+")
    is_option = bool(re.fullmatch(r"-[gxrpfFaA]+", word.text))  # not -i and -n: they make values code
    return word.is_literal and (is_option or bool(_OWN_VARIABLE.fullmatch(name)) or is_tame_variable(name))
