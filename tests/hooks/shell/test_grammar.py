"""The strict reading: what it understands is what bash would run, and the rest is refused with a reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooks.shell.grammar import strict_commands
from hooks.shell.word_nodes import UnreadError
from tests.support.calls import judge_bash

UNDERSTOOD: dict[str, list[tuple[str, ...]]] = {
    "ls -l; pwd": [("ls", "-l"), ("pwd",)],
    "a && b || c &": [("a",), ("b",), ("c",)],
    "a | b |& c": [("a",), ("b",), ("c",)],
    "(a; b) && { c; }": [("a",), ("b",), ("c",)],
    "if a; then b; elif c; then d; else e; fi": [("a",), ("b",), ("c",), ("d",), ("e",)],
    "for x in 1 2; do a; done": [("a",)],
    "while a; do b; done": [("a",), ("b",)],
    "until a; do b; done": [("a",), ("b",)],
    "select x in 1; do a; done": [("a",)],
    "case $x in (1) a ;; *) b ;; esac": [("a",), ("b",)],
    "f() { a; }; f": [("a",), ("f",)],
    "! a": [("a",)],
    "echo $(a) `b` <(c) >(d)": [("echo", "$(a)", "`b`", "<(c)", ">(d)"), ("a",), ("b",), ("c",), ("d",)],
    'echo "x $(a "y $(b)")"': [("echo", 'x $(a "y $(b)")'), ("a", "y $(b)"), ("b",)],
    "cat <<E | a\n$(b) 'x\nE\nc": [("cat",), ("a",), ("b",), ("c",)],
    "cat <<'E'\n$(b)\nE\nc": [("cat",), ("c",)],
    "cat <<-E && a\n\tx\n\tE\nb": [("cat",), ("a",), ("b",)],
    'a <<< "$(b)"': [("a",), ("b",)],
    "[ -f a ] && test -d b": [("[", "-f", "a", "]"), ("test", "-d", "b")],
    "a # b\nc": [("a",), ("c",)],
    "a \\\n b": [("a", "b")],
    "r''m \\rm \"rm\" $'\\x72\\155'": [("rm", "rm", "rm", "rm")],
    r"a b\ c 'd'\''e'": [("a", "b c", "d'e")],
    "A=1 B=2 a": [("a",)],
    "export A=b C": [("export", "A=b", "C")],
    "a >x 2>&1 <y &>/dev/null": [("a",)],
}
REFUSED = [
    *(
        "echo 'a",
        'echo "a',
        "echo `a",
        "echo $(a",
        "(a",
        "a)",
        "{ a;",
        "if a",
        "for x in",
        "a &&",
        "| a",
        "a;; b",
        "<<E",
    ),
    *(
        "cat <<E\nx",
        "cat <<A <<B\nA\nB",
        "cat <<E\nx\\\nE\nE",
        "cat <<E; a\nE",
        "(cat <<E)\nE",
        "cat <<$x\n$x",
    ),
    *(
        "a\rb",
        "a\x0bb",
        "a\xa0b",
        "a\u3000b",
        "a\0b",
        "echo a\\\nb",
        'echo $"a"',
        "echo a$'\n'b\\\n",
    ),
    *(
        "echo $((x))",
        "((x=1))",
        "let $((a))",
        "for ((;;)); do a; done",
        "echo $[1]",
        "echo ${x@P}",
        "echo ${!x}",
    ),
    *(
        "echo ${x:=a}",
        "echo ${x[0]}",
        "x[0]=1",
        "x=(a)",
        "x=(a) b",
        "${x:-$(a)}",
        "coproc a",
        "coproc X { a; }",
    ),
    *(
        "{fd}>x a",
        "a >x b",
        "a <>x",
        "time (a)",
        "@(a|b)",
        "echo !(a)",
        "[[ a < b",
        "$x $((",
    ),
    *(
        "then a",
        "do a",
        "}",
        "fi",
        "function",
        "if",
        "a() b",
        "a () { b",
        "a=(1)(2)",
        "[[ -f $(a) && ]]",
        "a & & b",
    ),
]


@pytest.mark.parametrize("source", UNDERSTOOD)
def test_every_simple_command_is_listed(source: str) -> None:
    """Whatever commands stand in, each is listed with the words that it gets."""
    assert [command.texts for command in strict_commands(source) if command.words] == UNDERSTOOD[source]


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_not_understood_is_refused_in_one_line(source: str) -> None:
    """Errors of the grammar, unusual blanks, arithmetic with variables and the like: a reason, and a question."""
    with pytest.raises(UnreadError) as caught:
        strict_commands(source)
    assert len(str(caught.value).splitlines()) == 1
    verdict = judge_bash(source, allow=("bash(a:*)", "bash(b:*)", "bash(c:*)", "bash(echo:*)", "bash(cat:*)"))
    assert (verdict.decision, verdict.reason[:27]) == ("ask", "the command cannot be read:")


LITERAL = [
    *(
        "a",
        "'$x'",
        '"a b"',
        "\\*",
        "'*'",
        "a~b",
        "HEAD~1",
        "{}",
        "{a}",
        "@{u}",
        "a=b",
        "-n5",
        "%h",
        "'~'",
        "$'a\\tb'",
    ),
    *("a\\ b", '"a\\$x"', ":/x", "1", "-1", "$", '"$"', "a'b'\"c\"", "a,b", "a#b", "^x", "+x"),
]
NOT_LITERAL = [
    *(
        "$x",
        '"$x"',
        "${x}",
        "$(a)",
        "`a`",
        "*",
        "a?",
        "[a]",
        "{a,b}",
        "{1..3}",
        "a{b,c}d",
        "~",
        "~/x",
        "a=~",
        "a:~",
    ),
    *("$'\\u41'", "$'\\ca'", "$'a\\0b'", "$?", "$@", "$((1+2))", "{a,{b,c}}", "{a{},b}", "<(a)"),
]


@pytest.mark.parametrize("word", [*LITERAL, *NOT_LITERAL])
def test_a_word_is_literal_if_the_shell_leaves_it_alone(word: str) -> None:
    """Only what no expansion, pattern, brace or tilde changes counts as known."""
    assert strict_commands(f"a {word}")[0].words[1].is_literal == (word in LITERAL)


def test_assignments_and_redirections_are_kept() -> None:
    """They belong to their command; a loop's variable and those of a declaration are assignments too."""
    first, second, third, *_ = strict_commands('A=b C="$d" x 2>>e <f; for g in 1; do h; done; export I=j')
    assert [(name, value.text, value.is_literal) for name, value in first.assignments] == [
        ("A", "b", True),
        ("C", "$d", False),
    ]
    assert [(operator, target.text) for operator, target in first.redirects] == [(">>", "e"), ("<", "f")]
    assert second.assignments[0][0] == "g"
    assert third.texts == ("h",)
    assert strict_commands("export I=j")[0].assignments[0][0] == "I"


