"""instruction_mix against what the software GPU executes: totals, and the instructions of its access log."""

import collections
import json
import re

import pytest

import access_log
import profiling
from profiling import Profile

KERNELS = ["branches", "divergent_loop", "nested", "early", "reduce", "choice"]
GRID, WORKGROUP, BYTES, N = 512, 128, 1 << 16, 10  # as in mix.hip
SG_RUN = profiling.BUILD / "stage" / "bin" / "sg-run"
VALUES = """SELECT m.name, v.value FROM dispatch_value v JOIN metric m ON m.id = v.metric JOIN dispatch d ON d.id = v.dispatch
            JOIN kernel k ON k.id = d.kernel WHERE m.handler = 'instruction_mix' AND k.mangled = ?"""
# kinds and spaces of the access log
CLASSES = {(access_log.LOAD, access_log.GLOBAL): "VMEM Load", (access_log.STORE, access_log.GLOBAL): "VMEM Store",
           (access_log.ATOMIC, access_log.GLOBAL): "VMEM Atomic"}


@pytest.fixture(scope="module", params=["", "=only"])
def recorded(request, programs, tmp_path_factory):
    directory, flag = tmp_path_factory.mktemp("mix"), f"--lanescope-blocks{request.param}"
    p = Profile(directory, programs("mix.hip", "-O3", flag), options=("--handlers", "instruction_mix"))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    bundle = profiling.compile_hip(directory / "mix.co", "--offload-arch=gfx90a", "-std=c++17", "--genco", "-O3", flag,
                                   "mix.hip")
    code = directory / "mix.elf"
    done = profiling.call("clang-offload-bundler-22", "--unbundle", "--type=o", f"--input={bundle}", f"--output={code}",
                          "--targets=hipv4-amdgcn-amd-amdhsa--gfx90a")
    assert done.returncode == 0, done.stderr
    (directory / "zero").write_bytes(bytes(BYTES))
    return p, code, directory


def run_original(recorded, kernel):
    """Executed wavefront instructions and the access log of the original, which has no probes."""
    _, code, directory = recorded
    log = directory / f"{kernel}.log"
    done = profiling.call(SG_RUN, "-a", "gfx90a", "-g", GRID, "-w", WORKGROUP, "-T", "-L", log, code, kernel,
                          f"buf:{BYTES}={directory / 'zero'}", f"i32:{N}")
    assert done.returncode == 0, done.stderr
    _, accesses = access_log.read(log)
    return int(re.search(r"(\d+) wavefront instructions", done.stderr)[1]), accesses[0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_totals(recorded, kernel):
    total, accesses = run_original(recorded, kernel)
    values = dict(recorded[0].query(VALUES, kernel))
    if kernel == "choice":  # the compiler keeps in registers where to go next, in blocks of its own making
        assert values["Instructions Without Count"] > 0 and values["Instructions"] < total
    else:
        assert values["Instructions Without Count"] == 0
        assert values["Instructions"] == total
    # The log has one access for each part of an instruction, and none of those without a lane.
    logged = collections.Counter()
    for a in accesses:
        if a.part == 0:
            logged["LDS" if a.space == access_log.LDS else CLASSES.get((a.kind, a.space), "SMEM")] += 1
    for name in ("VMEM Load", "VMEM Store", "VMEM Atomic", "LDS"):
        assert values[name] == logged[name], name


@pytest.mark.parametrize("kernel", KERNELS)
def test_lines(recorded, kernel):
    """The rows add up to the totals, class by class."""
    p = recorded[0]
    rows = p.query("""SELECT r.json FROM handler_row r JOIN dispatch d ON d.id = r.dispatch JOIN kernel k ON k.id = d.kernel
                      WHERE r.handler = 'instruction_mix' AND k.mangled = ?""", kernel)
    sums = collections.Counter()
    for (text,) in rows:
        row = json.loads(text)
        assert row.pop("place").count(":") == 1
        assert row["Instructions"] == sum(v for k, v in row.items() if k != "Instructions")
        sums.update(row)
    values = dict(p.query(VALUES, kernel))
    assert all(sums[name] == value for name, value in values.items() if name != "Instructions Without Count")


def test_not_compiled_for_it(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "vector_add", options=("--handlers", "instruction_mix"))
    assert p.done.returncode == 0
    assert "compile with --lanescope-blocks" in p.done.stderr
