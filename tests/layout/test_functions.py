"""A function fits on a screen, a file can be read at once: see README.md."""

import ast

import test_arrows

LINES = 66  # of a screen
FILE_LINES = 600
SOURCES = (".c", ".h", ".cpp", ".hip", ".cl", ".py", ".sh", ".js", ".css", ".cmake")


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


def long_functions_of_python(text):
    for f in ast.walk(ast.parse(text)):
        if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef)) and f.end_lineno - f.lineno >= LINES:
            yield f.lineno, f.end_lineno - f.lineno + 1


def sources(*endings):
    return [path for top in test_arrows.ROOT.iterdir() if top.is_dir() and not top.name.startswith(("build", "."))
            for path in sorted(top.rglob("*")) if path.suffix in endings]


def test_files_are_short():
    """Those of tests and tools, too."""
    files = sources(*SOURCES)
    assert len(files) > 1000
    lines = {path: path.read_text(errors="replace").count("\n") for path in files}
    found = [f"{path.relative_to(test_arrows.ROOT)}: {n} lines" for path, n in lines.items() if n > FILE_LINES]
    assert not found, "split by subject: " + "\n".join(found)


def test_functions_fit_on_a_screen():
    files = sources(".c", ".h", ".cpp")
    assert len(files) > 500
    found = [f"{path.relative_to(test_arrows.ROOT)}:{line}: {lines} lines" for path in files
             for line, lines in long_functions(path.read_text(errors="replace"))]
    files = sources(".py")
    assert len(files) > 150
    found += [f"{path.relative_to(test_arrows.ROOT)}:{line}: {lines} lines" for path in files
              for line, lines in long_functions_of_python(path.read_text())]
    assert not found, "\n".join(found)


def test_what_is_found():
    body = "{\n" + "    x();\n" * LINES + "}\n"
    assert list(long_functions("int f(void)\n" + body)) == [(1, LINES + 1)]
    assert not list(long_functions("int f(void)\n" + body.replace("    x();\n", "", 1)))
    assert list(long_functions_of_python("def f():\n" + "    x()\n" * LINES)) == [(1, LINES + 1)]
    assert not list(long_functions_of_python("def f():\n" + "    x()\n" * (LINES - 1)))
