"""Nothing of a program of ordinary kernels is estimated."""

import pytest

from profiling import Profile

COMPILERS = {"hipcc": [], "clang++-19": ["-lamdhip64"], "clang++-22": ["-lamdhip64"]}


@pytest.mark.parametrize("compiler,level,gpu", [*((c, level, "gfx90a") for c in COMPILERS for level in ("-O1", "-O3")),
                                                ("hipcc", "-O3", "gfx1030")])
def test_everyday(programs, compiler, level, gpu, tmp_path):
    words = [] if gpu == "gfx90a" else [f"--offload-arch={gpu}"]
    p = Profile(tmp_path, programs("-g", level, *words, "everyday.hip", *COMPILERS[compiler], compiler=compiler), gpu=f"soft:{gpu}")
    assert p.done.returncode == 0, p.done.stderr
    assert "memory instructions are exact (100 %)" in p.done.stderr, p.done.stderr
    assert not p.query("SELECT file, line, kind FROM site_view WHERE isa_join = 0 AND observed")
