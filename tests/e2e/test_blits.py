"""HIP's own fill and copy kernels, done as a whole by the software GPU (soft-gpu/isa/bulk/bulk.h) and interpreted."""

import sys

import pytest

import profiling


@pytest.mark.parametrize("interpret", ["0", "1"])
def test_fills_and_copies(programs, interpret):
    done = profiling.run_plain(programs("blits.hip", plugin=False), options={"LANESCOPE_SOFT_INTERPRET": interpret})
    # Of 7 places each: 2 copies, 2 hipMemset, and 2 more of each fill whose place is a multiple of 4: (0, 0),
    # (16, 32), (4, 8), (., 16), (8, .) make 8 fills; and 4 steps with rectangles.
    assert (done.returncode, done.stdout) == (0, "72 steps agree\n"), done.stdout + done.stderr


FILLS = """
import ctypes, ctypes.util
hip, data = ctypes.CDLL(ctypes.util.find_library("amdhip64")), ctypes.c_void_p()
print(hip.hipMalloc(ctypes.byref(data), 4096), hip.hipMemset(data, 7, 4096), hip.hipDeviceSynchronize())
"""


def test_program_without_kernels_of_its_own(tmp_path):
    """It fills memory, as one whose kernels could not be compiled may have done. Nothing of it could be instrumented: nothing is advised."""
    p = profiling.Profile(tmp_path, sys.executable, "-c", FILLS)
    assert (p.done.returncode, p.done.stdout) == (0, "0 0 0\n"), p.done.stderr
    assert "the program dispatched no kernels but the runtime's own" in [note for note, in p.query("SELECT text FROM note")]
    assert "is instrumented:" not in p.done.stderr and "hipcc" not in p.done.stderr, p.done.stderr
