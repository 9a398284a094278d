#!/usr/bin/env python3
"""What the check for races costs: host instructions of kernels with it off and on, counted by valgrind.

    bench/check.py BUILD [OTHER-BUILD]

OTHER-BUILD is a build from before a change: its figures are printed beside those with the check off. Instructions do
not depend on the load of the machine. The engine runs with one thread; start and decoding are in both figures.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# name, grid, work-group, arguments: bench/kernels/soft-gpu.hip
KERNELS = [
    ("saxpy", "65536", "256", ["buf:262144", "buf:262144", "f32:2", "i32:65536"]),
    ("matmul", "64,64", "16,16", ["buf:16384", "buf:16384", "buf:16384", "i32:64"]),
    ("histogram", "16384", "256", ["buf:1048576", "buf:1024"]),
]


def instructions(build, kernel, *options):
    name, grid, group, arguments = kernel
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory) / "sg-run"  # valgrind does not read the debug information of newer compilers
        subprocess.run(["strip", "-g", "-o", program, build / "stage/bin/sg-run"], check=True)
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "-t", "1", "-g", grid, "-w", group,
             *options, build / "bench/soft-gpu-gfx90a.co", name, *arguments],
            capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main():
    builds = [pathlib.Path(p) for p in sys.argv[1:3]]
    if not builds:
        sys.exit(__doc__)
    print(f"{'kernel':<12}{'off':>14}{'on':>14}{'on / off':>10}" + (f"{'other, off':>14}{'off / other':>13}" if builds[1:] else ""))
    for kernel in KERNELS:
        off, on = instructions(builds[0], kernel), instructions(builds[0], kernel, "-c", "races,uninit")
        line = f"{kernel[0]:<12}{off:>14,}{on:>14,}{on / off:>10.2f}"
        if builds[1:]:
            other = instructions(builds[1], kernel)
            line += f"{other:>14,}{off / other:>13.4f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
