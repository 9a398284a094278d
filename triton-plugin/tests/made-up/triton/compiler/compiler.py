import os
import types

from triton.backends import backends

cache = {}


class RemoteError(Exception):
    """As those of redis, an error of no kind that Python knows."""


class Kernel(tuple):
    asm = property(lambda self: {"hsaco": self[1]})
    metadata = property(lambda self: types.SimpleNamespace(**self[2]))


def compile(src, target=None, options=None):
    """`src`: IR text. Compiled once per key, as Triton does."""
    backend = backends["amd"].compiler()
    key = f"{src}-{backend.hash()}"
    if key not in cache:
        if "lanescope" in key and os.environ.get("MADE_UP_KEEPS_OLD_ONLY"):  # a cache that has the stock kernel and cannot be written
            raise PermissionError(13, "Permission denied", "cache")
        metadata, given = {}, types.SimpleNamespace(arch="gfx90a", enable_fp_fusion=True)
        assembly = backend.make_amdgcn(src, metadata, given)
        if os.environ.get("MADE_UP_REMOTE_REFUSES") and ("__ls_k_k" in assembly or os.environ["MADE_UP_REMOTE_REFUSES"] == "all"):
            raise RemoteError("value too large")
        code = backend.make_hsaco(assembly, metadata, given)
        cache[key] = Kernel((assembly, b"of a file" if os.environ.get("TRITON_KERNEL_OVERRIDE") == "1" else code, metadata))
    return cache[key]
