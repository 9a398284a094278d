#!/usr/bin/env python3
"""What profiling adds to one dispatch, in processor time on the software GPU.

dispatches.py BUILD: prints both sides' figures and the ratio; exit code 1 when a bar is missed. Judged is the time of the
threads through which a launch goes to the GPU: by this much it comes later. The process's time has our own threads in
it, which work beside the program, and the software GPU, which executes the clone.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
LANESCOPE = BUILD / "stage" / "bin" / "lanescope"
GPU, LAUNCHES, REPEATS = "soft:gfx90a", 4000, 5
PEER = 67000  # microseconds: Omniprobe's buffers and thread for each dispatch
BARS = {"instrumented": 50, "not instrumented": 5}


def run(*command, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("LANESCOPE_")}
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env={**env, **environment})
    if done.returncode:
        sys.exit(f"{command}\n{done.stderr}")
    return done.stdout


def best(*command, **environment):
    """Least of a few runs: what disturbs only makes slower."""
    runs = [tuple(map(float, run(*command, **environment).split())) for _ in range(REPEATS)]
    return min(r[0] for r in runs), min(r[1] for r in runs)


with tempfile.TemporaryDirectory() as work:
    program, plain = pathlib.Path(work) / "probed", pathlib.Path(work) / "plain"
    source = ROOT / "bench" / "kernels" / "dispatches.hip"
    run(LANESCOPE, "hipcc", "-O3", "--offload-arch=gfx90a", source, "-o", program)
    run("hipcc", "-O3", "--offload-arch=gfx90a", source, "-o", plain)
    soft = next((BUILD / "stage").glob("lib*/**/liblanescope-softgpu.so"))
    record = [LANESCOPE, "run", "--gpu", GPU, "-d", work, "-o", "run", "--"]
    without = best(plain, LAUNCHES, LD_PRELOAD=str(soft), LANESCOPE_GPU=GPU)
    with_ = {"instrumented": best(*record, program, LAUNCHES), "not instrumented": best(*record, plain, LAUNCHES)}

missed = False
print(f"microseconds of processor time per dispatch: on its way (whole process); without: {without[0]:.1f} ({without[1]:.1f})")
for name, bar in BARS.items():
    thread, process = (w - wo for w, wo in zip(with_[name], without))
    missed |= thread > bar
    print(f"  {name:18} adds {thread:6.1f} ({process:7.1f})  bar {bar:3}  peer {PEER}, ratio {PEER / max(thread, 0.1):.0f}"
          + ("  MISSED" if thread > bar else ""))
sys.exit(missed)
