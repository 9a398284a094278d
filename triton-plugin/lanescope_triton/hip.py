"""The few functions of HIP that arrays and copies need."""

import ctypes
import types

TO_DEVICE, FROM_DEVICE = 1, 2  # hipMemcpyKind
_library = None


class Error(RuntimeError):
    """A call of HIP failed."""


def triton_driver():
    """The module of Triton's HIP driver. Up to 3.3 it is in no table of modules: its functions know its names."""
    from triton.backends import backends

    return types.SimpleNamespace(**backends["amd"].driver.get_current_target.__globals__)


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
