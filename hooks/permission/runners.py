"""Programs that run what they are told: a rule for the program alone does not allow what it is told to run."""

import re
from collections.abc import Mapping, Sequence

from hooks.shell.lexer import Token

NEVER = 1_000_000
"""More words than any rule has: only the exact command can be allowed."""
CHANGES_MEANING = frozenset(
    {
        *("alias", "shopt", "enable", "hash", "eval", "trap", "bind", "complete", "compgen", "compopt"),
        *("mapfile", "readarray", "let", "coproc", "builtin", "command", "exec", "fc"),
    }
)
"""Builtins after which words may mean something else, or that run a text."""
MOVES = frozenset({"cd", "pushd", "popd", "source", ".", "eval"})
"""Builtins after which the shell may stand elsewhere."""
SETS = frozenset({"export", "declare", "typeset", "local", "readonly", "read", "getopts", "unset"})
"""Builtins that set the variables they name."""
_SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ash", "fish"})
_TOLD = frozenset(
    {
        *(
            "parallel",
            "entr",
            "watchexec",
            "watch",
            "script",
            "su",
            "runuser",
            "pkexec",
            "at",
            "batch",
            "screen",
        ),
        *(
            "tmux",
            "expect",
            "unbuffer",
            "rlwrap",
            "fakeroot",
            "faketime",
            "strace",
            "ltrace",
            "valgrind",
            "gdb",
        ),
        *(
            "flock",
            "chroot",
            "unshare",
            "nsenter",
            "setpriv",
            "capsh",
            "busybox",
            "taskset",
            "chrt",
            "numactl",
        ),
        *("setarch", "linux32", "linux64", "systemd-run", "xvfb-run", "dbus-run-session", "ssh-agent", "npx"),
        *(
            "uvx",
            "pipx",
            "bunx",
            "env",
            "xargs",
            "nohup",
            "setsid",
            "time",
            "timeout",
            "nice",
            "ionice",
            "stdbuf",
        ),
        *("source", ".", "toybox", "proxychains", "torsocks", "catchsegv", "cgexec", "start-stop-daemon"),
    }
)
"""Programs that start another one: a rule must also say which."""
_CODE: Mapping[str, str] = {
    "python": "c",
    "python2": "c",
    "python3": "c",
    "pypy3": "c",
    "perl": "eE",
    "ruby": "e",
    "node": "ep",
    "nodejs": "ep",
    "bun": "e",
    "php": "rBRE",
    "lua": "e",
    "rscript": "e",
    "osascript": "e",
    "tclsh": "c",
    "vim": "c",
    "vi": "c",
    "nvim": "c",
    "emacs": "",
}
"""Programs and the letters of options whose argument is code."""
_RUNNING: Mapping[str, tuple[str, ...]] = {
    "git": (
        *(
            "-c",
            "-O",
            "-x",
            "--config-env",
            "--exec-path",
            "--open-files-in-pager",
            "--ext-diff",
            "--textconv",
        ),
        *("--upload-pack", "--receive-pack", "--exec", "--extcmd", "--sequence-editor"),
    ),
    "rg": ("--pre", "--hostname-bin", "--search-zip", "-z"),
    "sort": ("--compress-program",),
    "split": ("--filter",),
    "tar": (
        *("-I", "-F", "--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command"),
        *("--info-script", "--new-volume-script"),
    ),
    "rsync": ("-e", "--rsh"),
    "ssh": ("-o", "-F"),
    "scp": ("-o", "-F", "-S"),
    "fd": ("-x", "-X", "--exec", "--exec-batch"),
    "fdfind": ("-x", "-X", "--exec", "--exec-batch"),
    "man": ("-P", "-H", "--pager", "--html"),
    "zip": ("-T", "--unzip-command"),
    "tcpdump": ("-z",),
    "wget": ("--use-askpass",),
    "node": ("--eval", "--print", "--require", "-r", "--import"),
    "make": ("--eval",),
    "gcc": ("-wrapper",),
    "curl": ("-K", "--config"),
}
"""Programs and the options that make them run something."""
_GIT_RUNNERS = (
    ("bisect", "run"),
    ("submodule", "foreach"),
    ("filter-branch",),
    ("difftool",),
    ("mergetool",),
)
TESTS = frozenset({"test", "[", "[["})
CALCULATING = frozenset({"-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
"""Operators of tests that run what a subscript holds."""
_SUBSCRIPTS = {"printf": r"-v", "wait": r"-\w*p"}
"""Builtins and the option that names a variable, whose subscript is run."""
_AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
_AWK_RUNS = re.compile(r"system|getline|[|>@]")
_SED_RUNS = re.compile(r"(?:^|[;{}\n\d$/!,])\s*[eEwW](?:\s|;|$)|/[gpiIm0-9]*[ewW]")


def needed_words(texts: Sequence[str]) -> int:
    """Return how many words a prefix rule must have at least to allow the command ``texts``."""
    program, arguments = texts[0].rpartition("/")[2], texts[1:]
    if program in CHANGES_MEANING or any(_is_code(program, text) for text in arguments):
        return NEVER
    if program in _SHELLS:
        return _needed_by_shell(arguments)
    reach = [i + 2 for i, text in enumerate(arguments) if _is_told(program, text)]
    if program == "git" and any(runner == tuple(arguments[: len(runner)]) for runner in _GIT_RUNNERS):
        reach.append(3)
    return max([1, *reach, 2 * (program in _TOLD)])


def _is_code(program: str, text: str) -> bool:
    """Tell whether ``text`` makes a program run a text of which no rule can say what it does."""
    if program in TESTS:
        return text in CALCULATING
    if program in _AWKS:
        return bool(_AWK_RUNS.search(text))
    if program in ("sed", "gsed"):
        return bool(_SED_RUNS.search(text))
    return program in _SUBSCRIPTS and bool(re.match(_SUBSCRIPTS[program], text))


def _needed_by_shell(arguments: Sequence[str]) -> int:
    """A script in a file may be allowed by the shell's name; what it gets by `-c` or on stdin never."""
    first = next((text for text in arguments if not text.startswith(("-", "+"))), "")
    is_told = any(re.fullmatch(r"[-+]\w*[cs]\w*", text) for text in arguments)
    is_file = bool(re.fullmatch(r"[\w./+-]+", first)) and not first.startswith(("/dev/", "/proc/"))
    return NEVER if is_told or not is_file else 1


def _is_told(program: str, text: str) -> bool:
    """Tell whether ``text`` is an option that makes ``program`` run something, joined or cut short too."""
    if text.startswith("--"):
        name = text.partition("=")[0]
        return len(name) > len("--") and any(option.startswith(name) for option in _RUNNING.get(program, ()))
    if not text.startswith("-"):
        return False
    base = re.sub(r"[\d.]+$", "", program)
    letters = _CODE.get(program, _CODE.get(base, ""))
    letters += "".join(option[1] for option in _RUNNING.get(program, ()) if len(option) == len("-x"))
    return any(letter in text for letter in letters) or text in _RUNNING.get(program, ())


def handed_script(words: Sequence[Token]) -> str | None:
    """Return the script of `bash -c SCRIPT` when all of it is known and nothing else is said to the shell."""
    texts = [word.text for word in words]
    is_plain = texts[0] in ("bash", "sh") and len(texts) >= len(("bash", "-c", "script"))
    is_known = (
        is_plain and bool(re.fullmatch(r"-[eux]*c", texts[1])) and all(word.is_literal for word in words[:3])
    )
    return texts[2] if is_known else None
