"""Ways to hand a script to something that runs text: a shell, `eval`, a trap, an option of a program."""

import base64
import codecs
from collections.abc import Mapping
from shlex import quote

from tests.hooks.productions import Level, Production, Write, ansi_quoted, double_quoted


def _in_bash(script: str) -> str:
    """Return ``script`` as one command for shells that are not bash."""
    return f"exec bash -c {quote(script)}"


def _line(*lines: str) -> str:
    return quote("\n".join(lines))


def _octal(text: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in text.encode())


SIMPLE: Mapping[str, Write] = {
    "bash -c": lambda x: f"bash -c {quote(x)}",
    "bash -c in double quotes": lambda x: f"bash -c {double_quoted(x)}",
    "bash -c in $''": lambda x: f"bash -c {ansi_quoted(x)}",
    "bash -c, quoted in parts": lambda x: f"bash -c {quote(x[:4])}{double_quoted(x[4:])}",
    "bash -c with options": lambda x: f"bash --norc -o pipefail +x -ec {quote(x)} name",
    "bash -c --": lambda x: f"bash -c -- {quote(x)}",
    "bash by its path": lambda x: f"/bin/bash -c {quote(x)}",
    "sh -c": lambda x: f"sh -c {quote(_in_bash(x))}",
    "eval": lambda x: f"eval {quote(x)}",
    "eval of many words": lambda x: "eval " + " ".join(quote(word) for word in x.split(" ")),
    "builtin eval": lambda x: f"builtin eval {quote(x)}",
    "busybox bash": lambda x: f"busybox bash -c {quote(x)}",
    "su -c": lambda x: f"su -c {quote(x)}",
    "script -c": lambda x: f"script -qc {quote(_in_bash(x))} /dev/null",
    "flock -c": lambda x: f"flock . -c {quote(_in_bash(x))}",
    "watch": lambda x: f"watch -n 1 {quote(x)}",
    "find -exec bash -c": lambda x: f"find . -maxdepth 0 -exec bash -c {quote(x)} \\;",
    "find -exec +": lambda x: f"find . -maxdepth 0 -exec bash -c {quote(x)} a {{}} +",
}
"""What gives one simple command; the script stands in it as it is, quoted."""

LITERAL: Mapping[str, Write] = {
    "trap on leaving": lambda x: f"( trap {quote(x)} EXIT; ls )",
    "trap on each command": lambda x: f"( trap {_line('trap - DEBUG', x)} DEBUG; ls )",
    "trap on an error": lambda x: f"( trap -- {quote(x)} ERR; false )",
    "here-document to bash": lambda x: f"bash <<'END_{len(x)}'\n{x}\nEND_{len(x)}",
    "here-document to bash -s": lambda x: f"bash -s a b <<\\END_{len(x)}\n{x}\nEND_{len(x)}",
    "here-document through a pipe": lambda x: f"cat <<'END_{len(x)}' | bash\n{x}\nEND_{len(x)}",
    "here-string to bash": lambda x: f"bash <<< {quote(x)}",
    "here-string to standard input": lambda x: f"bash /dev/stdin <<< {quote(x)}",
    "echo to bash": lambda x: f"echo {quote(x)} | bash",
    "printf to bash": lambda x: f"printf %s {quote(x)} | bash",
    "echo to bash in a group": lambda x: f"echo {quote(x)} | {{ bash; }}",
    "echo to env bash": lambda x: f"echo {quote(x)} | env bash",
    "echo through cat to bash": lambda x: f"echo {quote(x)} | cat | bash",
    "xargs to bash -c": lambda x: f"echo a | xargs -I %% bash -c {quote(x)}",
}

