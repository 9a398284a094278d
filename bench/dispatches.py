#!/usr/bin/env python3
"""What profiling adds to one dispatch, in processor time on the software GPU.

dispatches.py BUILD: prints both sides' figures and the ratio; exit code 1 when a bar is missed. Judged are the time of the
threads through which a launch goes to the GPU, by which it comes later, and the process's time, which has our own threads
in it, which work beside the program, and the software GPU, which executes the clone. Last, the most memory that the program
has in 10,000 launches and in 50,000: it is not to grow with their number.
"""
import os
import pathlib
import subprocess
import sys
import resource
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
LANESCOPE = BUILD / "stage" / "bin" / "lanescope"
GPU, LAUNCHES, REPEATS = "soft:gfx90a", 4000, 7
PEER = 67000  # microseconds: Omniprobe's buffers and thread for each dispatch
BARS = {"instrumented": (50, 20), "summary mode": (50, 30), "not instrumented": (5, None)}
MEMORY_BAR = 1.25


def run(*command, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("LANESCOPE_")}
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env={**env, **environment})
    if done.returncode:
        sys.exit(f"{command}\n{done.stderr}")
    return done.stdout


def best_of(commands):
    """Least of a few runs of each, in turns: what disturbs only makes slower, and a machine's speed changes from minute to minute."""
    rounds = [{name: tuple(map(float, run(*c, **env).split())) for name, (c, env) in commands.items()} for _ in range(REPEATS)]
    return {name: tuple(map(min, zip(*(r[name] for r in rounds)))) for name in commands}


def megabytes(launches, *command):
    """The most memory of the program, in a process of its own, as the system tells only the most of all children."""
    child = os.fork()
    if not child:
        run(*command, launches)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=open(f"{work}/rss", "w"))
        os._exit(0)
    os.waitpid(child, 0)
    return int(pathlib.Path(work, "rss").read_text())


with tempfile.TemporaryDirectory() as work:
    program, plain = pathlib.Path(work) / "probed", pathlib.Path(work) / "plain"
    source = ROOT / "bench" / "kernels" / "dispatches.hip"
    run(LANESCOPE, "hipcc", "-O3", "--offload-arch=gfx90a", source, "-o", program)
    run("hipcc", "-O3", "--offload-arch=gfx90a", source, "-o", plain)
    soft = next((BUILD / "stage").glob("lib*/**/liblanescope-softgpu.so"))
    record = [LANESCOPE, "run", "--gpu", GPU, "-d", work, "-o", "run", "--"]
    counting = [*record[:2], "--summary-mode", *record[2:]]
    times = best_of({"without": ([plain, LAUNCHES], {"LD_PRELOAD": str(soft), "LANESCOPE_GPU": GPU}),
                     "instrumented": ([*record, program, LAUNCHES], {}), "summary mode": ([*counting, program, LAUNCHES], {}),
                     "not instrumented": ([*record, plain, LAUNCHES], {})})
    without = times["without"]
    memory = {name: [megabytes(n, *c, program) for n in (10000, 50000)]
              for name, c in (("instrumented", record), ("summary mode", counting))}

missed = False
print(f"microseconds of processor time per dispatch: on its way (whole process); without: {without[0]:.1f} ({without[1]:.1f})")
for name, (bar, whole) in BARS.items():
    thread, process = (w - wo for w, wo in zip(times[name], without))
    late = thread > bar or (whole is not None and process > whole)
    missed |= late
    print(f"  {name:18} adds {thread:6.1f} ({process:7.1f})  bar {bar:3} ({whole or '-'})  peer {PEER}, "
          f"ratio {PEER / max(thread, 0.1):.0f}" + ("  MISSED" if late else ""))
for name, (few, many) in memory.items():
    missed |= many > MEMORY_BAR * few
    print(f"  {name:18} {few} MB with 10000 launches, {many} MB with 50000, ratio {many / few:.2f}, bar {MEMORY_BAR}"
          + ("  MISSED" if many > MEMORY_BAR * few else ""))
sys.exit(missed)
