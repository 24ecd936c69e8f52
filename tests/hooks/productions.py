"""Ways to write one command inside another so that the shell still runs it: the program and what stands before it.

Each has a name. What they are given and what they give has a level, so that they can be put around one another.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

PROGRAM = "forbidden"
BIN = "/BIN/"
"""Stands for the folder that holds the program; who runs the command puts the real one in its place."""

Write = Callable[[str], str]


class Level(IntEnum):
    """What a text is, from the simplest on; what takes one level takes all below it."""

    WORD = 0
    """`forbidden` and literal arguments."""
    SIMPLE = 1
    """One simple command; it begins with the word that is run."""
    SCRIPT = 2
    """Anything; its last line may be the end of a here-document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Production:
    """One way."""

    name: str
    takes: Level
    gives: Level
    write: Write
    is_computed: bool = False
    """What is run, or that it is run, does not stand in the text: nobody can know it without running it."""


def double_quoted(text: str) -> str:
    """Return ``text`` as one word in double quotes."""
    return '"' + re.sub(r'([$`"\\])', r"\\\1", text) + '"'


def ansi_quoted(text: str) -> str:
    """Return ``text`` as one word in `$'…'`, each character as an escape."""
    return "$'" + "".join(f"\\x{byte:02x}" for byte in text.encode()) + "'"


def _spelled(spelling: str) -> Write:
    """Return what puts ``spelling`` in place of the program's name."""
    return lambda x: spelling + x.removeprefix(PROGRAM)


def _after(prefix: str) -> Write:
    return lambda x: f"{prefix} {x}"


SPELLINGS: Mapping[str, str] = {
    "name in single quotes": "'forbidden'",
    "name in double quotes": '"forbidden"',
    "name half quoted": "for'bid'\"den\"",
    "name with empty quotes": "''forbidd\"\"en",
    "name with a backslash before it": "\\forbidden",
    "name with a backslash in it": "forb\\idden",
    "name over two lines": "forb\\\nidden",
    "name in $'' as it is": "$'forbidden'",
    "name in $'' in hex": "$'\\x66orbidden'",
    "name in $'' in octal": "$'\\146orb\\151dden'",
    "name in $'' in unicode": "$'\\u0066orbidden'",
    "name half in $''": "for$'bid'den",
    'name in $""': '$"forbidden"',
    "absolute path": f"{BIN}forbidden",
    "absolute path, odd": f"/{BIN}.//./forbidden",
    "relative path": "../bin/forbidden",
    "path with quotes": "../b'in/forb'idden",
}
"""Literal for who can read."""

COMPUTED_SPELLINGS: Mapping[str, str] = {
    "empty variable before": "$nothing forbidden",
    "empty variable inside": "forb${nothing}idden",
    "empty positional inside": "forb$@idden",
    "braces": "{forbidden,a}",
    "braces in the name": "forb{idden,x}",
    "pattern with ?": "../bin/forbidd?n",
    "pattern with [ ]": "../bin/[f]orbidden",
    "pattern with *": "../bin/forb*",
    "tilde path": "~/../bin/forbidden",
    "working folder path": '"$PWD"/../bin/forbidden',
    "tilde plus path": "~+/../bin/forbidden",
    "default value": "${nothing:-forbidden}",
    "substitution as program": "$(echo forbidden)",
    "backticks as program": "`echo forbidden`",
    "quoted substitution as program": '"$(printf forb; printf idden)"',
    "substitution in the name": "forb$(printf idd)en",
    "array as program": "${nothing[@]:-forbidden}",
    "quoted variable as program": '"${nothing:=forbidden}"',
}

