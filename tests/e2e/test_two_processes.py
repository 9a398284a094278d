"""Clones' code from a second process: the program's variables are the same for kernels and clones, and each value is what it is without."""

import shutil

import pytest

import profiling
from profiling import Profile

# Values by site of each dispatch.
VALUES = """SELECT d.number, s.number, m.handler, m.name, v.value FROM value v JOIN dispatch d ON d.id = v.dispatch
            JOIN site s ON s.id = v.site JOIN metric m ON m.id = v.metric ORDER BY 1, 2, 3, 4"""
OBSERVED = "SELECT count(*), sum(observed) FROM dispatch"


def built(folder, setting, compiler, *options):
    """The program, with its clones' code from one process or two."""
    folder.mkdir()
    more = [] if compiler == "hipcc" else ["-lamdhip64", "-mcode-object-version=4"]
    done = profiling.call(profiling.LANESCOPE, compiler, "-O3", "--offload-arch=gfx90a", *options, *more, "-x", "hip",
                          profiling.SOURCE / "programs" / "two_processes.hip", "-o", folder / "program",
                          env=profiling.clean_environment(LANESCOPE_PROBE_BESIDE=setting))
    assert done.returncode == 0 and "lanescope" not in done.stdout + done.stderr, done.stderr
    return folder / "program"


@pytest.mark.parametrize("compiler,option", [("hipcc", "-g"), ("clang++-19", "-g"), ("clang++-22", "-g"), ("clang++-22", "-gline-tables-only")])
def test_values(tmp_path, compiler, option):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    one, two = (Profile(tmp_path / name / "out", built(tmp_path / name, setting, compiler, option))
                for name, setting in (("one", "false"), ("two", "always")))
    plain = profiling.run_plain(tmp_path / "one" / "program")
    # work<1>, <2> and <3> ran once each; visible: 0 + 1 + 2 + 3
    assert plain.returncode == 0 and plain.stdout.splitlines()[1:] == ["calls 0 1 1 1", "visible 6 6"], plain.stdout
    for p in (one, two):
        assert (p.done.returncode, p.done.stdout) == (0, plain.stdout), p.done.stderr
        assert p.query(OBSERVED)[0][1] >= 4
        assert p.query("SELECT text FROM note WHERE level = 0") == []
    # "__ls_v_": a variable of both parts
    assert b"__ls_v_" in (tmp_path / "two" / "program").read_bytes()
    assert b"__ls_v_" not in (tmp_path / "one" / "program").read_bytes()
    values = one.query(VALUES)
    assert values and two.query(VALUES) == values
    assert two.query(OBSERVED) == one.query(OBSERVED)
