"""The arrows between rooms, from what their objects call: see README.md. LANESCOPE_BUILD_DIR names the build."""

import functools
import re

import test_arrows as includes
import test_symbols

ROOT = includes.ROOT
HERE = includes.HERE


def contracts():
    """Header, and the rooms above it that define what it declares."""
    lines = [line.split("\t") for line in (HERE / "contracts.tsv").read_text().splitlines() if line and line[0] != "#"]
    return {ROOT / header: set(rooms.split()) for header, rooms, _ in lines}


def is_ours(path):
    return (path.relative_to(ROOT).parts[0] not in includes.SKIP and "tests" not in path.parts[len(ROOT.parts):]
            and path in set(includes.sources()))


@functools.cache
def calls():
    """(file that uses a function or variable, its name, the files that define it), across files."""
    sources = {path: source for path, source in test_symbols.objects().items() if is_ours(source)}
    assert sources, "nothing has been built"
    found, defined = list(test_symbols.symbols(sorted(sources))), {}
    for path, name, is_defined, hidden in found:
        if is_defined and hidden:
            defined.setdefault(name, set()).add(sources[path])
    used = {(sources[path], name) for path, name, is_defined, _ in found if not is_defined and name in defined}
    return [(source, name, defined[name]) for source, name in sorted(used) if source not in defined[name]]


def below(room, rooms):
    """All that a room may reach over the rooms that it may include."""
    seen, left = set(), [room]
    while left:
        new = rooms.get(left.pop(), set()) - seen
        seen |= new
        left += new
    return seen


def is_declared(name, header):
    return re.search(rf"\b{name}\b", header.read_text()) is not None


def room(path):
    return includes.room_of(path, includes.table())


def drawn():
    """(file, name, its room, rooms that define it): the calls that leave a room and that includes alone do not allow."""
    rooms = includes.table()
    for source, name, places in calls():
        here, there = room(source), {room(p) for p in places}
        if here not in there and not there & below(here, rooms):
            yield source, name, here, there


def test_calls_follow_the_arrows():
    """Or a contract: a header of a room that the caller may include says that another room defines the function."""
    rooms, kept = includes.table(), contracts()
    wrong = [f"{source.relative_to(ROOT)} ({here}) calls {name} of {' or '.join(sorted(there))}"
             for source, name, here, there in drawn()
             if not any(there & above and room(header) in below(here, rooms) | {here} and is_declared(name, header)
                        for header, above in kept.items())]
    assert not wrong, "\n".join(wrong)


def test_no_contract_in_vain():
    used = {(header, there) for _, name, _, places in drawn() for header, above in contracts().items()
            for there in places & above if is_declared(name, header)}
    missing = {(header, there) for header, above in contracts().items() for there in above} - used
    assert not missing, "\n".join(f"{header.relative_to(ROOT)}: {there}" for header, there in sorted(missing))


def test_no_circles_of_calls():
    rooms, edges = includes.table(), {}
    for source, _, places in calls():
        here, there = room(source), {room(p) for p in places}
        # Programs that share no code may each have a function of one name: then it is the one that may be called.
        there = {here} if here in there else there & below(here, rooms) or there
        edges.setdefault(here, set()).update(there - {here})
    done = set()
    while ready := {r for r in edges if r not in done and edges[r] & set(edges) <= done}:
        done |= ready
    assert not set(edges) - done, f"a circle among {sorted(set(edges) - done)}"
