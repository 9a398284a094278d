"""The arrows between rooms, from the includes of the sources: see README.md."""

import functools
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIP = (".git", "tests", "examples", "hip-examples", "bench", "include")


def table():
    rooms = {}
    for line in (HERE / "arrows.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            room, _, below = line.partition("\t")
            rooms[room] = set(below.split())
    return rooms


def room_of(path, rooms):
    """The longest room whose folder holds the file; None: a file of no room."""
    parts = path.relative_to(ROOT).parts[:-1]
    for n in range(len(parts), 0, -1):
        if "/".join(parts[:n]) in rooms:
            return "/".join(parts[:n])
    return None


@functools.cache
def sources():
    tops = [top for top in sorted(ROOT.iterdir()) if top.is_dir() and top.name not in SKIP and "build" not in top.name]
    return [path for top in tops for path in sorted(top.rglob("*"))
            if path.suffix in (".c", ".h", ".cpp", ".inc") and "tests" not in path.parts[len(ROOT.parts):]]


def target(sign, name, includer, headers):
    """The file of ours that an include names; None: a header of somebody else, as <spawn.h> is."""
    if sign == "<":
        return next(((base / name).resolve() for base in (ROOT / "include", ROOT) if (base / name).is_file()), None)
    for base in (includer.parent, ROOT / "include", ROOT, *[p for p in includer.parents if ROOT in p.parents]):
        if (base / name).is_file():
            return (base / name).resolve()
    found = headers.get(pathlib.PurePath(name).name, [])
    return found[0] if len(found) == 1 else None


def arrows(rooms):
    headers = {}
    for path in sources():
        headers.setdefault(path.name, []).append(path)
    for path in sources():
        for sign, name in re.findall(r'^\s*#\s*include\s*(["<])([^">]+)[">]', path.read_text(errors="replace"), flags=re.M):
            to = target(sign, name, path, headers)
            if to is None or "include" in to.relative_to(ROOT).parts[:1]:
                continue
            yield path, to, room_of(path, rooms), room_of(to, rooms)


def test_every_source_has_a_room():
    rooms = table()
    assert [str(p) for p in sources() if room_of(p, rooms) is None] == []


def test_arrows():
    rooms = table()
    wrong = {f"{a.relative_to(ROOT)} ({here}) includes {b.relative_to(ROOT)} ({there})"
             for a, b, here, there in arrows(rooms) if here != there and there not in rooms.get(here, ())}
    assert not wrong, "\n".join(sorted(wrong))


def test_nothing_allowed_in_vain():
    rooms = table()
    used = {(here, there) for _, _, here, there in arrows(rooms)}
    assert {f"{a} -> {b}" for a, below in rooms.items() for b in below if (a, b) not in used} == set()


def test_no_circles_of_files():
    includes, open_, done = {}, [], set()
    for path, to, _, _ in arrows(table()):
        includes.setdefault(path, set()).add(to)

    def visit(path):
        assert path not in open_, " -> ".join(str(p.relative_to(ROOT)) for p in [*open_[open_.index(path):], path])
        if path not in done:
            open_.append(path)
            for to in includes.get(path, ()):
                visit(to)
            done.add(open_.pop())

    for path in list(includes):
        visit(path)


def test_no_circles():
    rooms = table()
    done = []
    while len(done) < len(rooms):
        ready = [r for r in rooms if r not in done and rooms[r] <= set(done)]
        assert ready, f"a circle among {sorted(set(rooms) - set(done))}"
        done += ready
