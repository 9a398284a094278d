"""A function fits on a screen: see README.md."""

import test_arrows

LINES = 66  # of a screen


def long_functions(text):
    """(first line, lines) of each. The formatter puts the braces of functions, and of nothing else, at the start of a line."""
    begin = None
    for number, line in enumerate(text.splitlines(), 1):
        if line == "{":
            begin = number
        elif line == "}" and begin:
            if number - begin > LINES:
                yield begin - 1, number - begin
            begin = None


def test_functions_fit_on_a_screen():
    files = [path for top in test_arrows.ROOT.iterdir() if top.is_dir() and not top.name.startswith(("build", "."))
             for path in sorted(top.rglob("*")) if path.suffix in (".c", ".h", ".cpp")]
    assert len(files) > 500
    found = [f"{path.relative_to(test_arrows.ROOT)}:{line}: {lines} lines" for path in files
             for line, lines in long_functions(path.read_text(errors="replace"))]
    assert not found, "\n".join(found)


def test_what_is_found():
    body = "{\n" + "    x();\n" * LINES + "}\n"
    assert list(long_functions("int f(void)\n" + body)) == [(1, LINES + 1)]
    assert not list(long_functions("int f(void)\n" + body.replace("    x();\n", "", 1)))
