"""Places where a script is easily overlooked: what stands before it looks like a text, a comment or a document, and is not."""

from collections.abc import Mapping

from tests.hooks.productions import Level, Production, Write

QUOTES: Mapping[str, str] = {
    "after a quote in quotes": "echo 'it'\\''s'; ",
    "after a quoted double quote": 'echo "a\\""; ',
    "between literal double quotes": 'echo \\"; ',
    "after a literal quote": "echo \\'; ",
    "after an escaped quote in $''": "echo $'\\''; ",
    "after a backslash in $''": "echo $'\\\\'; ",
    "after a backslash in quotes": "echo '\\'; ",
    "after a dollar and a quote in double quotes": 'echo "$\'"; ',
    "after a dollar at the end of double quotes": 'echo "a$"; ',
    "after a quote in an expansion": "echo ${n:-\\'}; ",
    "after a brace in quotes": 'echo ${n:-"}"}; ',
    "after a quoted brace in a pattern": "echo ${n#'}'}; ",
    "after a quoted brace in double quotes": "echo \"${n#'}'}\"; ",
    "after an escaped brace": "echo ${n:-\\}}; ",
    "after a brace alone": "echo }; ",
    "after a length": "echo ${#n}; ",
    "after the number of arguments": "echo $#; ",
    "after a literal dollar": "echo \\$(:); ".replace("(:)", ""),
    "after a bracket in a test": "[[ a =~ b'('c ]] || ",
    "after a class in a test": '[[ a =~ ["\'"]b ]] || ',
    "after less than in a test": "[[ b < a ]] || ",
    "after an array": "a=(1 2 #)\n3); ",
    "after an empty case": "case a in esac; ",
    "after a parenthesis in a pattern": 'case ")" in ")") ls;; esac; ',
    "after the parenthesis of a case": "echo $(case a in a) echo b;; esac); ",
    "after a substitution with a quoted one": 'echo "$(echo ")")"; ',
    "after many closings": 'echo "$(echo "$(echo ")" ")")")"; ',
    "after a case of semicolons": "case a in b) ;; esac; ",
}
COMMENTS: Mapping[str, str] = {
    "after a number sign in a word": "echo a#'\n'; ",
    "after a number sign behind quotes": 'echo "a"#; ',
    "after a number sign behind an escape": "echo a\\ #; ",
    "after a number sign behind a variable": "echo $n#; ",
    "after a number sign behind a substitution": "echo $(ls)#; ",
    "after a literal number sign": "echo \\#; ",
    "after a pattern with a number sign": "echo ${n#a} ${n##b}; ",
    "after a base": "echo $((16#ff)); ",
    "after a comment that ends in a backslash": "ls # a\\\n",
    "after a comment with a quote": "ls # '\n",
    "after a comment with a document": "ls # <<E\n",
    "after a comment with a substitution": "ls # $(\n",
    "after a comment behind a semicolon": "ls;# '\n",
    "after a comment behind a parenthesis": '(ls)# "\n',
    "after a comment in a substitution": "echo $(ls # ' )\n); ",
    "after a comment behind a line end": "ls \\\n# `\n",
    "after a comment of one sign": "#\n",
    "after a script's first line": "#!/bin/cat\n",
}
DOCUMENTS: Mapping[str, str] = {
    "after a document": "cat <<E\na\nE\n",
    "after a quoted document": "cat <<'E'\n$(ls `\nE\n",
    "after a document with a backslash": "cat <<'E'\na\\\nE\n",
    "after a document in parts": "cat <<E\"O\"'F'\na\nEOF\n",
    "after a document with a blank": "cat <<'E F'\nE\nE F\n",
    "after a document with an escape": "cat <<\\E\n$(\nE\n",
    "after a document with a tab": "cat <<-E\n\ta\n\tE\n",
    "after two documents": "cat <<A; cat <<B\na\nA\nb\nB\n",
    "after two documents of one": "cat <<A <<B\na\nA\nb\nB\n",
    "after a document with a dollar": "cat <<$E\na\n$E\n",
    "after a document in a substitution": "echo $(cat <<E\n)'\nE\n); ",
    "after an empty document": "cat <<E\nE\n",
    "after a document without a name": "cat <<''\na\n\n",
    "after a here-string": "cat <<<E\n",
    "after a here-string in quotes": "cat <<<'E\n'\n",
    "after a shift": "echo $((1<<2))\n",
    "after a shift of a name": "((E=1<<E))\n",
    "after a shift in old arithmetic": "echo $[1<<2]\n",
    "after a quoted document sign": "echo '<<E'\n",
    "after an escaped document sign": "echo \\<\\<E\n",
    "after a document sign in an expansion": 'echo "${n:-<<E}"\n',
    "after a document of a function": "f() { cat; } <<E\na\nE\n",
}
SIGNS: Mapping[str, str] = {
    "after a redirection": "ls >/dev/null; ",
    "after a redirection, glued": "ls>/dev/null;",
    "after copied descriptors": "ls 2>&1; ",
    "after copied descriptors, glued": "ls 2>&1;",
    "after both redirected": "ls >&/dev/null; ",
    "after copied descriptors and background": "ls 2>&1& ",
    "after a closed descriptor": "ls 2>&-; ",
    "after a moved descriptor": "ls 3>&1-; ",
    "after a forced redirection": "ls >|/dev/null; ",
    "after a both-ways redirection": "cat 3<>/dev/null; ",
    "after a line end in an operator": "true &\\\n& ",
    "after a line end in double quotes": 'echo "a\\\n"; ',
    "after a line end in quotes": "echo 'a\\\n'; ",
    "after a line end before a semicolon": "ls \\\n; ",
    "after many line ends": "ls \\\n\\\n\n\n",
    "after a strange blank": "echo a\u00a0; ",
    "after a wide blank": "echo \u3000; ",
    "after a form feed": "echo \f; ",
    "after a vertical tab": "echo \v\n",
    "after a return": "echo \r; ",
    "after a return and a new line": "true\r\n",
    "after a character of four bytes": "echo \U0001f600; ",
    "after a combining character": "echo e\u0301; ",
    "after a line separator": "echo \u2028; ",
    "after a right-to-left mark": "echo \u202e; ",
    "after a byte order mark": "echo \ufeff; ",
    "after a control character": "echo \x01\x7f; ",
    "after an exclamation mark": 'echo "!"; ',
    "after a history expansion": "echo !!; ",
    "after a pattern": "ls *; ",
    "after an equal sign": "echo a=b; ",
    "after a reserved word as an argument": "echo if then case; ",
    "after a colon": ": ; ",
    "after a dash": "echo -; ",
    "after a strange function": "a.b-c() { ls; }; ",
    "after braces": "echo {a,b} {1..3} {; ",
}


def _hidden(before: str) -> Write:
    return lambda x: before + x


ON_SIMPLE = (
    Production(
        name="on the line of a document's name",
        takes=Level.SIMPLE,
        gives=Level.SCRIPT,
        write=lambda x: f"cat <<E_{len(x)}; {x}\na\nE_{len(x)}",
    ),
    Production(
        name="on the line of two documents' names",
        takes=Level.SIMPLE,
        gives=Level.SCRIPT,
        write=lambda x: f"cat <<'A_{len(x)}' <<B_{len(x)} && {x}\n'\nA_{len(x)}\n\"\nB_{len(x)}",
    ),
)
ON_SCRIPTS = tuple(
    Production(name=name, takes=Level.SCRIPT, gives=Level.SCRIPT, write=_hidden(before))
    for name, before in {**QUOTES, **COMMENTS, **DOCUMENTS, **SIGNS}.items()
)
