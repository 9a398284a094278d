"""Launches and calls that need care are observed like any other, or the database names why not."""

import json

import pytest

import profiling
from profiling import Profile

COALESCING = ("memory_coalescing", "Executions")


@pytest.fixture(scope="module")
def shapes(programs):
    return programs("shapes.hip", "-O3", "-mllvm", "-amdgpu-function-calls=true",
                    "-mllvm", "-amdgpu-early-inline-all=false")


def passed(p):
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr


def coverage(p, kernel):
    report = profiling.call(profiling.LANESCOPE, "report", "--json", "--kernel", kernel, p.database)
    assert report.returncode == 0, report.stderr
    found, = json.loads(report.stdout)["kernels"]
    return found["coverage"]["text"]


# Work-groups of 4 wavefronts: a compute unit of gfx90a holds 8 of them (32 wavefronts, 64 registers each), if the clone
# needs no more registers than that.
@pytest.mark.parametrize("per_unit,size", [(1, 64), (4, 64), (2, 256)])
def test_cooperative(per_unit, size, shapes, tmp_path):
    p = Profile(tmp_path, shapes, "cooperative", str(per_unit), str(size))
    passed(p)
    units = p.query("SELECT compute_units FROM agent")[0][0]
    rows = p.query("SELECT observed, not_observed, d.grid_x FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.name LIKE 'rotate(%'")
    assert rows == [(1, None, units * per_unit * size)]
    line = profiling.marked_line("shapes.hip", "a[i] = i;")
    assert p.metric(*COALESCING, "rotate(%", line, "store") == units * per_unit * size // 64


def test_cooperative_that_does_not_fit(shapes, tmp_path):
    """As many work-groups as the original's registers allow: the clone has more of them, or it fits as well."""
    p = Profile(tmp_path, shapes, "cooperative", "8", "256")
    passed(p)
    clone, observed, why = p.query("SELECT clone_vgprs, observed, not_observed FROM dispatch d"
                                   " JOIN kernel k ON k.id = d.kernel WHERE k.name LIKE 'rotate(%'")[0]
    # 512 registers of a SIMD for its 8 wavefronts
    assert observed == (clone <= 64), (clone, why)
    assert observed or "cooperative launch" in why and "registers" in why


def test_recursion(shapes, tmp_path):
    p = Profile(tmp_path, shapes, "recursion")
    passed(p)
    # depths of 1 to 4 by lane: the wavefront loads four times
    assert p.metric(*COALESCING, "recursive(%", profiling.marked_line("shapes.hip", "// RECURSION"), "load") == 4


def test_module_in_memory(shapes, tmp_path):
    source = tmp_path / "k.hip"
    source.write_text('#include <hip/hip_runtime.h>\nextern "C" __global__ void inc(int *p)\n'
                      "{\n    p[blockIdx.x * blockDim.x + threadIdx.x]++;\n}\n")
    code = profiling.compile_hip(tmp_path / "k.co", "--genco", "--offload-arch=gfx90a", "-O3", source)
    p = Profile(tmp_path / "out", shapes, "memory", code)
    passed(p)
    # 4 wavefronts; a load and a store of one element share a message
    assert p.query("SELECT observed, messages FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.mangled = 'inc'") == [(1, 4)] * 2


@pytest.mark.parametrize("options", [(), ("--summary-mode",)], ids=["streamed", "summary"])
def test_calls_into_another_module(options, shapes, programs, tmp_path):
    """They run without probes: the report says how often, and where."""
    other = programs("elsewhere.hip", "--genco", "-O3", "-mllvm", "-amdgpu-function-calls=true")
    p = Profile(tmp_path, shapes, "borrowed", other, options=options)
    passed(p)
    # two launches of 4 wavefronts: 16 lanes of each call a function with probes, 48 the other one
    twice, call, unknown = (profiling.marked_line("shapes.hip", mark) for mark in ("// TWICE", "// BORROWED", "// UNKNOWN"))
    assert p.metric(*COALESCING, "borrow(%", twice, "load") == 8
    assert p.metric("memory_coalescing", "Active Lanes", "borrow(%", twice, "load") == 8 * 16
    assert p.query("SELECT executions, lanes, line, s.kind FROM unprobed_call c JOIN site_view s ON s.site = c.site") == [
        (4, 4 * 48, call, "call")] * 2 + [(3, 3 * 64, unknown, "call")]
    why = f"; not: 8 calls through the pointer at shapes.hip:{call} to functions without probes"
    assert why in coverage(p, "borrow"), coverage(p, "borrow")
    why = f"not: 1 call through a pointer, 3 calls through the pointer at shapes.hip:{unknown} to functions without probes"
    assert why in coverage(p, "unknown"), coverage(p, "unknown")


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-19", "clang++-22"])
def test_calls_through_pointers(compiler, programs, tmp_path):
    """What a pointer leads to is observed, too, as far as it lies in the module."""
    flags = ["-mllvm", "-amdgpu-function-calls=true"] + (["-lamdhip64"] if compiler != "hipcc" else [])
    shapes = programs("shapes.hip", "-O3", *flags, compiler=compiler)
    for which, seen, unseen in ((0, "// TWICE", "// THRICE"), (1, "// THRICE", "// TWICE")):
        p = Profile(tmp_path / str(which), shapes, "indirect", str(which))
        passed(p)
        assert p.metric(*COALESCING, "indirect(%", profiling.marked_line("shapes.hip", seen), "load") == 1
        assert not p.metric(*COALESCING, "indirect(%", profiling.marked_line("shapes.hip", unseen), "load")
        assert p.metric(*COALESCING, "indirect(%", profiling.marked_line("shapes.hip", "// INDIRECT"), "store") == 1
        assert "pointer" not in coverage(p, "indirect"), coverage(p, "indirect")
        assert "1 of 1 memory instruction observed; not: 1 call through a pointer" in coverage(p, "unknown")
