"""tinygrad's AMD backend, a client that talks to the driver without ROCr: by ioctls, AQL packets with PM4 in indirect
buffers, and SDMA. It knows gfx942 and gfx950. Needs the package tinygrad, which Debian does not have."""
import os
import shutil
import subprocess
import sys

import profiling
import pytest

PYTHON = os.environ.get("LANESCOPE_TINYGRAD_PYTHON", sys.executable)
LLVM = "/usr/lib/llvm-22"  # tinygrad calls its clang and loads its library


@pytest.mark.parametrize("gpu", ["gfx942", "gfx950"])
def test_tinygrad(gpu, tmp_path):
    if subprocess.run([PYTHON, "-c", "import tinygrad"], capture_output=True).returncode:
        pytest.skip(f"{PYTHON} has no package tinygrad: install it there, or name another in LANESCOPE_TINYGRAD_PYTHON")
    if not shutil.which("clang", path=f"{LLVM}/bin"):
        pytest.skip(f"no {LLVM}/bin/clang for tinygrad")
    client = profiling.SOURCE / "programs" / "tinygrad_client.py"
    done = profiling.run_plain(PYTHON, client, options={
        "LANESCOPE_GPU": f"soft:{gpu}x2", "DEV": "KFD+AMD:LLVM", "PATH": f"{LLVM}/bin:" + os.environ["PATH"],
        "LLVM_PATH": f"{LLVM}/lib/libLLVM.so.1",
        "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)})
    names = ["add", "matrix cores", "graph", "two GPUs"]
    assert (done.returncode, done.stdout) == (0, "".join(f"PASSED {n}\n" for n in names)), done.stderr
