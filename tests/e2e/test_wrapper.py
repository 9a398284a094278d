"""The compiler wrapper in a build: what compiles no device code is the compiler's own; what does warns of nothing of ours."""

import os
import pathlib
import re
import shutil

import pytest

import headerless
import profiling

from test_builds import clang, skip_without

ALL = bool(os.environ.get("LANESCOPE_TEST_ALL"))

PLAIN = {"plain.cpp": '#include "it is.h"\nint plus(int a) { return a + ONE; }\n#warning "a warning"\n',
         "it is.h": "#define ONE 1\n",
         "main.cpp": "int plus(int);\nint main() { return plus(-1); }\n",
         "wrong.cpp": "int main() { return nothing; }\n",
         "plain.c": "int plus(int a) { int new = 1; return a + new; }\n",
         "words.rsp": "-DX='a b' -O1\n-c \"plain.cpp\" -o @.rsp.o\n",
         "plain.s": ".globl plus\nplus: ret\n"}

COMMANDS = {
    "compile": "-c plain.cpp -o out.o", "compile-and-link": "plain.cpp main.cpp -o out", "optimised": "-O2 -g -c plain.cpp",
    "several": "-c plain.cpp main.cpp", "preprocess": "-E plain.cpp", "assembly": "-S plain.cpp -o -", "dependencies": "-M plain.cpp",
    "dependency file": "-MD -MF deps.d -c plain.cpp", "commands": "-### -c main.cpp", "version": "--version",
    "dump version": "-dumpversion", "machine": "-dumpmachine", "programs": "-print-prog-name=ld", "nothing": "",
    "missing": "-c missing.cpp", "wrong": "wrong.cpp", "unknown option": "-c --no-such-option plain.cpp",
    "response file": "@words.rsp", "missing response file": "@missing.rsp", "language c": "-x c -c plain.c",
    "language c++": "-x c++ -c plain.cpp", "language ends": "-x c plain.c -x none -c", "assembler": "-c plain.s",
    "from a pipe": "-x c++ -c - -o out.o", "warnings are errors": "-Werror -c plain.cpp",
    "openmp": "-fopenmp -c main.cpp", "link error": "main.cpp -o out",
}


def in_folder(folder, *command, **extra):
    """The command in a new folder with the plain sources: what it said, and the files that it left."""
    folder.mkdir(parents=True)
    for name, content in PLAIN.items():
        (folder / name).write_text(content)
    # one path for both, as messages and debug information name it
    link = folder.parent / "here"
    link.unlink(missing_ok=True)
    link.symlink_to(folder)
    env = profiling.clean_environment(PWD=str(link), TMPDIR=str(link), **extra)
    done = profiling.call("sh", "-c", 'cd -L "$0" && exec "$@"', link, *command, env=env, input=PLAIN["main.cpp"])
    files = {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.name not in PLAIN}
    return done.returncode, done.stdout, done.stderr, files


def same(tmp_path, bare, ours):
    """Temporary names are random, so they are taken out of what is said."""
    a, b = in_folder(tmp_path / "bare", *bare), in_folder(tmp_path / "ours", *ours)
    strip = lambda said: re.sub(r"[\w.-]+-[0-9a-f]{6}\.\w+|cc\w{6}\.\w+", "TEMPORARY", said)  # noqa: E731
    assert [strip(s) if isinstance(s, str) else s for s in a] == [strip(s) if isinstance(s, str) else s for s in b]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("compiler", ["g++", "clang++-22"])
def test_plain_cxx_passes_through(compiler, command, tmp_path):
    skip_without(compiler)
    bare = [compiler, *COMMANDS[command].split()]
    same(tmp_path, bare, [profiling.LANESCOPE, *bare])


@pytest.mark.parametrize("command", ["-x c -c plain.c", "-x c++ -c plain.cpp -o out.o", "--version", "-c plain.s"])
def test_hipcc_on_plain_sources_passes_through(command, tmp_path):
    bare = ["hipcc", *command.split()]
    same(tmp_path, bare, [profiling.LANESCOPE, *bare])


@pytest.mark.parametrize("command", ["--offload-arch=sm_70 -x cuda -nocudainc -nocudalib -### -c main.cpp",
                                     "-fopenmp --offload-arch=gfx90a -nogpulib -### -c main.cpp"])
