"""What Triton's cache holds of ours: what is left of a compile that failed goes, and what is broken is made again."""

import contextlib
import hashlib
import json
import os
import shutil

# What reading a broken entry ends in: files that are missing, cut off, or no text.
BROKEN = (OSError, json.JSONDecodeError, UnicodeDecodeError, KeyError)
_SUM = "lanescope_sum"
_ROOM = 4 << 20  # bytes; what programs keep beside kernels, launchers among it, is far smaller


def seal(metadata, code):
    """Called when a kernel's code object has been made: its metadata says which one belongs to it."""
    metadata[_SUM] = hashlib.sha256(code).hexdigest()


def is_whole(kernel):
    """Whether the code object of a compiled kernel is the one that was made; what has no seal is not ours."""
    expected = getattr(getattr(kernel, "metadata", None), _SUM, None)
    return expected is None or hashlib.sha256(kernel.asm["hsaco"]).hexdigest() == expected


def folder(manager):
    """Of a manager of Triton's cache, where it keeps files; None: nobody knows."""
    return getattr(getattr(manager, "_file_cache_manager", manager), "cache_dir", None)


def is_complete(where):
    """Whether it says that all files of a kernel are there, which is written last."""
    with contextlib.suppress(OSError):
        return where is not None and any(name.startswith("__grp__") for name in os.listdir(where))
    return False


def crowds(where):
    """Whether so little room is left on its disk that it may be wanted for what the program keeps without us."""
    with contextlib.suppress(OSError):
        disk = os.statvfs(where) if where is not None else None
        return disk is not None and disk.f_bavail * disk.f_frsize < _ROOM
    return False


def discard(where):
    """Removes the folder. False when something stays."""
    if where is not None:
        shutil.rmtree(where, ignore_errors=True)
    return where is not None and not os.path.exists(where)
