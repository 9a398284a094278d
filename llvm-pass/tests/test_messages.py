"""Builds messages.hip with each compiler and runs test_messages on it."""
import os
import sys

import toolchain as tc
from codeobject import CodeObject

bad = 0
newest = max(tc.clangs())
jobs = [(m, "gfx90a", "-O3") for m in tc.clangs()] + [(newest, "gfx90a", o) for o in ("-O0", "-O1")]
jobs += [(newest, a, "-O3") for a in ("gfx942", "gfx950") if newest >= 19]

# What the device library leaves out of fences and cache controls, memory of the GPU may punish (soft-gpu/weak).
SEEDS = range(1, 3)


def run(major, path, arch, level, *seed):
    code, text = tc.run([os.environ["LANESCOPE_TEST_MESSAGES"], path, path + ".sites", arch, level, *seed])
    print(f"clang {major} {level}{' weak:' if seed else ''}{''.join(seed)} {text}")
    return code != 0


for major, arch, level in jobs:
    name = f"messages-{major}-{arch}{level}"
    path = tc.compile_device(major, "messages.hip", name + ".co", level, f"--offload-arch={arch}", "-c")
    section = CodeObject(path).section(".lanescope.sites")
    with open(path, "rb") as f, open(path + ".sites", "wb") as out:
        f.seek(section[4])
        out.write(f.read(section[5]))
    bad += run(major, path, arch, level)
    if major == newest and level == "-O3" and arch != "gfx950":
        bad += sum(run(major, path, arch, level, str(seed)) for seed in SEEDS)
sys.exit(bad != 0)
