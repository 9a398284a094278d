"""Debian 12's rocRAND and rocSPARSE, whose kernels were compiled by others for gfx90a and gfx1030, on both."""

import os

import pytest

import profiling

GPUS = "gfx90a", "gfx1030"
FLAGS = "-O2", "--offload-arch=gfx1030"


def needs(package, header):
    return pytest.mark.skipif(not os.path.exists(f"/usr/include/{header}"), reason=f"{package} is not installed")


def output(program, gpu, tmp_path):
    done = profiling.call(profiling.LANESCOPE, "run", "--gpu", f"soft:{gpu}", "-d", tmp_path / gpu, "--", program)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs("librocrand-dev", "rocrand/rocrand.h")
def test_rocrand(programs, tmp_path):
    """The sequences of the generators do not depend on the GPU, nor do the distributions made of them."""
    program = programs(*FLAGS, "rocrand.hip", "-lrocrand", plugin=False)
    one, other = (output(program, gpu, tmp_path) for gpu in GPUS)
    assert len(one.splitlines()) == 4 * 5
    assert one == other


@needs("librocsparse-dev", "rocsparse/rocsparse.h")
@pytest.mark.parametrize("gpu", GPUS)
def test_rocsparse(gpu, programs, tmp_path):
    program = programs(*FLAGS, "rocsparse.hip", "-lrocsparse", plugin=False)
    assert output(program, gpu, tmp_path) == "PASSED\n"
