"""What the probes of the clone report is what the software GPU saw the original kernel do, access by access.

Each example runs three times in one process. The second run of each kernel is observed by the profiler; the third runs
the original, with the same buffers at the same addresses, and the software GPU writes every vector memory instruction
of it to its access log. Both sides are compared as multisets of (work-group, wavefront, lane, kind, address) of single
dwords (or bytes), so that it does not matter into how many instructions the back end split or merged an access.

By default every other example is built once (test_hardware_lines.py has all of them), and the program of all kinds once by each compiler, at another level; left to
LANESCOPE_TEST_ALL: each example with each compiler and level, and more levels of that program."""

import csv
import os
from collections import Counter

import pytest

import access_log
import profiling

EXAMPLES = ["vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"]
COMPILERS = ["hipcc", "clang++-19", "clang++-22"]
KINDS = [("hipcc", "-O3"), ("clang++-19", "-O1"), ("clang++-22", "-O0")]
if os.environ.get("LANESCOPE_TEST_ALL"):
    BUILDS = [(name, compiler, level) for name in EXAMPLES for compiler in COMPILERS for level in ("-O1", "-O3")]
    KINDS += [("clang++-22", "-O3"), ("hipcc", "-O1"), ("clang++-19", "-O0"), ("clang++-19", "-O3")]
else:  # compilers and levels change from one example to the next
    BUILDS = [(name, COMPILERS[i % 3], ("-O3", "-O1")[i % 2]) for i, name in enumerate(EXAMPLES) if i % 2]
SITE_KIND = {1: access_log.LOAD, 2: access_log.STORE, 3: access_log.ATOMIC, 4: access_log.ATOMIC,
             5: access_log.LOAD, 6: access_log.STORE, 7: access_log.LOAD, 8: access_log.STORE}
UNIFORM = 1 << 1  # LS_SITE_UNIFORM: the original may use a scalar load, which is no vector memory instruction


LDS_APERTURE = 1 << 16  # upper half of a flat address of LDS; Linux: amdkfd, kfd_flat_memory.c, MAKE_LDS_APP_BASE_V9


def pieces(group, wave, mask, kind, space, width, addresses, whole):
    lanes = [lane for lane in range(64) if mask >> lane & 1]
    step = 4 if width % 4 == 0 and whole else 1
    for lane, address in zip(lanes, addresses, strict=True):
        where = space
        if space == access_log.GLOBAL and address >> 32 == LDS_APERTURE:  # flat
            where, address = access_log.LDS, address & 0xFFFFFFFF
        for k in range(0, width, step):
            yield group, wave, lane, kind, where, address + k, step


def of_log(accesses, whole):
    """Vector memory accesses, and the bytes that scalar loads of each wavefront read."""
    seen, scalar = Counter(), set()
    for a in accesses:
        if a.space == access_log.SCALAR:
            scalar.update((a.workgroup, a.wave, a.addresses[0] + k) for k in range(a.bytes))
        elif a.space != access_log.SCRATCH:
            seen.update(pieces(a.workgroup, a.wave, a.exec, a.kind, a.space, a.bytes, a.addresses,
                               whole))
    return seen, scalar


def of_probes(rows, groups, whole):
    """Two counters: what must be in the log, and loads that may have been scalar."""
    seen, scalar = Counter(), Counter()
    for r in rows:
        x, y, z = (int(r[f"workgroup_{d}"]) for d in "xyz")
        flat = x + groups[0] * (y + groups[1] * z)
        space = access_log.LDS if r["space"] == "3" else access_log.GLOBAL
        found = pieces(flat, int(r["wave"]), int(r["exec"], 16), SITE_KIND[int(r["kind"])], space, int(r["bytes"]),
                       [int(a) for a in r["addresses"].split()], whole)
        (scalar if int(r["flags"]) & UNIFORM and r["kind"] == "1" else seen).update(found)
    return seen, scalar


def compile_thrice(directory, source, flags, compiler="hipcc"):
    example, wrapper, program = directory / "example.o", directory / "thrice.o", directory / "thrice"
    for command in (
        [profiling.LANESCOPE, compiler, *flags, "--offload-arch=gfx90a", "-Dmain=example_main", "-c", source, "-o", example],
        ["clang++-22", "-c", profiling.SOURCE / "programs" / "thrice.cpp", "-o", wrapper],
        [profiling.LANESCOPE, "hipcc", "--offload-arch=gfx90a", example, wrapper, "-o", program,
         "-Wl,--wrap=hipMalloc,--wrap=hipFree"],
    ):
        done = profiling.compiled(*command)
        assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("name,compiler,level", BUILDS)
def test_example(name, compiler, level, tmp_path):
    source = profiling.EXAMPLE_SOURCES / name / f"{name}.hip"
    same_accesses(compile_thrice(tmp_path, source, (level,), compiler), tmp_path)


@pytest.mark.parametrize("compiler,level", KINDS)
def test_every_kind_and_width(compiler, level, tmp_path):
    """Loads, stores, atomics, copies and buffer accesses of every width, in every memory."""
    source = profiling.SOURCE / "programs" / "accesses.hip"
    # unsafe-fp-atomics: else the code generator makes loops of a load and compare-and-swaps out of atomicAdd of float
    same_accesses(compile_thrice(tmp_path, source, (level, "-munsafe-fp-atomics"), compiler), tmp_path)


def same_accesses(program, tmp_path):
    probes, log = tmp_path / "probes.csv", tmp_path / "access.log"
    p = profiling.Profile(tmp_path / "out", program, options=(
        "--handlers", f"address_log:file={probes}", "--kernel-iteration-range", "[2]", "--access-log", log))
    assert p.done.returncode == 0, p.done.stdout + p.done.stderr

    observed = {}
    with open(probes, newline="") as f:
        for row in csv.DictReader(f):
            observed.setdefault(int(row["dispatch"]), []).append(row)
    dispatches, accesses = access_log.read(log)
    runs = Counter(d.kernel_object for d in dispatches)
    originals = {}  # kernel object -> its last dispatch; in order of first appearance
    for d in dispatches:
        if runs[d.kernel_object] == 2:
            originals[d.kernel_object] = d
    assert len(originals) == len(observed) > 0

    for number, original in zip(sorted(observed), originals.values()):
        groups = [-(-g // w) for g, w in zip(original.grid, original.workgroup)]
        # a copy's length need not be made of whole dwords
        whole = not any(int(r["kind"]) in (5, 6) for r in observed[number])
        seen, uniform = of_probes(observed[number], groups, whole)
        truth, scalar = of_log(accesses[original.number], whole)
        missing = truth - seen - uniform
        extra = seen - truth
        extra.update({u: n for u, n in (uniform - (truth - seen)).items() if (u[0], u[1], u[5]) not in scalar})
        assert not missing and not extra, (
            observed[number][0]["kernel"], "missing", missing.most_common(5), "extra", extra.most_common(5))
        assert seen
