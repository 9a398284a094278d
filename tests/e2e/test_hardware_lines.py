"""The numbers of a report, line by line, against those of the original kernel's instructions (hardware.py).

Each kernel runs three times: the second run is observed, the third is the original with the same memory, and the
software GPU logs its accesses."""

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

import access_log
import corpus
import hardware
import profiling

METRICS = ("Executions", "Active Lanes", "Index Accesses", "Bank Conflict", "Addr Conflict", "Bytes", "Cache Lines",
           "Cache Lines Needed", "L2 Lines", "L2 Lines Needed", "TA Requests", "Wavefronts")

KINDS = {"copy read": "load", "copy write": "store", "compare and swap": "atomic"}
EXAMPLES = ["vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"]
BUILDS = [("hipcc", "-O1"), ("hipcc", "-O3"), ("clang++-22", "-O1"), ("clang++-22", "-O3")]
KERNELS = 25  # in a corpus program
CORPORA = [(1, "hipcc", "-O3"), (2, "clang++-22", "-O3"), (3, "hipcc", "-O1"), (4, "clang++-22", "-O0")]
ALL = bool(os.environ.get("LANESCOPE_TEST_ALL"))
if ALL:
    CORPORA += [(seed, compiler, flags) for seed in range(11, 17) for compiler in ("hipcc", "clang++-22")
                for flags in ("-O0", "-O1", "-O3")]
else:
    BUILDS = BUILDS[1:3]


def reported(p):
    """{dispatch number: (mangled kernel, {(handler, metric, kind, file, line): value})} of the observed dispatches.
    Numbers that the report itself calls estimates are left out."""
    found = {n: (kernel, Counter()) for n, kernel in p.query(
        "SELECT d.number, k.mangled FROM dispatch d JOIN kernel k ON k.id = d.kernel WHERE d.observed ORDER BY 1")}
    for n, handler, metric, kind, file, line, value in p.query(
            """SELECT d.number, m.handler, m.name, s.kind, s.file, s.line, v.value FROM value v
               JOIN dispatch d ON d.id = v.dispatch JOIN metric m ON m.id = v.metric JOIN site_view s ON s.site = v.site
               WHERE s.isa_join <> 0"""):
        if metric in METRICS:
            found[n][1][handler, metric, KINDS.get(kind, kind), (file or "??").rsplit("/", 1)[-1], line or 0] += value
    return {n: (k, +v) for n, (k, v) in found.items()}


COUNTED, NOT_JOINED, NOT_OBSERVED = range(3)


def listed(p):
    """{mangled kernel: {offset of an instruction: what the report says of it}}."""
    found = {}
    for kernel, offset, observed, join in p.query(
            """SELECT k.mangled, i.offset, s.observed, s.isa_join FROM instruction i
               JOIN kernel k ON k.id = i.kernel LEFT JOIN site_view s ON s.site = i.site"""):
        found.setdefault(kernel, {})[offset] = COUNTED if join else NOT_OBSERVED if observed == 0 else NOT_JOINED
    return found


def fate(access, instructions, lines):
    """Functions that are not inlined are not listed. Those of device libraries, which have no lines, are not observed."""
    return instructions.get(access.pc_offset, COUNTED if lines[access.pc_offset][1] else NOT_OBSERVED)


def differences(have, want):
    """Lines whose numbers differ. What the line table gives no line (0) may stand on any line of the report."""
    wrong, spare = [], Counter()
    for key in {**have, **want}:
        h, w = have.get(key, 0), want.get(key, 0)
        if key[4] == 0 and not h:
            spare[key[:3]] -= w
        elif h < w:
            wrong.append((*key, h, w))
        elif h > w:
            spare[key[:3]] += h - w
    return wrong + [(*key, "lines", 0, n, 0) for key, n in spare.items() if n]