ASSIGNED: Mapping[str, tuple[str, str]] = {
    "variable as program": ("p=forbidden", "$p"),
    "variable in braces as program": ("p=forbidden", '"${p}"'),
    "two variables as program": ("a=forb; b=idden", "$a$b"),
    "part of a variable": ("p=xforbiddenx", "${p:1:9}"),
    "variable by its name": ("p=forbidden; q=p", "${!q}"),
    "lower case of a variable": ("p=FORBIDDEN", "${p,,}"),
    "variable without its end": ("p=forbidden.sh", "${p%.sh}"),
    "variable, replaced": ("p=forXidden", "${p/X/b}"),
    "array": ("a=(forbidden)", '"${a[@]}"'),
    "positionals": ("set -- forbidden", '"$@"'),
    "first positional": ("set -- forbidden", "$1"),
    "variable that is read": ("read p <<< forbidden", "$p"),
    "variable that is printed": ("printf -v p '%s' forbidden", "$p"),
    "exported variable": ("export p=forbidden", "$p"),
    "declared variable": ("declare -r p=forbidden", "$p"),
    "appended variable": ("p=forb; p+=idden", "$p"),
    "reference to a variable": ("p=forbidden; declare -n q=p", "$q"),
    "variable from a here-document": ("read p <<E\nforbidden\nE\n", "$p"),
    "variable of a loop": ("for p in forbidden; do :; done", "$p"),
    "other word for a program": ("hash -p ../bin/forbidden ls", "ls"),
    "other folder for programs": ("mkdir -p b; cp ../bin/forbidden b/ls; PATH=$PWD/b", "ls"),
    "alias for the program": ("shopt -s expand_aliases\nalias ls=forbidden\n", "ls"),
    "reserved word as alias": ("shopt -s expand_aliases\nalias if=forbidden\n", "if"),
}
"""What is done first, and what the program is then called."""

WRAPPERS: Mapping[str, str] = {
    "env": "env",
    "env with a variable": "env A=b 'C=d e'",
    "env that takes one away": "env -u A",
    "env --": "env --",
    "env by its path": "/usr/bin/env",
    "sudo": "sudo",
    "sudo with options": "sudo -n -u me",
    "sudo with a variable": "sudo A=b",
    "sudo --": "sudo -E --",
    "doas": "doas -u me",
    "timeout": "timeout 5",
    "timeout with options": "timeout -k 1 --signal=TERM 5",
    "timeout --": "timeout -- 5s",
    "nice": "nice",
    "nice with a number": "nice -n 1",
    "nice with a short number": "nice -1",
    "nohup": "nohup",
    "setsid": "setsid -w",
    "stdbuf": "stdbuf -oL -e0",
    "ionice": "ionice -c 3",
    "command": "command",
    "command --": "command --",
    "command by backslash": "\\command",
    "exec": "exec",
    "exec under another name": "exec -a name",
    "flock": "flock .",
    "find -exec": "find . -maxdepth 0 -exec",
    "find -execdir": "find . -maxdepth 0 -execdir",
    "chroot": "chroot /",
    "busybox": "busybox",
    "parallel": "parallel",
}
_ENDS = {name: r" \;" for name in WRAPPERS if name.startswith("find")} | {"parallel": " ::: a"}

BEFORE: Mapping[str, str] = {
    "assignment before": "A=b",
    "two assignments before": "A='b c' D=",
    "array element before": "A[1]=b",
    "redirection before": "2>/dev/null",
    "reading redirection before": "</dev/null",
    "descriptor before": "{fd}>/dev/null",
    "both redirected before": "&>/dev/null",
    "here-string before": "<<<a",
}
"""What may stand before a simple command, that is not a word of it."""

PRETENDED: Mapping[str, str] = {
    "function that is taken back": "forbidden() { ls; }; unset -f forbidden; ",
    "function of a subshell": "(forbidden() { ls; }); ",
    "function in the background": "forbidden() { ls; } & wait; ",
    "function in a pipe": "forbidden() { ls; } | cat; ",
    "function behind a pipe": "ls | forbidden() { ls; }; ",
    "function made in a substitution": "echo $(forbidden() { ls; }); ",
    "function in a coprocess": "coproc { forbidden() { ls; }; }; wait; ",
    "function after false": "false && forbidden() { ls; }; ",
    "function after true": "true || forbidden() { ls; }; ",
    "function in an if": "if false; then forbidden() { ls; }; fi; ",
    "function in an else": "if true; then ls; else forbidden() { ls; }; fi; ",
    "function in a loop": "while false; do forbidden() { ls; }; done; ",
    "function in an empty loop": "for i in; do forbidden() { ls; }; done; ",
    "function in a case": "case a in b) forbidden() { ls; };; esac; ",
    "function in a function": "f() { forbidden() { ls; }; }; ",
    "function in a script": "bash -c 'forbidden() { ls; }'; ",
    "function in a document": "cat <<'E'\nforbidden() { ls; }\nE\n",
    "function in a quoted text": "echo 'forbidden() { ls; }'; ",
    "function in a comment": "ls # forbidden() { ls; }\n",
    "function that is passed over": "forbidden() { ls; }; command ",
    "function that env does not know": "forbidden() { ls; }; env ",
    "function that exec does not know": "forbidden() { ls; }; exec ",
    "function that a wrapper does not know": "forbidden() { ls; }; timeout 5 nice ",
    "function that find does not know": "forbidden() { ls; }; find . -maxdepth 0 -exec ",
    "function of another name": "Forbidden() { ls; }; ",
    "function after a break": "for i in a; do break; forbidden() { ls; }; done; ",
    "function after a continue": "for i in a; do continue; forbidden() { ls; }; done; ",
    "function after a return": "f() { return; forbidden() { ls; }; }; f; ",
    "function in a group that fails": "{ false && { forbidden() { ls; }; }; }; ",
    "function of a function in a subshell": "f() ( forbidden() { ls; } ); f; ",
}
"""What seems to make a function of the program's name, so that the program would not be run; yet it is."""

