"""Device functions that go on as each other in a circle: the tool that writes their machine code down names them and fails.

All are marked as not recursive; and of such functions LLVM tells no size of their scratch memory, but a formula.
"""
import os
import subprocess
import sys

TOOL, LLVM, WORK = os.environ["LANESCOPE_DEVICE_CODE"], os.environ["LANESCOPE_LLVM"], os.environ["LANESCOPE_TEST_DIR"]
EMPTY = "define hidden void @__ls_empty() #0 { ret void }\n"
FUNCTION = """define hidden void @__ls_{0}(i32 %x, ptr addrspace(1) %p) #0 {{
  %c = icmp eq i32 %x, {1}
  br i1 %c, label %end, label %on
end:
  ret void
on:
  store i32 {1}, ptr addrspace(1) %p
  {2}
  ret void
}}
"""
ATTRIBUTES = "attributes #0 = { noinline nounwind \"target-cpu\"=\"gfx90a\" }\n"


def written(name, calls):
    """What the tool says of functions, each of which goes on as the one that is named."""
    text = 'target triple = "amdgcn-amd-amdhsa"\n' + EMPTY
    for i, (f, to) in enumerate(calls.items()):
        text += FUNCTION.format(f, i, f"musttail call void @__ls_{to}(i32 %x, ptr addrspace(1) %p)" if to else "")
    prefix = os.path.join(WORK, name)
    with open(prefix + ".ll", "w") as f:
        f.write(text + ATTRIBUTES)
    cpu = ["-mcpu=gfx90a"]
    with open(prefix + ".regs", "w") as regs:
        subprocess.run([LLVM + "/llc", "-march=amdgcn", "-O3", "-relocation-model=pic", "-function-sections", *cpu, "-print-regusage", prefix + ".ll", "-o",
                        prefix + ".s"], check=True, stderr=regs)
    subprocess.run([LLVM + "/llvm-mc", "-triple=amdgcn-amd-amdhsa", *cpu, "-filetype=obj", prefix + ".s", "-o", prefix + ".o"], check=True)
    out = prefix + ".h"
    done = subprocess.run([TOOL, out, "gfx90a", prefix], stderr=subprocess.PIPE, text=True, timeout=60)
    assert os.path.exists(out) == (done.returncode == 0)
    return done.returncode, {w for w in done.stderr.split() if w.startswith("__ls_")}


def main():
    os.makedirs(WORK, exist_ok=True)
    assert written("row", {"a": "b", "b": "c", "c": None}) == (0, set())
    code, names = written("circle", {"a": "b", "b": "c", "c": "b"})
    assert code == 1 and {"__ls_b", "__ls_c"} <= names, names


if __name__ == "__main__":
    sys.exit(main())
