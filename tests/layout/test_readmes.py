"""Each file is named in the README of its folder: see README.md."""

import fnmatch
import functools
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What a README need not name: itself, the build's description, what a language or a test runner wants there.
PLAIN = ("README.md", "CMakeLists.txt", "__init__.py", "__main__.py", "conftest.py", ".gitignore", "py.typed")
SOURCES = (".c", ".h", ".cpp", ".hpp")
WORD = re.compile(r"[\w.*?+/\[\]-]+")


def files():
    """What git keeps, or in a copy without git all that is not built."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return sorted(p for p in map(pathlib.Path, listed.stdout.splitlines()) if (ROOT / p).is_file())
    return sorted(p.relative_to(ROOT) for p in ROOT.rglob("*")
                  if p.is_file() and not p.relative_to(ROOT).parts[0].startswith(("build", ".git")))


@functools.cache
def readme(folder):
    """The words of a folder's README; None: it has none."""
    path = ROOT / folder / "README.md"
    return {w.rstrip(".").removeprefix("./") for w in WORD.findall(path.read_text())} if path.is_file() else None


def ways(path, folder):
    """What names a file in the README of `folder`: the file, its other half (x.c, x.h), or a folder that it is in."""
    parts, whole = path.relative_to(folder).parts, path.parts
    names = [path.name] + ([path.stem + end for end in SOURCES] if path.suffix in SOURCES else [])
    for name in names:
        yield from ("/".join((*whole[i:-1], name)) for i in range(len(whole)))
    yield from ("/".join(parts[:i]) + "/" for i in range(1, len(parts)))


def is_named(path):
    """Whether the nearest README names it. An example is called as its folder; what tests a folder needs no list of its own."""
    if path.stem == path.parent.name:
        return True
    for folder in path.parents:
        words = readme(folder)
        if words is None and folder.name == "tests":
            return True
        if words is not None:
            wanted = set(ways(path, folder))
            globs = [word for word in words if "*" in word and word.strip("*")]
            return bool(wanted & words) or any(fnmatch.fnmatchcase(name, glob) for glob in globs for name in wanted)
    return False


def test_every_file_is_named():
    missing = [str(p) for p in files() if p.name not in PLAIN and "corpus" not in p.parts and not is_named(p)]
    assert not missing, "no README names these:\n" + "\n".join(missing)


def variables():
    """The variable of each setting, by its number in the table: SET_X -> LANESCOPE_X."""
    table = (ROOT / "settings" / "table.c").read_text()
    return dict(re.findall(r'\[(SET_\w+)\] =\s*\{\s*(?:\.key = "\w+",\s*)?\.env = "(LANESCOPE_\w+)"', table))


def test_variables_of_libraries_are_described():
    """Who uses them without `lanescope run` has no other list."""
    of = variables()
    assert len(of) > 40
    for folder in ("hsa-plugin", "soft-gpu"):
        sources = [p for p in (ROOT / folder).rglob("*.[ch]") if "tests" not in p.parts]
        read = {of[number] for p in sources for number in re.findall(r"\bSET_\w+", p.read_text()) if number in of}
        described = set(re.findall(r"`(LANESCOPE_\w+)`(?=[^|\n]*\|)", (ROOT / folder / "README.md").read_text()))
        assert read <= described, f"{folder}/README.md lacks {sorted(read - described)}"
        others = re.findall(r'"(LANESCOPE_\w+)"', (ROOT / "settings" / "table.c").read_text())
        assert described <= set(others), f"{folder}/README.md names {sorted(described - set(others))}, which nobody reads"


def test_the_interface_of_handlers_is_described():
    """Who writes one begins with docs/handlers.md."""
    text = (ROOT / "docs" / "handlers.md").read_text()
    flags = re.findall(r"^ +(LANESCOPE_(?:NEEDS|PRICES)_\w+) = 1u", (ROOT / "include/lanescope/handler.h").read_text(), re.M)
    headers = [p.name for p in (ROOT / "include/lanescope/sdk").glob("*.h")]
    assert len(flags) >= 4 and len(headers) >= 12
    assert not [word for word in flags + headers if f"`{word}`" not in text]