def compare(program, directory):
    """Runs the program. Returns the lines that differ as [(kernel, handler, metric, kind, file, line, reported,
    logged)], how many kernels were observed, and how many executed instructions were counted, and not joined."""
    directory.mkdir(parents=True, exist_ok=True)
    log = directory / "access.log"
    p = profiling.Profile(directory / "out", program, options=("--kernel-iteration-range", "[2]", "--access-log", log))
    assert p.done.returncode == 0, p.done.stdout + p.done.stderr
    code = hardware.Code(program, directory)
    dispatches, accesses = access_log.read(log)
    runs, originals = Counter(d.kernel_object for d in dispatches), {}
    for d in dispatches:
        if runs[d.kernel_object] == 2:
            originals[d.kernel_object] = d
    observed, instructions, wrong, counted, skipped = reported(p), listed(p), [], 0, 0
    assert len(originals) == len(observed) > 0
    for (number, (kernel, have)), original in zip(sorted(observed.items()), originals.values()):
        log = [a for a in accesses[original.number] if a.space in (access_log.LDS, access_log.GLOBAL)]
        lines = code.lines(kernel, {a.pc_offset for a in log})
        fates = [fate(a, instructions[kernel], lines) for a in log]
        known = [a for a, f in zip(log, fates) if f == COUNTED]
        counted += len(known)
        skipped += fates.count(NOT_JOINED)
        want = hardware.expected(known, lines)
        wrong += [(kernel, *d) for d in differences(have, want)]
    return wrong, len(observed), (counted, skipped)


def build(job):
    """Compiles one program; called in two threads, for compilers take nearly all of this test's time."""
    compiler, flags, source, out, thrice = job
    words = ["-std=c++17", flags, "--offload-arch=gfx90a"]
    if compiler == "hipcc":
        commands = [["hipcc", *words, source]]
    else:
        commands = [[compiler, *words, "-x", "hip", source, "-x", "none", "-lamdhip64"]]
    if thrice:
        commands = [[*commands[0][: commands[0].index(source) + 1], "-Dmain=example_main", "-c", "-o", f"{out}.o"],
                    ["hipcc", f"{out}.o", thrice, "-o", out, "-Wl,--wrap=hipMalloc,--wrap=hipFree"]]
    else:
        commands[0] += ["-o", out]
    for command in commands:
        done = profiling.call(profiling.LANESCOPE, *command)
        assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def programs(tmp_path_factory, request):
    """Programs of the selected tests."""
    wanted = {tuple(i.callspec.params.get(k) for k in ("name", "seed", "compiler", "flags") if k in i.callspec.params)
              for i in request.session.items if i.path == request.path}
    directory = tmp_path_factory.mktemp("lines")
    wrapper = directory / "thrice.o"
    done = profiling.call("clang++-22", "-c", profiling.SOURCE / "programs" / "thrice.cpp", "-o", wrapper)
    assert done.returncode == 0, done.stderr
    jobs = {}
    for name in EXAMPLES:
        for compiler, flags in BUILDS:
            source = profiling.SOURCE.parent.parent / "hip-examples" / name / f"{name}.hip"
            key = (name, compiler, flags)
            jobs[key] = (compiler, flags, source, directory / "-".join(key).replace("+", "p"), wrapper)
    for seed, compiler, flags in CORPORA:
        source = directory / f"corpus{seed}.hip"
        source.write_text(corpus.program(seed, KERNELS))
        jobs[seed, compiler, flags] = (compiler, flags, source, directory / f"corpus{seed}", None)
    jobs = {key: job for key, job in jobs.items() if key in wanted}
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(jobs, pool.map(build, jobs.values())))


@pytest.mark.parametrize("compiler,flags", BUILDS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, compiler, flags, programs, tmp_path):
    wrong, kernels, (counted, skipped) = compare(programs[name, compiler, flags], tmp_path)
    assert not wrong
    assert kernels and counted and not skipped


@pytest.mark.parametrize("seed,compiler,flags", CORPORA)
def test_corpus(seed, compiler, flags, programs, tmp_path):
    wrong, kernels, (counted, skipped) = compare(programs[seed, compiler, flags], tmp_path)
    assert not wrong
    assert kernels == KERNELS
    assert skipped * 20 <= counted
