"""Textures, surfaces and HIP arrays: gfx90a's image instructions through the unmodified HIP and ROCr."""

import profiling
from profiling import Profile


def test_textures(programs):
    done = profiling.run_plain(programs("textures.hip", plugin=False))
    names = ["fetched", "pitched", "line", "plane", "volume", "layers", "surface"]
    assert (done.returncode, done.stdout) == (0, "".join(f"PASSED {name}\n" for name in names)), done.stderr


def test_image_instructions_are_not_observed(programs, tmp_path):
    p = Profile(tmp_path, programs("textures.hip"), "surface")
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED surface\n"), p.done.stderr
    report = profiling.call(profiling.LANESCOPE, "report", p.database).stdout
    # mirror() reads one surface and writes the other, and makes no other vector accesses; descriptors are scalar loads.
    assert "0 of 10 memory instructions observed; not: 8 uniform loads through the scalar cache, 1 image load, 1 image store" \
        in " ".join(report.split()), report
