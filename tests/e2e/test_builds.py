"""The same program through every compiler, and linked from relocatable device code."""

import os
import shutil

import pytest

import profiling
from profiling import Profile

EXECUTIONS = ("memory_coalescing", "Executions")


def clang(major):
    inner = f"/usr/lib/llvm-{major}/bin/clang++"  # Debian's /usr/bin/clang++-15 finds another version's lld
    return inner if os.path.exists(inner) else f"clang++-{major}"


def skip_without(compiler):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")


# HIP 5.2 runs code objects of version 4. Those of 5 and 6: llvm-pass/tests compares and runs them without HIP, and the
# tests with newer runtimes run them with it.
@pytest.mark.parametrize("major", [15, 19, 22])
def test_compilers(major, programs, tmp_path):
    compiler = "hipcc" if major == 15 else clang(major)
    skip_without(compiler)
    program = programs("kernels.hip", "kernels2.hip", "-O2", "-mcode-object-version=4",
                       *([] if major == 15 else ["-lamdhip64"]), compiler=compiler)
    p = Profile(tmp_path, program)
    assert p.done.returncode == 0 and "FAILED" not in p.done.stdout, p.done.stdout + p.done.stderr
    assert p.query("SELECT DISTINCT llvm_major FROM module") == [(major,)]
    unobserved = p.query("SELECT k.name, not_observed FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                         " WHERE NOT observed AND k.name NOT LIKE '\\_\\_amd%' ESCAPE '\\'")
    assert unobserved == []
    # one wavefront each: a store to global memory; LDS: two stores and two loads
    assert p.metric(*EXECUTIONS, "anonymous_kernel%", None, "store") == 1 or \
        p.metric(*EXECUTIONS, "%anonymous_kernel%", None, "store") == 1
    assert p.metric("lds_bank_conflicts", "Executions", "dynamic_lds(%", None, "store") == 2


@pytest.mark.parametrize("major", [15, 19, 22])
def test_relocatable_device_code(major, tmp_path):
    """The plugin runs when the files are compiled and again when they are linked, where it sees the whole program; what was
    done is not done twice, and the function in the other file is observed."""
    compiler = clang(major)
    skip_without(compiler)
    libraries = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
    rocm = ["--rocm-path=/usr", f"--rocm-device-lib-path={libraries}"] if major == 15 and os.path.exists(libraries) else []
    objects = []
    for name in ("rdc_main", "rdc_other"):
        objects.append(tmp_path / f"{name}.o")
        done = profiling.compiled(profiling.LANESCOPE, compiler, *rocm, "-O2", "-fgpu-rdc", "--offload-arch=gfx90a", "-x", "hip",
                                  "-c", profiling.SOURCE / "programs" / f"{name}.hip", "-o", objects[-1])
        assert done.returncode == 0, done.stderr
    program = tmp_path / "rdc"
    done = profiling.call(profiling.LANESCOPE, compiler, *rocm, "-fgpu-rdc", "--hip-link", "--offload-arch=gfx90a", *objects,
                          "-o", program, "-lamdhip64")
    assert done.returncode == 0, done.stderr
    p = Profile(tmp_path / "out", program)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    assert p.query("SELECT count(*) FROM module") == [(1,)]
    assert p.query("SELECT count(*) FROM kernel WHERE mangled LIKE '\\_\\_ls%' ESCAPE '\\'") == [(0,)]
    for source, mark, kind in (("rdc_other.hip", "// ELSEWHERE", "load"), ("rdc_main.hip", "// HERE", "store")):
        assert p.metric(*EXECUTIONS, "across(%", profiling.marked_line(source, mark), kind) == 1, mark
    assert p.query("SELECT count(*) FROM dispatch WHERE NOT observed") == [(0,)]


@pytest.mark.parametrize("order", [("main", "other"), ("other", "main")])
def test_template_in_two_modules(order, tmp_path):
    """Two files instrumented by themselves define one kernel; each has a site table. The numbers are of the linked one."""
    compiler, libraries = clang(15), "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
    skip_without(compiler)
    plugin, = (profiling.BUILD / "stage").glob("lib*/lanescope/liblanescope-pass-15.so")
    common = ["--rocm-path=/usr", f"--rocm-device-lib-path={libraries}", "-fgpu-rdc", "--offload-arch=gfx90a"]
    objects = []
    for name in order:
        objects.append(tmp_path / f"{name}.o")
        done = profiling.compiled(compiler, *common, "-O2", "-Xarch_device", "-gline-tables-only", "-Xarch_device",
                                  f"-fpass-plugin={plugin}", "-x", "hip", "-c",
                                  profiling.SOURCE / "programs" / f"template_{name}.hip", "-o", objects[-1])
        assert done.returncode == 0, done.stderr
    program = tmp_path / "template"
    done = profiling.call(compiler, *common, "--hip-link", *objects, "-o", program, "-lamdhip64")
    assert done.returncode == 0, done.stderr
    p = Profile(tmp_path / "out", program)
    assert p.done.returncode == 0, p.done.stderr
    assert p.query("SELECT count(*) FROM module") == [(2,)]
    assert p.query("SELECT count(*) FROM dispatch WHERE observed") == [(4,)]
    # 64 lanes, 12 bytes apart: bytes 0 to 759, in 12 lines of 64 bytes; two launches
    line = profiling.marked_line("template.h", "// SCALE")
    for kind in ("load", "store"):
        assert p.metric(*EXECUTIONS, "%scale<3>%", line, kind) == 2
        assert p.metric("memory_coalescing", "Cache Lines", "%scale<3>%", line, kind) == 24


@pytest.mark.parametrize("gpu", ["gfx90a", "gfx1030"])
def test_virtual_functions_of_another_module(gpu, programs, tmp_path):
    """What a function needs of a kernel is there also if nobody knows the function where the kernel is compiled."""
    program = programs("virtual_main.hip", "virtual_other.hip", "-O3", "--offload-arch=gfx1030")
    p = Profile(tmp_path, program, gpu=f"soft:{gpu}")
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stdout + p.done.stderr
    assert p.query("SELECT count(*) FROM dispatch WHERE observed") == [(2,)]


def test_printing_kernel_of_the_old_compiler(programs, tmp_path):
    """printf in a kernel, with ROCm's own compiler: through the host call buffer of the hidden arguments."""
    program = programs("print.hip", "-O3")
    plain = profiling.run_plain(program)
    p = Profile(tmp_path, program)
    assert plain.returncode == p.done.returncode == 0, plain.stderr + p.done.stderr
    assert sorted(p.done.stdout.splitlines()) == sorted(plain.stdout.splitlines()) != []
