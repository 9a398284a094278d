"""Stock wheels: compiled for every GPU; 3.2.0, the newest that HIP 5.2.3 can run unaided, also executed on the software GPU."""

import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

import pytest

import wheels

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
STAGE = wheels.BUILD / "stage"
GPUS = ["gfx90a", "gfx942", "gfx950"]


def environment(version, cache, front=()):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE_", "PYTHON", "TRITON_", "CC"))}
    path = [*front, wheels.path(version), wheels.numpy()]
    env.update(PYTHONPATH=os.pathsep.join(str(p) for p in path if p), PYTHONDONTWRITEBYTECODE="1",
               TRITON_CACHE_DIR=str(cache))
    if library := wheels.hip(version):
        env["TRITON_LIBHIP_PATH"] = str(library)
    return env


def call(command, env):
    return subprocess.run([str(c) for c in command], env=env, capture_output=True, text=True, timeout=600)


def run(cache, results, version="3.2.0", program="elementwise.py", options=()):
    return call([STAGE / "bin/lanescope", "run", "--gpu", "soft:gfx90a", "-d", results, "-o", "run", *options, "--",
                 sys.executable, PROGRAMS / program], environment(version, cache))


def line_of(mark, program="elementwise.py"):
    lines = (PROGRAMS / program).read_text().splitlines()
    return next(i for i, text in enumerate(lines, 1) if text.endswith(f"# {mark}"))


def total(database, metric, line):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        return db.execute("SELECT sum(value) FROM line_view WHERE metric = ? AND line = ? AND file LIKE '%elementwise.py'",
                          (metric, line)).fetchone()[0]


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("triton")
    done = run(folder / "cache", folder)
    assert done.returncode == 0 and done.stdout == "right\n", done.stderr
    return folder, done


def test_lines_of_the_script(first):
    """strided: 4 programs of 4 wavefronts, 64 lanes each 64 bytes apart: 16 executions of 64 lines of 64 bytes, where 64
    lanes of 4 bytes need 4."""
    database = first[0] / "run_srclines.db"
    line = line_of("strided: load")
    assert total(database, "Executions", line) == 16
    assert (total(database, "Cache Lines", line), total(database, "Cache Lines Needed", line)) == (1024, 64)
    store = line_of("strided: store")
    assert (total(database, "Cache Lines", store), total(database, "Cache Lines Needed", store)) == (64, 64)


def test_masked_accesses(first):
    """add: 4000 elements in 4 programs of 4 wavefronts and 4 elements a lane: 16 executions of 16 bytes a lane. 1000 lanes
    have all their elements below 4000, none has some; 15 wavefronts are full and the last has 1000 - 15 * 64 = 40 lanes."""
    database = first[0] / "run_srclines.db"
    for mark in ("add: load", "add: store"):
        assert total(database, "Executions", line_of(mark)) == 16
        assert total(database, "Active Lanes", line_of(mark)) == 1000


def test_summary_names_the_script(first):
    assert f"elementwise.py:{line_of('strided: load')}" in first[1].stderr
    assert "3 kernels (3 instrumented)" in first[1].stderr and "lanescope hipcc" not in first[1].stderr


def test_kernels_are_told_apart_by_specialisation(first):
    """Constants, types (":16": a multiple of 16) and options stand in the name; 781 columns are none."""
    with sqlite3.connect(f"file:{first[0] / 'run_srclines.db'}?mode=ro", uri=True) as db:
        names = {name for name, in db.execute("SELECT name FROM kernel WHERE module IS NOT NULL")}
        notes = [note for note, in db.execute("SELECT compiler FROM code_object WHERE compiler IS NOT NULL")]
    assert "add<x=*fp32:16, y=*fp32:16, out=*fp32:16, n=i32:16, BLOCK=1024, num_warps=4, num_stages=2>" in names
    assert "softmax<out=*fp32:16, x=*fp32:16, columns=i32, BLOCK=1024, num_warps=4, num_stages=2>" in names
    assert len(notes) == 3 and all(note.startswith("code=llvm-22\nkernel=") for note in notes)
    told = call([STAGE / "bin/lanescope", "report", "--kernel", "BLOCK=256", first[0] / "run_srclines.db"], dict(os.environ))
    assert "strided<" in told.stdout and "softmax<" not in told.stdout and "machine code of LLVM 22" in told.stdout


def test_triton_itself_is_no_source_of_the_author(first):
    """tl.sum and tl.max are in Triton's own standard.py: their lines are detail, titles are the author's."""
    told = call([STAGE / "bin/lanescope", "report", first[0] / "run_srclines.db"], dict(os.environ)).stdout
    titles = re.findall(r"^  (\S+\.py:\d+)", told, re.M)
    assert f"elementwise.py:{line_of('softmax: sum')}" in titles and "standard.py" in told
    assert all(title.startswith("elementwise.py:") for title in titles), titles


def test_a_changed_original_is_a_warning_of_the_report(tmp_path):
    """The self-check's verdict travels in the code object; here it is put in the place of 3.2's, which has none."""
    (tmp_path / "program.py").write_text(f"""
import runpy
from lanescope_triton import stages
note = stages._note
stages._note = lambda options, **fields: note(options, original="changed (code: 's_nop 0' became 's_nop 1')", **fields)
runpy.run_path({str(PROGRAMS / "elementwise.py")!r}, run_name="__main__")
""")
    done = run(tmp_path / "cache", tmp_path, program=tmp_path / "program.py")
    assert done.returncode == 0 and done.stdout == "right\n", done.stderr
    told = " ".join(call([STAGE / "bin/lanescope", "report", tmp_path / "run_srclines.db"], dict(os.environ)).stdout.split())
    assert "softmax<" in told and "is not the kernel that Triton makes alone: changed (code: 's_nop 0' became 's_nop 1')" in told


