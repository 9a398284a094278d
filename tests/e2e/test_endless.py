"""Kernels that never finish: proven, they are stopped as a deadlock; suspected, they are named on stderr and go on."""

import re

import pytest

import profiling
from profiling import Profile

STOPPED = {  # mode: what is said, mark in endless.hip, kernel
    "once": ("it reads no memory", "// ONCE", r"reads_once\(int const\*, int\*\)"),
    "before": ("it reads only LDS, which no wavefront of the work-group will change;"
               " at a barrier 3 others wait for this wavefront", "// BEFORE", r"waits_before_barrier\(int\*\)"),
}
TOLD = {
    "host": ("only the host can end it", "// HOST|// SLEEP", r"waits_for_host\(int volatile\*, int\*\)"),
    "count": ("only the host can end it", "// COUNT", r"waits_and_counts\(int volatile\*, int\*\)"),
    "lock": ("only the host can end it", "// LOCK", r"takes_lock\(int\*, int\*\)"),
    "endless": ("no path leads from this loop to its end", "// ENDLESS", r"has_no_end\(int volatile\*\)"),
}


def execute(how, program, mode, directory, **options):
    options = {"LANESCOPE_SOFT_STALL": "1", **options}
    if how == "plain":
        return profiling.run_plain(program, mode, options=options)
    return Profile(directory, program, mode, env=profiling.clean_environment(**options)).done


def check_line(done, start, mark, kernel):
    lines = [text for text in done.stderr.splitlines() if text.startswith("lanescope: GPU 0: ")]
    assert len(lines) == 1, done.stderr
    places = "|".join(str(profiling.marked_line("endless.hip", m)) for m in mark.split("|"))
    assert re.match(re.escape(f"lanescope: GPU 0: {start}"), lines[0]), lines[0]
    assert re.search(rf"; kernel {kernel}[^;]*endless\.hip:({places}):\d+; instruction \S.*; pc 0x", lines[0]), lines[0]
    assert re.search(r"; work-group \(\d+,0,0\) wave \d+ lane 0", lines[0]), lines[0]


# A probe in the loop sends a message each time round, so with it the loop of "before" changes something.
@pytest.mark.parametrize("mode,how", [("once", "plain"), ("once", "profiled"), ("before", "plain")])
def test_stopped(mode, how, programs, tmp_path):
    why, mark, kernel = STOPPED[mode]
    done = execute(how, programs("endless.hip", "-O3", "-g"), mode, tmp_path)
    assert done.returncode in (-6, 128 + 6) and done.stdout == "launching\n", done.stdout + done.stderr
    if how == "profiled":
        kernel += r" \(instrumented\)"
    check_line(done, f"deadlock: endless loop: its registers repeat, and {why}", mark, kernel)
    assert "HSA_STATUS_ERROR_EXCEPTION" in done.stderr


@pytest.mark.parametrize("mode", TOLD)
def test_told(mode, programs, tmp_path):
    """The host answers only after it has read the message from its own stderr."""
    why, mark, kernel = TOLD[mode]
    done = execute("plain", programs("endless.hip", "-O3", "-g"), mode, tmp_path)
    ended = "" if mode == "endless" else "synchronised: hipSuccess\n"
    assert (done.returncode, done.stdout) == (0, "launching\n" + ended), done.stderr
    start = "the kernel never ends" if mode == "endless" else "all wavefronts on the GPU wait"
    check_line(done, f"no progress: {start}", mark, kernel)
    assert why in done.stderr


def test_one_thread_tells_too(programs, tmp_path):
    done = execute("plain", programs("endless.hip", "-O3", "-g"), "host", tmp_path, LANESCOPE_SOFT_THREADS="1")
    assert (done.returncode, done.stdout) == (0, "launching\nsynchronised: hipSuccess\n"), done.stderr
