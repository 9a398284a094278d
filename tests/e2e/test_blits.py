"""HIP's own fill and copy kernels, done as a whole by the software GPU (soft-gpu/isa/bulk/bulk.h) and interpreted."""

import pytest

import profiling


@pytest.mark.parametrize("interpret", ["0", "1"])
def test_fills_and_copies(programs, interpret):
    done = profiling.run_plain(programs("blits.hip", plugin=False), options={"LANESCOPE_SOFT_INTERPRET": interpret})
    # Of 7 places each: 2 copies, 2 hipMemset, and 2 more of each fill whose place is a multiple of 4: (0, 0),
    # (16, 32), (4, 8), (., 16), (8, .) make 8 fills; and 4 steps with rectangles.
    assert (done.returncode, done.stdout) == (0, "72 steps agree\n"), done.stdout + done.stderr
