"""Texts that bash itself evaluates though they are quoted: subscripts, arithmetic, prompts, words of some builtins."""

from collections.abc import Mapping
from shlex import quote

from tests.hooks.productions import Level, Production, Write


def _element(script: str) -> str:
    """Return ``script`` as one quoted word that bash expands when it takes the word for an array's element."""
    return quote(f"a[$({script}\n)0]")


def _assigned(script: str) -> str:
    return quote(f"a[$({script}\n)0]=b")


def _valued(script: str) -> str:
    return quote(f"b=a[$({script}\n)0]")


def _expanded(script: str) -> str:
    return quote(f"$({script}\n)")


NAMES: Mapping[str, Write] = {
    "element of unset": lambda x: f"a=(1); unset {_element(x)}",
    "element of unset -v": lambda x: f"a=1; unset -v {_element(x)}",
    "element of printf -v": lambda x: f"printf -v {_element(x)} b",
    "element of read": lambda x: f"read {_element(x)} <<< b",
    "element of read -d": lambda x: f"read -r -d '' {_element(x)} <<< b",
    "element of wait": lambda x: f"true & wait -n -p {_element(x)}",
    "element of test -v": lambda x: f"a=(1); test -v {_element(x)}",
    "element of [ -v": lambda x: f"a=(1); [ -v {_element(x)} ]",
    "element of [[ -v": lambda x: f"a=(1); [[ -v {_element(x)} ]]",
    "element of declare": lambda x: f"declare -a {_element(x)}=b",
    "element of declare, in quotes": lambda x: f"declare -r {_assigned(x)}",
    "element of typeset": lambda x: f"typeset {_assigned(x)}",
    "element of local": lambda x: f"f() {{ local {_assigned(x)}; }}; f",
    "element of a reference": lambda x: f"declare -n r={_element(x)}; r=1",
    "element of a reference, read": lambda x: f"declare -n r={_element(x)}; echo $r",
    "element of a list": lambda x: f"a=b; DIRSTACK[{_element(x)}]=1",
    "element in a variable": lambda x: f'a=(1); b={_element(x)}; test -v "$b"',
    "variable by a text": lambda x: f"a=1; b={_element(x)}; echo ${{!b}}",
}
"""Where a name may have a subscript."""
NUMBERS: Mapping[str, Write] = {
    "arithmetic on a variable": lambda x: f"b={_element(x)}; echo $(( b ))",
    "arithmetic on a text": lambda x: f"(( {_element(x)} ))",
    "arithmetic on a text in a word": lambda x: f"echo $(( 0 * {_element(x)} ))",
    "arithmetic of a loop": lambda x: f"b={_element(x)}; for (( i=b; i<0; )); do :; done",
    "test on a text": lambda x: f"[[ {_element(x)} -eq 0 ]]",
    "test on a variable": lambda x: f"b={_element(x)}; [[ b -lt 0 ]]",
    "let": lambda x: f"let {_element(x)}",
    "let on a variable": lambda x: f"b={_element(x)}; let b",
    "integer": lambda x: f"declare -i b={_element(x)}",
    "integer in quotes": lambda x: f"declare -i {_valued(x)}",
    "integer by typeset": lambda x: f"typeset -i b={_element(x)}",
    "integer, assigned": lambda x: f"declare -i b; b={_element(x)}",
    "integer, read": lambda x: f"declare -i b; read -d '' b <<< {_element(x)}",
    "integer, printed": lambda x: f"declare -i b; printf -v b %s {_element(x)}",
    "integer of a loop": lambda x: f"declare -i b; for b in {_element(x)}; do :; done",
    "random number": lambda x: f"RANDOM={_element(x)}",
    "other random number": lambda x: f"SRANDOM={_element(x)}",
    "index of options": lambda x: f"OPTIND={_element(x)}",
    "number of a command": lambda x: f"HISTCMD={_element(x)}",
    "offset by a variable": lambda x: f"b={_element(x)}; echo ${{PATH:b}}",
    "length by a variable": lambda x: f"b={_element(x)}; echo ${{PATH:0:b}}",
    "offset of the positionals": lambda x: f"set -- 1 2; b={_element(x)}; echo ${{@:b}}",
    "subscript by a variable": lambda x: f"b={_element(x)}; echo ${{a[b]}}",
    "subscript by an expansion": lambda x: f"b={_element(x)}; c=${{a[$b]}}",
    "subscript that is assigned to": lambda x: f"b={_element(x)}; a[b]=1",
    "subscript in a list": lambda x: f"b={_element(x)}; a=([b]=1)",
}
"""Where a number is wanted."""
WORDS: Mapping[str, Write] = {
    "prompt": lambda x: f"b={_expanded(x)}; echo ${{b@P}}",
    "trace prompt": lambda x: f"PS4={_expanded(x)}; set -x; ls",
    "trace prompt, traced before": lambda x: f"set -x; PS4={_expanded(x)}; ls",
    "callback of mapfile": lambda x: "mapfile -c 1 -C " + quote(f"{x}\n#") + " a <<< b",
    "words of compgen": lambda x: f"compgen -W {_expanded(x)}",
}
"""Where a text is expanded once more, or run."""

ON_SCRIPTS = tuple(
    Production(name=name, takes=Level.SCRIPT, gives=Level.SCRIPT, write=write, is_computed=True)
    for name, write in {**NAMES, **NUMBERS, **WORDS}.items()
)
