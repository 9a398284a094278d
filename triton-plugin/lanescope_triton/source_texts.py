"""Python text that is no file: cells of notebooks, modules in archives. Python still knows it, and the recording needs it."""

import contextlib
import linecache
import os
import re
import sys

from . import tool_library

_FILE = re.compile(r'!DIFile\(filename: "([^"]*)", directory: "([^"]*)"')
_told = set()


def _name(escaped):
    return re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), escaped).encode("latin-1", "replace").decode(errors="replace")


def named(llir):
    """Paths that the debug information of that LLVM IR names."""
    return {os.path.join(_name(folder), _name(file)) for file, folder in _FILE.findall(llir)}


def text(path):
    """What Python has compiled under that name; "" when it does not know."""
    module = next((vars(m) for m in list(sys.modules.values()) if getattr(m, "__file__", None) == path), None)
    return "".join(linecache.getlines(path, module))


def tell(made):
    """Hands to the recording what cannot be read later. made: Triton's compiled kernel, fresh or from its cache."""
    with contextlib.suppress(Exception):  # the report says "No such file" then
        for path in named(made.asm["llir"]) - _told:
            if not os.path.exists(path):
                if not (library := tool_library.now()):
                    continue
                if known := text(path):
                    library.lanescope_source_text(os.fsencode(path), known.encode(errors="replace"))
            _told.add(path)
