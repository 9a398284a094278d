"""Filters let through exactly what they name, and nothing else leaves the GPU: the messages that came are counted."""

import sys

import pytest

import profiling
from profiling import Profile

sys.path.insert(0, str(profiling.SOURCE.parents[1] / "python"))
import lanescope_reader  # noqa: E402

GROUPS = [(x, y, z) for z in range(2) for y in range(3) for x in range(4)]
# Two wavefronts each; the flat number of a wavefront counts work-groups with x fastest.
ALL = [(g, w) for g in GROUPS for w in range(2)]


@pytest.fixture(scope="module")
def program(programs):
    return programs("filters.hip", "-O3")


def record(program, tmp_path, *options):
    log = tmp_path / "log.csv"
    p = Profile(tmp_path, program, options=("--handlers", f"memory_coalescing,address_log:file={log}", *options))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    return p, list(lanescope_reader.read_address_log(log))


@pytest.mark.parametrize("options,chosen", [
    ((), ALL),
    (("--blocks", "1:3,0:2,1"), [(g, w) for g, w in ALL if g[0] in (1, 2) and g[1] in (0, 1) and g[2] == 1]),
    (("--blocks", ",2:,:1"), [(g, w) for g, w in ALL if g[1] == 2 and g[2] == 0]),
    (("--blocks", "7"), []),
    (("--sample-waves", "1/5"), ALL[::5]),
    (("--sample-waves", "1/5", "--blocks", "0:2"), [a for a in ALL[::5] if a[0][0] < 2]),
])
def test_on_the_device(options, chosen, program, tmp_path):
    p, accesses = record(program, tmp_path, *options)
    for number in {a.dispatch for a in accesses if "box" in a.kernel}:
        seen = [(tuple(a.workgroup), a.wave) for a in accesses if a.dispatch == number]
        assert sorted(seen) == sorted(chosen)
    rows = p.query("SELECT d.observed, d.messages FROM dispatch d JOIN kernel k ON k.id = d.kernel WHERE k.name LIKE 'box%'")
    assert rows == [(1, len(chosen))] * 3
    executions = p.metric("memory_coalescing", "Executions", "box(%")
    assert (executions or 0) == 3 * len(chosen)


@pytest.mark.parametrize("options,code", [((), 0), (("--blocks", "1"), 0), (("--blocks", "7"), 1), (("--summary-mode", "--blocks", "1"), 0),
                                          (("--summary-mode", "--blocks", "7"), 1)])
def test_what_filters_leave_counts_as_observed(options, code, program, tmp_path):
    """There are four work-groups in a row: of 7 nothing is observed, whatever is launched."""
    done = Profile(tmp_path, program, options=(*options, "--require-observed")).done
    assert (done.returncode, done.stdout) == (code, "PASSED\n"), done.stderr
    assert ("--require-observed: no dispatch of a kernel was observed" in done.stderr) == bool(code)


def test_when_compiled(programs, tmp_path):
    """What was not named runs as it is, and is told once, not kernel by kernel; on the software GPU its instructions can be observed."""
    program = programs("filters.hip", "-O3", "--lanescope-kernels=other<int>")
    why = "left out when it was compiled (--lanescope-kernels)"
    rows = "SELECT DISTINCT k.name LIKE '%other<int>(%', d.observed, d.not_observed FROM dispatch d JOIN kernel k ON k.id = d.kernel WHERE k.name LIKE '%(%'"
    p = Profile(tmp_path, program)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    assert sorted(p.query(rows)) == [(0, 0, why), (1, 1, None)]
    told = [line for line in p.done.stderr.splitlines() if why in line]
    assert len(told) == 1 and "not observed: " in told[0] and "warning" not in told[0], p.done.stderr
    p = Profile(tmp_path, program, options=("--uninstrumented", "isa"))
    assert sorted(p.query(rows)) == [(0, 1, None), (1, 1, None)]
    assert "not counted" not in p.done.stderr and "explains" not in p.done.stderr, p.done.stderr


def test_shared_functions_when_compiled(programs, tmp_path):
    """64 lanes store 4 bytes side by side: 256 bytes, 4 cache lines of 64; every second word is 512 bytes, 8 lines. The kernel that is left out
    comes first, and reaches the function, too."""
    program = programs("callers.hip", "-O1", "-mllvm", "-amdgpu-early-inline-all=false", "-mllvm", "-amdgpu-function-calls=true",
                       "--lanescope-kernels=^second_caller")
    p = Profile(tmp_path, program)
    lines = p.query("SELECT line, value FROM line_view WHERE metric = 'Cache Lines' ORDER BY value")
    assert lines == [(profiling.marked_line("callers.hip", "// put"), 4), (profiling.marked_line("callers.hip", "// every second"), 8)]


def test_choices_that_are_none(tmp_path):
    for option, told in (("--lanescope-kernels", "a regular expression behind = is expected"), ("--lanescope-kernels=", "a regular expression behind = is expected"),
                         ("--lanescope-kernels=(", "a POSIX extended regular expression (")):
        done = profiling.call(profiling.LANESCOPE, "hipcc", option, "-c", "x.hip")
        assert (done.returncode, f"{option}: {told}" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("options,box,other,why", [
    (("--kernel-include-regex", "^box"), [1, 1, 1], [0], "left out by --kernel-include-regex or --kernel-exclude-regex"),
    (("--kernel-exclude-regex", "other<int>"), [1, 1, 1], [0], "left out by --kernel-include-regex or --kernel-exclude-regex"),
    (("--kernel-include-regex", "box|other", "--kernel-exclude-regex", "x"), [0, 0, 0], [1], "left out by --kernel-include-regex or --kernel-exclude-regex"),
    (("--kernel-iteration-range", "[2],[3-9]"), [0, 1, 1], [0], "outside --kernel-iteration-range"),
])
def test_before_the_swap(options, box, other, why, program, tmp_path):
    """What is left out runs as the original: no message, no chunk, and the reason in its row."""
    p, _ = record(program, tmp_path, *options)
    for name, expected in (("%box(%", box), ("%other<int>(%", other)):
        rows = p.query("SELECT observed, not_observed, chunks, messages FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                       " WHERE k.name LIKE ? ORDER BY d.number", name)
        assert [r[0] for r in rows] == expected, rows
        for observed, reason, chunks, messages in rows:
            assert (reason is None and chunks and messages) if observed else (reason, chunks, messages) == (why, 0, 0)
