#!/usr/bin/env python3
"""Registers and LDS of original kernels against their clones, and compile time without against with the plugin.

clones.py BUILD: prints both sides' figures and the ratio; exit code 1 when a clone has more static LDS than its
original, or the compile time is over the limit.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
LANESCOPE = BUILD / "stage" / "bin" / "lanescope"
EXAMPLES = ["vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"]
LIMIT = 1.5
ARGS = ["hipcc", "-O3", "--offload-arch=gfx90a", "--cuda-device-only", "-c"]
ASM = ["hipcc", "-O3", "--offload-arch=gfx90a", "--cuda-device-only", "-S"]


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}\n{done.stderr}")


def metadata(path):
    """Per kernel: VGPRs (with AGPRs), SGPRs, static LDS, scratch, from the code object metadata in the assembly text."""
    text, found = path.read_text(), {}
    kernels = text[text.index("amdhsa.kernels:"):].split("\n  - ")[1:]
    for k in kernels:
        value = {key: v for key, v in re.findall(r"\.(\w+):\s+(\S+)", k)}
        if "vgpr_count" in value:
            found[value["symbol"].removesuffix(".kd")] = [
                int(value[n]) for n in ("vgpr_count", "sgpr_count", "group_segment_fixed_size", "private_segment_fixed_size")]
    return found


def registers(work):
    bad = False
    print(f"{'kernel':58} {'VGPRs':>12} {'SGPRs':>12} {'LDS bytes':>16} {'scratch':>10}")
    sums = [0, 0]
    for name in EXAMPLES:
        out = work / f"{name}.s"
        run(LANESCOPE, *ASM, ROOT / "hip-examples" / name / f"{name}.hip", "-o", out)
        kernels = metadata(out)
        for k, o in kernels.items():
            c = kernels.get("__ls_k_" + k)
            if not c:
                continue
            sums[0] += o[0]
            sums[1] += c[0]
            bad |= c[2] != o[2]
            cells = [f"{a} -> {b}" for a, b in zip(o, c)]
            print(f"{name + ': ' + k:58.58} {cells[0]:>12} {cells[1]:>12} {cells[2]:>16} {cells[3]:>10}"
                  + ("  MORE LDS" if c[2] != o[2] else ""))
    print(f"VGPRs of all: {sums[0]} -> {sums[1]}, ratio {sums[1] / sums[0]:.2f}; LDS added: {'some' if bad else 'none'}; "
          "peer: 4 -> 46 VGPRs, 12 -> 53 SGPRs, 0 -> 8 bytes of scratch for a kernel of two lines")
    return bad


KERNEL = """
__global__ void k{i}(float *out, const float *in, int n)
{{
    __shared__ float s[256];
    int t = threadIdx.x, g = blockIdx.x * 256 + t;
    float sum = {i}.5f;
    for (int k = t; k < n; k += 256) {{
        s[t] = in[g + k] * sum;
        __syncthreads();
        sum += sinf(s[255 - t]) + s[(t * {i} + 3) & 255];
        __syncthreads();
        if (sum > 100.0f)
            sum = expf(-sum) + in[k * 2];
    }}
    out[g * 2] = sum;
    out[g * 2 + 1] = s[t];
}}
"""


def cpu_seconds(command):
    before = os.times()
    run(*command)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def compile_time(work):
    """CPU time of the fastest of seven runs each, in turns: other jobs disturb less than they do the clock."""
    source = work / "kernels.hip"
    source.write_text("#include <hip/hip_runtime.h>\n" + "".join(KERNEL.format(i=i) for i in range(1, 21)))
    whole = ["hipcc", "-O3", "--offload-arch=gfx90a", "-c", source, "-o", work / "kernels.o"]
    times = [(cpu_seconds(whole), cpu_seconds([LANESCOPE, *whole])) for _ in range(7)]
    without, with_ = (min(t) for t in zip(*times))
    print(f"compiling 20 kernels, CPU time: without {without:.2f} s, with {with_:.2f} s, ratio {with_ / without:.2f}, "
          f"limit {LIMIT}")
    return with_ > LIMIT * without


with tempfile.TemporaryDirectory() as directory:
    work = pathlib.Path(directory)
    failed = registers(work)
    print()
    failed |= compile_time(work)
sys.exit(failed)
