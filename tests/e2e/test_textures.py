"""Textures, surfaces and HIP arrays: image instructions of gfx90a and gfx1030 through the unmodified HIP and ROCr."""

import profiling
from profiling import Profile

NAMES = ["fetched", "pitched", "line", "plane", "volume", "layers", "surface"]
RDNA_NAMES = ["sizes", "halves", "levels", "gathers", "surfaces", "copies"]
RDNA = ("--no-offload-arch=gfx90a", "--offload-arch=gfx1030")
GPU = "soft:gfx1030"


def passed(names):
    return "".join(f"PASSED {name}\n" for name in names)


def test_textures(programs):
    done = profiling.run_plain(programs("textures.hip", plugin=False))
    assert (done.returncode, done.stdout) == (0, passed(NAMES)), done.stderr


def test_textures_on_rdna(programs):
    for source, names in ("textures.hip", NAMES), ("textures_rdna.hip", RDNA_NAMES):
        done = profiling.run_plain(programs(source, *RDNA, plugin=False), options={"LANESCOPE_GPU": GPU})
        assert (done.returncode, done.stdout) == (0, passed(names)), done.stderr


def test_image_instructions_are_not_observed(programs, tmp_path):
    p = Profile(tmp_path, programs("textures.hip"), "surface")
    assert (p.done.returncode, p.done.stdout) == (0, passed(["surface"])), p.done.stderr
    report = profiling.call(profiling.LANESCOPE, "report", p.database).stdout
    # mirror() reads one surface and writes the other, and makes no other vector accesses; descriptors are scalar loads.
    assert "0 of 10 memory instructions observed; not: 8 uniform loads through the scalar cache, 1 image load, 1 image store" \
        in " ".join(report.split()), report


def test_profiled_on_rdna(programs, tmp_path):
    """The profiled program prints the same, images are named, and what is no image keeps its numbers. Each kernel that samples has one
    store, of 16 bytes by each of 64 items: two wavefronts of 4 cache lines in a launch. Two address modes with both filters, of normalised
    and other coordinates, and two with normalised ones alone, are 12 launches; there are 5 layers."""
    p = Profile(tmp_path, programs("textures.hip", *RDNA), "line", "layers", gpu=GPU)
    assert (p.done.returncode, p.done.stdout) == (0, passed(["line", "layers"])), p.done.stderr
    report = " ".join(profiling.call(profiling.LANESCOPE, "report", p.database).stdout.split())
    assert "2 of 2 executed memory instructions are exact (100 %)" in report, report
    said = "1 of 5 memory instructions observed; not: 3 uniform loads through the scalar cache, 1 image sample"
    assert report.count(said) == 2, report
    for kernel, launches in ("sample1<float>", 12), ("sample_layer<float>", 60):
        got = [p.metric("memory_coalescing", metric, kernel=f"%{kernel}%") for metric in ("Executions", "Cache Lines")]
        assert got == [2 * launches, 8 * launches], (kernel, got)
