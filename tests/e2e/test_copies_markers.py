"""Copies and markers, which exports need beside the dispatches: complete, with times of one clock, and unchanged for the
program."""

import json
import sqlite3

import pytest

import profiling
from profiling import Profile

MIB = 1 << 20


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    directory = tmp_path_factory.mktemp("roctx")
    library = directory / "libroctx64.so"
    done = profiling.call("clang-22", "-shared", "-fPIC", "-Wl,-soname,libroctx64.so", "-o", library,
                          profiling.SOURCE / "programs" / "fake_roctx.c")
    assert done.returncode == 0, done.stderr
    return profiling.compile_hip(directory / "copies", "--offload-arch=gfx90a", "-O1", "copies.hip", "-L" + str(directory),
                                 "-lroctx64", f"-Wl,-rpath,{directory}")


def test_copies_and_markers(program, tmp_path):
    plain = profiling.run_plain(program)
    assert (plain.returncode, plain.stdout) == (0, "PASSED\n"), plain.stderr
    # 2 pushed, 1 popped; mark; 4 started, 4 stopped; mark; popped; pushed
    assert "roctx: 15 calls, depth 1, 0 open" in plain.stderr
    p = Profile(tmp_path, program)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    assert "roctx: 15 calls, depth 1, 0 open" in p.done.stderr

    copies = p.query("SELECT source IS NULL, destination IS NULL, bytes FROM copy ORDER BY number")
    assert copies == [(1, 0, 3 * MIB), (0, 1, MIB)] * 4
    assert p.query("SELECT count(*) FROM copy WHERE start_ns = 0 OR end_ns < start_ns") == [(0,)]

    markers = p.query("SELECT kind, text, end_ns IS NULL FROM marker ORDER BY start_ns, id")
    assert markers == [(1, "before HIP", 0), (1, "inner", 0), (0, 'copying, "quoted"', 0), *[(2, "round", 0)] * 4,
                       (0, "another thread", 0), (1, "never ended", 1)]
    assert p.query("SELECT count(DISTINCT thread) FROM marker") == [(2,)]
    # one clock: each round holds its two copies, and the process holds the rounds
    assert p.query("SELECT r.id, count(*) FROM marker r JOIN copy c ON c.start_ns >= r.start_ns AND c.end_ns <= r.end_ns"
                   " WHERE r.text = 'round' GROUP BY r.id ORDER BY r.start_ns")[0][1] == 2
    assert p.query("SELECT count(*) FROM copy, process WHERE copy.start_ns < process.start_ns"
                   " OR copy.end_ns > process.end_ns") == [(0,)]
    # each round launched its two copies, from its own thread
    assert p.query("SELECT count(c.id) FROM marker r JOIN copy c ON c.thread = r.thread AND c.submit_ns >= r.start_ns"
                   " AND c.submit_ns <= r.end_ns WHERE r.text = 'round' GROUP BY r.id") == [(2,)] * 4
    assert profiling.call(profiling.LANESCOPE, "check", p.database).returncode == 0
    times = json.loads(profiling.call(profiling.LANESCOPE, "report", "--json", p.database).stdout)["times"]
    assert {c["direction"]: (c["calls"], c["bytes"]) for c in times["copies"]} == {
        "HOST_TO_DEVICE": (4, 12 * MIB), "DEVICE_TO_HOST": (4, 4 * MIB)}
    ranges = {r["text"]: (r["kind"], r["calls"], r["timed"], r["copies"]) for r in times["ranges"]}
    assert ranges["round"] == ("start", 4, 4, 8) and ranges["inner"] == ("push", 1, 1, 0)
    assert ranges["before HIP"] == ("push", 1, 1, 8) and ranges["never ended"] == ("push", 1, 0, 0)
    assert times["marks"] == 2 and times["time_source"] == "software GPU"


def test_regions(tmp_path):
    """roctxProfilerPause and Resume choose what is observed; the ranges own what their thread launched."""
    program = profiling.compile_hip(tmp_path / "regions", "--offload-arch=gfx90a", "-O1", "regions.hip", "-ldl")
    plain = profiling.run_plain(program)
    assert (plain.returncode, plain.stdout) == (0, "PASSED\n"), plain.stderr
    # launches: 0 at the start, 1 after Pause, 2 after Resume, 3 after another Pause
    paused = "paused by roctxProfilerPause"
    outside = "outside the regions of roctxProfilerResume (--selected-regions)"
    query = ("SELECT not_observed FROM dispatch d JOIN kernel k ON k.id = d.kernel WHERE k.name LIKE 'touch%'"
             " ORDER BY d.number")
    p = Profile(tmp_path / "a", program)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    assert p.query(query) == [(None,), (paused,), (None,), (paused,)]
    p = Profile(tmp_path / "b", program, options=["--selected-regions"])
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    assert p.query(query) == [(outside,), (outside,), (None,), (outside,)]
    assert p.query("SELECT count(*) FROM dispatch WHERE submit_ns IS NULL OR thread IS NULL"
                   " OR submit_ns > end_ns") == [(0,)]


def test_ranges_of_threads(tmp_path):
    """What a thread left open ends with it: the system gives its number to another thread, whose launches are not in its ranges."""
    program = profiling.compile_hip(tmp_path / "threads", "--offload-arch=gfx90a", "-O1", "threads.hip", "-ldl", "-pthread")
    p = Profile(tmp_path, program)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    touches = p.query("SELECT d.submit_ns, d.thread FROM dispatch d JOIN kernel k ON k.id = d.kernel WHERE k.name LIKE 'touch%'"
                      " ORDER BY d.number")
    assert touches[0][1] != touches[1][1]
    markers = {text: (thread, start, end) for text, thread, start, end in
               p.query("SELECT text, thread, start_ns, end_ns FROM marker WHERE kind = 1")}
    for text in ("worker", "worker's inner"):
        thread, start, end = markers[text]
        assert thread == touches[0][1] and end is not None and start <= touches[0][0] <= end <= touches[1][0]
    assert markers["worker's inner"][2] <= markers["worker"][2]
    assert markers["main"][0] == touches[1][1] and markers["main"][2] is None  # the process ended, not its thread
    # as if the main thread had got the worker's number
    with sqlite3.connect(p.database) as db:
        db.execute("UPDATE dispatch SET thread = ?", (touches[0][1],))
    db.close()
    ranges = {r["text"]: r["kernels"] for r in json.loads(profiling.call(profiling.LANESCOPE, "report", "--json", p.database).stdout)
              ["times"]["ranges"]}
    assert ranges["worker"] == ranges["worker's inner"] == 1
