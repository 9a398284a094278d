"""Where the compiler plugin and LLVM's tools are."""

import contextlib
import functools
import glob
import hashlib
import os
import pathlib
import re
import shutil
import sys

from . import drivers

LLVM = "22"  # the newest whose text every supported Triton's can be brought to
LIBRARY = pathlib.Path(__file__).resolve().parents[2]


class Missing(Exception):
    """A piece is not there; the text says which, and how to get it."""


def plugin():
    """Our compiler plugin for that LLVM."""
    path = LIBRARY / f"liblanescope-pass-{LLVM}.so"
    if not path.exists():
        raise Missing(f"{path} is missing: build Lanescope with LLVM {LLVM}'s development files")
    return path


@functools.lru_cache(maxsize=None)
def tool(name):
    """opt, llc, llvm-mc or ld.lld of that LLVM. LANESCOPE_LLVM_DIR names a folder that is looked at first."""
    named = os.environ.get("LANESCOPE_LLVM_DIR")
    places = [pathlib.Path(named) / name, pathlib.Path(named) / "bin" / name] if named else []
    places += [shutil.which(f"{name}-{LLVM}"), pathlib.Path(f"/usr/lib/llvm-{LLVM}/bin/{name}")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return str(place)
    raise Missing(f"{name}-{LLVM} is missing: install the package {'lld' if name == 'ld.lld' else 'llvm'}-{LLVM}, or name LLVM {LLVM}'s folder "
                  f"with LANESCOPE_LLVM_DIR")


@functools.lru_cache(maxsize=None)
def _installed():
    """Changes with plugin, package and tools."""
    digest = hashlib.sha256()
    for path in [plugin(), *sorted(pathlib.Path(__file__).parent.glob("*.py"))]:
        digest.update(path.read_bytes())
    for name in ("opt", "llc", "llvm-mc"):
        state = os.stat(tool(name))
        digest.update(f"{name} {state.st_size} {state.st_mtime_ns}".encode())
    return digest.hexdigest()


def version():
    """Changes with everything of ours that the generated code depends on: what is installed, and what tools are told."""
    told = [os.environ.get(f"LANESCOPE_PROBE_{what}", "") for what in ("BLOCKS", "KERNELS")] + [_system_folders()]
    return hashlib.sha256("\0".join([_installed(), *told]).encode(errors="surrogateescape")).hexdigest()[:24]


def _c_compiler():
    """Any clang: Debian has them only with their versions behind their names."""
    found = [path for folder in os.get_exec_path() for path in glob.glob(os.path.join(glob.escape(folder), "clang-[0-9]*"))]
    return next((path for path in found if re.fullmatch(r"clang-\d+", os.path.basename(path)) and os.access(path, os.X_OK)), None)


def help_triton():
    """On the software GPU there may be no ROCm, in whose folder Triton looks for a linker, and no compiler of the usual
    name, which it needs for its launchers: what the program did not choose itself is ours then."""
    if not drivers.software_gpu():
        return
    if not any(os.path.exists(p) for p in ("/opt/rocm/llvm/bin/ld.lld", "/usr/bin/ld.lld")):
        with contextlib.suppress(Missing):  # newer Tritons need none
            os.environ.setdefault("TRITON_HIP_LLD_PATH", tool("ld.lld"))
    if not any(map(shutil.which, ("clang", "gcc"))) and _c_compiler():
        os.environ.setdefault("CC", _c_compiler())


def _libraries():
    """Folders of Python packages whose frames are detail: nobody who writes kernels looks for a line there."""
    modules = [sys.modules.get(name) for name in ("triton", "torch")]
    return [os.path.dirname(m.__file__) for m in modules if getattr(m, "__file__", None)]


def _system_folders():
    return ":".join(f for f in _libraries() if ":" not in f)


def environment(arch):
    """For the tools: without the libraries that are preloaded into the profiled program."""
    drop = ("LD_PRELOAD", "HSA_TOOLS_LIB", "PYTHONPATH")
    env = {k: v for k, v in os.environ.items() if k not in drop}
    env["LANESCOPE_TARGET"] = arch
    env["LANESCOPE_SYSTEM_FOLDERS"] = _system_folders()
    return env
