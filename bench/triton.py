#!/usr/bin/env python3
"""What instrumenting adds to Triton's own compile time, for each kernel of triton-plugin/tests/programs/compile_only.py: the
time that one waits, and the processor's, which is more: our plugin works beside Triton's code generator.

    PYTHONPATH=<folder with a triton wheel> bench/triton.py [--build build] [--gpu gfx942] [--rounds 3]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BAR = 1.5  # what instrumenting adds may be this many times the stock compile


def compiled(gpu, hook):
    """{kernel: (seconds, processor seconds)}, with an empty cache. `hook`: the folder of lanescope_triton, or None."""
    with tempfile.TemporaryDirectory() as cache:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE_", "TRITON_"))}
        path = [hook] * bool(hook) + [env.get("PYTHONPATH", "")]
        env.update(TRITON_CACHE_DIR=cache, PYTHONPATH=os.pathsep.join(map(str, path)), TRITON_HIP_LLD_PATH="/usr/bin/ld.lld-22")
        done = subprocess.run([sys.executable, SOURCE / "triton-plugin/tests/programs/compile_only.py", gpu], env=env,
                              capture_output=True, text=True, timeout=900)
    if done.returncode:
        sys.exit(done.stderr)
    made = [json.loads(line) for line in done.stdout.splitlines()]
    if any(m["clone"] != bool(hook) for m in made):
        sys.exit(f"clones where none are expected, or none where some are: {done.stderr}")
    return {m["kernel"]: (m["wall"], m["seconds"]) for m in made}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    p.add_argument("--gpu", default="gfx942")
    p.add_argument("--rounds", type=int, default=3)
    args = p.parse_args()
    hook = next((args.build.resolve() / "stage").glob("lib*/**/python"))
    best = {}
    for _ in range(args.rounds):  # in turns, the best of each: the machine has other work
        for which in (None, hook):
            for kernel, times in compiled(args.gpu, which).items():
                best[kernel, which] = tuple(map(min, times, best.get((kernel, which), times)))
    for kernel, which in best:
        if which is None:
            said = []
            for what, stock, ours in zip(("waiting", "processor"), best[kernel, None], best[kernel, hook]):
                added = (ours - stock) / stock
                said.append(f"{what} {stock:.3f} s, with clone {ours:.3f} s: adds {added:.2f} times "
                            f"({'met' if added <= BAR else 'NOT met'}: at most {BAR})")
            print(f"{kernel}: {'; '.join(said)}")


main()
