"""A file with many kernels: accesses that one probe tells leave no others behind it to the clone. Where LLVM counts the calls of each
function for each kernel, clones call probes by aliases (ls_passes.cpp), and code generation makes of that what it makes of
direct calls."""
import os
import re
import sys

import toolchain as tc

KERNELS = 64  # from here on
HEAD = """target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
attributes #0 = { "target-cpu"="gfx90a" }
"""
KERNEL = """define amdgpu_kernel void @k{i}(ptr addrspace(1) %p) #0 {{
  %u = load volatile i32, ptr addrspace(1) %p
  ret void
}}
"""
THREE = """declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @three(ptr addrspace(1) %p, i64 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %b = getelementptr i32, ptr addrspace(1) %a, i64 %n
  %u = load i32, ptr addrspace(1) %a
  %v = load i32, ptr addrspace(1) %b
  %w = add i32 %u, %v
  store volatile i32 %w, ptr addrspace(1) %p
  ret void
}
"""
ALIAS = re.compile(r"^@(__ls_a_\w+) = internal alias .*, ptr @(\w+)$", re.M)
PROBE = "__ls_access"


def must(command):
    code, text = tc.run(command)
    if code:
        sys.exit(f"{command}: {code} {text[:2000]}")
    return text


def instrumented(major, kernels):
    path = os.path.join(tc.WORK, f"many{kernels}.ll")
    with open(path, "w") as f:
        f.write(HEAD + THREE + "".join(KERNEL.format(i=i) for i in range(kernels - 1)))
    return must([tc.tool(major, "opt"), f"-load-pass-plugin={tc.plugin(major)}", "-passes=lanescope", "-S", path])


def assembly(major, text, name):
    path = os.path.join(tc.WORK, name)
    with open(path, "w") as f:
        f.write(text)
    return must([tc.tool(major, "llc"), "-O2", path, "-o", "-"])


def probes_of_three(text):
    """Of the clone of @three, without beginning and end of the wavefront."""
    body = re.search(r"^define [^\n]*@__ls_k_three\(.*?^}", text, re.M | re.S)[0]
    return [name for name in re.findall(r"@(?:__ls_a_)?(__ls_\w+)\(", body.split("\n", 1)[1]) if name not in ("__ls_begin", "__ls_finish")]


def check_three(major, few, many):
    assert probes_of_three(few) == ["__ls_shapes3", "__ls_access", "__ls_access", "__ls_access"], (major, probes_of_three(few))
    assert probes_of_three(many) == ["__ls_group_shapes3"], (major, probes_of_three(many))


def main():
    checked = 0
    for major in tc.clangs():
        few, text = instrumented(major, KERNELS - 1), instrumented(major, KERNELS)
        check_three(major, few, text)
        assert not ALIAS.search(few), major
        aliases = dict(ALIAS.findall(text))
        if major >= 18:
            assert not aliases, major
            continue
        assert aliases.get(f"__ls_a_{PROBE}") == PROBE, aliases
        direct = re.sub(r"@__ls_a_(?=\w+\()", "@", ALIAS.sub("", text))
        assert "__ls_a_" not in direct
        got = assembly(major, text, "many.aliases.ll")
        calls = len(re.findall(rf"\b{PROBE}@rel32@lo\+4", got))
        assert calls == KERNELS - 1 and got == assembly(major, direct, "many.direct.ll"), (major, calls)
        checked += 1
    print(f"LLVM {tc.clangs()}, {checked} of them with aliases")
    return 0 if tc.clangs() else 77


sys.exit(main())