def test_other_offloading_passes_through(command, tmp_path):
    """CUDA and OpenMP are not HIP, though they name GPUs with the same option."""
    skip_without("clang++-22")
    bare = ["clang++-22", *command.split()]
    same(tmp_path, bare, [profiling.LANESCOPE, *bare])


KERNEL = """#include <hip/hip_runtime.h>
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() { k<<<1, 64>>>(nullptr); }
"""


def has_site_table(path):
    return b"lanescope" in path.read_bytes()


def hip_options(major):
    libraries = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
    rocm = ["--rocm-path=/usr", f"--rocm-device-lib-path={libraries}"] if major == 15 and os.path.exists(libraries) else []
    return [*rocm, "--offload-arch=gfx90a", "-Werror"]


def own_options(major):
    """For headerless.KERNEL."""
    return [*hip_options(major), "-nogpuinc"]


@pytest.mark.parametrize(("major", "flags"), [(major, flags) for flags in ([], ["-fgpu-rdc"], ["-O3"]) for major in (15, 19, 22)
                                              if ALL or (flags == ["-fgpu-rdc"]) == (major != 19) and flags != ["-O3"]])
def test_nothing_of_ours_warns(major, flags, tmp_path):
    compiler, source, whole = clang(major), tmp_path / "a.hip", tmp_path / "whole.hip"
    skip_without(compiler)
    source.write_text(KERNEL if ALL else headerless.KERNEL)
    whole.write_text(KERNEL if ALL or major == 22 else headerless.KERNEL)
    for command in (["-c", source, "-o", tmp_path / "a.o"], ["--hip-link", tmp_path / "a.o", "-lamdhip64", "-o", tmp_path / "a"],
                    [whole, "-lamdhip64", "-o", tmp_path / "b"], ["--cuda-host-only", "-c", source, "-o", tmp_path / "h.o"],
                    ["--cuda-device-only", "-c", source, "-o", tmp_path / "d.o"], ["-E", source, "-o", tmp_path / "a.i"],
                    ["-M", source, "-o", tmp_path / "a.d"], ["-fsyntax-only", source]):
        options = hip_options(major) if ALL or major == 15 or whole in command else own_options(major)
        done = profiling.call(profiling.LANESCOPE, compiler, *options, *flags, *command)
        assert done.returncode == 0 and "unused" not in done.stderr, done.stderr
    assert has_site_table(tmp_path / "a") and has_site_table(tmp_path / "b")


