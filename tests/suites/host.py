"""This machine in place of a root: Debian 12's ROCm and its libraries, whose tests upstream.mk compiles."""

import pathlib

from root import call


class Host:
    name = "host"

    def __init__(self, build):
        self.prefix = pathlib.Path(build).resolve() / "stage"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def inside(self, path):
        return pathlib.Path(path)

    def run(self, *command, **env):
        """With nothing of our environment, as in a root."""
        clean = {"PATH": f"{self.prefix}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", **env}
        return call(["env", "-i", *(f"{k}={v}" for k, v in clean.items()), *map(str, command)])