def test_what_runs_for_sure_and_once_is_told_from_the_rest() -> None:
    """Only statements of the shell itself are certain; loops and functions may run again."""
    source = "a; b && c; (d); e | f; for x in 1; do g; done; h() { i; }; j"
    found = {
        command.texts[0]: (command.is_certain, command.is_repeated)
        for command in strict_commands(source)
        if command.words
    }
    assert {name for name, (is_certain, _) in found.items() if is_certain} == {"a", "j"}
    assert {name for name, (_, is_repeated) in found.items() if is_repeated} == {"g", "i"}


SHELLISH = st.text(alphabet="ab1 '\"`$\\(){}[]<>|&;#*?~!=,-:/\n\té\r\0\ud800", max_size=40)


@settings(max_examples=300, deadline=None)
@given(SHELLISH | st.text(max_size=30))
def test_any_text_gets_a_decision(command: str) -> None:
    """Whatever the text, with rules and without, permission decides and raises nothing."""
    for mode in ("ask", "plan", "bypass"):
        assert judge_bash(command, mode, allow=("bash(a:*)", "bash(b:*)")).decision in (
            "allow",
            "ask",
            "deny",
        )


@pytest.mark.parametrize("code", [0x100, 0x800, 0xFFFD, 0x10000, 0x1F600, 0x7B465, 0xF8A74, 0x10FFFF])
def test_characters_of_all_scripts_are_letters(code: int) -> None:
    """None ends the process or is taken for a blank: in braces, tests, patterns, words, quotes, comments."""
    one = chr(code)
    assert [command.texts for command in strict_commands(f"cat {one} a{one}b '{one}' \"{one}\" # {one}")] == [
        ("cat", one, f"a{one}b", one, one)
    ]
    places = (
        "{%s",
        "{%s..b}",
        "{a..%s}",
        "[[ a =~ %s ]]",
        "[[ a == @(%s) ]]",
        "${x%%%s}",
        "$((%s))",
        "<<%s\n%s",
    )
    for place in places:
        command = place.replace("%s", one).replace("%%", "%")
        assert judge_bash(command).decision in ("allow", "ask", "deny")
        assert judge_bash(f"a {command}{one}\t[{one}7&").decision in ("allow", "ask", "deny")


LARGE = {
    "words": "echo " + "a " * 150_000,
    "one word": "echo " + "a" * 300_000,
    "commands": "echo a;" * 43_000,
    "substitutions": "echo " + "$(" * 10_000 + "a" + ")" * 10_000,
    "groups": "(" * 10_000 + "a" + ")" * 10_000,
    "quotes": "echo " + '"$(' * 10_000,
    "expansions": "echo " + "${x:-" * 10_000,
    "backticks": "`" * 100_000,
    "here-documents": "a <<b " * 10_000,
    "tests": "[[ ( " * 30_000,
    "too long": "echo " + "a" * 400_000,
    "lines": "echo a\n" * 3_000,
}


@pytest.mark.parametrize("what", LARGE)
def test_large_and_deep_commands_are_decided(what: str) -> None:
    """Neither length nor depth breaks the judge; what is too much is asked about."""
    assert judge_bash(LARGE[what]).decision in ("allow", "ask")
