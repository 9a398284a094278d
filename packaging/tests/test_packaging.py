"""An installation that was moved, and projects that are built with it."""

import os
import pathlib
import shutil
import sqlite3
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"])
HERE = pathlib.Path(__file__).resolve().parent


def call(*command, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE_", "CMAKE_", "CXX", "HIP"))}
    env.update(environment)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Installed in one place, used in another."""
    folder = tmp_path_factory.mktemp("installed")
    call("cmake", "--install", BUILD, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


def ways(prefix):
    """Options of CMake, and the environment, of each way to have a project instrumented."""
    launcher = prefix / "bin/lanescope"
    return {
        "launcher": (["-DCMAKE_CXX_COMPILER=hipcc", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}",
                      f"-DCMAKE_HIP_COMPILER_LAUNCHER={launcher}"], {}),
        "compiler": ([], {"CXX": f"{launcher} hipcc"}),
        "package": (["-DCMAKE_CXX_COMPILER=hipcc", f"-DCMAKE_PREFIX_PATH={prefix}", "-DBY_PACKAGE=ON"], {}),
    }


def check(program, prefix, tmp_path, more=1):
    """The program's result stays as it is, and the kernel of each file is observed; `more`: whether that of more.cpp is."""
    assert call(program, LD_PRELOAD=str(next(prefix.glob("lib*/**/liblanescope-softgpu.so")))) == "3\n"
    assert call(prefix / "bin/lanescope", "run", "-d", tmp_path, "-o", "run.db", "--", program) == "3\n"
    database = sqlite3.connect(tmp_path / "run.db")
    rows = database.execute("SELECT k.name, d.observed FROM dispatch d JOIN kernel k ON k.id = d.kernel ORDER BY d.id").fetchall()
    database.close()
    assert [(name.split("(")[0], observed) for name, observed in rows if name.startswith("in_")] == [
        ("in_main", 1), ("in_more", more), ("in_parts", 1)]


# tests/e2e/test_wrapper.py builds by two words, and the language by the launcher, too.
twice = pytest.mark.skipif(not os.environ.get("LANESCOPE_TEST_ALL"), reason="LANESCOPE_TEST_ALL=1 asks for it")


@pytest.mark.parametrize("way", ["launcher", pytest.param("compiler", marks=twice), "package"])
def test_cxx(way, prefix, tmp_path):
    options, environment = ways(prefix)[way]
    call("cmake", "-S", HERE / "cxx", "-B", tmp_path / "build", *options, **environment)
    call("cmake", "--build", tmp_path / "build")
    check(tmp_path / "build/three", prefix, tmp_path, int(way != "package"))


CLANG = "/usr/lib/llvm-15/bin/clang++"  # fits Debian's HIP
DEBIAN = pathlib.Path("/usr/lib/x86_64-linux-gnu")


def rocm_root(folder):
    """CMake 3.25 looks for the language below ROCM/lib, and Debian has it elsewhere; so has it what the language asks for."""
    folder.mkdir()
    (folder / "lib").symlink_to(DEBIAN)
    return [f"-DCMAKE_HIP_COMPILER={CLANG}", f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={folder}", "-DCMAKE_HIP_ARCHITECTURES=gfx90a",
            f"-DCMAKE_HIP_FLAGS=--rocm-path=/usr --rocm-device-lib-path={DEBIAN}/amdgcn/bitcode"]


@pytest.mark.parametrize("way", [pytest.param("launcher", marks=twice), "package"])
def test_language_hip(way, prefix, tmp_path):
    """The language has a compiler of its own in CMake, which takes no second word: the launcher and the package remain."""
    if not os.path.exists(CLANG) or not (DEBIAN / "cmake/hip-lang").exists():
        pytest.skip("no Debian 12 with clang 15 and HIP")
    options, environment = ways(prefix)[way]
    options = [o for o in options if not o.startswith("-DCMAKE_CXX_COMPILER")] + rocm_root(tmp_path / "rocm")
    call("cmake", "-S", HERE / "hip", "-B", tmp_path / "build", *options, amd_comgr_ROOT=str(DEBIAN / "cmake/amd_comgr"),
         AMDDeviceLibs_ROOT="/usr/lib/cmake/AMDDeviceLibs", **environment)
    call("cmake", "--build", tmp_path / "build")
    check(tmp_path / "build/three", prefix, tmp_path)


def test_pkg_config(prefix):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    path = str(next(prefix.glob("lib*/**/pkgconfig")))
    launcher = call("pkg-config", "--variable=launcher", "lanescope", PKG_CONFIG_PATH=path).strip()
    assert pathlib.Path(launcher).resolve() == (prefix / "bin/lanescope").resolve()
    handlers = pathlib.Path(call("pkg-config", "--variable=handlersdir", "lanescope", PKG_CONFIG_PATH=path).strip())
    assert (handlers / "lds_bank_conflicts.so").exists()


def test_archive(tmp_path):
    """The tarball works where it is unpacked."""
    call("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "TGZ", "-B", tmp_path)
    archives = list(tmp_path.glob("*.tar.gz"))
    assert archives
    for archive in archives:
        shutil.unpack_archive(archive, tmp_path / "unpacked")
    programs = list((tmp_path / "unpacked").glob("**/bin/lanescope"))
    assert len(programs) == 1
    program = tmp_path / "three"
    call(programs[0], "hipcc", *(HERE / "cxx").glob("*.cpp"), "-o", program)
    check(program, programs[0].parent.parent, tmp_path)
