"""Nothing of a program of ordinary kernels is estimated."""

import pytest

from profiling import Profile

COMPILERS = {"hipcc": [], "clang++-19": ["-lamdhip64"], "clang++-22": ["-lamdhip64"]}


@pytest.mark.parametrize("level", ["-O1", "-O3"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_everyday(programs, compiler, level, tmp_path):
    p = Profile(tmp_path, programs("-g", level, "everyday.hip", *COMPILERS[compiler], compiler=compiler))
    assert p.done.returncode == 0, p.done.stderr
    assert "memory instructions are exact (100 %)" in p.done.stderr, p.done.stderr
    assert not p.query("SELECT file, line, kind FROM site_view WHERE isa_join = 0 AND observed")
