"""Changes a list in a JSON text, comments allowed, and leaves all else of the text as it stands."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+)
    | (?P<comment>//[^\n\r\u2028\u2029]* | /\*.*?\*/)
    | (?P<string>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
    | (?P<mark>[{}\[\],:])
    | (?P<bare>[^\s{}\[\],:"'/]+)""",
    re.DOTALL | re.VERBOSE,
)
_MOST_DEPTH = 50
_INDENT = "  "

Edit = tuple[int, int, str]
"""From, to, and what comes there instead."""


class JsonTextError(Exception):
    """A text that cannot be changed without risk; the text says why."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def mark(self) -> str:
        return self.text if self.kind == "mark" else ""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(slots=True)
class _Node:
    """A value: where it stands, and for a list or an object what stands in it; ``start`` of a member is its key's."""

    start: int
    value_start: int
    kind: str
    key: str = ""
    end: int = 0
    items: list["_Node"] = field(default_factory=list)
    comma: int = -1
    """Where the comma behind it stands; -1: there is none."""


def with_item(text: str, path: Sequence[str], item: str, read: Callable[[str], Any]) -> str:
    """Return ``text`` with the string ``item`` at the end of the list at ``path``, unless it stands in it.

    What is missing on the way to the list is made. ``read`` reads such a text: the result is checked with it, value by value. Raises JsonTextError.
    """
    if not text.strip():
        return json.dumps(_nested(path, [item]), indent=len(_INDENT), ensure_ascii=False) + "\n"
    node, left = _found(_parsed(text), path)
    if node.kind != ("{" if left else "["):
        raise JsonTextError(f"`{'.'.join(path)}` is no list")
    wanted = _value(text, read)
    if item in _list_in(wanted, path):
        return text
    _list_in(wanted, path).append(item)
    made = _member(left, item, text, node) if left else json.dumps(item, ensure_ascii=False)
    return _checked(_edited(text, _insertion(text, node, made)), wanted, read)


def without_item(text: str, path: Sequence[str], item: str, read: Callable[[str], Any]) -> str:
    """Return ``text`` without the string ``item`` in the list at ``path``, wherever it stands there. Raises JsonTextError."""
    node, left = _found(_parsed(text), path)
    wanted = _value(text, read)
    strings = [] if left or node.kind != "[" else list(_list_in(wanted, path))
    if item not in strings:
        raise JsonTextError(f"`{item}` is not in `{'.'.join(path)}`")
    at = strings.index(item)
    _list_in(wanted, path).pop(at)
    changed = _edited(text, _removal(text, node.items, at))
    if item in strings[at + 1 :]:
        return without_item(changed, path, item, read)
    return _checked(changed, wanted, read)


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise JsonTextError("its layout is not understood")
        yield _Token(str(match.lastgroup), match[0], at)
        at = match.end()


def _parsed(text: str) -> _Node:
    """Return the whole text as a tree."""
    tokens = [token for token in _tokens(text) if token.kind not in ("space", "comment")]
    root = _Node(start=0, value_start=0, kind="[")
    open_nodes, key = [root], None
    for token, following in zip_longest(tokens, tokens[1:]):
        if not token.mark and following is not None and following.mark == ":" and key is None:
            key = token
        else:
            key = _take(open_nodes, token, key)
        if not open_nodes or len(open_nodes) > _MOST_DEPTH:
            raise JsonTextError("its layout is not understood")
    if len(root.items) != 1 or len(open_nodes) != 1:
        raise JsonTextError("it does not hold one value")
    return root.items[0]


def _take(open_nodes: list[_Node], token: _Token, key: _Token | None) -> _Token | None:
    """Take ``token`` into the innermost of the values that are open; return the key that still waits for its value."""
    node = open_nodes[-1]
    if token.mark in ("}", "]"):
        open_nodes.pop().end = token.end
    elif token.mark == "," and node.items:
        node.items[-1].comma = token.start
    elif token.mark == ":":
        return key
    else:
        node.items.append(_begun(token, key))
        if token.mark:
            open_nodes.append(node.items[-1])
    return None


def _begun(token: _Token, key: _Token | None) -> _Node:
    name = "" if key is None else key.text.strip("\"'")
    kind = token.mark or "scalar"
    start = token.start if key is None else key.start
    return _Node(start=start, value_start=token.start, kind=kind, key=name, end=token.end)


