"""LANESCOPE_SOFT_COUNTS: what bench/overhead counts with. Held against the disassembly of a kernel without branches."""

import re

import profiling

LAUNCHES, WAVEFRONTS = 3, 5 * 128 // 64


def instructions(folder):
    """Of the kernel `straight`, by llvm-objdump: it has no branch, so each is executed once by each wavefront."""
    profiling.compile_hip(folder / "counted.co", "counted.hip", "-O3", "--offload-arch=gfx90a", "-c", "--cuda-device-only",
                          "--no-gpu-bundle-output", plugin=False)
    text = profiling.call("llvm-objdump-22", "-d", "--no-show-raw-insn", folder / "counted.co").stdout
    body = re.search(r"<_Z8straightPKiPi>:\n((?:\t.*\n)+)", text)[1].splitlines()
    listed = [line.split()[0] for line in body]
    assert not [name for name in listed if "branch" in name], listed
    return listed.index("s_endpgm") + 1


def test_counts(tmp_path):
    program = profiling.compile_hip(tmp_path / "counted", "counted.hip", "-O3", "--offload-arch=gfx90a", plugin=False)
    file = tmp_path / "counts"
    for _ in range(2):  # each process appends
        assert profiling.run_plain(program, options={"LANESCOPE_SOFT_COUNTS": str(file)}).returncode == 0
    lines = [line.split("\t") for line in file.read_text().splitlines()]
    executed = LAUNCHES * WAVEFRONTS * instructions(tmp_path)
    assert [line for line in lines if "straight" in line[2]] == [[str(LAUNCHES), str(executed), lines[0][2]]] * 2


def test_file_that_cannot_be_written(tmp_path):
    program = profiling.compile_hip(tmp_path / "counted", "counted.hip", "-O3", "--offload-arch=gfx90a", plugin=False)
    file = tmp_path / "none" / "counts"
    done = profiling.run_plain(program, options={"LANESCOPE_SOFT_COUNTS": str(file)})
    assert done.returncode == 0 and f"LANESCOPE_SOFT_COUNTS={file}: No such file or directory" in done.stderr