@pytest.mark.parametrize("words", ["-c a.cpp", "-c a.cpp -x c plain.c", "a.cpp object.o -lamdhip64", "-x c plain.c -x none -c a.cpp"])
def test_marked_sources_warn_of_nothing(words, tmp_path):
    """Sources that are marked as HIP stand anywhere among other inputs, each of which keeps its language."""
    skip_without("clang++-22")
    for name, content in {"a.cpp": headerless.KERNEL, "plain.c": PLAIN["plain.c"]}.items():
        (tmp_path / name).write_text(content)
    assert profiling.call("clang++-22", "-x", "c", "-c", "plain.c", "-o", "object.o", cwd=tmp_path).returncode == 0
    done = profiling.call(profiling.LANESCOPE, "clang++-22", *own_options(22), *words.split(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert has_site_table(tmp_path / ("a.o" if "-c" in words.split() else "a.out"))


def test_headers_that_are_not_wanted_stay_away(tmp_path):
    """-nogpuinc: a source that declares all itself. Dependencies: what the source includes, and no file of ours."""
    skip_without("clang++-22")
    (tmp_path / "own.hip").write_text("__attribute__((global)) void k(int *p) { p[__builtin_amdgcn_workitem_id_x()] = 1; }")
    (tmp_path / "a.hip").write_text('#include "it is.h"\n' + KERNEL)
    (tmp_path / "it is.h").write_text(PLAIN["it is.h"])
    options = [profiling.LANESCOPE, "clang++-22", *hip_options(22), "-c"]
    done = profiling.call(*options, "-nogpuinc", "-nogpulib", "--cuda-device-only", "own.hip", "-o", "own.o", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert has_site_table(tmp_path / "own.o")
    done = profiling.call(*options, "-MMD", "-MF", "deps", "a.hip", "-o", "a.o", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "deps").read_text() == "a.o: a.hip it\\ is.h\n"


def test_users_unused_argument_is_warned_of(tmp_path):
    skip_without("clang++-22")
    (tmp_path / "a.hip").write_text(headerless.KERNEL)
    done = profiling.call(profiling.LANESCOPE, "clang++-22", *own_options(22), "-Wl,-z,now", "-c", tmp_path / "a.hip", "-o",
                          tmp_path / "a.o")
    assert done.returncode == 1 and "-Wl,-z,now" in done.stderr, done.stderr


@pytest.mark.parametrize("words", ["-x hip -c a.cpp -o a.o", "-c a.hip -o a.o", "-c a.cpp -o a.o"])
def test_device_code_in_a_response_file(words, tmp_path):
    """What the file says counts: the language, the GPU, and sources that are marked as HIP."""
    skip_without("clang++-22")
    for name in ("a.cpp", "a.hip"):
        (tmp_path / name).write_text(headerless.KERNEL)
    (tmp_path / "inner.rsp").write_text(words)
    (tmp_path / "outer.rsp").write_text("--offload-arch=gfx90a -nogpuinc\n@inner.rsp")
    done = profiling.call(profiling.LANESCOPE, "clang++-22", "@outer.rsp", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert has_site_table(tmp_path / "a.o")


KERNEL_PUT = "__attribute__((device)) void put(int *p) { p[__builtin_amdgcn_workitem_id_x()] = 1; }"
LINES = ["-g0", "-g -g0", "-ggdb0", "-gz", "-gno-column-info", "-gsplit-dwarf", "-Xarch_device -g0", "-Xarch_gfx90a -g0",
         "-Xarch_host -g", "-g0 -ggdb", "-gdwarf-4", "-gcodeview", "-gcodeview -g", "-g0 -gcodeview", "-gcodeview -g0",
         "-gcodeview-ghash", "-gsce", "-gno-inline-line-tables", "-gdwarf-3 -gstrict-dwarf"]


@pytest.mark.parametrize("options", LINES)
def test_lines_whatever_the_debug_options(options, tmp_path):
    """Device code has lines, columns and the lines of inlined calls, also where the user wants no debug information (of the
    host), or says only of which kind."""
    compiler = clang(22)
    skip_without(compiler)
    (tmp_path / "a.hip").write_text(f"\n{KERNEL_PUT}\n__attribute__((global)) void k(int *p) {{\nput(p); }}\n")
    done = profiling.call(profiling.LANESCOPE, compiler, *hip_options(22), "-O3", "-nogpuinc", "--cuda-device-only",
                          "--no-gpu-bundle-output", "-c", "a.hip", "-o", "a.co", *options.split(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    dump = profiling.call(os.path.join(os.path.dirname(compiler), "llvm-dwarfdump"), "--debug-line", "a.co", cwd=tmp_path).stdout
    assert re.search(r'name: "(.*/)?a.hip"', dump), dump
    # the store stands in the second line, behind "p[threadIdx.x] "
    column = KERNEL_PUT.index("= 1") + 1
    assert re.search(rf"^0x\w+ +2 +{column} ", dump, re.M), dump


def test_debug_options_of_the_host_stay(tmp_path):
    compiler = clang(22)
    skip_without(compiler)
    (tmp_path / "a.hip").write_text(headerless.KERNEL)
    options = [profiling.LANESCOPE, compiler, *own_options(22), "-c", "a.hip", "-o", "a.o"]
    for option, wanted in (("-g0", False), ("-g", True)):
        assert profiling.call(*options, option, cwd=tmp_path).returncode == 0
        assert (b".debug_info" in profiling.call("readelf", "-SW", "a.o", cwd=tmp_path).stdout.encode()) == wanted


@pytest.mark.parametrize("words", ["-c -o a.o -- a.cpp", "-c -o a.o -- a.hip", "-g0 -c -o a.o -- a.hip", "-c -o a.o -- -a.cpp",
                                   "-c -o a.o @dashes.rsp"])
def test_dashes_before_inputs(words, tmp_path):
    skip_without("clang++-22")
    for name in ("a.cpp", "a.hip", "-a.cpp"):
        (tmp_path / name).write_text(headerless.KERNEL)
    (tmp_path / "dashes.rsp").write_text("-- a.cpp")
    done = profiling.call(profiling.LANESCOPE, "clang++-22", *own_options(22), *words.split(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert has_site_table(tmp_path / "a.o")


@pytest.mark.parametrize("compiler", ["clang++-22", "g++"])
def test_response_file_from_a_pipe(compiler, tmp_path):
    """A pipe can be read once, by us or by the compiler."""
    skip_without(compiler)
    (tmp_path / "a.hip").write_text(headerless.KERNEL), (tmp_path / "plain.cpp").write_text("int ours = WORD;")
    words = "--offload-arch=gfx90a -nogpuinc -c a.hip -o a.o" if compiler != "g++" else "-DWORD=1 -c plain.cpp -o a.o"
    done = profiling.call("bash", "-c", f'"$0" {compiler} @<(echo "{words}")', profiling.LANESCOPE, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert has_site_table(tmp_path / "a.o") == (compiler != "g++")


@pytest.mark.parametrize("option", ["-cxx-isystem a.cpp", "-working-directory .", "-resource-dir", "--sysroot"])
def test_values_are_no_inputs(option, tmp_path):
    """What follows an option that takes a word is not marked as HIP and not taken for a source."""
    skip_without("clang++-22")
    (tmp_path / "a.cpp").write_text(KERNEL), (tmp_path / "plain.cpp").write_text("int ours;")
    words = option.split() + (["a.cpp"] if len(option.split()) == 1 else [])
    done = profiling.call(profiling.LANESCOPE, "clang++-22", *hip_options(22), *words, "-###", "-c", "plain.cpp", cwd=tmp_path)
    assert done.stderr.count('"-x" "hip"') == done.stderr.count('"-cc1"') and "no such file" not in done.stderr, done.stderr


PROJECT = """cmake_minimum_required(VERSION 3.16)
project(a CXX)
# As Kokkos does (cmake/kokkos_compiler_id.cmake).
execute_process(COMMAND ${CMAKE_CXX_COMPILER} --version OUTPUT_VARIABLE said RESULT_VARIABLE code)
string(REGEX MATCH "[0-9]+\\\\.[0-9]+\\\\.[0-9]+" version "${said}")
string(FIND "${said}" "HIP version" hip)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -dumpmachine OUTPUT_VARIABLE machine OUTPUT_STRIP_TRAILING_WHITESPACE)
message(STATUS "id ${CMAKE_CXX_COMPILER_ID} code ${code} version ${version} hip ${hip} machine ${machine};")
add_executable(a a.cpp)
add_library(plain plain.cpp)
"""


def project(folder):
    for name, content in {**PLAIN, "CMakeLists.txt": PROJECT, "a.cpp": headerless.KERNEL}.items():
        (folder / name).write_text(content)


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-22"])
def test_compiler_of_two_words_in_cmake(compiler, tmp_path):
    """CMake takes the first word for the compiler and passes the second before all arguments; projects that ask the compiler
    themselves pass the first alone. The answer is the same when the project is configured again, without the variable."""
    skip_without("cmake"), skip_without("ninja"), skip_without(compiler)
    project(tmp_path)
    env = profiling.clean_environment(PATH=f"{profiling.LANESCOPE.parent}:{os.environ['PATH']}", HCC_AMDGPU_TARGET="gfx90a")
    bare = profiling.call(compiler, "--version", env=env).stdout
    version = {"hipcc": "5.2.", "clang++-22": "22.1."}[compiler]
    assert f" {version}" in bare
    for variable in ({"CXX": f"lanescope {compiler}"}, {}):
        done = profiling.call("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "b", env={**env, **variable})
        assert done.returncode == 0, done.stderr
        said = done.stdout.split("-- id ")[1].split(";")[0]
        assert said.startswith(f"Clang code 0 version {version}"), said
        assert ("hip -1" not in said) == (compiler == "hipcc") and said.endswith("machine x86_64-pc-linux-gnu"), said
    if compiler == "hipcc":
        done = profiling.call("ninja", "-C", tmp_path / "b", env=env)
        assert done.returncode == 0, done.stdout
        assert has_site_table(tmp_path / "b" / "a")
    # asked by a person, it tells its own version
    assert profiling.call(profiling.LANESCOPE, "--version", env={**env, "CXX": "lanescope hipcc"}).stdout.startswith("lanescope ")


def test_launcher_of_cmake(tmp_path):
    """CMAKE_CXX_COMPILER_LAUNCHER on C++: objects as without it. With hipcc as compiler: instrumented."""
    skip_without("cmake"), skip_without("ninja")
    env = profiling.clean_environment(HCC_AMDGPU_TARGET="gfx90a")
    objects = {}
    for compiler in ("g++", "hipcc"):
        for launcher in ("", profiling.LANESCOPE)[compiler == "hipcc":]:
            folder = tmp_path / compiler / ("ours" if launcher else "bare")
            folder.mkdir(parents=True)
            project(folder)
            targets = ["plain"] if compiler == "g++" else ["a"]
            done = profiling.call("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "b", f"-DCMAKE_CXX_COMPILER={compiler}",
                                  f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}", env=env)
            assert done.returncode == 0, done.stderr
            done = profiling.call("ninja", "-C", folder / "b", *targets, env=env)
            assert done.returncode == 0, done.stdout + done.stderr
            objects[compiler, bool(launcher)], = folder.glob("b/**/*.o")
    assert objects["g++", True].read_bytes() == objects["g++", False].read_bytes()
    assert has_site_table(objects["hipcc", True])


def test_compiler_cache(tmp_path):
    """ccache behind us and before us: objects are instrumented, and other probes are another entry of the cache."""
    skip_without("ccache")
    (tmp_path / "a.cpp").write_text(headerless.KERNEL)
    env = profiling.clean_environment(CCACHE_DIR=str(tmp_path / "cache"), HCC_AMDGPU_TARGET="gfx90a")

    def compiled(*command):
        out = tmp_path / "a.o"
        out.unlink(missing_ok=True)
        done = profiling.call(*command, "-c", tmp_path / "a.cpp", "-o", out, env=env)
        assert done.returncode == 0, done.stderr
        return out.read_bytes()

    ours = [profiling.LANESCOPE, "hipcc"]
    probes, blocks = compiled(*ours), compiled(*ours, "--lanescope-blocks")
    assert probes != blocks
    for _ in range(2):
        assert compiled(profiling.LANESCOPE, "ccache", "hipcc") == probes
        assert compiled(profiling.LANESCOPE, "ccache", "hipcc", "--lanescope-blocks") == blocks
        assert compiled("ccache", *ours) == probes
    stats = profiling.call("ccache", "--print-stats", env=env).stdout
    hits = {w[0]: int(w[1]) for w in (line.split() for line in stats.splitlines())}
    assert hits["direct_cache_hit"] + hits["preprocessed_cache_hit"] >= 2, stats


TOOL = """#!/bin/sh
printf '%s\\n' "$0" "$@" "$SAID"; cat; echo said >&2; exit 7
"""


@pytest.mark.parametrize("words", ["newcc -c plain.cpp -o out.o", "newcc --version", "newcc -print-search-dirs", "newcc main.o -o out",
                                   "./newcc -c plain.c", "ccache -s", "newcc x.f90", "fast-12 x.rs", "newcc g++ -c plain.cpp"])
def test_unknown_compilers_pass_through(words, tmp_path):
    """Any program that is given sources, objects or a compiler's questions: as without us, whatever its name."""
    for name in ("newcc", "fast-12", "ccache"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(TOOL)
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "newcc").symlink_to("bin/newcc")
    env = profiling.clean_environment(PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", SAID="it")
    run = lambda *w: profiling.call(*w, cwd=tmp_path, env=env, input="in")  # noqa: E731
    bare, ours = run(*words.split()), run(profiling.LANESCOPE, *words.split())
    assert (ours.returncode, ours.stdout, ours.stderr) == (bare.returncode, bare.stdout, bare.stderr)
    assert bare.returncode == 7


@pytest.mark.parametrize("words", ["nice -n 1", "env A=1", "newcc"])
def test_hip_by_an_unknown_compiler_is_said(words, tmp_path):
    """What we do not know runs unchanged, but a user who expects probes is told that there are none."""
    (tmp_path / "a.hip").write_text("not HIP")
    (tmp_path / "newcc").write_text(TOOL)
    (tmp_path / "newcc").chmod(0o755)
    env = profiling.clean_environment(PATH=f"{os.environ['PATH']}:{tmp_path}", SAID="it")
    done = profiling.call(profiling.LANESCOPE, *words.split(), *(() if words == "newcc" else ("newcc",)), "a.hip", cwd=tmp_path,
                          env=env)
    assert done.returncode == 7 and done.stdout.endswith("a.hip\nit\n")
    assert done.stderr == f"lanescope: {words.split()[0]}: no compiler that is known to compile HIP, so it runs unchanged, " \
                          "without probes\nsaid\n"


def test_clang_under_another_name(tmp_path):
    """A script around clang is the clang that it says it is; a program before a compiler's name starts it."""
    skip_without("clang++-22")
    (tmp_path / "a.hip").write_text(headerless.KERNEL)
    (tmp_path / "ourcc").write_text('#!/bin/sh\nexec clang++-22 "$@"\n')
    (tmp_path / "ourcc").chmod(0o755)
    for words in (["./ourcc"], ["nice", "clang++-22"], ["env", "A=1", "clang++-22"]):
        (tmp_path / "a.o").unlink(missing_ok=True)
        done = profiling.call(profiling.LANESCOPE, *words, *own_options(22), "-c", "a.hip", "-o", "a.o", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), words
        assert has_site_table(tmp_path / "a.o"), words


@pytest.mark.parametrize("major", [19, 22])
def test_compiler_of_a_rocm(major, tmp_path):
    """amdclang++ in a ROCm's folder, as Ubuntu has it in /opt, beside HIP of the distribution: the plugin of its LLVM, and that ROCm's
    headers and device libraries, which the compiler finds beside itself."""
    clang_of = pathlib.Path(f"/usr/lib/llvm-{major}")
    skip_without(str(clang_of / "bin/clang"))
    rocm, libraries = tmp_path / "opt/rocm-6.2.0", pathlib.Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
    if not (libraries / "ocml.bc").exists() or not pathlib.Path("/usr/include/hip").exists():
        pytest.skip("HIP is not installed")
    real, link = ("llvm", "lib/llvm") if major < 20 else ("lib/llvm", "llvm")  # as in ROCm 5 and 6; clang 19 knows the first alone
    for folder in ("bin", "include", "amdgcn", "share/hip", "lib", f"{real}/bin", f"{real}/lib"):
        (rocm / folder).mkdir(parents=True)
    (rocm / "share/hip/version").write_text("HIP_VERSION_MAJOR=6\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=0\n")  # clang wants it
    shutil.copy((clang_of / "bin/clang").resolve(), rocm / real / "bin/clang")  # it looks beside itself, past links
    for name in ("clang++", "amdclang++"):
        (rocm / real / "bin" / name).symlink_to("clang")
    for tool in ("lld", "ld.lld"):
        (rocm / real / "bin" / tool).symlink_to(clang_of / "bin/ld.lld")
    (rocm / real / "lib/clang").symlink_to(clang_of / "lib/clang")
    (rocm / link).symlink_to(rocm / real)
    (rocm / "bin/amdclang++").symlink_to("../llvm/bin/amdclang++")
    shutil.copytree("/usr/include/hip", rocm / "include/hip", symlinks=False)
    shutil.copytree(libraries, rocm / "amdgcn/bitcode", symlinks=False)
    for version in (500, 600):
        shutil.copy(libraries / "oclc_abi_version_400.bc", rocm / f"amdgcn/bitcode/oclc_abi_version_{version}.bc")
    (tmp_path / "opt/rocm").symlink_to("rocm-6.2.0")
    (tmp_path / "a.hip").write_text(headerless.KERNEL)
    words = ["--offload-arch=gfx90a", "-O2", "-c", "a.hip", "-o", "a.o"]
    for compiler in ("amdclang++", tmp_path / "opt/rocm/bin/amdclang++", rocm / "llvm/bin/clang++"):
        env = profiling.clean_environment(PATH=f"{tmp_path}/opt/rocm/bin:{os.environ['PATH']}", LANESCOPE_VERBOSE="1")
        done = profiling.call(profiling.LANESCOPE, compiler, *words, "-###", cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        assert f"liblanescope-pass-{major}.so" in done.stderr
        assert f"{rocm}/include" in done.stderr and f"{rocm}/amdgcn/bitcode" in done.stderr, done.stderr
        assert "-rocm-path=/usr" not in done.stderr and "/device-libs-" not in done.stderr and "lanescope-hip-compat.h" not in done.stderr


def test_words_that_are_no_compiler():
    for words in (["ccache", "make"], ["make"], ["/bin/true"], ["/no/such/clang++", "a.cpp"], ["no-such-tool", "a.cpp"]):
        done = profiling.call(profiling.LANESCOPE, *words)
        assert done.returncode == 2 and words[0] in done.stderr, words


@pytest.mark.parametrize("arch, said", [("gfx906", "not known"), ("gfx1010", "not known"), ("gfx700", "there are no probes for gfx700"),
                                        ("gfx90a", ""), ("gfx942", ""), ("gfx90a:xnack+", ""), ("gfx9-4-generic", ""),
                                        ("gfx10-1-generic", "not known")])
def test_gpus_without_a_model_are_said(arch, said, tmp_path):
    skip_without("clang++-22")
    (tmp_path / "a.hip").write_text("__attribute__((global)) void k(int *p) { *p = 1; }\n__attribute__((global)) void l(int *) {}")
    done = profiling.call(profiling.LANESCOPE, "clang++-22", f"--offload-arch={arch}", "--cuda-device-only", "-nogpuinc", "-nogpulib",
                          "-c", "a.hip", "-o", "a.o", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.count("\n") == bool(said) and said in done.stderr, done.stderr
    assert arch in done.stderr or not said


def test_code_of_no_gpu_is_said(tmp_path):
    """SPIR-V becomes machine code when the program runs, so nothing of it is instrumented here."""
    skip_without("clang++-22")
    (tmp_path / "a.hip").write_text("__attribute__((global)) void k(int *p) { *p = 1; }")
    done = profiling.call(profiling.LANESCOPE, "clang++-22", "--offload-arch=amdgcnspirv", "--cuda-device-only", "-nogpuinc",
                          "-nogpulib", "-emit-llvm", "-c", "a.hip", "-o", "a.bc", cwd=tmp_path)
    assert done.returncode == 0 and "amdgcnspirv: " in done.stderr and done.stderr.count("\n") == 1, done.stderr


HIP_LANGUAGE = """add_library(hip-lang::device INTERFACE IMPORTED)
set_target_properties(hip-lang::device PROPERTIES INTERFACE_LINK_LIBRARIES amdhip64)
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
"""


def test_hip_as_language_of_cmake(tmp_path):
    """enable_language(HIP), both launchers: HIP sources are instrumented, C++ sources as without."""
    skip_without("cmake"), skip_without("ninja")
    compiler = clang(15)
    skip_without(compiler)
    project(tmp_path)
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.21)\nproject(a CXX HIP)\n"
                                             "add_library(a OBJECT a.hip)\nadd_library(plain OBJECT plain.cpp)\n")
    (tmp_path / "a.hip").write_text(headerless.KERNEL)
    package = tmp_path / "rocm" / "lib" / "cmake" / "hip-lang"
    package.mkdir(parents=True)
    (package / "hip-lang-config.cmake").write_text(HIP_LANGUAGE)
    for launcher in ("", profiling.LANESCOPE):
        build = tmp_path / ("ours" if launcher else "bare")
        done = profiling.call("cmake", "-G", "Ninja", "-S", tmp_path, "-B", build, f"-DCMAKE_HIP_COMPILER={compiler}",
                              f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={tmp_path / 'rocm'}", "-DCMAKE_HIP_ARCHITECTURES=gfx90a",
                              f"-DCMAKE_HIP_FLAGS={' '.join(hip_options(15)[:2])}", f"-DCMAKE_HIP_COMPILER_LAUNCHER={launcher}",
                              f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
        assert done.returncode == 0, done.stderr
        done = profiling.call("ninja", "-C", build)
        assert done.returncode == 0, done.stdout
        assert has_site_table(build / "CMakeFiles" / "a.dir" / "a.hip.o") == bool(launcher)
    plain = ["CMakeFiles", "plain.dir", "plain.cpp.o"]
    assert (tmp_path / "ours").joinpath(*plain).read_bytes() == (tmp_path / "bare").joinpath(*plain).read_bytes()
