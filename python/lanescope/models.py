"""What one memory access of a wavefront costs on an AMD GPU: the library liblanescope-models.

    from lanescope import models

    cost = models.lds_cost("gfx942", [lane * 128 for lane in range(64)], 4)
    print(cost.conflict_cycles, "of", cost.cycles, "cycles are conflicts:", cost.basis)

Addresses are listed by lane; None stands for a lane that is not active. lanescope/models.h tells all the rest.
"""
import collections
import ctypes
import ctypes.util
import glob
import os
import shutil

_ACCESSES = {"read": 0, "write": 1, "atomic": 2}
_BASES = {0: "assumed", 1: "measured", 2: "documented"}


class ModelError(ValueError):
    """The question makes no sense on that GPU; `code` is the library's number."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class _Lds(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_uint32) for name in (
        "cycles", "conflict_cycles", "address_conflict_cycles", "phases", "banks", "basis")]


class _Global(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_uint32) for name in (
        "bytes", "l1_lines", "l1_lines_needed", "l2_lines", "l2_lines_needed", "requests", "requests_fewest", "l1_line",
        "l2_line", "lines_basis", "requests_basis")] + [("coalescing", ctypes.c_double)]


LdsCost = collections.namedtuple("LdsCost", [name for name, _ in _Lds._fields_[1:]])
GlobalCost = collections.namedtuple("GlobalCost", [name for name, _ in _Global._fields_[1:]])
_library = None


def _find():
    """Beside the `lanescope` of the path, else where the system's loader looks."""
    program = shutil.which("lanescope")
    for pattern in ("lib/liblanescope-models.so.1", "lib64/liblanescope-models.so.1", "lib/*/liblanescope-models.so.1"):
        prefix = os.path.dirname(os.path.dirname(os.path.realpath(program))) if program else None
        found = glob.glob(os.path.join(glob.escape(prefix), pattern)) if prefix else []
        if found:
            return found[0]
    return ctypes.util.find_library("lanescope-models") or "liblanescope-models.so.1"


def load(path=None):
    """Loads the library, from `path` if it stands nowhere that is looked at. The functions call it themselves."""
    global _library
    name = path or _find()
    try:
        library = ctypes.CDLL(name)
    except OSError as e:
        raise OSError("%s: cannot be loaded: %s; install Lanescope, or give lanescope.models.load() its path" %
                      (name, e)) from None
    for function, cost, address in ((library.lanescope_lds_cost, _Lds, ctypes.c_uint32),
                                    (library.lanescope_global_cost, _Global, ctypes.c_uint64)):
        function.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_uint64, ctypes.POINTER(address),
                             ctypes.c_size_t, ctypes.POINTER(cost)]
    library.lanescope_models_gpu.argtypes, library.lanescope_models_gpu.restype = [ctypes.c_size_t], ctypes.c_char_p
    library.lanescope_models_lanes.argtypes = [ctypes.c_char_p]
    library.lanescope_models_error.restype = ctypes.c_char_p
    _library = library
    return library


def _get():
    return _library or load()


def _ask(name, kind, cost, gpu, addresses, width, access):
    library, top = _get(), 2 ** (8 * ctypes.sizeof(kind)) - 1
    addresses = list(addresses)
    if access not in _ACCESSES:
        raise ModelError(-3, library.lanescope_models_error(-3).decode())
    if any(a is not None and not 0 <= a <= top for a in addresses):
        raise ModelError(-8, library.lanescope_models_error(-8).decode())
    if not 0 <= width < 2 ** 32:
        raise ModelError(-4, library.lanescope_models_error(-4).decode())
    mask = sum(1 << lane for lane, a in enumerate(addresses[:64]) if a is not None)
    given = (kind * max(1, len(addresses)))(*(a or 0 for a in addresses))
    out = cost(size=ctypes.sizeof(cost))
    code = getattr(library, name)(gpu.encode(), _ACCESSES[access], width, mask, given, len(addresses), ctypes.byref(out))
    if code:
        raise ModelError(code, library.lanescope_models_error(code).decode())
    return [_BASES.get(v, v) if n.endswith("basis") else v
            for n, v in ((n, getattr(out, n)) for n, _ in cost._fields_[1:])]


def lds_cost(gpu, addresses, width, access="read"):
    """An access of `width` bytes a lane at byte offsets in LDS. access: read, write or atomic. ModelError: see there."""
    return LdsCost(*_ask("lanescope_lds_cost", ctypes.c_uint32, _Lds, gpu, addresses, width, access))


def global_cost(gpu, addresses, width, access="read"):
    """The same of global memory."""
    return GlobalCost(*_ask("lanescope_global_cost", ctypes.c_uint64, _Global, gpu, addresses, width, access))


def gpus():
    """Names of the GPUs with models."""
    library, names = _get(), []
    while library.lanescope_models_gpu(len(names)):
        names.append(library.lanescope_models_gpu(len(names)).decode())
    return names


def lanes(gpu):
    """Lanes of a wavefront; 0: the GPU is not known."""
    return _get().lanescope_models_lanes(gpu.encode())
