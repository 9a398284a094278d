"""Kernels whose text is no file: a cell of a notebook, as ipykernel names it, and a module in an archive."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import zipfile

import pytest

import test_wheels

KERNEL = """import triton
import triton.language as tl


@triton.jit
def {name}(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) * 2)  # of {name}
"""
CELL = "/tmp/ipykernel_0/1234567.py"
PROGRAM = """
import linecache
import numpy
from lanescope_triton import arrays
import archived

cell = {cell!r}
linecache.cache[{path!r}] = (len(cell), None, cell.splitlines(keepends=True), {path!r})
names = dict(__name__="__main__")
exec(compile(cell, {path!r}, "exec"), names)
x, out = arrays.to_gpu(numpy.arange(64, dtype=numpy.float32)), arrays.zeros(64)
for kernel in names["cell"], archived.archived:
    kernel[(1,)](x, out, N=64, num_warps=1)
    assert (out.numpy() == numpy.arange(64) * 2).all()
print("right")
"""


def run(folder, *options):
    (folder / "program.py").write_text(PROGRAM.format(cell=KERNEL.format(name="cell"), path=CELL))
    with zipfile.ZipFile(folder / "modules.zip", "w") as made:
        made.writestr("archived.py", KERNEL.format(name="archived"))
    env = test_wheels.environment("3.2.0", folder / "cache")
    env["PYTHONPATH"] += os.pathsep + str(folder / "modules.zip")
    done = test_wheels.call([test_wheels.STAGE / "bin/lanescope", "run", "--gpu", "soft:gfx90a", "-d", folder, "-o", "run", *options, "--",
                             sys.executable, folder / "program.py"], env)
    assert done.returncode == 0 and done.stdout == "right\n", done.stderr
    return folder / "run_srclines.db"


def stored(database):
    """{last part of the path: (text, problem)}."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        return {os.path.basename(path): (text, problem) for path, text, problem in db.execute("SELECT path, text, problem FROM source_file")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("texts")


def test_the_text_is_stored(folder):
    os.umask(0o022)
    texts = stored(run(folder))
    assert texts["1234567.py"] == (KERNEL.format(name="cell"), None)
    assert texts["archived.py"] == (KERNEL.format(name="archived"), None)


def test_it_is_stored_from_the_cache_too(folder):
    """Nothing is compiled then. What is in no file has nobody's permissions: the owner's only."""
    database = run(folder)
    assert stored(database)["1234567.py"] == (KERNEL.format(name="cell"), None)
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


def test_lines_are_shown(folder):
    told = subprocess.run([test_wheels.STAGE / "bin/lanescope", "report", "--json", run(folder)], capture_output=True, text=True, check=True)
    assert "# of cell" in told.stdout and "# of archived" in told.stdout and json.loads(told.stdout)


def test_it_is_not_stored_unasked(folder):
    assert all(text is None and "--no-source" in problem for text, problem in stored(run(folder, "--no-source")).values())
