"""Stock wheels of Triton, fetched with pip into the build directory and kept there."""

import ctypes.util
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

BUILD = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]).resolve()
FOLDER = BUILD / "triton-wheels"
WAIT = 1200  # s for a package: Triton's have 250 MB
DEFAULT, ALL = ["3.2.0"], ["3.2.0", "3.4.0", "3.6.0", "3.8.0", "3.9.0"]


def versions():
    """What LANESCOPE_TRITON_VERSIONS asks for: "all", or names beside the default's."""
    asked = os.environ.get("LANESCOPE_TRITON_VERSIONS", "").replace(",", " ").split()
    return ALL if asked == ["all"] else DEFAULT + [v for v in asked if v not in DEFAULT]


def _pip(target, requirement, *options):
    """Test programs that run beside each other fetch it once: the others wait."""
    with open(target.with_name(target.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _fetch(target, requirement, *options)


def _fetch(target, requirement, *options):
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", *options,
               "--target", str(partial), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{requirement}: the package index did not answer in time")
    if done.returncode:
        last = (done.stderr.strip() or "pip failed").splitlines()[-1]
        pytest.skip(f"{requirement} cannot be had (no package index, no pip, or no wheel for this Python): {last}")
    partial.rename(target)  # half a wheel never gets the name


def _target(name, requirement, python, *options):
    """The folder with that package for our own Python, or for another one ("3.14")."""
    FOLDER.mkdir(exist_ok=True)
    target = FOLDER / (name if python is None else f"{name}-cp{python.replace('.', '')}")
    if not target.exists():
        other = [] if python is None else ["--only-binary", ":all:", "--python-version", python]
        _pip(target, requirement, *options, *other)
    return target


def path(version, python=None):
    """The folder to put on PYTHONPATH for that version; skips the test when there is none to be had."""
    return _target(version, f"triton=={version}", python, "--no-deps")


def hip(version):
    """The library that this Triton is to take for HIP; None where the one that is installed will do (programs/hip6.c)."""
    installed = ctypes.util.find_library("amdhip64")
    if tuple(map(int, version.split(".")[:2])) < (3, 3) or not installed or hasattr(ctypes.CDLL(installed), "hipGetProcAddress"):
        return None
    made = FOLDER / "hip6" / "libamdhip64.so"
    made.parent.mkdir(parents=True, exist_ok=True)
    new = made.with_suffix(f".{os.getpid()}")
    source = pathlib.Path(__file__).resolve().parent / "programs" / "hip6.c"
    subprocess.run(["clang-22", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wl,--no-as-needed", source, f"-l:{installed}", "-o", new],
                   check=True)
    new.rename(made)
    return made


def numpy(python=None):
    """The folder that holds NumPy, or None when our own interpreter has it."""
    if python is None and subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode == 0:
        return None
    return _target("numpy", "numpy", python)


def plots(python):
    """The folder with what Triton's tutorials import besides torch, and a mpmath that the sympy of torch can use."""
    return _target("plots", "pandas", python, "matplotlib", "pytest", "mpmath<1.4")


def torch():
    """Folders to put on PYTHONPATH for a torch, which may be one for CUDA: that of this Python (none), or LANESCOPE_TORCH, made by
    pip install --target. Skips the test without either."""
    named = os.environ.get("LANESCOPE_TORCH")
    if named:
        return [named]
    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode:
        pytest.skip("no torch: install one for this Python, or name with LANESCOPE_TORCH the folder of `pip install --target FOLDER torch`")
    return []


def tutorials(version):
    """Triton's python/tutorials, which are not ours to keep: LANESCOPE_TRITON_TUTORIALS names a folder that has them as "3.2", "3.6"
    and so on. Those of the newest version that is not newer."""
    named = os.environ.get("LANESCOPE_TRITON_TUTORIALS")
    number = lambda name: tuple(map(int, name.split(".")[:2]))  # noqa: E731
    there = [p for p in pathlib.Path(named).iterdir() if p.name[:1].isdigit() and number(p.name) <= number(version)] if named else []
    if not there:
        pytest.skip("LANESCOPE_TRITON_TUTORIALS names no folder with Triton's python/tutorials of this version")
    return max(there, key=lambda p: number(p.name))


def shapes(version):
    """What test_op of the tutorial on attention gets."""
    sizes = "Z=1,H=2,N_CTX=128,HEAD_DIM=64,causal={}"
    if version.startswith("3.2"):
        return [sizes.format(True)]
    return [(sizes + ",warp_specialize=False,mode='fwd',provider='triton'").format(causal) for causal in (True, False)]


if __name__ == "__main__":  # ahead of the tests, so that these need no network
    try:
        for wanted in versions():
            path(wanted)
        numpy()
    except pytest.skip.Exception as why:
        print(f"skipped: {why}")
        sys.exit(77)
