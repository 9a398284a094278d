"""Vector memory instructions of the original that no observed access explains are named, with their executions."""

import contextlib
import json
import shutil
import sqlite3

import pytest

import hardware
import lines
import profiling
from profiling import Profile

LOOP, COUNTED, NEVER, ARGUMENTS = (profiling.marked_line("unexplained.hip", mark) for mark in ("IN_LOOP", "COUNTED", "NEVER", "ARGUMENTS"))
EXECUTIONS = 3 * 2 * 5  # work-groups, wavefronts of each, rounds of the loop


@pytest.fixture(scope="module")
def recorded(programs, tmp_path_factory):
    # Not unrolled: a copy of the loop's body would be another instruction.
    program = programs("unexplained.hip", "-O3", "-g", "-fno-unroll-loops", "--offload-arch=gfx90a")
    directory = tmp_path_factory.mktemp("unexplained")
    log = directory / "access.log"
    # the log is of the original, which one of two runs of the kernel is
    p = Profile(directory, program, options=("--access-log", log, "--kernel-iteration-range", "[1]"))
    assert p.done.returncode == 0, p.done.stderr
    return program, p, log


def report(p, *options):
    done = profiling.call(profiling.LANESCOPE, "report", *options, p.database)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names(recorded):
    _, p, _ = recorded
    # nothing is counted in the branch: nobody knows how often it is taken
    said = (f"2 vector memory instructions that no observed access explains: unexplained.hip:{LOOP} global_load_dword"
            f" ({EXECUTIONS} executions); unexplained.hip:{NEVER} ds_read_b64")
    assert said in " ".join(report(p).split())
    assert "2 vector memory instructions that no observed access explains" in p.done.stderr
    assert p.metric("memory_coalescing", "Executions", line=COUNTED) == EXECUTIONS


def test_json(recorded):
    _, p, _ = recorded
    kernel, = [k for k in json.loads(report(p, "--json"))["kernels"] if k["name"].startswith("hidden(")]
    found = {(u["line"], u["instruction"]): (u["count"], u["executions"]) for u in kernel["coverage"]["unexplained"]}
    assert found == {(LOOP, "global_load_dword"): (1, EXECUTIONS), (NEVER, "ds_read_b64"): (1, None)}
    assert kernel["coverage"]["contradictions"] == 0


def test_kernel_arguments(recorded):
    """A vector load of them is no access of the program's, and not one that nobody explains: it has a sentence of its own."""
    _, p, _ = recorded
    place = f"unexplained.hip:{ARGUMENTS} global_load_ushort ({3 * 2} executions)"  # wavefronts
    assert f"1 vector memory instruction reads kernel arguments, which are not counted: {place}" in " ".join(report(p).split())
    kernel, = [k for k in json.loads(report(p, "--json"))["kernels"] if k["name"].startswith("sizes(")]
    assert (kernel["coverage"]["unexplained"], kernel["coverage"]["arguments"][0]["executions"]) == ([], 3 * 2)
    assert kernel["exactness"]["executed"] == 1  # the store


def compared(recorded, database):
    program, p, log = recorded
    return lines.Comparison(lines.Report(database), lines.Report(database),
                            hardware.Code.of_program(program, p.directory), skip=0).feed(log)


def test_against_the_log(recorded):
    """What is executed is what is counted and what is named."""
    r = compared(recorded, recorded[1].database)
    assert not r.wrong
    # the load and, before the end, the store of each wavefront; that of the other kernel's
    assert (r.counted, r.not_joined) == (EXECUTIONS + 3 * 2 + 3 * 2, EXECUTIONS)


def test_the_comparison_sees_what_is_missing(recorded, tmp_path):
    database = tmp_path / "changed.db"
    shutil.copy(recorded[1].database, database)
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.execute("DELETE FROM vector_instruction WHERE instruction IN (SELECT id FROM instruction WHERE line = ?)", [LOOP])
        db.commit()
    wrong, = compared(recorded, database).wrong
    assert wrong[1] == "neither counted nor named" and wrong[-1] == EXECUTIONS
    shutil.copy(recorded[1].database, database)
    with contextlib.closing(sqlite3.connect(database)) as db:  # as if the store were executed in each round, too
        db.execute("UPDATE vector_instruction SET together = (SELECT together FROM vector_instruction v JOIN instruction i"
                   " ON i.id = v.instruction WHERE i.line = ?)", [COUNTED])
        db.commit()
    assert "together" in {w[1] for w in compared(recorded, database).wrong}
    done = profiling.call(profiling.LANESCOPE, "report", "--json", "--kernel", "hidden", database)
    assert json.loads(done.stdout)["kernels"][0]["coverage"]["contradictions"] == 2


def test_spilled_registers_are_no_accesses(programs, tmp_path):
    """Buffer instructions that access scratch memory: none is named, and none takes the place of an access in its row."""
    program = programs("spills.hip", "-O3", "--offload-arch=gfx90a")
    log = tmp_path / "access.log"
    p = Profile(tmp_path, program)
    original = Profile(tmp_path / "original", program, options=("--kernel-include-regex", "^$", "--access-log", log))
    assert (p.done.returncode, original.done.returncode) == (0, 0), p.done.stderr
    assert "no observed access explains" not in report(p)
    r = lines.Comparison(lines.Report(p.database), lines.Report(original.database),
                         hardware.Code.of_program(program, tmp_path), skip=0).feed(log)
    assert not r.wrong
    # one wavefront loads and stores 160 values in each kernel
    assert (r.counted, r.not_joined) == (2 * 2 * 160, 0)
