"""One root: mounts, the pieces of a build inside it, commands in it."""

import os
import pathlib
import shutil
import signal
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# LLVM version of each root's hipcc.
LLVM = {"trixie": 17, "sid": 21, "experimental": 22}

# What ROCr and HIP of each root know. gfx950 came with ROCr 6.4 and HIP 7.
RDNA3 = ("gfx1100", "gfx1101", "gfx1102", "gfx1151")
RDNA4 = ("gfx1200", "gfx1201")
ROCR_GPUS = {
    "trixie": ("gfx90a", "gfx942"),
    "sid": ("gfx90a", "gfx942", "gfx950", *RDNA3, *RDNA4),
    "experimental": ("gfx90a", "gfx942", "gfx950", *RDNA3, *RDNA4),
}
HIP_GPUS = {**ROCR_GPUS, "sid": ("gfx90a", "gfx942", *RDNA3, *RDNA4)}

# The generic target that stands for a GPU (LLVM AMDGPUUsage, "Generic processors"), and the clang from which on it is there.
GENERIC = {
    **dict.fromkeys(("gfx942", "gfx950"), ("gfx9-4-generic", 20)), **dict.fromkeys(RDNA3, ("gfx11-generic", 19)),
    **dict.fromkeys(RDNA4, ("gfx12-generic", 19)),
}

PREFIX = "/opt/lanescope"  # in the root
WORK = "/root/newer-runtimes"  # in the root
TIMEOUT = 900


class Done:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def call(command):
    """Runs a command to its end, or for TIMEOUT seconds: then it is killed with all its children and its code is None."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=TIMEOUT)
        return Done(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Done(None, out, err + f"\nkilled after {TIMEOUT} s")


def copy_newer(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.stat().st_mtime != source.stat().st_mtime:
        shutil.copy2(source, target)


def copy_tree(source, target):
    for path in sorted(source.rglob("*")):
        if path.is_file():
            copy_newer(path, target / path.relative_to(source))


class Root:
    """A root with /proc and the build's pieces; `with` unmounts what it mounted. Without `compiler` the plugin for its own
    hipcc is not built."""

    prefix = PREFIX

    def __init__(self, directory, build, compiler=True):
        self.compiler = compiler
        self.path = pathlib.Path(directory).resolve()
        self.name = self.path.name
        self.llvm = LLVM[self.name]
        self.stage = pathlib.Path(build).resolve() / "stage"
        self.mounted = []

    def __enter__(self):
        if not all((self.stage / "bin" / name).exists() for name in ("lanescope", "test_rocr")):
            raise SystemExit(f"newer-runtimes: {self.stage} has no finished build: build first, or name one with --build")
        if not os.path.ismount(self.path / "proc"):
            self.mount("-t", "proc", "proc", at="/proc")
        try:
            self.install()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        while self.mounted:
            subprocess.run(["umount", self.mounted.pop()], check=True)

    def mount(self, *what, at):
        """mount(8)'s arguments but the last; unmounted at the end."""
        place = self.inside(at)
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *map(str, what), place], check=True)
        self.mounted.append(place)

    def inside(self, path):
        return self.path / str(path).lstrip("/")

    def run(self, *command, **env):
        """A command in the root, with nothing of our environment."""
        clean = {"PATH": f"{PREFIX}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", **env}
        return call(["chroot", self.path, "env", "-i", *(f"{k}={v}" for k, v in clean.items()), *map(str, command)])

    def describe(self):
        words = ("libhsa-runtime64-1", "libamdhip64-dev", f"clang-{self.llvm}")
        done = self.run("dpkg-query", "-W", "-f", "${Package} ${Version}, ", *words)
        return done.out.rstrip(", ")

    # ---- our pieces ----

    @property
    def libraries(self):
        return next(self.stage.glob("lib*/**/liblanescope-hsa.so")).parent

    def install(self):
        prefix = self.inside(PREFIX)
        for name in ("lanescope", "test_rocr"):
            copy_newer(self.stage / "bin" / name, prefix / "bin" / name)
        for path in self.libraries.glob("liblanescope-*.so"):
            copy_newer(path, prefix / "lib" / "lanescope" / path.name)
        copy_tree(self.libraries / "handlers", prefix / "lib" / "lanescope" / "handlers")
        copy_tree(self.libraries / "python", prefix / "lib" / "lanescope" / "python")
        copy_tree(self.stage / "share", prefix / "share")
        copy_tree(SOURCE / "hip-examples", self.inside(WORK) / "hip-examples")
        copy_tree(SOURCE / "tests" / "e2e" / "programs", self.inside(WORK) / "programs")
        copy_tree(SOURCE / "tests" / "newer-runtimes" / "programs", self.inside(WORK) / "programs")
        copy_newer(SOURCE / "soft-gpu/kfd/tests/kernels.cl", self.inside(WORK) / "programs/kernels.cl")
        for folder in ("flow", "gpus", "common", "llvm-pass", "device-lib", "include", "settings"):
            copy_tree(SOURCE / folder, self.inside(WORK) / "source" / folder)
        for name in ("precompiled.py", "hangs.py"):  # of the plugin's tests
            copy_newer(SOURCE / "tests" / "e2e" / name, self.inside(WORK) / "source" / "tests" / "e2e" / name)
        if self.compiler and not (self.libraries / self.plugin).exists():
            self.build_plugin()

    @property
    def plugin(self):
        return f"liblanescope-pass-{self.llvm}.so"

    def build_plugin(self):
        """As a user of that distribution would, but for the parts that Debian 12's build has."""
        copy_newer(SOURCE / "CMakeLists.txt", self.inside(WORK) / "source" / "CMakeLists.txt")
        build = f"{WORK}/build"
        self.must(
            "cmake", "-S", f"{WORK}/source", "-B", build, "-G", "Ninja", f"-DCMAKE_C_COMPILER=clang-{self.llvm}",
            f"-DCMAKE_CXX_COMPILER=clang++-{self.llvm}", "-DLANESCOPE_COMPONENTS=gpus;flow;settings;llvm-pass", "-DBUILD_TESTING=OFF",
            f"-DLANESCOPE_LLVM_MAJORS={self.llvm}",
        )
        self.must("ninja", "-C", build)
        made, place = self.inside(build) / "stage/lib/lanescope", self.inside(PREFIX) / "lib/lanescope"
        for name in (self.plugin, f"liblanescope-comgr-{self.llvm}.so"):
            if (made / name).exists():  # the second only where LLVM is a shared library
                copy_newer(made / name, place / name)

    def must(self, *command):
        done = self.run(*command)
        if done.code != 0:
            raise SystemExit(f"newer-runtimes: {self.name}: {' '.join(command)}\n{done.out}{done.err}")
