"""Which accesses one probe tells with a message each, against what was worked out by hand in several.ll; and that each access that
leads or stands alone has a probe of its own besides, for when the first one finds the addresses elsewhere."""
import os
import re
import sys

import toolchain as tc

SOURCE = os.path.join(tc.SOURCES, "several.ll")
KINDS = {"several": "", "shapes": "s", "loop": "l", "alike": "a"}
LED = {"led": 1}  # accesses that follow another one


def expected():
    """{kernel: ([sizes of groups], its accesses)}"""
    found = re.findall(r"^; expect: ([^\n]*)\n(?:;[^\n]*\n)*define amdgpu_kernel void @(\w+)\((.*?)^}", open(SOURCE).read(), re.M | re.S)
    return {kernel: ([n for n in sizes.split() if n != "-"], len(re.findall(r"\b(?:load|store) volatile", body)))
            for sizes, kernel, body in found}


def main():
    want, bad = expected(), 0
    assert len(want) == open(SOURCE).read().count("define ") >= 14
    for major in tc.clangs():
        code, text = tc.run([tc.tool(major, "opt"), f"-load-pass-plugin={tc.plugin(major)}", "-passes=lanescope", "-S", SOURCE])
        if code:
            sys.exit(f"opt-{major}: {code} {text[:2000]}")
        for kernel, (sizes, accesses) in want.items():
            body = re.search(rf"^define [^\n]*? @__ls_k_{kernel}\(.*?^}}", text, re.M | re.S)[0]
            got = [n + KINDS[kind] for kind, n in re.findall(rf"call .*@__ls_({'|'.join(KINDS)})(\d)\(", body)]
            alone = len(re.findall(r"call .*@__ls_(?:access|access_lds|turns)\(", body))
            if got != sizes or alone != accesses - LED.get(kernel, 0):
                bad += 1
                print(f"opt {major} {kernel}: groups {got} and {alone} probes, not {sizes} and {accesses}")
    print(f"{len(want)} kernels, LLVM {tc.clangs()}, {bad} differ")
    return bool(bad) or not tc.clangs()


sys.exit(main())
