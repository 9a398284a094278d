#!/usr/bin/env python3
"""Programs with many small kernels: compile time without and with the plugin, with one kernel chosen, and run time alone and recorded.

many.py BUILD [KERNELS...]: elapsed time of the fastest of a few runs each, in turns; both sides and their ratio, and that of processor
time, since the plugin may use a second processor. Running is measured by processor time alone. Exit code 1 when a bar is missed. Compiling without is the compiler's own steps of the command, without plugin and line tables; what
hipcc takes as one types it, with its own account of the machine, stands beside it.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
COUNTS = [int(n) for n in sys.argv[2:]] or [20, 130, 1500]
LANESCOPE = BUILD / "stage" / "bin" / "lanescope"
COMPILERS = {"LLVM 15": ["hipcc"], "LLVM 22": ["clang++-22", "-x", "hip"]}
GPU = "soft:gfx90a"
RUN_BAR = 3.0

ONE = "--lanescope-kernels=^k0\\("

KERNEL = ("__global__ void k{i}(float *o, const float *a) {{ __shared__ float s[64]; s[threadIdx.x] = a[threadIdx.x + {i}]; "
          "__syncthreads(); o[threadIdx.x] = s[63 - threadIdx.x] * {i}.f; }}\n")
MAIN = ("int main() { float *p; if (hipMalloc(&p, 65536)) return 1; k0<<<1, 64>>>(p, p + 4096); "
        "return hipDeviceSynchronize(); }\n")


def bar(kernels):
    return 1.25 if kernels <= 20 else 1.5


def seconds(*commands, **environment):
    """Elapsed and of processors."""
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("LANESCOPE_")}, **environment}
    before, began = os.times(), time.monotonic()
    for command in commands:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=env)
        if done.returncode:
            sys.exit(f"{command}\n{done.stderr}")
    after, ended = os.times(), time.monotonic()
    return ended - began, after.children_user + after.children_system - before.children_user - before.children_system


def least(times):
    return tuple(map(min, zip(*times)))


def steps(command, work):
    """The compiler's own commands for it, without the plugin and what the wrapper asks for on its account."""
    shown = subprocess.run([str(c) for c in (*command, "-###")], capture_output=True, text=True).stderr
    temporary, result = {}, []
    for line in shown.splitlines():
        if not line.startswith(' "'):
            continue
        words = [w for w in shlex.split(line) if not w.startswith(("-fpass-plugin=", "-debug-info-kind=", "-dwarf-version="))]
        # Files that -### names are not made: they get names of ours.
        for i, word in enumerate(words):
            head, equals, path = word.rpartition("=")
            if path.startswith("/tmp/") and not path.startswith(str(work)):
                words[i] = head + equals + temporary.setdefault(path, str(work / f"t{len(temporary)}{pathlib.Path(path).suffix}"))
        result.append(words)
    return result


def compiling(work, name, compiler, kernels, source, repeats):
    command = [LANESCOPE, *compiler, "-O3", "--offload-arch=gfx90a", "-c", source, "-o", work / "many.o"]
    plain = steps(command, work)
    typed = [command[1:]] if compiler[0] == "hipcc" else plain  # newer compilers do not find Debian's ROCm by themselves
    chosen = [*command[:len(compiler) + 1], ONE, *command[len(compiler) + 1:]]
    times = [(seconds(*plain), seconds(*typed), seconds(command), seconds(chosen)) for _ in range(repeats)]
    (without, used), (alone, _), (with_, used_with), (one, _) = (least(t) for t in zip(*times))
    missed = with_ > bar(kernels) * without
    print(f"compiling {kernels:5} kernels, {name}: without {without:6.2f} s, with {with_:6.2f} s, "
          f"ratio {with_ / without:.2f}, bar {bar(kernels)}" + ("  MISSED" if missed else "") +
          f"; processor time {used:.2f} and {used_with:.2f} s, ratio {used_with / used:.2f}" +
          f"; one kernel chosen {one:.2f} s, ratio {one / without:.2f}" +
          (f"; hipcc as one types it {alone:.2f} s, ratio {with_ / alone:.2f}" if typed != plain else ""), flush=True)
    return missed


def running(work, kernels, source):
    program = work / "many"
    soft = next((BUILD / "stage").glob("lib*/**/liblanescope-softgpu.so"))
    seconds([LANESCOPE, "hipcc", "-O3", "--offload-arch=gfx90a", source, "-o", program])
    record = [LANESCOPE, "run", "--gpu", GPU, "--no-summary", "-d", work, "-o", "run", "--", program]
    times = [(seconds([program], LD_PRELOAD=str(soft), LANESCOPE_GPU=GPU), seconds(record)) for _ in range(5)]
    (_, alone), (_, recorded) = (least(t) for t in zip(*times))
    missed = recorded > RUN_BAR * alone
    print(f"one launch of {kernels:5} kernels: alone {alone:.2f} s, recorded {recorded:.2f} s, ratio {recorded / alone:.2f}, "
          f"bar {RUN_BAR}" + ("  MISSED" if missed else ""), flush=True)
    return missed


with tempfile.TemporaryDirectory() as directory:
    work = pathlib.Path(directory)
    failed = False
    for kernels in COUNTS:
        source = work / f"many{kernels}.hip"
        source.write_text("#include <hip/hip_runtime.h>\n" + "".join(KERNEL.format(i=i) for i in range(kernels)) + MAIN)
        for name, compiler in COMPILERS.items():
            if shutil.which(compiler[0]):
                failed |= compiling(work, name, compiler, kernels, source, 7 if kernels < 100 else 3 if kernels < 1000 else 2)
    failed |= running(work, COUNTS[-1], source)
sys.exit(failed)
