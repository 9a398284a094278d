"""The few functions of HIP that arrays and copies need."""

import contextlib
import ctypes
import os
import types

TO_DEVICE, FROM_DEVICE = 1, 2  # hipMemcpyKind
_library = None


class Error(RuntimeError):
    """A call of HIP failed."""


def _names():
    """Of the module of Triton's HIP driver. Up to 3.3 it is in no table of modules: its functions know them."""
    from triton.backends import backends

    return backends["amd"].driver.get_current_target.__globals__


def triton_driver():
    """The module of Triton's HIP driver."""
    return types.SimpleNamespace(**_names())


def mapped(name):
    """Path of a loaded library in whose file name that stands; None: there is none."""
    with open("/proc/self/maps", errors="surrogateescape") as maps:
        paths = [line.rstrip("\n").split(maxsplit=5)[5] for line in maps if name in line]
    return next((path for path in paths if name in os.path.basename(path)), None)


def find_without_locks():
    """Triton asks dl_iterate_phdr for a HIP that is loaded (3.2 to 3.6). That calls Python while it holds the loader's lock: where
    another thread holds Python's, and loads a library, both wait for ever. The kernel knows what is loaded, too."""
    with contextlib.suppress(Exception):  # of a version that nobody tried: it asks as it always does
        if "_find_already_mmapped_dylib_on_linux" in _names():
            _names()["_find_already_mmapped_dylib_on_linux"] = mapped


def library():
    """The HIP that Triton's driver loads."""
    global _library
    if _library is None:
        _library = ctypes.CDLL(triton_driver()._get_path_to_hip_runtime_dylib())
        _library.hipGetErrorString.restype = ctypes.c_char_p
    return _library


def _check(what, code):
    if code:
        raise Error(f"{what}: {library().hipGetErrorString(code).decode()}")


def allocate(size):
    """Address of device memory."""
    p = ctypes.c_void_p()
    _check(f"hipMalloc of {size} bytes", library().hipMalloc(ctypes.byref(p), ctypes.c_size_t(max(size, 1))))
    return p.value


def free(address):
    _check("hipFree", library().hipFree(ctypes.c_void_p(address)))


def copy(to, source, size, kind):
    if size:
        _check(f"hipMemcpy of {size} bytes", library().hipMemcpy(
            ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(size), kind))


def wait():
    """Until all kernels have ended."""
    _check("hipDeviceSynchronize", library().hipDeviceSynchronize())
