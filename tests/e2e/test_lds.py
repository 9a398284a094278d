"""LDS numbers of real runs against published measurements and numbers derived by hand."""

import pytest

import profiling
from profiling import Profile

CONFLICT = ("lds_bank_conflicts", "Bank Conflict")
INDEX = ("lds_bank_conflicts", "Index Accesses")


def test_one_bank(programs, tmp_path):
    """ROCm Compute Profiler's lds.hip sample: n work-items read array[threadIdx.x * 32], all in one bank. Measured on
    MI250: n = 1 gives Index Accesses 2 and Bank Conflict 0, each further work-item adds one to both. The second half
    of the wavefront is a phase of its own, so work-item 33 is free: conflicts are n - 1 up to 32, then n - 2."""
    p = Profile(tmp_path, programs("lds_one_bank.hip", "-O3"))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    line = profiling.marked_line("lds_one_bank.hip", "MEASURED")
    for n in range(1, 65):
        conflicts = n - 1 if n <= 32 else n - 2
        kernel = f"%one_bank<{n}>%"
        assert p.metric(*INDEX, kernel, line, "load") == 2 + conflicts, n
        assert p.metric(*CONFLICT, kernel, line, "load") == conflicts, n


# SQ_LDS_BANK_CONFLICT of 64 reads by one wavefront of 64 lanes, by width and byte stride per lane; MI300X,
# amd-shark-ai docs/empirical-lds/cdna3info.md. gfx90a is modelled with the same lane groups.
MI300X = {
    "unsigned": {4: 0, 8: 128, 16: 384, 32: 896, 64: 1920, 128: 3968, 256: 3968, 512: 3968},
    "HIP_vector_type<unsigned int, 2u>": {8: 0, 16: 256, 32: 768, 64: 1792, 128: 3840, 256: 3840, 512: 3840},
    "HIP_vector_type<unsigned int, 4u>": {16: 0, 32: 512, 64: 1536, 128: 3584, 256: 3584, 512: 3584},
}


def test_strides(programs, tmp_path):
    p = Profile(tmp_path, programs("lds_strides.hip", "-O3"))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    line = profiling.marked_line("lds_strides.hip", "MEASURED")
    seen = 0
    for (kernel,) in p.query("SELECT DISTINCT name FROM kernel WHERE name LIKE '%strided_reads<%'"):
        words = kernel[kernel.index("strided_reads<") + len("strided_reads<") : kernel.index(">(")]
        kind, stride = words.rsplit(", ", 1)
        table = MI300X["unsigned" if kind == "unsigned int" else kind]
        # the copy of a vector may carry the line of its copy constructor: count the kernel's LDS loads as a whole
        assert p.metric(*CONFLICT, kernel, None, "load") == table[int(stride)], kernel
        seen += 1
    assert seen == sum(map(len, MI300X.values()))
    assert p.metric(*CONFLICT, "%strided_reads<unsigned int, 128>%", line, "load") == 3968


def test_transpose(tmp_path):
    """32 x 32 floats: a half wavefront reads a column, 32 dwords of one bank: 31 conflicts per phase, 62 per
    wavefront, 256 wavefronts. With a pitch of 33 there are none."""
    p = Profile(tmp_path, profiling.EXAMPLES / "transpose")
    assert p.done.returncode == 0, p.done.stderr
    assert p.metric(*CONFLICT, "transpose_lds(%", None, "load") == 256 * 62
    assert p.metric(*INDEX, "transpose_lds(%", None, "load") == 256 * 64
    assert p.metric(*CONFLICT, "transpose_lds(%", None, "store") == 0
    assert p.metric(*CONFLICT, "transpose_lds_padded(%") == 0
    assert p.metric(*INDEX, "transpose_lds_padded(%", None, "load") == 256 * 2
    # naive: the store goes to 32 lines of 64 bytes per wavefront, 4 would do
    assert p.metric("memory_coalescing", "Cache Lines", "transpose_naive(%", None, "store") == 256 * 32
    assert p.metric("memory_coalescing", "Cache Lines Needed", "transpose_naive(%", None, "store") == 256 * 4


@pytest.mark.parametrize("compiler,flags", [("hipcc", "-O0"), ("hipcc", "-O1"), ("clang++-22", "-O3")])
def test_transpose_other_builds(programs, tmp_path, compiler, flags):
    """The same source built otherwise has the same LDS traffic, spills of -O0 aside."""
    source = profiling.SOURCE.parent.parent / "hip-examples" / "transpose" / "transpose.hip"
    program = tmp_path / "transpose"
    words = [profiling.LANESCOPE, compiler, flags, "--offload-arch=gfx90a", source]
    if compiler != "hipcc":
        words += ["-lamdhip64"]
    done = profiling.compiled(*words, "-o", program)
    assert done.returncode == 0, done.stderr
    p = Profile(tmp_path / "out", program)
    assert p.done.returncode == 0, p.done.stderr + p.done.stdout
    assert p.metric(*CONFLICT, "transpose_lds(%", None, "load") == 256 * 62
    assert p.metric(*CONFLICT, "transpose_lds_padded(%") == 0
