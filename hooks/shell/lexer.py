"""Cuts a shell command into words, operators and redirections: leniently, to find what must not run.

It never proves that a command is harmless (`words` does that for the simplest ones); whatever it cannot read it
takes for the more dangerous reading.
"""

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

MAX_DEPTH = 10
"""Substitutions and scripts inside one another that are still looked into."""

_OPERATOR = re.compile(r"&&|\|\||\|&|;;&?|[;&|()\n]")
_REDIRECT = re.compile(r"&>>?|<<<|<<-?|<>|<&|>&|>>|>\||[<>]")
_PROCESS = re.compile(r"[<>]\(")
_ANSI_QUOTE = re.compile(r"\$'((?:[^'\\]|\\.)*)'?", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`?", re.DOTALL)
_PLAIN = re.compile(r"[\w./=:+%@^-]+")
_PLAIN_QUOTED = re.compile(r'[^$`\\"]+')
_DESCRIPTOR = re.compile(r"\d+|\{\w+(?:\[.*\])?\}", re.DOTALL)
"""The number of a descriptor, or the variable that gets one."""
_VARIABLE = re.compile(r"\$(\w+)")
LEADING = frozenset({"!", "{", "}", "if", "then", "elif", "else", "while", "until", "do"})
"""Reserved words that a command follows."""
_ACTIVE_UNQUOTED = "~*?[]{}$`,"
"""Characters that lose their meaning by quotes; in a pattern a backslash then stands before them."""


class TooDeepError(Exception):
    """The command nests deeper, or branches wider, than anybody looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One word, operator, redirection or here-document body."""

    kind: Literal["word", "operator", "redirect", "heredoc"]
    text: str
    """As the program gets it; expansions stand as written."""
    pattern: str = ""
    """The same with a backslash before each literal special character and variables as `${NAME}`."""
    nested: tuple[str, ...] = ()
    """Commands of the substitutions inside."""
    is_quoted: bool = False
    is_literal: bool = False
    """The shell leaves ``text`` as it is: no expansion, pattern, brace or tilde. Only the grammar says so."""


def tokens(source: str, *, depth: int = 0) -> list[Token]:
    """Cut ``source``. Raises TooDeepError below MAX_DEPTH levels."""
    return _Lexer(source, depth=depth).run()


def substitutions(text: str, *, depth: int) -> tuple[str, ...]:
    """Return the commands that ``text`` runs when the shell expands it as if in double quotes."""
    lexer = _Lexer(text, depth=depth)
    lexer.read_quoted(closer="")
    return tuple(lexer.nested)


def _brace_end(source: str, at: int) -> int:
    """Return where the brace that closes `${`, whose body starts at ``at``, stands; else the end."""
    stack = ["}"]
    while at < len(source) and stack:
        char, awaited = source[at], stack[-1]
        if char == "\\" and awaited != "'":
            at += 1
        elif char == awaited:
            stack.pop()
        elif awaited != "'":
            opened = _opened(source, at, awaited)
            stack += opened
            at += bool(opened) and char == "$"
        at += 1
    return at - 1 if not stack else len(source)


def _opened(source: str, at: int, awaited: str) -> str:
    """Return the closer of what opens at ``at``, or an empty text."""
    if source[at] == "$":
        return {"(": ")", "{": "}"}.get(source[at + 1 : at + 2], "")
    if source[at] in '`"' or (source[at] == "'" and awaited != '"'):
        return source[at]
    return ")" if source[at] == "(" and awaited == ")" else ""


class _Lexer:
    """Reads ``source`` from ``at`` to its end, or to the parenthesis that closes a substitution."""

    def __init__(self, source: str, *, depth: int, at: int = 0, is_inner: bool = False) -> None:
        if depth > MAX_DEPTH:
            raise TooDeepError
        self.source = source
        self.depth = depth
        self.at = at
        self.is_inner = is_inner
        self.open = 0
        self.cases = 0
        self.done: list[Token] = []
        self.nested: list[str] = []
        self.text: str | None = None
        self.pattern = ""
        self.is_quoted = False

    def run(self) -> list[Token]:
        while self.at < len(self.source) and self.open >= 0:
            self.step()
        self.end_word()
        return self.done

    def step(self) -> None:
        char = self.source[self.at]
        if char in "\\'\"$`":
            self.read_special(char)
        elif char in " \t":
            self.end_word()
            self.at += 1
        elif char == "#" and self.text is None:
            newline = self.source.find("\n", self.at)
            self.at = len(self.source) if newline < 0 else newline
        elif match := _PROCESS.match(self.source, self.at):
            self.read_nested(match.end())
        elif match := _REDIRECT.match(self.source, self.at):
            self.read_redirect(match[0])
        elif match := _OPERATOR.match(self.source, self.at):
            self.read_operator(match[0])
        else:
            plain = _PLAIN.match(self.source, self.at)
            text = plain[0] if plain else char
            self.add(text, text)
            self.at += len(text)

    def read_special(self, char: str) -> None:
        if char == "\\":
            self.read_escape()
        elif char == "'":
            end = self.source.find("'", self.at + 1)
            end = len(self.source) if end < 0 else end
            self.add_literal(self.source[self.at + 1 : end])
            self.at = end + 1
        elif char == '"':
            self.at += 1
            self.add_literal("")
            self.read_quoted(closer='"')
        elif char == "$" and (match := _ANSI_QUOTE.match(self.source, self.at)):
            self.add_literal(_decoded(match[1]))
            self.at = match.end()
        else:
            self.read_expansion()

    def read_escape(self) -> None:
        escaped = self.source[self.at + 1 : self.at + 2]
        if escaped != "\n":
            self.add_literal(escaped)
        self.at += 2

    def read_quoted(self, *, closer: str) -> None:
        """Read up to ``closer``; only dollar sign, backtick and some backslashes keep their meaning."""
        while self.at < len(self.source) and (char := self.source[self.at]) != closer:
            if char in "$`":
                self.read_expansion()
            elif char == "\\" and self.source[self.at + 1 : self.at + 2] in tuple('$`"\\\n'):
                self.read_escape()
            else:
                plain = _PLAIN_QUOTED.match(self.source, self.at)
                text = plain[0] if plain else char
                self.add_literal(text)
                self.at += len(text)
        self.at += 1

    def read_expansion(self) -> None:
        rest = self.source[self.at : self.at + 2]
        if rest == "$(":
            self.read_nested(self.at + 2)
        elif match := _BACKTICKS.match(self.source, self.at):
            self.nested.append(re.sub(r"\\([`$\\])", r"\1", match[1]))
            self.add_unknown(match.end())
        elif rest == "$[":
            end = self.source.find("]", self.at)
            end = len(self.source) if end < 0 else end
            self.nested += substitutions(self.source[self.at + 2 : end], depth=self.depth + 1)
            self.add_unknown(end + 1)
        elif rest == "${":
            end = _brace_end(self.source, self.at + 2)
            body = self.source[self.at + 2 : end]
            self.nested += substitutions(body, depth=self.depth + 1)
            name = re.match(r"\w*", body)
            self.add(self.source[self.at : end + 1], f"${{{name[0] if name else ''}}}")
            self.at = end + 1
        elif match := _VARIABLE.match(self.source, self.at):
            self.add(match[0], f"${{{match[1]}}}")
            self.at = match.end()
        else:
            if rest != '$"':
                self.add("$", "$")
            self.at += 1

    def read_nested(self, start: int) -> None:
        """Read a substitution whose command starts at ``start``."""
        inner = _Lexer(self.source, depth=self.depth + 1, at=start, is_inner=True)
        inner.run()
        end = inner.at if inner.open < 0 else len(self.source) + 1
        self.nested.append(self.source[start : end - 1])
        self.add_unknown(end)

    def read_redirect(self, operator: str) -> None:
        if self.text is not None and not self.is_quoted and _DESCRIPTOR.fullmatch(self.text):
            self.text, self.pattern = None, ""
        self.end_word()
        self.done.append(Token(kind="redirect", text=operator))
        self.at += len(operator)

    def read_operator(self, operator: str) -> None:
        self.end_word()
        self.at += len(operator)
        if self.is_inner:
            self.open += {"(": 1, ")": -1}.get(operator, 0)
            self.open += self.open < 0 < self.cases  # it ends a pattern of `case`, not the substitution
        if operator == "\n":
            self.done, self.at = _with_bodies(self.done, self.source, self.at, depth=self.depth)
        self.done.append(Token(kind="operator", text=operator))

    def add_unknown(self, end: int) -> None:
        """Add what only the shell can know, up to ``end``."""
        whole = self.source[self.at : end]
        self.add(whole, "".join("\\" + char for char in whole))
        self.at = end

    def add(self, text: str, pattern: str) -> None:
        self.text = (self.text or "") + text
        self.pattern += pattern

    def add_literal(self, text: str) -> None:
        self.is_quoted = True
        self.add(text, "".join("\\" + c if c in "\\" + _ACTIVE_UNQUOTED else c for c in text))

    def end_word(self) -> None:
        if self.text is not None:
            word = Token(kind="word", text=self.text, pattern=self.pattern, is_quoted=self.is_quoted)
            self.cases += _case_step(word, self.done[-1:])
            self.done.append(replace(word, nested=tuple(self.nested)))
        self.text, self.pattern, self.nested, self.is_quoted = None, "", [], False


def _case_step(word: Token, before: list[Token]) -> int:
    """Return 1 when ``word`` starts a `case`, -1 when it ends one."""
    is_command = not before or before[0].kind == "operator" or before[0].text in LEADING
    return {"case": 1, "esac": -1}.get(word.text, 0) if is_command and not word.is_quoted else 0


def _with_bodies(done: list[Token], source: str, at: int, *, depth: int) -> tuple[list[Token], int]:
    """Put each here-document that the last line of ``done`` awaits, from ``at`` on, after its delimiter.

    Returns: the tokens, and where the last body ends.
    """
    line_start = next((i + 1 for i in range(len(done) - 1, -1, -1) if done[i].text == "\n"), 0)
    result = done[:line_start]
    previous = ""
    is_doubtful = any(one.text == two.text == "(" for one, two in pairwise(done[line_start:]))
    for token in done[line_start:]:
        result.append(token)
        if previous in ("<<", "<<-") and token.kind == "word":
            text, at = _body(source, at, delimiter=token.text, has_tabs=previous == "<<-")
            nested = () if token.is_quoted else substitutions(text, depth=depth + 1)
            nested += (text,) if is_doubtful else ()  # `((1<<n))` shifts: then what follows are commands
            result.append(Token(kind="heredoc", text=text, nested=nested))
        previous = token.text if token.kind == "redirect" else ""
    return result, at


def _body(source: str, at: int, *, delimiter: str, has_tabs: bool) -> tuple[str, int]:
    lines: list[str] = []
    while at < len(source):
        end = source.find("\n", at)
        line = source[at : end if end >= 0 else len(source)]
        at += len(line) + 1
        if (line.lstrip("\t") if has_tabs else line) == delimiter:
            break
        lines.append(line)
    return "\n".join(lines), min(at, len(source))


def _decoded(text: str) -> str:
    """Return what `$'…'` holds."""
    return _ESCAPE.sub(lambda match: _character(match[1]), text)


def _character(escape: str) -> str:
    if escape[0] in "xuU" and escape[1:]:
        return chr(min(int(escape[1:], 16), 0x10FFFF))
    if escape[0] in "01234567":
        return chr(int(escape, 8) & 0xFF)
    return {"n": "\n", "t": "\t"}.get(escape, escape)
