"""What hangs on a GPU because not all work-groups find a place hangs on the software GPU, is told, and can be ended."""

import re

import pytest

import profiling
from profiling import Profile

UNITS = 104  # MI210; 4 SIMDs of 8 wavefronts each
HALF = ("all wavefronts on the GPU wait, perhaps for work-groups that find no place: 1664 of its 3328 work-groups run; "
        "52 compute units, the queue's mask, of 104 hold at most 1664, for want of places for wavefronts; kernel meet(")
FULL = "all wavefronts on the GPU wait, and none of them can change what this one reads; only the host can end it; kernel waits("
FILL = ("it does not start: all wavefronts on the GPU wait, and leave it no place; 0 of its 1 work-groups run; "
        "104 compute units hold at most ")
MODES = {"mask": ([HALF], f"{UNITS * 32:x}"), "fill": ([FULL, FILL], "7070707")}


def said(done):
    start = "lanescope: GPU 0: no progress: "
    return [line[len(start):] for line in done.stderr.splitlines() if line.startswith(start)]


@pytest.mark.parametrize("mode", MODES)
def test_told(mode, programs):
    """The host lets them go only when it has read what is said."""
    lines, value = MODES[mode]
    done = profiling.run_plain(programs("crowded.hip", "-O2", "-g"), mode, str(len(lines)), options={"LANESCOPE_SOFT_STALL": "1"})
    assert done.returncode == 0 and done.stdout.split() == ["launching", "synchronised:", "hipSuccess", value], done.stderr
    assert len(said(done)) == len(lines), done.stderr
    for line in lines:
        assert any(line in s for s in said(done)), (line, done.stderr)


def test_ended(programs, tmp_path):
    """Nobody lets them go: --soft-stall-stop ends the kernel, which HIP answers as any fault."""
    p = Profile(tmp_path, programs("crowded.hip", "-O2", "-g"), "mask", "0",
                options=("--soft-stall", "1", "--soft-stall-stop", "--kernel-exclude-regex", "meet"))
    assert p.done.returncode in (-6, 128 + 6) and "launching" in p.done.stdout, p.done.stdout + p.done.stderr
    assert re.search(r"GPU 0: deadlock: .*1664 of its 3328 work-groups run", p.done.stderr), p.done.stderr
    assert "HSA_STATUS_ERROR_EXCEPTION" in p.done.stderr


def test_launch_returns(programs, tmp_path):
    """A launch whose counters need fresh memory returns while the GPU is full of work-groups that wait for what follows it."""
    p = Profile(tmp_path, programs("crowded.hip", "-O2", "-g"), "launch", "0",
                options=("--summary-mode", "--kernel-exclude-regex", "waits"))
    assert p.done.returncode == 0 and p.done.stdout.split()[:4] == ["launching", "synchronised:", "hipSuccess", "7"], p.done.stderr
    assert p.query("SELECT observed FROM dispatch_view WHERE kernel LIKE '%touch%'") == [(1,)]
