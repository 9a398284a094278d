"""Compilers that are newer than ROCm: what the headers and runtime of ROCm 5 expect, and these no longer do themselves."""

import os

import pytest

import profiling

BUILDS = ["clang++-22 -O3", "clang++-19 -O0"]
if os.environ.get("LANESCOPE_TEST_ALL"):
    BUILDS += ["clang++-22 -O0", "clang++-19 -O3"]


@pytest.fixture(params=BUILDS)
def built(programs, request):
    compiler, level = request.param.split()
    return lambda source: programs(level, source, "-lamdhip64", compiler=compiler)


def test_half_precision(built):
    done = profiling.run_plain(built("half.hip"))
    # 2 * 3 + 3; 1 / 2; 1 / 4; 1 / 8; the root of 2.25; 4 + 4
    assert (done.returncode, done.stdout.split()) == (0, ["9", "0.5", "0.25", "0.125", "1.5", "8"]), done.stderr


def test_atomics_that_wrap(built, tmp_path):
    # 128 increments from 0, each to 0 after 9: 128 mod 10. 128 decrements from 3, each to 9 after 0: (3 - 128) mod 10.
    # 64 increments from 0, each to 0 after 6: 64 mod 7.
    expected = (0, "8 5 1 1\n")
    program = built("wrap.hip")
    done = profiling.run_plain(program)
    assert (done.returncode, done.stdout) == expected, done.stderr
    done = profiling.Profile(tmp_path, program).done
    assert (done.returncode, done.stdout) == expected, done.stderr


def test_printing_kernel(built, tmp_path):
    expected = ["lane 0 of 42", "lane 1 of 42", "lane 2 of 42"]
    program = built("print.hip")
    done = profiling.run_plain(program)
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, expected), done.stderr
    done = profiling.Profile(tmp_path, program).done
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, expected), done.stderr
