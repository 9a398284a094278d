"""Stock wheels of Triton, fetched with pip into the build directory and kept there."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

BUILD = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]).resolve()
FOLDER = BUILD / "triton-wheels"
DEFAULT, ALL = ["3.2.0"], ["3.2.0", "3.4.0", "3.6.0", "3.8.0", "3.9.0"]


def versions():
    """What LANESCOPE_TRITON_VERSIONS asks for: "all", or names beside the default's."""
    asked = os.environ.get("LANESCOPE_TRITON_VERSIONS", "").replace(",", " ").split()
    return ALL if asked == ["all"] else DEFAULT + [v for v in asked if v not in DEFAULT]


def _pip(target, requirement, *options):
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", *options,
               "--target", str(partial), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{requirement}: the package index did not answer in time")
    if done.returncode:
        last = (done.stderr.strip() or "pip failed").splitlines()[-1]
        pytest.skip(f"{requirement} cannot be had (no package index, no pip, or no wheel for this Python): {last}")
    partial.rename(target)  # half a wheel never gets the name


def path(version):
    """The folder to put on PYTHONPATH for that version; skips the test when there is none to be had."""
    FOLDER.mkdir(exist_ok=True)
    target = FOLDER / version
    if not target.exists():
        _pip(target, f"triton=={version}", "--no-deps")
    return target


def numpy():
    """The folder that holds NumPy, or None when the interpreter has it."""
    if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode == 0:
        return None
    FOLDER.mkdir(exist_ok=True)
    target = FOLDER / "numpy"
    if not target.exists():
        _pip(target, "numpy")
    return target
