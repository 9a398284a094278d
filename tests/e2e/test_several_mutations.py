"""One probe of several accesses (several.h and several.c of the device library) with one of its comparisons taken out: the comparison with the
access log finds that it is missing, and nothing where all are there. They stand between a guess of the compiler plugin and
the numbers."""

import pytest

import mutants
import profiling
import test_hardware_lines

# The addresses of the first access are compared still. In the kernels `pitches` and `torn` of several.hip those of the other one
# lie elsewhere in the last work-groups, in `most` with lanes missing; in those before it they do not, so that summary mode has the entry that is then looked for.
OTHERS = "i = {}; i < n; i++)\n        off |= ballot(address[i] + (uint64_t)((int64_t){}.stride * {})"
LINES = ("several.h", OTHERS.format("from", "l[i]", "down"), OTHERS.format("from", "l[i]", "down").replace("< n", "< n / n"))
ROWS = ("several.h", OTHERS.format("0", "r[i]", "column"), OTHERS.format("0", "r[i]", "column").replace("< n", "< n / n"))
DISTANCES = ("several.h", "        off |= ballot(apart != first);\n", "")
KEY = ("several.c", "    other |= ballot(LOAD(&entry->key, WAVEFRONT) != wanted);\n", "    OPAQUE(other);\n")
SUMMARY = ("--summary-mode",)
MUTATIONS = {"nothing": ([], ()), "nothing_summary": ([], SUMMARY), "lines": ([LINES], ()), "lines_summary": ([LINES], SUMMARY),
             "distances": ([DISTANCES], ()), "rows": ([ROWS], ()), "rows_summary": ([ROWS], SUMMARY), "key": ([KEY], SUMMARY)}


def compiled(launcher, directory):
    """several.hip, whose kernels run three times each."""
    wrapper, out = directory / "thrice.o", directory / "several"
    done = profiling.call("clang++-22", "-c", profiling.SOURCE / "programs" / "thrice.cpp", "-o", wrapper)
    assert done.returncode == 0, done.stderr
    words = ["clang++-22", "-std=c++17", "-O3", "--offload-arch=gfx90a", "-Dmain=example_main"]
    for command in ([*words, profiling.SOURCE / "programs" / "several.hip", "-c", "-o", f"{out}.o"],
                    ["hipcc", f"{out}.o", wrapper, "-o", out, "-Wl,--wrap=hipMalloc,--wrap=hipFree"]):
        done = profiling.compiled(launcher, *command)
        assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation(name, tmp_path):
    changes, options = MUTATIONS[name]
    program = compiled(mutants.install(tmp_path / "mutant", changes), tmp_path)
    r = test_hardware_lines.compare(program, tmp_path / "run", *options)
    assert r.dispatches == 28
    assert bool(r.wrong) == bool(changes)
