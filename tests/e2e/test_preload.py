"""Kernel arguments that the compiler wants in registers at the start (kernarg preload), in originals and in clones."""

import re

import pytest

import profiling
from profiling import Profile

SOURCE = "preload.hip"
PASSED = "scale: PASSED\ncount: PASSED\n"


def words(count):
    return ("-O3", "-mllvm", f"-amdgpu-kernarg-preload-count={count}")


def preload_lengths(tmp_path, count):
    """SGPRs that each kernel's descriptor asks for, from the compiler's assembly."""
    text = tmp_path / "kernels.s"
    flags = ("--offload-arch=gfx90a", "-std=c++17", "--cuda-device-only", "-S", *words(count))
    profiling.compile_hip(text, *flags, SOURCE, compiler="clang++-22")
    pattern = r"\.amdhsa_kernel (\S+).*?\.amdhsa_user_sgpr_kernarg_preload_length (\d+)"
    found = re.findall(pattern, text.read_text(), re.DOTALL)
    return {name: int(length) for name, length in found}


def test_lengths(tmp_path):
    """Dwords of the arguments (pointer 2, pointer 2, short and int 2, long 2), and 2 of the clone's own where registers
    are left: 16 user SGPRs less 8 for the scratch resource, the dispatch packet and the argument block of `scale`, less 6
    for `count`, which reads no packet."""
    some, all_of_them = preload_lengths(tmp_path, 1), preload_lengths(tmp_path, 16)
    scale, count = "_Z5scalePjPKjtjy", "_Z5countPj"
    assert (some[scale], some["__ls_k_" + scale]) == (2, 2)
    assert (all_of_them[scale], all_of_them["__ls_k_" + scale]) == (8, 8)
    assert (all_of_them[count], all_of_them["__ls_k_" + count]) == (2, 4)


@pytest.mark.parametrize("count", [1, 16])
def test_preloaded_arguments(programs, tmp_path, count):
    program = programs(*words(count), SOURCE, "-lamdhip64", compiler="clang++-22")
    done = profiling.run_plain(program)
    assert (done.returncode, done.stdout) == (0, PASSED), done.stderr
    p = Profile(tmp_path, program)
    assert (p.done.returncode, p.done.stdout) == (0, PASSED), p.done.stderr
    # 3 work-groups of 16 wavefronts; a half wavefront reads 32 dwords of one bank: 31 conflicts in each of two phases
    line = profiling.marked_line(SOURCE, "MEASURED")
    assert p.metric("lds_bank_conflicts", "Bank Conflict", "scale(%", line, "load") == 3 * 16 * 62
    # 48 wavefronts of 64 dwords: 4 lines of 64 bytes each
    line = profiling.marked_line(SOURCE, "COUNTED")
    assert p.metric("memory_coalescing", "Cache Lines", "count(%", line, "load") == 48 * 4
