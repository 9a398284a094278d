"""Calls a function when a module has been imported."""

import importlib.abc
import sys
import threading

from . import messages

_wanted = {}
_asked = threading.local()  # .names: of what the finders behind ours are being asked, which may ask us in turn


class _Loader(importlib.abc.Loader):
    """Executes a module as its own loader would, then calls what waits for it."""

    def __init__(self, loader, functions):
        self._loader, self._functions = loader, functions

    def __getattr__(self, name):  # resources, sources, names: whatever else the loader can tell
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        for function in self._functions:
            with messages.told("kernels of Triton stay unobserved"):
                function(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Stays for good: programs ask where a module is without importing it, try again after they have changed sys.path, and import
    modules anew."""

    def find_spec(self, fullname, path=None, target=None):
        functions, names = _wanted.get(fullname), getattr(_asked, "names", frozenset())
        if not functions or fullname in names:
            return None
        _asked.names = names | {fullname}
        try:
            spec = _behind(fullname, path, target)
        finally:
            _asked.names = names
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, functions)
        return spec


def _behind(fullname, path, target):
    """What the other finders say, in their order."""
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = None if isinstance(finder, _Finder) or find is None else find(fullname, path, target)
        if spec is not None:
            return spec
    return None


def after(name, function):
    """Calls function(module) whenever `name` has been imported by anyone. What it raises becomes a line on stderr."""
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    _wanted.setdefault(name, []).append(function)
