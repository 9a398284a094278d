"""Finds the programs of a folder, and gives each run a private copy of theirs.

A program is a folder with a makefile for HIP, or, in folders without makefile, one .hip file.
"""

import dataclasses
import hashlib
import os
import pathlib
import re
import shutil

MAKEFILES = ("GNUmakefile", "Makefile", "makefile")
SOURCES = (".cu", ".hip", ".cpp", ".cc", ".cxx")
# What only makefiles for HIP name; those for CUDA, SYCL and OpenMP do not.
HIP_COMPILER = re.compile(r"hipcc|HIPCC|HIPCXX|HIP_PATH|HIP_INCLUDE_DIR|hip\.(all|prologue)\.make")
LARGE_FILE = 1 << 20  # larger files are linked, not copied


@dataclasses.dataclass(frozen=True)
class Program:
    name: str  # path below the folder that was given
    makefile: str | None  # None: the program is one file

    @property
    def folder(self):
        return self.name if self.makefile else os.path.dirname(self.name)


def percentile(program):
    """A number from 0 to 100 that depends on nothing but the name, and looks random."""
    return int(hashlib.sha256(program.name.encode()).hexdigest()[:8], 16) / 2**32 * 100


def _is_program(folder, makefile):
    text = (folder / makefile).read_text(errors="replace")
    if not HIP_COMPILER.search(text):
        return False
    runs = re.search(r"^run\s*:", text, re.MULTILINE)
    return bool(runs) or any(f.suffix in SOURCES for f in folder.iterdir())


def find_programs(root):
    """All programs below root, sorted by name. Nothing is looked for below a folder that is a program."""
    found = []
    for path, folders, files in os.walk(root):
        folder = pathlib.Path(path)
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        relative = os.path.relpath(path, root)
        makefile = next((m for m in MAKEFILES if m in files), None)
        if makefile and _is_program(folder, makefile):
            found.append(Program(relative, makefile))
            folders.clear()
        elif not makefile:
            prefix = "" if relative == "." else relative + "/"
            found += [Program(prefix + f, None) for f in files if f.endswith(".hip") and "CMakeLists.txt" not in files]
    return sorted(found, key=lambda p: p.name)


def _copy(source, target):
    """Files of moderate size; larger ones (data) become links."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in os.scandir(source):
        to = target / entry.name
        if entry.is_dir(follow_symlinks=False):
            _copy(entry.path, to)
        elif entry.is_symlink() or entry.stat().st_size > LARGE_FILE:
            to.symlink_to(os.path.realpath(entry.path))
        else:
            shutil.copy2(entry.path, to)


def make_copy(root, program, work):
    """Copies the program's folder to its place below work and returns that. What lies beside it, and beside each
    folder above it, is linked, since programs use ../common and the like. Not thread-safe within one `work`.
    """
    source, target = pathlib.Path(root), pathlib.Path(work)
    parts = [p for p in pathlib.Path(program.folder).parts if p != "."]
    for depth, part in enumerate(parts):
        target.mkdir(parents=True, exist_ok=True)
        for entry in os.scandir(source):
            beside = target / entry.name
            if entry.name != part and not os.path.lexists(beside):
                beside.symlink_to(os.path.realpath(entry.path))
        source, target = source / part, target / part
        if target.is_symlink():  # was a neighbour of an earlier program
            target.unlink()
        if depth + 1 == len(parts) and target.exists():
            shutil.rmtree(target)
    if program.makefile or not target.exists():
        _copy(source, target)
    return target


def runs_beside(folder, program):
    """Whether its makefile goes to a folder beside it; from a linked one, ../ would lead out of the private copy."""
    text = (folder / program.makefile).read_text(errors="replace") if program.makefile else ""
    return bool(re.search(r"\bcd\s+\.\./", text))


def copy_neighbours(root, program, work):
    """Replaces the links to those folders beside the program that its makefile names (../common) by copies, so that they
    can be changed, and returns them. Other programs that use them see the change. Not thread-safe within one `work`.
    """
    here, there = pathlib.Path(work, program.folder), pathlib.Path(root, program.folder)
    names = re.findall(r"\.\./([\w+.-]+)", (here / program.makefile).read_text(errors="replace")) if program.makefile else []
    copies = []
    for name in sorted({n for n in names if n.strip(".") and n != here.name and (there.parent / n).is_dir()}):
        copy = here.parent / name
        copy.unlink() if copy.is_symlink() else shutil.rmtree(copy)
        _copy(there.parent / name, copy)
        copies.append(copy)
    return copies