def test_second_run_compiles_nothing(first):
    folder, _ = first
    before = {p: p.stat().st_mtime_ns for p in (folder / "cache").rglob("*")}
    again = run(folder / "cache", folder / "again", options=["--keep-going"])
    assert again.returncode == 0 and again.stdout == "right\n", again.stderr
    assert {p: p.stat().st_mtime_ns for p in (folder / "cache").rglob("*")} == before
    assert "3 kernels (3 instrumented)" in again.stderr


def test_an_edited_script(tmp_path):
    """What is edited outside of a kernel leaves its code in the cache right; what is edited while the program runs may not."""
    script = tmp_path / "script.py"
    text = (PROGRAMS / "elementwise.py").read_text()
    script.write_text(text)
    assert run(tmp_path / "cache", tmp_path / "1", program=script).returncode == 0
    script.write_text(text + "# edited\n")
    done = run(tmp_path / "cache", tmp_path / "2", program=script)
    assert done.returncode == 0 and "that was compiled" not in done.stderr and "newer than" not in done.stderr, done.stderr
    script.write_text(text + "import os, time\nos.utime(__file__, (time.time() + 60,) * 2)\n")
    done = run(tmp_path / "cache", tmp_path / "3", program=script)
    assert f"{script} is newer than the program: it was edited while the program ran" in done.stderr, done.stderr


def test_autotuner_measures_the_program(tmp_path):
    """Two configurations, those that pruning leaves of three, are measured unobserved, the chosen one runs twice, and the report names it."""
    done = run(tmp_path / "cache", tmp_path, program="autotuned.py")
    assert done.returncode == 0, done.stderr
    chosen = f"BLOCK={done.stdout.strip()}"
    with sqlite3.connect(f"file:{tmp_path / 'run_srclines.db'}?mode=ro", uri=True) as db:
        rows = db.execute("""SELECT k.name, d.observed, coalesce(d.not_observed, ''), count(*) FROM dispatch d
                             JOIN kernel k ON k.id = d.kernel WHERE k.name LIKE 'double<%' GROUP BY 1, 2, 3""").fetchall()
    assert [(chosen in name, n) for name, observed, _, n in rows if observed] == [(True, 2)]
    measured = [(why, n) for _, observed, why, n in rows if not observed]
    assert [why for why, _ in measured] == ["measured by an autotuner"] * 2 and all(n > 1 for _, n in measured)
    told = call([STAGE / "bin/lanescope", "report", tmp_path / "run_srclines.db"], dict(os.environ)).stdout
    told = " ".join(told.split())
    assert f"the autotuner of double chose BLOCK: {done.stdout.strip()}, num_warps" in told and "among 3 configurations, 2 of which it measured" in told


def test_the_name_cuda(tmp_path):
    if call([sys.executable, "-c", "import torch"], environment("3.2.0", tmp_path)).returncode:
        pytest.skip("no torch in this Python: Debian's python3-torch will do")
    done = run(tmp_path / "cache", tmp_path, program="cuda_names.py")
    assert done.returncode == 0 and done.stdout == "right\n", done.stderr
    assert "7 dispatches (7 observed)" in done.stderr


TWO = """
import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays


@triton.jit
def twice(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) {})


twice[(1,)](arrays.zeros(64), 64)
"""


def test_functions_of_one_name(tmp_path):
    """Two modules with a kernel of one name: both stand in the report, each with its own launch."""
    (tmp_path / "second.py").write_text(TWO.format("* 2"))
    (tmp_path / "first.py").write_text(TWO.format("+ 2") + "import second\n")
    done = run(tmp_path / "cache", tmp_path, program=tmp_path / "first.py")
    assert done.returncode == 0 and "2 kernels (2 instrumented)" in done.stderr, done.stderr
    told = json.loads(call([STAGE / "bin/lanescope", "report", "--json", tmp_path / "run_srclines.db"], dict(os.environ)).stdout)
    assert sorted((os.path.basename(k["file"]), k["dispatches"]["count"]) for k in told["kernels"]) == [("first.py", 1), ("second.py", 1)]


def test_off(tmp_path):
    """--no-rtc: Python starts as it would without us."""
    done = call([STAGE / "bin/lanescope", "run", "--gpu", "soft:gfx90a", "-d", tmp_path, "--no-rtc", "--", sys.executable, "-c",
                 "import sys; print('lanescope_triton' in sys.modules)"], environment("3.2.0", tmp_path))
    assert done.stdout == "False\n"


@pytest.mark.parametrize("version", wheels.versions())
def test_compiles(version, tmp_path):
    python = next(STAGE.glob("lib*/**/python"))
    done = call([sys.executable, PROGRAMS / "compile_only.py", *GPUS], {**environment(version, tmp_path, [python]), "LANESCOPE_GPU": "soft"})
    assert done.returncode == 0, done.stderr
    made = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(made) == 3 * len(GPUS) and all(m["clone"] for m in made), done.stdout
    code = ["code=llvm-22"] if version.startswith(("3.1", "3.2")) else ["code=stock", "original=identical"]
    kernel = len(code)
    assert all(m["note"][:kernel] == code and m["note"][kernel].startswith("kernel=") for m in made), made
    assert made[0]["note"][kernel].startswith("kernel=add<x=*fp32") and "BLOCK=1024, num_warps=4" in made[0]["note"][kernel]
    assert all(words.startswith(("shared=", "tile=")) for m in made for words in m["note"][kernel + 1 :]), made
