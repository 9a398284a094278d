"""The first two commands of the README, as a stranger types them: no option for the GPU in either."""

import shutil

import pytest

import headerless
import profiling

PROGRAM = r"""
#include <hip/hip_runtime.h>
#include <stdio.h>
__global__ void k(int *out) { out[threadIdx.x] = threadIdx.x; }
int main() {
    int *p, last;
    hipMalloc((void **)&p, 64 * sizeof(int));
    k<<<1, 64>>>(p);
    hipMemcpy(&last, p + 63, sizeof(int), hipMemcpyDeviceToHost);
    printf("%d\n", last);
}
"""
TAKES = "no --offload-arch: compiling for {}, the GPU that `lanescope run` takes here"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "app.hip"
    path.write_text(PROGRAM)
    return path


def lanescope(*words, tmp_path, **environment):
    return profiling.call(profiling.LANESCOPE, *words, cwd=tmp_path, env=profiling.clean_environment(**environment))


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-19", "clang++-22"])
def test_two_commands(compiler, source, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    libraries = [] if compiler == "hipcc" else ["-lamdhip64"]
    done = lanescope(compiler, "-O3", source, "-o", "app", *libraries, tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(TAKES.format("gfx90a")) == 1
    done = lanescope("run", "--require-observed", "--", "./app", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "63\n"), done.stderr


def test_compiled_and_linked(source, tmp_path):
    """As Make and CMake do it; hipcc asks for the machine's GPU in each step that does not say it."""
    if not shutil.which("hipcc"):
        pytest.skip("hipcc is not installed")
    done = lanescope("hipcc", "-O3", "-c", source, "-o", "app.o", tmp_path=tmp_path)
    assert done.returncode == 0 and done.stderr.splitlines() == ["lanescope: " + TAKES.format("gfx90a")], done.stderr
    done = lanescope("hipcc", "app.o", "-o", "app", tmp_path=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr
    done = lanescope("run", "--require-observed", "--", "./app", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "63\n"), done.stderr
    assert "observing 1 of 1 launch: 1 message, 80 bytes from the GPU" in done.stderr, done.stderr


def architectures(tmp_path, source, *words, **environment):
    """Targets that the compiler is started with, and what was said."""
    done = lanescope(*words, source, "-###", tmp_path=tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    return {w for w in ("gfx906", "gfx90a", "gfx942") if f'"{w}"' in done.stderr}, "no --offload-arch" in done.stderr


def test_gpu_of_the_settings(source, tmp_path):
    c = ("clang++-22", "-c", "-nogpulib")
    if not shutil.which(c[0]):
        pytest.skip(f"{c[0]} is not installed")
    assert architectures(tmp_path, source, *c) == ({"gfx90a"}, True)
    assert architectures(tmp_path, source, *c, LANESCOPE_GPU="soft:gfx942x2") == ({"gfx942"}, True)
    assert architectures(tmp_path, source, *c, LANESCOPE_GPU="hw") == ({"gfx906"}, False)  # clang's own
    (tmp_path / "config.json").write_text('{"gpu": "soft:gfx942"}')
    assert architectures(tmp_path, source, *c, LANESCOPE_CONFIG=str(tmp_path / "config.json")) == ({"gfx942"}, True)


@pytest.mark.parametrize("option", ["--offload-arch=gfx906", "--cuda-gpu-arch=gfx906"])
def test_the_users_choice_stands(option, source, tmp_path):
    if not shutil.which("clang++-22"):
        pytest.skip("clang++-22 is not installed")
    assert architectures(tmp_path, source, "clang++-22", "-c", "-nogpulib", option) == ({"gfx906"}, False)


def test_an_empty_variable_of_hipcc_is_no_choice(source, tmp_path):
    """hipcc takes clang's default then, for which there is no GPU."""
    if not shutil.which("hipcc"):
        pytest.skip("hipcc is not installed")
    assert architectures(tmp_path, source, "hipcc", "-c", HCC_AMDGPU_TARGET="gfx906") == ({"gfx906"}, False)
    assert architectures(tmp_path, source, "hipcc", "-c", HCC_AMDGPU_TARGET="") == ({"gfx90a"}, True)


def test_what_is_no_device_code_gets_no_gpu(tmp_path):
    (tmp_path / "host.cpp").write_text("int main() {}\n")
    for words in (("g++", "host.cpp"), ("clang++-22", "host.cpp"), ("hipcc", "--version")):
        if shutil.which(words[0]):
            done = lanescope(*words, tmp_path=tmp_path)
            assert (done.returncode, "no --offload-arch" in done.stderr) == (0, False), done.stderr
    (tmp_path / "app.hip").write_text(PROGRAM)
    assert architectures(tmp_path, "app.hip", "clang++-22", "--offload-host-only", "-c") == (set(), False)


def test_relocatable_code(source, tmp_path):
    """Compiling and linking are two commands then, and both have to know the GPU."""
    if not shutil.which("clang++-22"):
        pytest.skip("clang++-22 is not installed")
    words = ("/usr/lib/llvm-22/bin/clang++", "-O2", "-fgpu-rdc")
    for more in (("-c", source, "-o", "app.o"), ("--hip-link", "app.o", "-o", "app", "-lamdhip64")):
        done = lanescope(*words, *more, tmp_path=tmp_path)
        assert done.returncode == 0, done.stderr
    done = lanescope("run", "--require-observed", "--", "./app", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "63\n"), done.stderr


@pytest.fixture(scope="module")
def for_others(tmp_path_factory):
    """A program with code for two GPUs, neither of which runs here by default."""
    directory = tmp_path_factory.mktemp("others")
    (directory / "app.hip").write_text(headerless.of(PROGRAM))
    return profiling.compile_hip(directory / "app", "-nogpuinc", "--offload-arch=gfx906", "--offload-arch=gfx908", directory / "app.hip",
                                 plugin=False)


def test_no_code_for_the_gpu(for_others, tmp_path):
    done = lanescope("run", "--", for_others, tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert (f"{for_others} holds code for gfx906 and gfx908, and the GPU is gfx90a (the software GPU); compile it with: "
            "lanescope hipcc --offload-arch=gfx90a ...\n") in done.stderr
    assert not list(tmp_path.iterdir())


def test_features_that_the_gpu_has_not(source, tmp_path):
    """The software GPU is xnack-: code for xnack+ alone is none for it, as the runtime would say in its words; code for both is."""
    wrong = profiling.compile_hip(tmp_path / "wrong", "--offload-arch=gfx90a:xnack+", source, plugin=False)
    done = lanescope("run", "--gpu", "soft", "--", wrong, tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"lanescope: {wrong} holds code for gfx90a:xnack+, and the GPU is gfx90a (the software GPU); compile it with: "
                           "lanescope hipcc --offload-arch=gfx90a ...\n")
    both = profiling.compile_hip(tmp_path / "both", "--offload-arch=gfx90a:xnack+", "--offload-arch=gfx90a:xnack-", source, plugin=False)
    done = lanescope("run", "--gpu", "soft", "--", both, tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "63\n"), done.stderr


def test_another_gpu_would_do(source, tmp_path):
    if not shutil.which("clang++-22"):
        pytest.skip("clang++-22 is not installed")
    program = profiling.compile_hip(tmp_path / "app", "--offload-arch=gfx942", source, "-lamdhip64", compiler="clang++-22")
    done = lanescope("run", "--", program, tmp_path=tmp_path)
    assert done.returncode == 2 and done.stderr.endswith(", or run it with --gpu soft:gfx942\n"), done.stderr


HOLDS = "{} holds code for gfx906, and the GPU is gfx90a (the software GPU); compile it with: lanescope hipcc --offload-arch=gfx90a ...\n"


@pytest.mark.parametrize("flags", [["-fgpu-rdc"], ["--offload-compress"], ["-fgpu-rdc", "--offload-compress"]])
@pytest.mark.parametrize("major", [19, 22])
def test_no_code_in_other_forms(major, flags, source, tmp_path):
    compiler = f"/usr/lib/llvm-{major}/bin/clang++"
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    source.write_text(headerless.of(PROGRAM))
    done = lanescope(compiler, "-w", "-nogpuinc", "--offload-arch=gfx906", *flags, source, "-o", "app", "-lamdhip64", tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    done = lanescope("run", "--", "./app", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and HOLDS.format("./app") in done.stderr, done.stderr


def library(tmp_path, name, *targets, more=""):
    """A shared library with a kernel for these GPUs, and the function `name` that runs it."""
    source = tmp_path / f"{name}.hip"
    text = headerless.of(PROGRAM).replace("int main()", f'extern "C" void {name}()')
    source.write_text(more + text.replace("void k(", f"void k_{name}(").replace("k<<<", f"k_{name}<<<"))
    profiling.compile_hip(tmp_path / f"lib{name}.so", *[f"--offload-arch={t}" for t in targets], "-nogpuinc", "-fPIC", "-shared", source,
                          plugin=False)


def linked(tmp_path, *names, more=""):
    (tmp_path / "main.c").write_text(more + "".join(f"void {n}(void);\n" for n in names) + "int main(void) { " + names[0] + "(); }\n")
    done = profiling.call("cc", "main.c", "-o", "linked", "-Wl,--no-as-needed", "-L.", *[f"-l{n}" for n in names], "-Wl,-rpath,$ORIGIN",
                          cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_no_code_in_libraries(tmp_path):
    """A program that has no kernels of its own lives from those of its libraries."""
    library(tmp_path, "old", "gfx906")
    library(tmp_path, "both", "gfx906", "gfx90a")
    linked(tmp_path, "old")
    done = lanescope("run", "--", "./linked", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and HOLDS.format(tmp_path / "libold.so") in done.stderr, done.stderr
    linked(tmp_path, "both")
    done = lanescope("run", "--", "./linked", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "63\n") and "holds code" not in done.stderr, done.stderr
    linked(tmp_path, "both", "old")  # what it needs may be what fits
    assert "holds code" not in lanescope("run", "--", "./linked", tmp_path=tmp_path).stderr


NAMES = 'const char *hiprtc = "hiprtcCompileProgram";\n'


@pytest.mark.parametrize("where", ["library", "program"])
def test_more_code_may_be_made_while_it_runs(where, tmp_path):
    """As rocFFT does: what is held says little then, and only the runtime knows whether the program gets along."""
    library(tmp_path, "old", "gfx906", more=NAMES if where == "library" else "")
    linked(tmp_path, "old", more=NAMES if where == "program" else "")
    done = lanescope("run", "--no-summary", "--", "./linked", tmp_path=tmp_path)
    assert done.returncode not in (0, 2) and "holds code" not in done.stderr, done.stderr  # HIP 5.2's own end


@pytest.mark.parametrize("how", ["script", "python"])
def test_no_code_is_told_when_it_is_loaded(how, tmp_path):
    """What a script starts, or Python loads, is not known before: the software GPU says it, and changes nothing."""
    library(tmp_path, "old", "gfx906")
    linked(tmp_path, "old")
    (tmp_path / "script").write_text("#!/bin/sh\n./linked\n")
    (tmp_path / "script").chmod(0o755)
    words = ["./script"] if how == "script" else ["python3", "-c", "import ctypes; ctypes.CDLL('./libold.so').old()"]
    done = lanescope("run", "--no-summary", "--", *words, tmp_path=tmp_path)
    assert done.stderr.count(HOLDS.format(tmp_path / "libold.so")) == 1, done.stderr
    assert done.returncode not in (0, 2)  # HIP's own end


def test_started_anyway(for_others, tmp_path):
    """HIP 5.2 ends the program by itself; newer ones return an error that a program may get along with."""
    done = lanescope("run", "--keep-going", "--", for_others, tmp_path=tmp_path)
    assert done.returncode not in (0, 2) and "holds code for gfx906 and gfx908" in done.stderr


def test_scripts_are_not_looked_into(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\nexit 7\n")
    script.chmod(0o755)
    assert lanescope("run", "--", script, tmp_path=tmp_path).returncode == 7