HEADS: Mapping[str, str] = {"not": "!", "time": "time", "time -p": "time -p", "coprocess": "coproc"}


def _wrapper(name: str, prefix: str) -> Production:
    end = _ENDS.get(name, "")
    return Production(name=name, takes=Level.SIMPLE, gives=Level.SIMPLE, write=lambda x: f"{prefix} {x}{end}")


def _assigned(name: str, first: str, word: str) -> Production:
    between = "" if first.endswith("\n") else "; "
    return Production(
        name=name,
        takes=Level.WORD,
        gives=Level.SCRIPT,
        write=lambda x: first + between + word + x.removeprefix(PROGRAM),
        is_computed=True,
    )


def _spelling(name: str, spelling: str, *, is_computed: bool) -> Production:
    # Tilde, braces and the like count for the shell only: a program that is given such a word gets it expanded too.
    return Production(
        name=name,
        takes=Level.WORD,
        gives=Level.SIMPLE,
        write=_spelled(spelling),
        is_computed=is_computed,
    )


def _before(name: str, prefix: str) -> Production:
    return Production(name=name, takes=Level.SIMPLE, gives=Level.SCRIPT, write=_after(prefix))


def _head(name: str, prefix: str) -> Production:
    return Production(name=name, takes=Level.SCRIPT, gives=Level.SCRIPT, write=_after(prefix))


WORDS: Mapping[str, Write] = {
    "blanks between": lambda x: " \t " + x.replace(" ", " \t\t"),
    "lines between": lambda x: "\\\n" + x.replace(" ", " \\\n"),
    "redirection in between": lambda x: PROGRAM + " >/dev/null" + x.removeprefix(PROGRAM),
    "env -S": lambda x: f"env -S {shlex.quote(x)}",
    "env -S, glued": lambda x: f"env -vS{shlex.quote(x)}",
    "env --split-string": lambda x: f"env --split-string={shlex.quote(x)}",
    "words in an arguments' file": lambda x: f"xargs -a <(echo {shlex.quote(x)}) env",
}
"""Ways that take a program with literal arguments only."""


def _pretended(name: str, before: str) -> Production:
    end = r" \;" if " -exec " in before else ""
    return Production(name=name, takes=Level.WORD, gives=Level.SCRIPT, write=lambda x: f"{before}{x}{end}")


ON_WORDS = (
    *(_spelling(name, text, is_computed=False) for name, text in SPELLINGS.items()),
    *(_spelling(name, text, is_computed=True) for name, text in COMPUTED_SPELLINGS.items()),
    *(_assigned(name, first, word) for name, (first, word) in ASSIGNED.items()),
    *(_pretended(name, before) for name, before in PRETENDED.items()),
    *(
        Production(name=name, takes=Level.WORD, gives=Level.SIMPLE, write=write, is_computed="file" in name)
        for name, write in WORDS.items()
    ),
)
ON_SIMPLE = (
    *(_wrapper(name, prefix) for name, prefix in WRAPPERS.items()),
    *(_before(name, prefix) for name, prefix in BEFORE.items()),
    *(_head(name, prefix) for name, prefix in HEADS.items()),
)
