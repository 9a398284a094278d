"""Files that comments and documents name exist: see README.md."""

import functools
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIP = ("build", ".git")
SOURCES = (".c", ".h", ".cpp", ".inc", ".hip", ".py", ".cmake", ".sh", ".yml", ".md")
NAME = re.compile(r"(?<![\w./$<{*%~@-])((?:[\w-]+/)*[\w-]+\.(?:c|h|cpp|inc|hip|py|cmake|tsv|md))\b(?![\w/*-]|\.\w)")
PATH = re.compile(r"`((?:\.\./)*(?:[\w.-]+/)+[\w.-]*)`")  # in documents: also folders, and files without an ending
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#\w*)?\)")
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.S)


@functools.cache
def files():
    found = []
    for top in sorted(ROOT.iterdir()):
        if not top.name.startswith(SKIP):
            found += [top] if top.is_file() else sorted(p for p in top.rglob("*") if p.is_file())
    return found


def foreign():
    """Files of other projects, which our comments and documents talk about."""
    return {line for line in (HERE / "foreign_files.txt").read_text().splitlines() if line and not line.startswith("#")}


def prose(path):
    text = path.read_text(errors="replace")
    if path.suffix == ".md":
        return text
    if path.suffix in (".py", ".cmake", ".sh", ".yml") or path.name == "CMakeLists.txt":
        return "\n".join(re.findall(r"(?m)^\s*#(.*)", text))
    return "\n".join(COMMENT.findall(text))


def in_docstrings(path):
    """Names with a folder: those without are often names that a test gives to files of its own."""
    if path.suffix != ".py":
        return []
    texts = re.findall(r'"""(.*?)"""', path.read_text(errors="replace"), flags=re.S)
    return [name for text in texts for name in NAME.findall(text) if "/" in name]


def named():
    for path in files():
        if (path.suffix in SOURCES or path.name == "CMakeLists.txt") and "corpus" not in path.parts:
            for name in NAME.findall(prose(path)) + in_docstrings(path):
                yield path, name


def ends():
    """Every tail of every path in the tree: what a reader can find by the name."""
    found = set()
    for path in files():
        parts = path.relative_to(ROOT).parts
        found |= {"/".join(parts[i:]) for i in range(len(parts))}
    return found


def test_named_files_exist():
    known, others = ends(), foreign()
    missing = {f"{path.relative_to(ROOT)} names {name}" for path, name in named() if name not in known and name not in others}
    assert not missing, "\n".join(sorted(missing))


def paths():
    """(document, path) of what documents name below one of our folders, or by a path or link from where they stand.
    In capitals are words that stand for a name."""
    folders = {top.name for top in ROOT.iterdir() if top.is_dir() and not top.name.startswith(SKIP)}
    for path in files():
        if path.suffix == ".md":
            text = path.read_text(errors="replace")
            for name in PATH.findall(text):
                if name.startswith("../") or (name.split("/")[0] in folders and not re.search(r"[A-Z]{3}", name.replace("README", ""))):
                    yield path, name
            yield from ((path, name) for name in LINK.findall(text))


def test_paths_in_documents_exist():
    known, others = ends(), foreign()
    missing = {f"{path.relative_to(ROOT)} names {name}" for path, name in paths()
               if name not in known | others and not (path.parent / name).exists() and not (ROOT / name).exists()}
    assert not missing, "\n".join(sorted(missing))


def test_no_foreign_file_in_vain():
    names = {name for _, name in [*named(), *paths()]}
    assert foreign() <= names, sorted(foreign() - names)
    assert not foreign() & ends(), sorted(foreign() & ends())
