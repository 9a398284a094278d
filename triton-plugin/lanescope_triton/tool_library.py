"""The tool library that the ROCm runtime has loaded into this process."""

import ctypes
import os

from . import pieces

_library = None


def now():
    """It, or None: the runtime may not have started yet."""
    global _library
    if _library is None:
        try:
            _library = ctypes.CDLL(str(pieces.LIBRARY / "liblanescope-hsa.so"), mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        except OSError:
            return None
    return _library