def _found(node: _Node, path: Sequence[str]) -> tuple[_Node, Sequence[str]]:
    """Return the deepest value on the way along ``path``, and what is left of it."""
    for at, key in enumerate(path):
        members = [item for item in node.items if item.key == key] if node.kind == "{" else []
        if not members:
            return node, path[at:]
        node = members[-1]
    return node, ()


def _member(left: Sequence[str], item: str, text: str, node: _Node) -> str:
    """Return the member that is to be made, as deep as it comes to stand."""
    made = json.dumps(_nested(left[1:], [item]), indent=len(_INDENT), ensure_ascii=False)
    return f"{json.dumps(left[0])}: " + made.replace("\n", "\n" + _indent_in(text, node))


def _insertion(text: str, node: _Node, made: str) -> list[Edit]:
    """Return what puts ``made`` at the end of ``node``, in the layout that it has."""
    newline = "\r\n" if "\r\n" in text else "\n"
    made = made.replace("\n", newline)
    opening = node.value_start + 1
    inner = text[opening : node.end - 1]
    if not node.items:
        if node.kind == "[" and "\n" not in inner and "/" not in inner:
            return [(opening, node.end - 1, made)]
        rest = "" if "\n" in inner else f"{newline}{_line_indent(text, node.value_start)}"
        return [(opening, opening, f"{newline}{_indent_in(text, node)}{made}{rest}")]
    last = node.items[-1]
    is_lined = "\n" in text[opening : node.items[0].start]
    before = f"{newline}{_indent_in(text, node)}" if is_lined else " "
    if last.comma >= 0:
        at = _after_comment(text, last.comma + 1)
        return [(at, at, f"{before}{made},")]
    at = _after_comment(text, last.end) if is_lined else last.end
    return [(last.end, at, f",{text[last.end : at]}{before}{made}")]


def _removal(text: str, items: Sequence[_Node], at: int) -> list[Edit]:
    """Return what takes the item at ``at`` away: with its comma, and with its line where it stands alone in it."""
    item, edits = items[at], list[Edit]()
    start, end = item.start, item.end
    if item.comma >= 0:
        end = item.comma + 1
    elif at:
        comma = items[at - 1].comma
        edits.append((comma, comma + 1, ""))
    line_start = text.rfind("\n", 0, start) + 1
    rest = re.compile(r"[ \t]*\r?\n").match(text, end)
    if not text[line_start:start].strip() and rest is not None:
        return [*edits, (line_start, rest.end(), "")]
    blank = re.compile(r"[ \t]*").match(text, end)
    is_last = item.comma < 0
    spaces = len(text[:start]) - len(text[:start].rstrip(" \t")) if is_last and at else 0
    return [*edits, (start - spaces, end if is_last or blank is None else blank.end(), "")]


def _edited(text: str, edits: list[Edit]) -> str:
    for start, end, made in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        text = text[:start] + made + text[end:]
    return text


def _after_comment(text: str, at: int) -> int:
    """Return the end of the comments that follow ``at`` in its line."""
    end = at
    while (match := re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n]*?\*/)").match(text, end)) is not None:
        end = match.end()
    return end


def _indent_in(text: str, node: _Node) -> str:
    """Return how far what stands in ``node`` is indented."""
    if node.items and "\n" in text[node.value_start : node.items[0].start]:
        return _line_indent(text, node.items[0].start)
    return _line_indent(text, node.value_start) + _INDENT


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _list_in(value: Any, path: Sequence[str]) -> list[Any]:
    for key in path[:-1]:
        value = value.setdefault(key, {})
    found = value.setdefault(path[-1], [])
    if not isinstance(found, list):
        raise JsonTextError(f"`{'.'.join(path)}` is no list")
    return found


def _value(text: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(text)
    except (ValueError, RecursionError) as error:
        raise JsonTextError("it is no JSON") from error


def _checked(changed: str, wanted: Any, read: Callable[[str], Any]) -> str:
    """Return ``changed`` if it says what it should: else something in the text was not what it looked like."""
    try:
        is_right = read(changed) == wanted
    except (ValueError, RecursionError):
        is_right = False
    if not is_right:
        raise JsonTextError("its layout is not understood")
    return changed
