"""Clones' machine code from a second process (ls_beside.c): when there is one, and what happens where it cannot help."""
import os
import shlex
import subprocess
import sys

import toolchain as tc
from codeobject import CodeObject

HEAD = "#define __global__ __attribute__((global))\n"
KERNEL = "__global__ void k{i}(int *p) {{ p[{i}] = p[{i} + 1]; }}\n"
SITES = "__global__ void sites(int *p) {\n" + "  p[p[0]]++;\n" * 140 + "}\n"  # two sites each
SHARED = "static __attribute__((device)) int count;\n" + "".join(
    f"__global__ void c{i}(int *p) {{ p[{i}] = count++; }}\n" for i in range(64))
POINTERS = ("typedef void (*fp)(int *);\n__attribute__((device)) void f(int *p) { p[0] = 1; }\n__attribute__((device)) fp table = f;\n"
            "__global__ void calls(int *p) { fp g = *(volatile fp *)&table; g(p); }\n")
FOR_OBJECTS = 2  # notes of an object that is made of two


def command(major, name, text):
    """What the compiler runs for the GPU, with an output that is ours."""
    source, out = os.path.join(tc.WORK, f"{name}.hip"), os.path.join(tc.WORK, f"{name}-{major}.o")
    with open(source, "w") as f:
        f.write(HEAD + text)
    shown = tc.run(tc.command_of(major, source, out, "-nogpuinc", "-nogpulib", "-O2", "--offload-arch=gfx90a", "-c", "-###"))[1]
    words = next(shlex.split(line) for line in shown.splitlines() if '"-cc1"' in line)
    words[words.index("-o") + 1] = out
    for path in (out, out + ".both"):
        if os.path.isfile(path):
            os.remove(path)
    return words, out


def compiled(major, name, text, setting="true", launcher=(), fails=False):
    """Number of objects that it is made of, and what was said."""
    words, out = command(major, name, text)
    done = subprocess.run([*launcher, *words], capture_output=True, text=True, cwd=tc.WORK, env=dict(os.environ, LANESCOPE_PROBE_BESIDE=setting))
    assert (done.returncode != 0) == fails, done.stderr
    assert fails == (not os.path.exists(out)) and not os.path.isfile(out + ".both"), out
    return (0 if fails else len(CodeObject(out).notes)), done.stderr, out


def kernels(n):
    return "".join(KERNEL.format(i=i) for i in range(n))


def when(major):
    """From 64 kernels or 256 sites on, with more than one processor, or whenever it is asked for."""
    for name, text, setting, launcher, objects in (
            ("few", kernels(63), "true", (), 1), ("many", kernels(64), "true", (), 2), ("sites", SITES, "true", (), 2),
            ("many", kernels(64), "false", (), 1), ("few", kernels(1), "always", (), 2),
            ("many", kernels(64), "true", ("taskset", "-c", str(min(os.sched_getaffinity(0)))), 1),
            ("shared", SHARED, "true", (), 2), ("pointers", kernels(64) + POINTERS, "always", (), 1)):
        if objects == FOR_OBJECTS and setting == "true" and len(os.sched_getaffinity(0)) == 1:
            continue
        found, said, out = compiled(major, name, text, setting, launcher)
        assert found == objects and not said, (major, name, setting, found, said)
        made = CodeObject(out)
        originals = {k for k in made.kernels if not k.startswith("__ls_k_")}
        assert originals and {f"__ls_k_{k}" for k in originals} == made.kernels.keys() - originals, name


def failures(major):
    """A program is compiled without its clones where these cannot be added; an error of the source is told once."""
    _, out = command(major, "linker", kernels(2))
    os.makedirs(out + ".both", exist_ok=True)  # what the linker would write
    found, said, _ = compiled(major, "linker", kernels(2), "always")
    os.rmdir(out + ".both")
    assert found == 1 and "kernels stay uninstrumented" in said and "the linker failed" in said, said
    assert len(CodeObject(out).kernels) == 2
    _, said, _ = compiled(major, "wrong", kernels(2) + "__global__ void bad(int *p) { p = nothing; }\n", "always", fails=True)
    assert said.count("error: use of undeclared identifier") == 1 and "lanescope" not in said, said
    lds = "__global__ void lds(int *p) { static __attribute__((shared)) int s[40000]; s[p[0]] = 1; p[1] = s[p[2]]; }\n"
    _, said, _ = compiled(major, "toolarge", lds, "always", fails=True)
    assert "local memory" in said, said


for version in tc.clangs():
    when(version)
    failures(version)
print(f"{len(tc.clangs())} compilers")
sys.exit(not tc.clangs())
