"""Programs that run what they are given: their options, so that what they run is found."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hooks.shell.lexer import Token

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ash", "fish"})
"""Programs that run the text they are given by `-c` or on stdin."""

ELEVATORS = frozenset({"sudo", "doas"})
"""Programs that run something as another user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrapper:
    letters: str = ""
    """Short options that take an argument."""
    long: frozenset[str] = frozenset()
    """Long options that take an argument as a word of its own."""
    positionals: int = 0
    """Words of its own before the program."""
    silent: str = ""
    """Short options with which it runs nothing."""
    tame: str | None = None
    """Short options with which it does nothing but run the program where it is; None when it always does more."""


_SUDO_LONG = "--user --group --host --prompt --close-from --command-timeout --role --type --other-user --chdir --chroot"
_WRAPPERS: Mapping[str, _Wrapper] = {
    "sudo": _Wrapper(letters="ughpCrtTUDR", long=frozenset(_SUDO_LONG.split())),
    "doas": _Wrapper(letters="uC"),
    "env": _Wrapper(letters="uC", long=frozenset({"--unset", "--chdir"}), tame="iu"),
    "command": _Wrapper(silent="vV", tame="p"),
    "builtin": _Wrapper(tame=""),
    "exec": _Wrapper(letters="a", tame="cla"),
    "nohup": _Wrapper(tame=""),
    "setsid": _Wrapper(tame="cfw"),
    "time": _Wrapper(letters="fo", long=frozenset({"--format", "--output"}), tame="p"),
    "nice": _Wrapper(letters="n", long=frozenset({"--adjustment"}), tame="n"),
    "ionice": _Wrapper(letters="cn", long=frozenset({"--class", "--classdata"}), tame="cnt"),
    "chrt": _Wrapper(letters="TPD", positionals=1),
    "taskset": _Wrapper(positionals=1),
    "stdbuf": _Wrapper(letters="ioe", long=frozenset({"--input", "--output", "--error"}), tame="ioe"),
    "timeout": _Wrapper(
        letters="sk", long=frozenset({"--signal", "--kill-after"}), positionals=1, tame="skfv"
    ),
    "xargs": _Wrapper(
        letters="nIPLdEsa",
        long=frozenset(
            {"--max-args", "--replace", "--max-procs", "--max-lines", "--delimiter", "--arg-file"}
        ),
        tame="0rtxnIPLds",
    ),
    "busybox": _Wrapper(),
    "strace": _Wrapper(letters="oepsPEu"),
    "chroot": _Wrapper(positionals=1),
    "coproc": _Wrapper(),
    "unshare": _Wrapper(),
    "flock": _Wrapper(letters="wE", positionals=1),
    "parallel": _Wrapper(letters="aCdIJjLnNPSsU", long=frozenset({"--jobs", "--arg-file", "--colsep"})),
}
_SCRIPT_LETTERS = {"su": "c", "script": "c", "flock": "c", "env": "S"}
"""Options of other programs that take a whole command as one word."""
_SCRIPT_LONG = ("--command", "--session-command", "--split-string")
"""The same as long options."""
_SHELL_LONG = frozenset({"--rcfile", "--init-file"})
_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def unwrapped(words: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """Yield the commands that ``words`` start directly: of a wrapper, or of `find -exec`."""
    name = _name(words)
    if name == "find":
        yield from _find_commands(words)
    wrapper = _WRAPPERS.get(name)
    if wrapper is None:
        return
    at = _after_options(words, letters=wrapper.letters, long=wrapper.long)
    options = [word.text for word in words[1:at] if not word.text.startswith("--")]
    if any(letter in option for option in options for letter in wrapper.silent):
        return
    at += wrapper.positionals
    while at < len(words) and name in ("env", *ELEVATORS) and _is_setting(words[at].text):
        at += 1
    yield words[at:]


def inner_start(words: tuple[Token, ...]) -> int | None:
    """Return where the program stands that a harmless wrapper runs as it is, behind the assignments of `env`.

    None for all that is not understood or does more; the number of words when nothing is run.
    """
    wrapper = _WRAPPERS.get(words[0].text)
    if wrapper is None or wrapper.tame is None:
        return None
    at = _after_options(words, letters=wrapper.letters)
    if not all(_is_tame(word.text, wrapper) for word in words[1:at] if word.text.startswith("-")):
        return None
    at += wrapper.positionals
    while at < len(words) and words[0].text == "env" and "=" in words[at].text:
        at += 1
    return min(at, len(words)) if all(word.is_literal for word in words[: at + 1]) else None


def _is_tame(option: str, wrapper: _Wrapper) -> bool:
    """Tell whether all letters of ``option`` are tame, up to one that takes the rest as its argument."""
    for letter in option[1:]:
        if letter not in (wrapper.tame or ""):
            return option == "--"
        if letter in wrapper.letters:
            return True
    return option != "-"


def handed_scripts(words: tuple[Token, ...]) -> tuple[str, ...]:
    """Return the texts in ``words`` that a shell runs: of `bash -c`, `eval`, `trap`, `su -c`, `env -S`."""
    name = _name(words)
    if name in SHELLS:
        script = shell_script(words)
        return () if script is None else (script,)
    if name in ("eval", "watch"):
        at = _after_options(words, letters="n")
        return (" ".join(word.text for word in words[at:]),)
    if name == "trap":
        at = _after_options(words, letters="")
        return tuple(word.text for word in words[at : at + 1])
    letter = _SCRIPT_LETTERS.get(name)
    return (*_option_values(words, letter), *_long_values(words)) if letter else ()


def shell_script(words: tuple[Token, ...]) -> str | None:
    """Return what a shell gets by `-c`; an empty text when it runs a file, None when it reads stdin."""
    at = _after_options(words, letters="oO", long=_SHELL_LONG, also_plus=True)
    options = [word.text for word in words[1:at] if not word.text.startswith("--")]
    is_script = any("c" in option for option in options)
    if at >= len(words):
        return None
    reads_stdin = any("s" in option for option in options) or words[at].text in ("/dev/stdin", "-")
    if is_script:
        return words[at].text
    return None if reads_stdin else ""


def skip_options(texts: Sequence[str], *, letters: str, long: AbstractSet[str] = frozenset()) -> int:
    """Return the index of the first word after the program that is neither option nor option argument."""
    at = 1
    while at < len(texts):
        text = texts[at]
        if text == "--":
            return at + 1
        if not text.startswith("-") or text == "-":
            return at
        at += 2 if _takes_next(text, letters=letters, long=long) else 1
    return len(texts)


def _after_options(
    words: tuple[Token, ...], *, letters: str, long: AbstractSet[str] = frozenset(), also_plus: bool = False
) -> int:
    texts = [word.text for word in words]
    if also_plus:
        texts = ["-" + text[1:] if text.startswith("+") else text for text in texts]
    return skip_options(texts, letters=letters, long=long)


def _takes_next(option: str, *, letters: str, long: AbstractSet[str]) -> bool:
    if option.startswith("--"):
        return option in long
    first = next((i for i, letter in enumerate(option) if letter in letters), None)
    return first is not None and first == len(option) - 1


def _option_values(words: tuple[Token, ...], letter: str) -> Iterator[str]:
    """Yield the arguments of short option ``letter``, attached or not, wherever it stands."""
    for i, word in enumerate(words[1:], start=1):
        text = word.text
        if text.startswith("-") and not text.startswith("--") and letter in text:
            attached = text.partition(letter)[2]
            yield attached or " ".join(following.text for following in words[i + 1 : i + 2])


def _long_values(words: tuple[Token, ...]) -> Iterator[str]:
    """Yield the commands that long options take as one word, cut short or not."""
    for i, word in enumerate(words[1:], start=1):
        option, sign, value = word.text.partition("=")
        if len(option) > len("--") and any(long.startswith(option) for long in _SCRIPT_LONG):
            yield (value if sign else " ".join(following.text for following in words[i + 1 : i + 2]))


def _find_commands(words: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    at = 0
    while at < len(words):
        at += 1
        if words[at - 1].text in _FIND_EXEC:
            end = next((i for i in range(at, len(words)) if words[i].text in (";", "+")), len(words))
            yield words[at:end]
            at = end


def _is_setting(text: str) -> bool:
    return "=" in text or text == "-"


def _name(words: tuple[Token, ...]) -> str:
    return posixpath.basename(words[0].text) if words else ""