COMPUTED: Mapping[str, Write] = {
    "printf with escapes to bash": lambda x: f"printf '{_octal(x)}' | bash",
    "echo -e to bash": lambda x: f"echo -e '{_octal(x).replace(chr(92), chr(92) + '0')}' | bash",
    "base64 to bash": lambda x: f"echo {base64.b64encode(x.encode()).decode()} | base64 -d | bash",
    "rot13 to bash": lambda x: (
        f"printf %s {quote(codecs.encode(x, 'rot13'))} | tr a-zA-Z n-za-mN-ZA-M | bash"
    ),
    "file to bash": lambda x: f"printf %s {quote(x)} > s.sh; cat s.sh | bash",
    "script in a file": lambda x: f"printf %s {quote(x)} > s.sh; bash s.sh",
    "program in a file": lambda x: f"printf %s {_line('#!/bin/bash', x)} > s.sh; chmod +x s.sh; ./s.sh",
    "process as script": lambda x: f"bash <(printf %s {quote(x)})",
    "process as input": lambda x: f"bash < <(printf %s {quote(x)})",
    "source of a process": lambda x: f"source <(printf %s {quote(x)})",
    "dot of a process": lambda x: f". <(printf %s {quote(x)})",
    "source of standard input": lambda x: f"source /dev/stdin <<< {quote(x)}",
    "process that is written to": lambda x: f"printf %s {quote(x)} > >(bash); sleep 0.1",
    "tee to a process": lambda x: f"printf %s {quote(x)} | tee >(bash) >/dev/null; sleep 0.1",
    "eval of a substitution": lambda x: f'eval "$(printf %s {quote(x)})"',
    "bash -c of a substitution": lambda x: f'bash -c "$(printf %s {quote(x)})"',
    "bash -c of a variable": lambda x: f's={quote(x)}; bash -c "$s"',
    "eval of a variable": lambda x: f's={quote(x)}; eval "$s"',
    "eval of the environment": lambda x: f"s={quote(x)} bash -c 'eval \"$s\"'",
    "eval of a positional": lambda x: f"bash -c 'eval \"$1\"' a {quote(x)}",
    "eval of an array": lambda x: f's=(eval {quote(x)}); "${{s[@]}}"',
    "xargs, script on its input": lambda x: f"printf '%s\\0' {quote(x)} | xargs -0 bash -c",
    "xargs, script in place": lambda x: f"printf '%s\\0' {quote(x)} | xargs -0 -I @ bash -c @",
    "start-up file": lambda x: f"BASH_ENV=<(printf %s {quote(x)}) bash -c :",
    "exported function": lambda x: f"ls() {{ {x}\n}}; export -f ls; bash -c ls",
    "function from the environment": lambda x: f"env {_line(f'BASH_FUNC_ls%%=() {{ {x}', '}')} bash -c ls",
    "alias of git": lambda x: f"git -c alias.a={quote('!' + _in_bash(x))} a",
    "perl": lambda x: f"perl -e 'exec @ARGV' bash -c {quote(x)}",
    "sed": lambda x: f"sed {quote('1e ' + _in_bash(x))} a.txt",
    "ssh": lambda x: f"ssh localhost {quote(x)}",
    "alias": lambda x: f"shopt -s expand_aliases\nalias ls={_line(x, ':')}\nls",
    "awk": lambda x: f's={quote(x)} awk \'BEGIN {{ system("bash -c \\"$s\\"") }}\'',
}
"""What nobody knows who does not run it."""

OF_PROGRAMS: Mapping[str, str] = {
    "sort --compress-program": "seq 9999 | sort -S 1k --compress-program=forbidden",
    "find -okdir": "echo y | find . -maxdepth 0 -okdir forbidden \\;",
    "tar --checkpoint-action": "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=forbidden a.txt",
    "git -c core.fsmonitor": "git -c core.fsmonitor=forbidden status",
    "git -c diff.external": "git -c diff.external=forbidden diff --no-index a.txt b.txt",
    "git grep -O": "git grep --no-index -Oforbidden a",
    "git grep --open-files-in-pager": "git grep --no-index --open-files-in-pager=forbidden a",
    "git --config-env": "p=forbidden git --config-env=diff.external=p diff --no-index a.txt b.txt",
    "external diff": "GIT_EXTERNAL_DIFF=forbidden git diff --no-index a.txt b.txt",
    "external diff by a number": (
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=diff.external GIT_CONFIG_VALUE_0=forbidden "
        "git diff --no-index a.txt b.txt"
    ),
    "exported external diff": "export GIT_EXTERNAL_DIFF=forbidden; git diff --no-index a.txt b.txt",
    "ssh of git": "GIT_SSH_COMMAND=forbidden git ls-remote ssh://localhost/a",
    "ls in a folder before": "cp ../bin/forbidden ./ls; PATH=.:$PATH ls",
}
"""Harmless programs, and the option or variable that makes them run another."""


def _instead(text: str) -> Write:
    return lambda _: text


ON_SCRIPTS = (
    *(
        Production(name=name, takes=Level.SCRIPT, gives=Level.SIMPLE, write=write)
        for name, write in SIMPLE.items()
    ),
    *(
        Production(name=name, takes=Level.SCRIPT, gives=Level.SCRIPT, write=write)
        for name, write in LITERAL.items()
    ),
    *(
        Production(name=name, takes=Level.SCRIPT, gives=Level.SCRIPT, write=write, is_computed=True)
        for name, write in COMPUTED.items()
    ),
)
ON_WORDS = tuple(
    Production(name=name, takes=Level.WORD, gives=Level.SCRIPT, write=_instead(text), is_computed=True)
    for name, text in OF_PROGRAMS.items()
)
