"""The table sizes.tsv: arguments that make a program small, and what its success looks like where it says no usual word.

Columns: program (the last parts of its path), arguments ("-": those of its makefile), expected output (regular
expression, may be missing or empty), constants of its source that are changed in the private copy, for programs that
take no argument ("N=64 REPEAT=1", may be missing). Where the size has no name, /REGEX/TEXT/ changes all that matches; it
has no space and no other slash. Lines that start with # are comments.
"""

import pathlib
import re

SOURCES = (".cu", ".cuh", ".hip", ".cpp", ".cc", ".h", ".hpp")
TABLE = pathlib.Path(__file__).resolve().parent / "sizes.tsv"


def read(path=TABLE):
    table = {}
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) not in (2, 3, 4) or columns[0] in table:
            raise SystemExit(f"{path}:{number}: not 'program, arguments, expected, constants', or a second line for it")
        columns += ["", ""]
        table[columns[0]] = (columns[1], columns[2] or None, columns[3])
    return table


def find(table, name):
    """(arguments or None, expected or None, constants) of the entry whose name is the longest end of the program's."""
    parts = name.split("/")
    for first in range(len(parts)):
        entry = table.get("/".join(parts[first:]))
        if entry:
            return None if entry[0] == "-" else entry[0], *entry[1:]
    return None, None, ""


def apply(script, arguments):
    """The script with the arguments of its last command that runs a program replaced. Earlier runs of the same program,
    with arguments of their own, are left out.
    """
    if arguments is None:
        return script
    commands = list(re.finditer(r"^\s*((?:\./)?[^\s=#]+)[^\n;|>&]*", script.rstrip("\n"), re.MULTILINE))
    last = commands[-1]
    before = "".join(
        line for line in script[: last.start()].splitlines(True) if line.split()[:1] != [last[1]]
    )
    return f"{before}{last[1]} {arguments}{script[last.end() :]}"


def _change(text, word):
    """(text with the word's change, number of places). NAME=VALUE counts once, where the name is first given a value."""
    if word.startswith("/"):
        pattern, new = word[1:].split("/")[:2]
        return re.subn(pattern, new.replace("\\", r"\\"), text)
    name, value = word.split("=")
    definition = rf"(^\s*#\s*define\s+{name}[ \t]+)[^\n/]+|(\b{name}\s*=\s*)[^;,\n]+"
    return re.subn(definition, lambda m: (m[1] or m[2]) + value + " ", text, count=1, flags=re.MULTILINE)


def change_constants(folders, constants):
    """Gives constants of the C++ sources in `folders` other values. One that no source has is an error."""
    sources = [f for folder in folders for f in pathlib.Path(folder).rglob("*") if f.suffix in SOURCES and not f.is_symlink()]
    for word in constants.split():
        changed = 0
        for source in sources:
            old = source.read_bytes().decode("latin-1")
            new, n = _change(old, word)
            if n:
                source.write_bytes(new.encode("latin-1"))
            changed += n
        if not changed:
            raise ValueError(f"{folders[0]}: no constant {word}")
