"""Stock wheels: compiled for every GPU; 3.2.0, the newest that HIP 5.2.3 can run, also executed on the software GPU."""

import json
import os
import pathlib
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


def test_second_run_compiles_nothing(first):
    folder, _ = first
    before = {p: p.stat().st_mtime_ns for p in (folder / "cache").rglob("*")}
    again = run(folder / "cache", folder / "again", options=["--keep-going"])
    assert again.returncode == 0 and again.stdout == "right\n", again.stderr
    assert {p: p.stat().st_mtime_ns for p in (folder / "cache").rglob("*")} == before
    assert "3 kernels (3 instrumented)" in again.stderr


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
    expected = "code=llvm-22" if version.startswith(("3.1", "3.2")) else "code=stock original=identical"
    assert {m["note"] for m in made} == {expected}
