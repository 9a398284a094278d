"""Triton's own tutorials, as they are, with a torch that knows no ROCm (wheels.py says where from), in the default environment: they
compare with torch themselves, and each observed line's numbers are compared with the log of a run that observes nothing."""

import os
import sys

import pytest

import module_text
import test_wheels
import wheels

sys.path.insert(0, str(test_wheels.PROGRAMS.parents[2] / "tests" / "e2e"))
import hardware  # noqa: E402
import lines  # noqa: E402

NAMES = ["01-vector-add", "02-fused-softmax", "03-matrix-multiplication", "05-layer-norm", "06-fused-attention"]
# Work-groups of layer norm's backward pass wait for each other: how often is another number in each run.
WAITING = "05-layer-norm"


def run(folder, version, tutorial, *options, kept="run", untuned=("--untuned",)):
    env = test_wheels.environment(version, folder / "cache", front=())
    env["PYTHONPATH"] = os.pathsep.join([str(wheels.path(version)), *map(str, wheels.torch()), env["PYTHONPATH"]])
    env["MPLBACKEND"] = "Agg"
    shapes = wheels.shapes(version) if tutorial == NAMES[-1] else []
    # what benchmarks draw goes into the current folder
    done = test_wheels.call(["env", "-C", folder, test_wheels.STAGE / "bin/lanescope", "run", "--gpu", "soft:gfx90a", "-d", folder, "-o", kept, *options, "--",
                             sys.executable, test_wheels.PROGRAMS / "tutorial.py", *untuned,
                             wheels.tutorials(version) / f"{tutorial}.py", *shapes], env)
    assert done.returncode == 0 and "differ\n" not in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("right") == len(shapes), done.stdout
    return done


@pytest.mark.parametrize("version", wheels.versions())
@pytest.mark.parametrize("tutorial", NAMES)
def test_numbers(tutorial, version, tmp_path):
    if wheels.hip(version) and "tl.num_programs(" in (wheels.tutorials(version) / f"{tutorial}.py").read_text():
        pytest.skip("it asks how many programs there are, for which programs/hip6.c has no hidden arguments; test_roots.py runs it")
    done = run(tmp_path, version, tutorial)
    assert "torch has no ROCm here" in done.stderr and "the stock kernel runs" not in done.stderr
    if tutorial == WAITING:
        return
    log = tmp_path / "access.log"
    run(tmp_path, version, tutorial, "--kernel-iteration-range", "[1000000]", "--access-log", log, kept="logged")
    images = [hardware.Code(path.read_bytes(), tmp_path / f"{i}.co") for i, path in enumerate(tmp_path.glob("cache/*/*.hsaco"))]
    ours, logged = (lines.Report(tmp_path / f"{name}_srclines.db") for name in ("run", "logged"))
    result = lines.Comparison(ours, logged, images, skip=0, accessed=module_text.accessed_in(tmp_path / "cache")).feed(log)
    assert not result.wrong and result.dispatches and result.counted


@pytest.mark.parametrize("version", wheels.versions())
def test_what_was_chosen(version, tmp_path):
    """The autotuner measures unobserved, and the report names its choice."""
    run(tmp_path, version, "03-matrix-multiplication", untuned=())
    told = test_wheels.call([test_wheels.STAGE / "bin/lanescope", "report", tmp_path / "run_srclines.db"], dict(os.environ)).stdout
    words = " ".join(told.split())
    assert "the autotuner of matmul_kernel chose BLOCK_SIZE_M" in words and "measured by an autotuner" in words, words
