"""Calls a function when a module has been imported."""

import importlib.abc
import importlib.util
import sys

from . import messages

_wanted = {}


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
    def find_spec(self, fullname, path=None, target=None):
        functions = _wanted.pop(fullname, None)
        if not functions:
            return None
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, functions)
        return spec


def after(name, function):
    """Calls function(module) once `name` has been imported by anyone. What it raises becomes a line on stderr."""
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    _wanted.setdefault(name, []).append(function)
