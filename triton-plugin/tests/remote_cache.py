"""A stand-in for a remote cache (TRITON_REMOTE_CACHE_BACKEND): files in the folder that REMOTE_CACHE names."""

import os
import pathlib

from triton.runtime import cache


class Backend(cache.RemoteCacheBackend):
    def __init__(self, key):
        self._folder = pathlib.Path(os.environ["REMOTE_CACHE"], key)

    def get(self, filenames):
        paths = {name: self._folder / name for name in filenames}
        return {name: path.read_bytes() for name, path in paths.items() if path.exists()}

    def put(self, filename, data):
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / filename).write_bytes(data)
