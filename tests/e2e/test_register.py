"""Newer runtimes may hand their tables to tools through rocprofiler-register instead of HSA_TOOLS_LIB."""

import pytest

import profiling
from profiling import Profile

PASSED = "transpose_naive: PASSED\ntranspose_lds: PASSED\ntranspose_lds_padded: PASSED\n"


@pytest.mark.parametrize("preloaded", [True, False])
def test_rocprofiler_configure(tmp_path, preloaded):
    """Nobody calls OnUnload then: what ends the recording is the preloaded library, or the end of the process."""
    register = tmp_path / "register.so"
    source = profiling.SOURCE / "programs" / "register_tool.c"
    done = profiling.call("clang-22", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", source, "-o", register)
    assert done.returncode == 0, done.stderr
    program = profiling.EXAMPLES / "transpose"
    stage = profiling.BUILD / "stage"
    soft, preload, tool = (next(stage.glob(f"lib*/**/liblanescope-{n}.so")) for n in ("softgpu", "preload", "hsa"))
    before = [preload] if preloaded else []
    env = profiling.clean_environment(
        LANESCOPE_GPU=profiling.GPU, LANESCOPE_OUTPUT=str(tmp_path / "x.db"), LANESCOPE_LOG="debug",
        LANESCOPE_MODULE_DIR=str(tool.parent / "handlers"), HSA_TOOLS_LIB=str(register), REGISTER_TOOL=str(tool),
        LD_PRELOAD=":".join(map(str, [*before, register, soft])),
    )
    done = profiling.call(program, env=env)
    assert (done.returncode, done.stdout) == (0, PASSED), done.stderr
    assert "client lanescope wants tables" in done.stderr
    assert "loaded through rocprofiler-register" in done.stderr
    p = Profile.__new__(Profile)
    p.done, p.databases = done, [tmp_path / "x.db"]
    assert p.query("SELECT value FROM meta WHERE key = 'state'") == [("complete",)]
    assert p.metric("lds_bank_conflicts", "Bank Conflict", "transpose_lds(%", None, "load") == 256 * 62  # test_lds.py
