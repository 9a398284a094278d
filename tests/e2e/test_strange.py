"""Programs that treat themselves badly, launches of odd shapes and names: the run is as without us, and recorded."""

import sqlite3

import pytest

import profiling
from profiling import Profile


@pytest.fixture(scope="module")
def strange(programs):
    return programs("strange.hip", "-O3")


def filled(databases):
    """Observed dispatches of fill, and whether each database is complete."""
    counts, states = [], set()
    for file in databases:
        with sqlite3.connect(file) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            states |= {state for (state,) in db.execute("SELECT value FROM meta WHERE key = 'state'")}
            counts.append(db.execute("SELECT count(*) FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                                     " WHERE k.name LIKE 'fill(%' AND observed").fetchone()[0])
            assert profiling.call(profiling.LANESCOPE, "check", file).returncode == 0
    return sorted(counts), states


@pytest.mark.parametrize("how,code,output,counts", [
    ("plain", 3, "done\n", [2]),
    ("descriptors", 3, "done\n", [2]),
    ("directory", 3, "done\n", [2]),
    ("few", 3, "done\n", [2]),
    ("quick_exit", 7, "", [2]),
    ("thread", 11, "", [2]),
    ("child", 3, "done\n", [3]),
    ("child that aborts", 3, "done\n", [3]),
    ("shell", 3, "shell\ndone\n", [2]),
    ("execute", 3, "done\n", [2, 2]),
    ("execute twice", 3, "done\n", [2, 2, 2]),
])
def test_recorded_to_the_end(how, code, output, counts, strange, tmp_path):
    p = Profile(tmp_path, strange, how)
    assert (p.done.returncode, p.done.stdout) == (code, output), p.done.stderr
    assert filled(p.databases) == (counts, {"complete"})
    assert not list(tmp_path.glob("*.partial"))
    assert sorted(tmp_path.iterdir()) == p.databases  # nothing else was left there


def test_environment_cleared(strange, tmp_path):
    """What tells the runtime to load us stands in the environment: without it nothing is recorded, and that is said."""
    p = Profile(tmp_path, strange, "environment")
    assert (p.done.returncode, p.done.stdout) == (3, "done\n"), p.done.stderr
    assert p.databases == [] and "cleared its environment" in p.done.stderr, p.done.stderr


@pytest.mark.parametrize("how,signal", [("abort", 6), ("crash", 11), ("terminate", 15), ("throw", 6)])
def test_killed(how, signal, strange, tmp_path):
    """The same death as alone; the recording is valid and says that it is not whole."""
    plain = profiling.run_plain(strange, how)
    p = Profile(tmp_path, strange, how)
    assert plain.returncode == -signal and p.done.returncode in (-signal, 128 + signal), p.done.stderr
    assert p.done.stdout == plain.stdout
    counts, states = filled(list(tmp_path.glob("*.partial")))
    # commits are a tenth of a second apart: the last dispatches may be missing
    assert counts[0] <= 2 and states == {"partial"}


def test_shapes_and_names(strange, tmp_path):
    p = Profile(tmp_path, strange, "shapes")
    assert (p.done.returncode, p.done.stdout) == (3, "refused\ndone\n"), p.done.stderr
    assert p.query("SELECT count(*), sum(observed) FROM dispatch") == [(2 + 6, 2 + 6)]
    executions = ("memory_coalescing", "Executions")
    # 200 of 256 work-items: 4 wavefronts, the last with 8 lanes; twice. 1024: 16. n = 0: none.
    assert p.metric(*executions, "fill(%") == 2 * 4 + 16
    assert p.metric("memory_coalescing", "Active Lanes", "fill(%") == 2 * 200 + 1024
    # 24 work-groups of 210 work-items in 4 wavefronts
    assert p.metric(*executions, "cube(%") == 24 * 4
    assert p.metric("memory_coalescing", "Active Lanes", "cube(%") == 24 * 210
    names = {n for (n,) in p.query("SELECT name FROM kernel WHERE name LIKE '%füllen%'")}
    assert names == {"void größe::füllen<float, 3>(größe::盒子<float, 3>*)",
                     "void größe::füllen<unsigned char, 5>(größe::盒子<unsigned char, 5>*)"}
    report = profiling.call(profiling.LANESCOPE, "report", "--kernel", "füllen<float", p.database)
    assert "void größe::füllen<float, 3>" in report.stdout and "char" not in report.stdout, report.stdout


@pytest.mark.parametrize("times", [1, 2])
def test_runtime_that_the_program_closes(times, tmp_path):
    """A program that opens HIP and closes it takes ROCr away, too, without a word; the program's end must not miss it."""
    program = tmp_path / "closes_hip"
    done = profiling.call("clang-22", "-O1", "-Wall", "-o", program, profiling.SOURCE / "programs" / "closes_hip.c", "-ldl")
    assert done.returncode == 0, done.stderr
    p = Profile(tmp_path, program, times)
    assert (p.done.returncode, p.done.stdout) == (0, "closed\n" * times), p.done.stderr
    assert p.query("SELECT value FROM meta WHERE key = 'state'") == [("complete",)]
